"""Writes small wheels of TensorFlow 1.15.5 with a few invented files, for tests of the installation of originals."""

import hashlib
import os
import zipfile

from tf1grad.old_programs.originals import manifest, wheel_sources

SERVED = {
    "tensorflow_core/contrib/__init__.py": b"# contrib\n",
    "tensorflow_core/contrib/crf/__init__.py": b"# crf\n" * 1000,
    "tensorflow_core/contrib/crf/python/ops/crf.py": b"# its functions\n",
    "tensorflow_core/contrib/learn/python/learn/datasets/data/iris.csv": b"150,4\n",
    "tensorflow_core/contrib/resampler/ops/gen_resampler_ops.py": b"# generated\n",
    "tensorflow_core/python/ops/array_ops.py": "# \u00e9\n".encode("utf-8"),
}
OTHERS = {
    "tensorflow/__init__.py": b"raise RuntimeError('executed')\n",
    "tensorflow_core/__init__.py": b"raise RuntimeError('executed')\n",
    "tensorflow_core/contrib/resampler/ops/_resampler_ops.so": b"\x7fELF",
    "tensorflow_core/core/framework/graph_pb2.py": b"# TensorFlow 2 has it\n",
    "tensorflow_core/include/tensorflow/core/public/version.h": b"// none of Python\n",
    "tensorflow-1.15.5.dist-info/METADATA": b"Metadata-Version: 2.1\nName: tensorflow\nVersion: 1.15.5\n",
    "tensorflow-1.15.5.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: false\n"
                                         b"Tag: cp37-cp37m-manylinux2010_x86_64\n",
    "tensorflow-1.15.5.dist-info/RECORD": b"",
}


def write(parent, served=SERVED):
    """Writes a wheel into the folder `parent` and returns its path and its sha256."""
    path = os.path.join(str(parent), wheel_sources.WHEEL)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(dict(OTHERS, **served).items()):
            archive.writestr(name, data)
    with open(path, "rb") as file:
        return path, hashlib.sha256(file.read()).hexdigest()


def unpack(parent, served=SERVED):
    """Writes the files themselves below the folder `parent`, as an installed TensorFlow 1.15 has them."""
    for name, data in dict(OTHERS, **served).items():
        path = os.path.join(str(parent), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


def files(parent):
    """Returns the bytes of all files below the folder `parent`, by name."""
    found = {}
    for path, _, names in os.walk(str(parent)):
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                found[os.path.relpath(os.path.join(path, name), str(parent)).replace(os.sep, "/")] = file.read()
    return found


def is_whole(place):
    """Says whether `place` holds the served files of a wheel, a licence and a manifest, and nothing else."""
    found = files(place)
    return found.pop("LICENSE", b"") and found.pop(manifest.NAME, b"") and found == SERVED
