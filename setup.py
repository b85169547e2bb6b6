"""Packaging of tf1grad. It asks for no TensorFlow, in no extra: installing it must not change the one that is there."""

import os
import re

import setuptools
from setuptools import find_packages, setup

HERE = os.path.dirname(os.path.abspath(__file__))
# The word for a licence expression, from the version on that knows it; Python 3.7 has an older one.
LICENSE = "license_expression" if int(setuptools.__version__.split(".")[0]) >= 77 else "license"


def read(*path):
    with open(os.path.join(HERE, *path), encoding="utf-8") as file:
        return file.read()


def without_relative_links(text):
    """`text`, Markdown, with the words of each link that only a checkout can follow in the place of the link."""
    return re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]*\)", r"\1", text)


setup(
    name="tf1grad",
    version=re.search(r'__version__ = "(.+)"', read("tf1grad", "__init__.py")).group(1),
    description="TensorFlow 1 session recipes for gradients, right on TF 1.15 and on the newest TF 2.x",
    long_description=without_relative_links(read("README.md")),
    long_description_content_type="text/markdown",
    keywords=["tensorflow", "tensorflow 1", "tf.contrib", "gradient accumulation", "gradient clipping", "migration",
              "compat.v1", "ScipyOptimizerInterface"],
    packages=find_packages(include=["tf1grad", "tf1grad.*"]),
    package_data={
        "tf1grad": ["py.typed"],
        "tf1grad.old_programs.emulation": ["site/*.py"],  # no package: the folder goes on the path of child processes
        "tf1grad.old_programs.originals": ["apache-2.0.txt"],
    },
    python_requires=">=3.7",
    install_requires=["numpy"],
    entry_points={"console_scripts": ["tf1grad = tf1grad.old_programs.cli.main:main"]},
    extras_require={
        "examples": [
            "scikit-learn", "scipy", "matplotlib", "ase",
            'pyDOE<0.4; python_version < "3.8"',  # where SciPy has no qmc yet
        ],
        # What reads and translates Python 2.
        "migrate": ["fissix"],
        # What old scripts use of tf.contrib, and what TensorFlow 1.15's own Keras asks for. Those that use tf.layers or
        # tf.keras need tf_keras too, on TensorFlow 2.16 and later; it asks for the full tensorflow:
        # pip install --no-deps tf_keras.
        "scripts": ["tf_slim", "keras_applications", "keras_preprocessing"],
        # tf.estimator on TensorFlow 2.16 and later; older ones bring it.
        "estimator": ["tensorflow-estimator"],
        "test": [
            "pytest", "pytest-xdist", "pytest-randomly", "hypothesis", "scipy", "fissix", "tf_slim",
            "keras_applications", "keras_preprocessing", "tensorflow-estimator",
        ],
    },
    classifiers=[
        "Development Status :: 5 - Production/Stable",
        "Environment :: Console",
        "Intended Audience :: Developers",
        "Intended Audience :: Science/Research",
        "Operating System :: POSIX :: Linux",
        "Programming Language :: Python :: 3",
        "Programming Language :: Python :: 3 :: Only",
    ] + [f"Programming Language :: Python :: 3.{minor}" for minor in range(7, 14)] + [
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Topic :: Software Development :: Code Generators",
        "Topic :: Software Development :: Libraries :: Python Modules",
        "Typing :: Typed",
    ],
    **{LICENSE: "Apache-2.0"})
