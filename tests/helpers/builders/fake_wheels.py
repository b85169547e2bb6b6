"""Writes small wheels of the parts of the period layer, for tests of their installation."""

import hashlib
import os
import zipfile

from tf1grad.programs.period import manifest, parts

TENSORFLOW = {
    "tensorflow_core/_api/v1/v1.py": b"# names\n",
    "tensorflow_core/contrib/__init__.py": b"# contrib\n",
    "tensorflow_core/contrib/crf/__init__.py": b"# crf\n" * 1000,
    "tensorflow_core/contrib/learn/python/learn/datasets/data/iris.csv": b"150,4\n",
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
WHEELS = {
    "tensorflow-1.15.5-cp37-cp37m-manylinux2010_x86_64.whl": {**OTHERS, **TENSORFLOW},
    "tensorflow_estimator-1.15.1-py2.py3-none-any.whl": ESTIMATOR,
}
LIBRARIES = {
    name: {
        f"{name.split('-')[0].lower()}/__init__.py": b"OLD = True\n",
        f"{name.split('-')[0].lower()}/tests/test_it.py": b"raise RuntimeError('kept')\n",
    }
    for name in (
        "astor-0.8.1-py2.py3-none-any.whl",
        "Keras_Applications-1.0.8-py3-none-any.whl",
        "Keras_Preprocessing-1.1.2-py2.py3-none-any.whl",
        "fissix-24.4.24-py3-none-any.whl",
        "appdirs-1.4.4-py2.py3-none-any.whl",
        "tomli-2.0.1-py3-none-any.whl",
    )
}
LIBRARIES["setuptools-75.8.0-py3-none-any.whl"] = {
    "pkg_resources/__init__.py": b"OLD = True\n",
    "setuptools/__init__.py": b"raise RuntimeError('kept')\n",
    "setuptools/_vendor/needed.py": b"OLD = True\n",
}
KERAS = {
    "Keras-2.3.1-py2.py3-none-any.whl": {"keras/__init__.py": b"__version__ = '2.3.1'\n"},
    "Keras-2.2.4-py2.py3-none-any.whl": {"keras/__init__.py": b"__version__ = '2.2.4'\n"},
    "PyYAML-6.0.2-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl": {
        "yaml/__init__.py": b""
    },
}
IPYTHON = {
    f"{requirement.replace('==', '-')}-py3-none-any.whl": {
        f"{requirement.partition('==')[0]}.py": b"OLD = True\n"
    }
    for requirement in parts.IPYTHON.requirements
}
UV = {
    "uv-0.13.9-py3-none-any.whl": {
        "uv-0.13.9.data/scripts/uv": b"#!/bin/sh\necho uv 0.13.9\n",
        "uv/__init__.py": b"raise RuntimeError('kept')\n",
    }
}


def write(parent, wheels=None):
    """Writes wheels (default: `WHEELS`) into the folder `parent`,
    and returns their checksums by name.
    """
    os.makedirs(str(parent), exist_ok=True)
    return {
        wheel: _write_wheel(parent, wheel, files) for wheel, files in (wheels or WHEELS).items()
    }


def _write_wheel(parent, wheel, files):
    project, version, *tags = wheel[: -len(".whl")].split("-")
    information = {
        "METADATA": f"Metadata-Version: 2.1\nName: {project}\nVersion: {version}\n",
        "WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {'-'.join(tags)}\n",
        "RECORD": "",
    }
    path = os.path.join(str(parent), wheel)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        described = {
            f"{project}-{version}.dist-info/{name}": text for name, text in information.items()
        }
        for name, data in sorted({**described, **files}.items()):
            archive.writestr(name, data)
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def unpack(parent, served=SERVED):
    """Writes the files themselves below the folder `parent`,
    as an installed TensorFlow 1.15 has them.
    """
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
                found[
                    os.path.relpath(os.path.join(path, name), str(parent)).replace(os.sep, "/")
                ] = file.read()
    return found


def is_whole(place):
    """Says whether `place` holds the served files of the wheels,
    a licence and a manifest, and nothing else.
    """
    found = files(place)
    return found.pop("LICENSE", b"") and found.pop(manifest.NAME, b"") and found == SERVED
