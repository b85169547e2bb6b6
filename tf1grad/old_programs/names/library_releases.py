"""Holds libraries that are written for TensorFlow 1: the release that runs today, and what it needs beside TensorFlow.
"""

from typing import Dict, NamedTuple, Optional, Tuple


class Library(NamedTuple):
    """Describes a library.

    name: the name that pip knows.
    module: the name that programs import.
    version: the last release for TensorFlow 1 that was tried under `tf1grad run`.
    needs: the packages that it needs; those with a row here are installed with their own.
    """

    name: str
    module: str
    version: str
    needs: Tuple[str, ...]

    def requirement(self) -> str:
        """Returns the library as pip's command takes it."""
        return f"{self.name}=={self.version}"


def _library(name: str, version: str, needs: str = "", module: Optional[str] = None) -> Library:
    return Library(name, module or name.replace("-", "_"), version, tuple(needs.split()))


LIBRARIES = (
    _library("adversarial-robustness-toolbox", "1.0.1", "matplotlib pillow scikit-learn", "art"),
    _library("ampligraph", "1.4.0", "beautifultable networkx pandas rdflib scikit-learn tqdm"),
    _library("bert-tensorflow", "1.0.1", "", "bert"),
    _library("cleverhans", "3.0.1", "joblib matplotlib mnist nose pycodestyle"),
    _library("deepctr", "0.8.0", "h5py requests"),
    _library("deepxde", "0.7.0", "matplotlib scikit-learn scipy"),
    _library("dm-sonnet", "1.36", "contextlib2 semantic-version tensorflow-probability", "sonnet"),
    _library("gpflow", "1.5.1", "multipledispatch pandas tabulate"),
    _library("gpt-2-simple", "0.7.1", "regex requests toposort tqdm"),
    _library("gym", "0.17.3", "cloudpickle pyglet<2"),
    _library("keras", "2.3.1", "h5py keras-applications keras-preprocessing pyyaml"),
    _library("keras-rl", "0.4.2", "keras", "rl"),
    _library("kfac", "0.2.0", "tensorflow-probability"),
    _library("lucid", "0.3.8", "cachetools decorator filelock ipython noise pillow pyopengl scikit-learn umap-learn"),
    _library("mrcnn", "0.2", "h5py imgaug keras scikit-image"),
    _library("nengo", "2.8.0"),
    _library("nengo-dl", "2.2.0", "jinja2 nengo progressbar2"),
    _library("OpenNMT-tf", "1.25.0", "pyonmttok pyyaml rouge sacrebleu", "opennmt"),
    _library("sciann", "0.4.6.2", "graphviz keras matplotlib pydot scikit-learn"),
    _library("spektral", "0.1.0", "joblib keras lxml matplotlib networkx pandas requests scikit-learn tqdm"),
    _library("stable-baselines", "2.10.2", "cloudpickle gym joblib matplotlib opencv-python pandas"),
    _library("tensor2tensor", "1.15.7", "bz2file dopamine-rl flask future gevent gin-config "
             "google-api-python-client gym kfac mesh-tensorflow oauth2client opencv-python pillow pypng "
             "requests scipy sympy tensorflow-datasets tensorflow-gan tensorflow-probability tqdm"),
    _library("tensorflow-hub", "0.7.0"),
    _library("tensorflow-probability", "0.8.0", "cloudpickle decorator"),
    _library("tensorpack", "0.11", "msgpack msgpack-numpy psutil pyzmq tabulate tqdm"),
    _library("tf-agents", "0.3.0", "cloudpickle gin-config tensorflow-probability"),
    _library("tflearn", "0.5.0", "pillow"),
    _library("trfl", "1.2.0", "tensorflow-probability"),
)
_BY_NAME: Dict[str, Library] = {library.name.lower(): library for library in LIBRARIES}
_BY_MODULE: Dict[str, Library] = {library.module: library for library in LIBRARIES}


def library_of(name: str) -> Optional[Library]:
    """Returns the `Library` that pip knows by this name, or None."""
    return _BY_NAME.get(name.lower().replace("_", "-"))


def library_of_module(module: str) -> Optional[Library]:
    """Returns the `Library` with a module of this name, or None."""
    return _BY_MODULE.get(module)
