"""Holds what is special about installing a package beside TensorFlow: its options of pip, and the module it brings."""

from typing import NamedTuple, Tuple


class Package(NamedTuple):
    """Describes a package of the index.

    name: the name that pip knows.
    module: the name that programs import.
    options: the options of pip that it needs.
    """

    name: str
    module: str
    options: Tuple[str, ...] = ()

    def command(self) -> str:
        """Returns the command that installs it."""
        return " ".join(["pip install", *self.options, self.name])


_PACKAGES = {package.name: package for package in (
    Package("pillow", "PIL"),
    Package("scikit-learn", "sklearn"),
    # With its dependencies it installs the full tensorflow, even where tensorflow-cpu is installed.
    Package("tf_keras", "tf_keras", ("--no-deps",)),
)}


def package_of(name: str) -> Package:
    """Returns the `Package` of a name; most of them have a module of the same name."""
    return _PACKAGES.get(name) or Package(name, name.replace("-", "_"))
