"""What is at a place of the originals, and whether it is all that was put there."""

import collections
import json
import os

from tf1grad.migrate.originals import folder

SERVED = tuple(folder.ROOT + top for top in ("/_api/v1/", "/contrib/", "/python/"))
NAME = "tf1grad.json"  # written last, so that it tells whole folders of ours from all others

# place: the folder that holds `tensorflow_core`. version, sha256: of what was installed there, the latter of the wheel
# and None where there was none; both None where somebody else put it there. files, bytes: of the files that are served.
# whole: False when they are not those that were installed.
Contents = collections.namedtuple("Contents", "place version sha256 files bytes whole")


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
        for path, _, names in os.walk(os.path.join(parent, *top.strip("/").split("/"))):
            inner = os.path.relpath(path, parent).replace(os.sep, "/")
            found += ["%s/%s" % (inner, name) for name in names]
    return sorted(filter(is_served, found))


def contents(place):
    """The `Contents` of a place, with all its files counted; None when it holds neither originals nor a manifest."""
    written = read(place)
    if written is None and not folder.holds(place):
        return None
    names = served(place)
    size = sum(os.path.getsize(os.path.join(place, name)) for name in names)
    if written is None:
        return Contents(place, None, None, len(names), size, True)
    whole = (len(names), size) == (written["files"], written["bytes"])
    return Contents(place, written["version"], written["sha256"], len(names), size, whole)


def read(place):
    """What `write` wrote at a place, or None."""
    try:
        with open(os.path.join(place, NAME), encoding="utf-8") as file:
            return json.load(file)
    except (FileNotFoundError, NotADirectoryError):
        return None


def write(place, version, sha256, files, size):
    """Says at a place what was put there: the version, the wheel's sha256 or None, the number of files and bytes."""
    with open(os.path.join(place, NAME), "w", encoding="utf-8") as file:
        json.dump({"version": version, "sha256": sha256, "files": files, "bytes": size}, file)
