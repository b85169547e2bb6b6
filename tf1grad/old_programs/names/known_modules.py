"""Says which package brings a module that programs import without declaring it: only where there is no doubt."""

from __future__ import annotations

from tf1grad.old_programs.names.packages import OF_MODULES

# These packages have the name of their module.
_SAME = frozenset(
    "alibi ampligraph apache-beam bert4keras bleach boto3 cleverhans click cloudpickle csbdeep cython decorator deepctr "
    "deeplift deepmatch deepxde dltk edward efficientnet flask foolbox future gensim gpflow gpt-2-simple graph-nets "
    "graphviz gym h5py imageio innvestigate jieba joblib jupyter keract keras-bert keras-embed-sim "
    "keras-layer-normalization keras-multi-head keras-pos-embd keras-position-wise-feed-forward keras-radam "
    "keras-resnet keras-retinanet keras-self-attention keras-transformer kfac lucid lxml matplotlib mesh-tensorflow "
    "mrcnn mtcnn nengo nengo-dl networkx nltk notebook numba pandas params-flow plotly psutil pydot rdkit regex requests "
    "sciann scipy seaborn segmentation-models six spacy spektral stable-baselines statsmodels sympy t3f tensor2tensor tensorboard "
    "tensorflow-datasets tensorflow-gan tensorflow-hub tensorflow-model-optimization tensorflow-privacy "
    "tensorflow-probability tensorflow-ranking tensorlayer tensornetwork tensorpack texar textgenrnn tf-agents tflearn "
    "tqdm trfl".split()
)
_OTHER = {
    **OF_MODULES,
    "art": "adversarial-robustness-toolbox",
    "bert_serving": "bert-serving-server",
    "classification_models": "image-classifiers",
    "opennmt": "OpenNMT-tf",
    "params": "py-params",
    "rl": "keras-rl",
    "sonnet": "dm-sonnet",
    "tcn": "keras-tcn",
    "tensorflow_serving": "tensorflow-serving-api",
    "vis": "keras-vis",
}
# What packages need and do not declare.
UNDECLARED = {
    "csbdeep": ("tifffile<2025",),
    "efficientnet": ("scikit-image",),
    "graph-nets": ("networkx<3",),
    "gym": ("pyglet<2",),
    "kfac": ("tensorflow-probability",),
    "mesh-tensorflow": ("gin-config<0.5",),
    "tf-agents": ("gin-config<0.5", "tensorflow-probability"),
    "trfl": ("tensorflow-probability", "dm-tree"),
}
MODULES = (*_OTHER, *(name.replace("-", "_") for name in _SAME))


def package_of_module(module: str) -> str | None:
    """Returns the package that brings a well-known module, or None."""
    name = module.replace("_", "-")
    return _OTHER.get(module) or (name if name in _SAME else None)
