"""Holds libraries that are written for TensorFlow 1: the release that runs today, and what it needs beside TensorFlow.

Requirements that would damage an environment are left out: TensorFlow 1, NumPy, and what came into Python, such as
enum34.
"""

from typing import Dict, NamedTuple, Optional, Tuple


class Library(NamedTuple):
    """Describes a library: pip's name, the module that programs import, and the last release tried under `run`.

    `needs` are the packages that it needs, as pip takes them; those with a row here are installed with their own.
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
    _library(
        "adversarial-robustness-toolbox", "1.0.1", "matplotlib pillow scikit-learn scipy", "art"
    ),
    _library(
        "alibi", "0.3.2", "beautifulsoup4 pandas pillow requests scikit-image scikit-learn spacy"
    ),
    _library(
        "ampligraph",
        "1.4.0",
        "beautifultable networkx pandas pyyaml rdflib scikit-learn scipy tqdm",
    ),
    _library("bert-for-tf2", "0.14.9", "params-flow py-params", "bert"),
    _library(
        "bert-serving-server",
        "1.10.0",
        "bert-serving-client gputil pyzmq six termcolor",
        "bert_serving",
    ),
    _library("bert-tensorflow", "1.0.1", "", "bert"),
    _library("bert4keras", "0.7.0", "keras"),
    _library("cleverhans", "3.0.1", "joblib matplotlib mnist nose pycodestyle"),
    _library("csbdeep", "0.4.1", "h5py keras matplotlib scipy six tifffile<2025 tqdm"),
    _library("deepctr", "0.8.0", "h5py requests"),
    _library("deeplift", "0.6.10.0"),
    _library("deepmatch", "0.1.3", "deepctr==0.7.5"),
    _library("deepxde", "0.7.0", "matplotlib salib scikit-learn scipy"),
    _library("dltk", "0.2.1", "future matplotlib pandas scikit-image scipy simpleitk xlrd"),
    _library("dm-sonnet", "1.36", "contextlib2 semantic-version tensorflow-probability", "sonnet"),
    _library("efficientnet", "1.0.0", "keras keras-applications scikit-image"),
    _library("foolbox", "2.3.0", "gitpython requests scipy"),
    _library(
        "gpflow", "1.5.1", "decorator matplotlib multipledispatch pandas pytest scipy tabulate"
    ),
    _library("gpt-2-simple", "0.7.1", "regex requests toposort tqdm"),
    _library("graph-nets", "1.0.5", "dm-sonnet future networkx<3 six"),
    _library("gym", "0.17.3", "cloudpickle pyglet<2 scipy"),
    _library("image-classifiers", "1.0.0", "keras keras-applications", "classification_models"),
    _library("innvestigate", "1.0.8", "future h5py keras pillow scipy"),
    _library("keract", "2.9.5", "keras"),
    _library("keras", "2.3.1", "h5py keras-applications keras-preprocessing pyyaml scipy"),
    _library("keras-bert", "0.80.0", "keras keras-transformer"),
    _library("keras-embed-sim", "0.7.0", "keras"),
    _library("keras-layer-normalization", "0.14.0", "keras"),
    _library("keras-multi-head", "0.22.0", "keras keras-self-attention"),
    _library("keras-pos-embd", "0.11.0", "keras"),
    _library("keras-position-wise-feed-forward", "0.6.0", "keras"),
    _library("keras-radam", "0.15.0", "keras"),
    _library("keras-resnet", "0.2.0", "keras"),
    _library(
        "keras-retinanet", "0.5.1", "keras keras-resnet opencv-python pillow progressbar2 scipy six"
    ),
    _library("keras-rl", "0.4.2", "keras", "rl"),
    _library("keras-self-attention", "0.41.0", "keras"),
    _library("keras-tcn", "2.8.3", "keras", "tcn"),
    _library(
        "keras-transformer",
        "0.32.0",
        "keras keras-embed-sim keras-layer-normalization keras-multi-head keras-pos-embd "
        "keras-position-wise-feed-forward",
    ),
    _library("keras-vis", "0.4.1", "h5py keras matplotlib scikit-image six", "vis"),
    _library("kfac", "0.2.0", "tensorflow-probability"),
    _library(
        "lucid",
        "0.3.8",
        "cachetools click decorator filelock future ipython more-itertools noise pillow pyopengl scikit-learn "
        "scipy umap-learn",
    ),
    _library("mesh-tensorflow", "0.1.13", "future gin-config<0.5 six"),
    _library("mrcnn", "0.2", "h5py imgaug keras matplotlib scikit-image"),
    _library("mtcnn", "0.1.0", "keras opencv-python"),
    _library("nengo", "2.8.0"),
    _library("nengo-dl", "2.2.0", "jinja2 nengo progressbar2"),
    _library("OpenNMT-tf", "1.25.0", "pyonmttok pyyaml rouge sacrebleu", "opennmt"),
    _library("params-flow", "0.8.2", "tqdm"),
    _library("py-params", "0.10.2", "", "params"),
    _library("sciann", "0.4.6.2", "graphviz keras matplotlib pydot scikit-learn"),
    _library("segmentation-models", "1.0.1", "efficientnet image-classifiers keras-applications"),
    _library(
        "spektral",
        "0.1.0",
        "joblib keras lxml matplotlib networkx pandas requests scikit-learn tqdm",
    ),
    _library(
        "stable-baselines", "2.10.2", "cloudpickle gym joblib matplotlib opencv-python pandas scipy"
    ),
    _library("t3f", "1.1.0"),
    _library(
        "tensor2tensor",
        "1.15.7",
        "bz2file dopamine-rl flask future gevent gin-config<0.5 google-api-python-client gym kfac "
        "mesh-tensorflow oauth2client opencv-python pillow pypng requests scipy sympy tensorflow-datasets "
        "tensorflow-gan tensorflow-probability tqdm",
    ),
    _library(
        "tensorflow-datasets",
        "1.3.2",
        "attrs dill future promise requests six tensorflow-metadata termcolor tqdm wrapt",
    ),
    _library("tensorflow-gan", "2.0.0", "scipy tensorflow-hub tensorflow-probability"),
    _library("tensorflow-hub", "0.7.0"),
    _library("tensorflow-model-optimization", "0.1.3", "six"),
    _library("tensorflow-privacy", "0.2.2", "mpmath scipy"),
    _library("tensorflow-probability", "0.8.0", "cloudpickle decorator"),
    _library("tensorflow-ranking", "0.2.3", "six tensorflow-serving-api"),
    _library("tensorflow-serving-api", "2.15.1", "", "tensorflow_serving"),
    _library(
        "tensorlayer",
        "1.11.1",
        "imageio lxml matplotlib progressbar2 requests scikit-image scikit-learn scipy tqdm wrapt",
    ),
    _library("tensornetwork", "0.1.0", "graphviz h5py opt-einsum"),
    _library("tensorpack", "0.11", "msgpack msgpack-numpy psutil pyzmq tabulate tqdm"),
    _library(
        "texar",
        "0.2.4",
        "funcsigs packaging pyyaml regex requests sentencepiece tensorflow-probability",
    ),
    _library("textgenrnn", "1.5.0", "h5py keras scikit-learn tqdm"),
    _library("tf-agents", "0.3.0", "cloudpickle gin-config<0.5 tensorboard tensorflow-probability"),
    _library("tflearn", "0.5.0", "pillow scipy"),
    _library("trfl", "1.2.0", "dm-tree tensorflow-probability"),
)
# `tf1grad run` brings these where TensorFlow 2 is installed.
IN_LAYER = {
    "astor": "astor",
    "keras": "Keras 2.3.1 or 2.2.4",
    "keras-applications": "Keras_Applications",
    "keras-preprocessing": "Keras_Preprocessing",
}
# Their setup.py needs a setuptools that today's pip does not take by itself.
NEED_OLD_SETUPTOOLS = frozenset({"bert-for-tf2", "mtcnn==0.0.9", "params-flow", "py-params"})
_BY_NAME: Dict[str, Library] = {library.name.lower(): library for library in LIBRARIES}
_BY_MODULE: Dict[str, Library] = {library.module: library for library in LIBRARIES}


def library_of(name: str) -> Optional[Library]:
    """Returns the `Library` that pip knows by this name, or None."""
    return _BY_NAME.get(name.lower().replace("_", "-"))


def library_of_module(module: str) -> Optional[Library]:
    """Returns the `Library` with a module of this name, or None."""
    return _BY_MODULE.get(module)
