c = get_config()
