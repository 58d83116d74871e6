"""Settings of a hub to try on one machine; JUPYTERHUB.md says what a real one changes."""

from pathlib import Path

c = get_config()  # noqa: F821
hub = Path.cwd()
exchange = hub / "exchange"
exchange.mkdir(exist_ok=True)  # without it, formgrader has no button to release
c.JupyterHub.bind_url = "http://127.0.0.1:8000"
c.JupyterHub.authenticator_class = "dummy"  # any password will do
c.Authenticator.allowed_users = {"ada", "bob", "instructor"}
c.JupyterHub.spawner_class = "simple"  # needs no accounts: all servers run as one user
c.SimpleLocalProcessSpawner.home_dir_template = f"{hub}/{{username}}"
c.Spawner.environment = {
    "HEARTS_EXCHANGE": str(exchange),
    "JUPYTER_CONFIG_PATH": str(Path(__file__).resolve().parent),  # for nbgrader_config.py
}
