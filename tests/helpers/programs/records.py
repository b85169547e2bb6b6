"""Reads and writes the files of `tests/recorded`: what TensorFlow 1.15.5 gave, as JSON."""

import base64
import json
import os

from paths import ROOT


def read(name):
    """Returns what is recorded under a name."""
    with open(_path(name), encoding="utf-8") as file:
        return json.load(file)


def write(name, found):
    """Records a dict, with a line for each key."""
    lines = [json.dumps({key: value}, sort_keys=True)[1:-1] for key, value in found.items()]
    with open(_path(name), "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


def _path(name):
    return os.path.join(ROOT, "tests", "recorded", name + ".json")


def packed(folder, names):
    """Returns files of a folder by name, as texts."""
    found = {}
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = base64.b64encode(file.read()).decode()
    return found


def unpack(folder, files):
    """Writes into a folder what `packed` returned."""
    write_files(folder, {name: base64.b64decode(text) for name, text in files.items()})


def write_files(folder, files):
    """Writes bytes by name into a folder."""
    for name, data in files.items():
        path = os.path.join(str(folder), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
