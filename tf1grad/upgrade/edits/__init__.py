"""Plans and writes the edits of an upgraded file: its names, imports, start and added lines."""
