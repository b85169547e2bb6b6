"""Writes small wheels of TensorFlow 1.15.5 and tensorflow-estimator, for tests of the installation of originals."""

import hashlib
import os
import zipfile

from tf1grad.old_programs.originals import manifest, wheel_sources

TENSORFLOW = {
    "tensorflow_core/contrib/__init__.py": b"# contrib\n",
    "tensorflow_core/contrib/crf/__init__.py": b"# crf\n" * 1000,
    "tensorflow_core/contrib/crf/python/ops/crf.py": b"# its functions\n",
    "tensorflow_core/contrib/learn/python/learn/datasets/data/iris.csv": b"150,4\n",
    "tensorflow_core/contrib/resampler/ops/gen_resampler_ops.py": b"# generated\n",
    "tensorflow_core/core/kernels/boosted_trees/boosted_trees_pb2.py": b"# TensorFlow 2 does not have it\n",
    "tensorflow_core/python/ops/array_ops.py": "# \u00e9\n".encode("utf-8"),
}
ESTIMATOR = {"tensorflow_estimator/python/estimator/estimator.py": b"# its classes\n"}
SERVED = {**TENSORFLOW, **ESTIMATOR}
OTHERS = {
    "tensorflow/__init__.py": b"raise RuntimeError('executed')\n",
    "tensorflow_core/__init__.py": b"raise RuntimeError('executed')\n",
    "tensorflow_core/contrib/resampler/ops/_resampler_ops.so": b"\x7fELF",
    "tensorflow_core/core/framework/graph_pb2.py": b"# TensorFlow 2 has it\n",
    "tensorflow_core/include/tensorflow/core/public/version.h": b"// none of Python\n",
}


def write(parent, added=None):
    """Writes both wheels into the folder `parent`; returns the path of the first, and their checksums by name.

    The first also has the files `added`.
    """
    checksums = {wheel: _write_wheel(parent, wheel, files) for wheel, files in (
        (wheel_sources.WHEEL, {**OTHERS, **TENSORFLOW, **(added or {})}), (wheel_sources.ESTIMATOR_WHEEL, ESTIMATOR))}
    return os.path.join(str(parent), wheel_sources.WHEEL), checksums


def _write_wheel(parent, wheel, files):
    project, version, *tags = wheel[:-len(".whl")].split("-")
    information = {
        "METADATA": f"Metadata-Version: 2.1\nName: {project}\nVersion: {version}\n",
        "WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {'-'.join(tags)}\n", "RECORD": ""}
    path = os.path.join(str(parent), wheel)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            archive.writestr(name, data)
        for name, text in information.items():
            archive.writestr(f"{project}-{version}.dist-info/{name}", text)
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


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
