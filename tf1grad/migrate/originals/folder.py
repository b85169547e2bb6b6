"""Where TensorFlow 1.15's own Python files are, and what is there; found without importing anything."""

import collections
import json
import os
import sys

VERSION = "1.15.5"
NAME = "tensorflow-" + VERSION
VARIABLE = "TF1GRAD_ORIGINALS"
ROOT = "tensorflow_core"  # what the wheel calls the package
SERVED = (ROOT + "/_api/v1/", ROOT + "/contrib/", ROOT + "/python/")
MANIFEST = "tf1grad.json"  # written last, so that it tells whole folders of ours from all others

# place: the folder that holds `tensorflow_core`. version, sha256: of what was installed there, the latter of the wheel
# and None where there was none; both None where somebody else put it there. files, bytes: of the files that are served.
# whole: False when they are not those that were installed.
Contents = collections.namedtuple("Contents", "place version sha256 files bytes whole")


def places():
    """The folders that may hold the originals, in the order in which they are looked for.

    `TF1GRAD_ORIGINALS`, where it is set, is the only one.
    """
    if os.environ.get(VARIABLE):
        return [os.path.abspath(os.environ[VARIABLE])]
    return [os.path.join(data, "tf1grad", NAME) for data in (os.path.join(sys.prefix, "share"), _user_data())]


def find():
    """The first of the `places` that holds `tensorflow_core/contrib`, or None. It is cheap: `run` asks at every start.
    """
    return next(filter(_holds, places()), None)


def is_served(name):
    """True for the files that are kept of a TensorFlow 1.15: Python, and the small tables that `contrib.learn` reads.

    Args:
        name: the path from `tensorflow_core` on, with slashes.
    """
    return name.startswith(SERVED) and name.endswith((".py", ".csv"))


def served(parent):
    """The names of the files below the folder `parent` that are served, in order."""
    found = []
    for top in SERVED:
        for folder, _, names in os.walk(os.path.join(parent, *top.strip("/").split("/"))):
            inner = os.path.relpath(folder, parent).replace(os.sep, "/")
            found += ["%s/%s" % (inner, name) for name in names]
    return sorted(filter(is_served, found))


def contents(place):
    """The `Contents` of a place, with all its files counted; None when it holds neither originals nor a manifest."""
    manifest = read_manifest(place)
    if manifest is None and not _holds(place):
        return None
    names = served(place)
    size = sum(os.path.getsize(os.path.join(place, name)) for name in names)
    if manifest is None:
        return Contents(place, None, None, len(names), size, True)
    whole = (len(names), size) == (manifest["files"], manifest["bytes"])
    return Contents(place, manifest["version"], manifest["sha256"], len(names), size, whole)


def read_manifest(place):
    """What `write_manifest` wrote at a place, or None."""
    try:
        with open(os.path.join(place, MANIFEST), encoding="utf-8") as file:
            return json.load(file)
    except (FileNotFoundError, NotADirectoryError):
        return None


def write_manifest(place, version, sha256, files, size):
    """Says at a place what was put there: the version, the wheel's sha256 or None, the number of files and bytes."""
    with open(os.path.join(place, MANIFEST), "w", encoding="utf-8") as file:
        json.dump({"version": version, "sha256": sha256, "files": files, "bytes": size}, file)


def _holds(place):
    return os.path.isdir(os.path.join(place, ROOT, "contrib"))


def _user_data():
    """The folder for data of the user's programs, as each system has it."""
    home = os.path.expanduser("~")
    if os.name == "nt":
        return os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support")
    return os.environ.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")
