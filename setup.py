"""Packages tf1grad. No extra depends on TensorFlow,
so installing it never changes the installed TensorFlow.
"""

import os
import re

import setuptools
from setuptools import find_packages, setup

HERE = os.path.dirname(os.path.abspath(__file__))
# setuptools renamed this argument in version 77; Python 3.7 has an older one.
LICENSE = "license_expression" if int(setuptools.__version__.split(".")[0]) >= 77 else "license"

# The address of the repository, once it is public; the pages of the documentation link to it too.
REPOSITORY = ""


def read(*path):
    with open(os.path.join(HERE, *path), encoding="utf-8") as file:
        return file.read()


def without_relative_links(text):
    """Returns the Markdown `text` without pictures of the checkout,
    and with the words of each link into it alone.
    """
    text = re.sub(r"!\[[^\]]+\]\((?!https?:)[^)]*\)\s*", "", text)
    return re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]*\)", r"\1", text)


setup(
    name="tf1grad",
    version=re.search(r'__version__ = "(.+)"', read("tf1grad", "__init__.py")).group(1),
    description="Gradient recipes for TensorFlow 1 session code, and commands that keep old programs running on TF 2.x",
    long_description=without_relative_links(read("README.md")),
    long_description_content_type="text/markdown",
    author="The tf1grad authors",
    url=REPOSITORY or None,
    project_urls={"Source": REPOSITORY, "Issues": REPOSITORY + "/issues"} if REPOSITORY else {},
    keywords=[
        "tensorflow",
        "tensorflow 1",
        "tf.contrib",
        "gradient accumulation",
        "gradient clipping",
        "migration",
        "compat.v1",
        "ScipyOptimizerInterface",
    ],
    packages=find_packages(include=["tf1grad", "tf1grad.*"]),
    package_data={
        "tf1grad": ["py.typed", "v1.pyi"],
        "tf1grad.run.start": ["site/*.py"],  # a folder on the path of child processes
        "tf1grad.run.gone_ops": ["gone_ops.txt"],
        "tf1grad.programs.names": ["*.txt"],
        "tf1grad.programs.period": ["apache-2.0.txt", "checksums.txt"],
    },
    python_requires=">=3.7",
    install_requires=["numpy", "packaging"],
    entry_points={"console_scripts": ["tf1grad = tf1grad.cli.main:main"]},
    extras_require={
        "examples": [
            "scikit-learn",
            "scipy",
            "matplotlib",
            "ase",
            'pyDOE<0.4; python_version < "3.8"',  # its SciPy has no qmc
        ],
        # Upgraded programs use tf_slim and tensorflow-estimator.
        "test": [
            "pytest",
            "pytest-xdist",
            "pytest-randomly",
            "scipy",
            "fissix",
            "tf_slim",
            "tensorflow-estimator",
        ],
    },
    classifiers=[
        "Development Status :: 4 - Beta",
        "Environment :: Console",
        "Intended Audience :: Developers",
        "Intended Audience :: Science/Research",
        "Operating System :: POSIX :: Linux",
        "Programming Language :: Python :: 3",
        "Programming Language :: Python :: 3 :: Only",
    ]
    + [f"Programming Language :: Python :: 3.{minor}" for minor in range(7, 14)]
    + [
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Topic :: Software Development :: Code Generators",
        "Topic :: Software Development :: Libraries :: Python Modules",
        "Typing :: Typed",
    ],
    **{LICENSE: "Apache-2.0"},
)
