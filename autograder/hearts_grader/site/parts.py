"""Put together the browser's Python: Pyodide from npm, and an archive of the packages.

The packages have the versions of the environment that builds the site. The archive holds bytecode
in place of source files, and leaves out what students' notebooks do not use.
"""

import hashlib
import io
import json
import lzma
import re
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatch
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from types import MappingProxyType

from hearts_course.errors import CourseError, UsageError
from hearts_course.files import read_json, read_text, write_whole, zipped

HERE = Path(__file__).parent
PYODIDE = "pyodide-314.0.6"
PYODIDE_SHA512 = (
    "04a0d327222a1710b8044c4ba9e452ddfe71bd76488ceb7c0b7cc62cdfc273bb"
    "45c52c2f29585591c8504360062ceb51e18ad53881716d5f29a320ce3a65b0c5"
)
NO_NODE = "the site needs npm and node: install Node.js 20 or newer from nodejs.org"
NEEDED = ("ipython", "ipywidgets", "anywidget", "comm", "jinja2", "pytest", "rich")
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
PRESET = 7 | lzma.PRESET_EXTREME  # at level 7, the dictionary covers the whole archive
STDLIB = "python_stdlib.zip"
LOCK = "pyodide-lock.json"
# The browser's kernel always loads a package of this name first. So this site gives the name to its
# only package, which holds the whole course.
PACKAGE = "micropip"
REQUIREMENT = re.compile(r"[\w.-]+")
UNUSED_PACKAGES = frozenset(
    {
        *("jedi", "parso", "pexpect", "ptyprocess", "psutil", "prompt-toolkit", "wcwidth"),
        *("widgetsnbextension", "jupyterlab-widgets"),
    }
)
UNUSED = (
    *("*.so", "*.pyi", "*.pyc", "*/tests/*", "*/testing/*", "*.dist-info/*", "*.typed", "../*"),
    *("pygments/lexers/*", "anywidget/labextension/*", "*.js.map", "*.data/*"),
    *(f"pygments/formatters/{kind}.py" for kind in ("bbcode", "groff", "irc", "latex", "rtf")),
    *(f"pygments/formatters/{kind}.py" for kind in ("img", "pangomarkup", "svg")),
    *("IPython/sphinxext/*", "IPython/terminal/*", "packaging/licenses/*", "packaging/pylock.py"),
    *("*/pytest_ipdoctest.py", "pygments/cmdline.py", "rich/_win*.py"),
    # The commands of a terminal, which nothing else of the course imports:
    *("hearts_course/__main__.py", "hearts_course/cli/*", "hearts_course/play/*"),
    *("hearts_course/student/keyboard.py", "hearts_course/student/watch*"),
    *("hearts_course/student/stage_checks.py", "hearts_course/reports/classroom50.py"),
    "hearts_course/sandbox/worker/library.py",
)
UNUSED_STDLIB = (  # processes, servers, mail, a terminal, other systems, tools, old code pages
    *("multiprocessing/*", "wsgiref/*", "xmlrpc/*", "encodings/cp[78]*"),
    *("imaplib.py", "mailbox.py", "poplib.py", "smtplib.py", "ftplib.py", "encodings/mac_*"),
    *("_pyrepl/*reader.py", "_pyrepl/*console.py", "_pyrepl/commands.py", "_pyrepl/terminfo.py"),
    *("asyncio/proactor_events.py", "asyncio/windows_*", "concurrent/futures/process.py"),
    *("http/server.py", "http/cookiejar.py", "xml/dom/*", "xml/sax/*", "wave.py", "plistlib.py"),
    *("modulefinder.py", "compileall.py", "profile.py", "pstats.py", "pickletools.py"),
)
USED = (
    *("hearts_course/testing/*", "*/METADATA", "IPython/testing/*"),
    *(f"pygments/lexers/{name}.py" for name in ("__init__", "_mapping", "diff", "python")),
    *("pygments/lexers/special.py", "IPython/terminal/__init__.py"),
    "IPython/terminal/pt_inputhooks/__init__.py",
)
# Pyodide searches each archive for modules in C. It would fail for our archive, because it does not
# know this kind of archive. With this change, Pyodide does not search our archive, which has no
# modules in C.
LOADER = "pyodide/_package_loader.py"
STOP_AT_ARCHIVE = 'raise ValueError(f"Unexpected suffix {suffix}")'
NO_COMPILED_MODULES = "dynlib_paths_iter = ()"
METADATA_END = b"\n\n"
NOTHING: Mapping[str, bytes] = MappingProxyType({})


def fetch_pyodide(folder: Path) -> Path:
    """Return Pyodide's folder; fetch Pyodide into `folder` with npm if it is not there yet.

    Raise UsageError if npm is missing, and CourseError if npm fails or fetches something else.
    """
    pyodide = folder / PYODIDE
    if pyodide.is_dir():
        return pyodide
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as fresh:
        output_of([tool("npm"), "pack", "--silent", PYODIDE.replace("-", "@")], Path(fresh))
        data = (Path(fresh) / f"{PYODIDE}.tgz").read_bytes()
        if hashlib.sha512(data).hexdigest() != PYODIDE_SHA512:
            raise CourseError(f"npm's {PYODIDE} is not the one that this course was tested with")
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            archive.extractall(fresh, filter="data")
        # Do this last, because a folder of this name counts as a complete download.
        (Path(fresh) / "package").rename(pyodide)
    return pyodide


def tool(name: str) -> str:
    """Return the path of npm or node; raise UsageError if it is missing."""
    if path := shutil.which(name):
        return path
    raise UsageError(NO_NODE)


def output_of(command: list[str], folder: Path) -> str:
    """Run the command and return its output; raise CourseError if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
        raise CourseError(f"{Path(command[0]).name} failed: {lines[-1]}")
    return done.stdout


def write_python(
    folder: Path, pyodide: Path, wheels: Iterable[bytes], more: Mapping[str, bytes] = NOTHING
) -> None:
    """Write Pyodide into the folder, with one package that holds the wheels and `more`.

    The package also holds the packages that the wheels need. It holds most of the standard library
    too, because it is compressed better than Pyodide's own archive. Only modules that Pyodide needs
    to unpack the package stay in Pyodide's archive.
    """
    with tempfile.TemporaryDirectory() as work:
        compiled = {name: Path(work) / name for name in ("packages", "stdlib")}
        for name, data in {**packages(wheels), **more}.items():
            write_whole(compiled["packages"] / name, data)
        with zipfile.ZipFile(pyodide / STDLIB) as archive:
            # Leave out modules that no notebook needs, because students wait for the download.
            used = [name for name in archive.namelist() if not _matches(name, UNUSED_STDLIB)]
            archive.extractall(compiled["stdlib"], used)
        loader = compiled["stdlib"] / LOADER
        write_whole(loader, read_text(loader).replace(STOP_AT_ARCHIVE, NO_COMPILED_MODULES))
        mounts = [f"{name}={place}" for name, place in compiled.items()]
        run_in_pyodide(pyodide, HERE / "compile.py", *mounts)
        stdlib = _zipped(compiled["stdlib"])
        package = _tarred(compiled["packages"])
    for name in RUNTIME:
        write_whole(folder / name, (pyodide / name).read_bytes())
    write_whole(folder / STDLIB, stdlib)
    digest = hashlib.sha256(package).hexdigest()
    file = f"{PACKAGE}-{digest[:12]}.tar.xz"  # a new name, so that no browser uses an old file
    write_whole(folder / file, package)
    lock = read_json(pyodide / LOCK)
    lock["packages"] = {
        PACKAGE: {
            "name": PACKAGE,
            "version": "1",
            "file_name": file,
            "sha256": digest,
            "install_dir": "site",
            "package_type": "package",
            "imports": [],
            "depends": [],
        }
    }
    write_whole(folder / LOCK, json.dumps(lock))


def _zipped(folder: Path) -> bytes:
    """Return a zip of the files in the folder; an entry's name is the file's path in the folder."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return zipped({path.relative_to(folder).as_posix(): path.read_bytes() for path in paths})


def _tarred(folder: Path) -> bytes:
    """Return the folder as a compressed tar archive, a quarter smaller than a zip.

    Files with the same ending are neighbours, because similar neighbours compress better.
    """
    buffer = io.BytesIO()
    paths = [path for path in folder.rglob("*") if path.is_file()]
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for path in sorted(paths, key=lambda path: (path.suffix, path)):
            # This member has no time and no owner, so equal files always give equal archives.
            member = tarfile.TarInfo(path.relative_to(folder).as_posix())
            member.size = path.stat().st_size
            with path.open("rb") as file:
                archive.addfile(member, file)
    return lzma.compress(buffer.getvalue(), preset=PRESET)


def run_in_pyodide(pyodide: Path, file: Path, *more: str) -> str:
    """Return what a Python file prints in Pyodide.

    In `more`, `+PACKAGE` loads a package of Pyodide's, and `NAME=FOLDER` makes a folder of this
    machine available as `/NAME`.
    """
    script = HERE / "node.mjs"
    return output_of(
        [tool("node"), str(script), str(pyodide.resolve()), str(file), *more], file.parent
    )


def packages(wheels: Iterable[bytes]) -> Mapping[str, bytes]:
    """Map the names of the files that the site uses to their contents.

    The files come from the wheels, the stubs and the installed packages.
    """
    files = dict(_installed())
    stubs = HERE / "stubs"
    for path in stubs.rglob("*.py"):
        files[path.relative_to(stubs).as_posix()] = path.read_bytes()
    for wheel in wheels:
        with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
            for name in archive.namelist():
                if not name.endswith("/"):  # folders are listed as well
                    files[name] = archive.read(name)
    used = {}
    for name, data in files.items():
        if _is_used(name):
            if name.endswith("/METADATA"):  # only the fields, without the long description
                data = data.partition(METADATA_END)[0]
            used[name] = data
    return used


def _is_used(name: str) -> bool:
    """Return whether the site needs the file; USED lists exceptions from UNUSED."""
    return _matches(name, USED) or not _matches(name, UNUSED)


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


def _installed() -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file of the needed packages, without bytecode."""
    for package in _distributions(NEEDED, set()):
        for path in package.files or []:
            place = Path(str(package.locate_file(path)))
            if place.is_file() and place.suffix != ".pyc":
                yield path.as_posix(), place.read_bytes()


def _distributions(names: Iterable[str], seen: set[str]) -> Iterator[Distribution]:
    """Yield the installed packages of these names, and the packages that they require.

    A package's name has several spellings, such as `prompt_toolkit`, so names are normalised. Raise
    UsageError if one of NEEDED is missing.
    """
    for spelling in names:
        name = re.sub(r"[-_.]+", "-", spelling).lower()
        if name in seen or name in UNUSED_PACKAGES:
            continue
        seen.add(name)
        try:
            package = distribution(name)
        except PackageNotFoundError:
            if name in NEEDED:
                raise UsageError(f"{name} is missing; run `make setup`") from None
            continue  # required on another system only
        yield package
        required = [line for line in package.requires or [] if "extra ==" not in line]
        matches = filter(None, map(REQUIREMENT.match, required))
        yield from _distributions([match[0] for match in matches], seen)
