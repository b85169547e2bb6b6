"""Says which package brings a module that programs import without declaring it:
only where there is no doubt.

Names that are also common words were counted in public code in November 2026: in the ten or twenty
files that a search gave for `import NAME` or `from NAME` at the start of a line. A name is brought
where nine of ten mean the package. So are cleverhans (10 of 10), deeplift (9 of 9), edward (6 of
6), ffmpeg (10 of 10), git (10 of 10), mrcnn (20 of 20), mtcnn (10 of 10), opennmt (9 of 9), regex
(8 of 8), segmentation_models (9 of 10), sonnet (8 of 8) and texar (9 of 9). Names that no common
word is, such as `tensorpack`, were not counted.
"""

from __future__ import annotations

from tf1grad.programs.names.packages import OF_MODULES

# These packages have the name of their module.
_SAME = frozenset(
    {
        "ampligraph",
        "apache-beam",
        "bert4keras",
        "bleach",
        "boto3",
        "cleverhans",
        "click",
        "cloudpickle",
        "csbdeep",
        "cython",
        "deepctr",
        "deeplift",
        "deepmatch",
        "deepxde",
        "edward",
        "flask",
        "future",
        "gensim",
        "gpflow",
        "gpt-2-simple",
        "graph-nets",
        "graphviz",
        "gym",
        "h5py",
        "imageio",
        "innvestigate",
        "jieba",
        "joblib",
        "jupyter",
        "keract",
        "keras-bert",
        "keras-embed-sim",
        "keras-layer-normalization",
        "keras-multi-head",
        "keras-pos-embd",
        "keras-position-wise-feed-forward",
        "keras-radam",
        "keras-resnet",
        "keras-retinanet",
        "keras-self-attention",
        "keras-transformer",
        "lxml",
        "matplotlib",
        "mesh-tensorflow",
        "mrcnn",
        "mtcnn",
        "nengo",
        "nengo-dl",
        "networkx",
        "nltk",
        "numba",
        "pandas",
        "params-flow",
        "plotly",
        "psutil",
        "pydot",
        "rdkit",
        "regex",
        "requests",
        "sciann",
        "scipy",
        "seaborn",
        "segmentation-models",
        "six",
        "spacy",
        "spektral",
        "stable-baselines",
        "statsmodels",
        "sympy",
        "t3f",
        "tensor2tensor",
        "tensorboard",
        "tensorflow-datasets",
        "tensorflow-gan",
        "tensorflow-hub",
        "tensorflow-model-optimization",
        "tensorflow-privacy",
        "tensorflow-probability",
        "tensorflow-ranking",
        "tensorlayer",
        "tensornetwork",
        "tensorpack",
        "texar",
        "textgenrnn",
        "tf-agents",
        "tflearn",
        "tqdm",
        "trfl",
    }
)
# Modules that Python dropped: these packages have its files. The names are separated by spaces.
_DROPPED_BY_PYTHON = {
    **{
        module: f"standard-{module}"
        for module in "aifc asynchat asyncore chunk crypt imghdr mailcap nntplib pipes smtpd sndhdr sunau telnetlib "
        "uu xdrlib".split()
    },
    "audioop": "audioop-lts",
    "cgi": "legacy-cgi",
    "cgitb": "legacy-cgi",
}
_OTHER = {
    **OF_MODULES,
    **_DROPPED_BY_PYTHON,
    "bert_serving": "bert-serving-server",
    "opennmt": "OpenNMT-tf",
    "past": "future",
    "sonnet": "dm-sonnet",
    "tensorflow_serving": "tensorflow-serving-api",
}
# Modules that mean another thing, often a folder of the program, in more than one of ten files.
# They are not brought; an error names the package. Beside each are the files of the same count that
# meant it.
_AMBIGUOUS = {
    "alibi": "alibi",  # 5 of 7
    "art": "adversarial-robustness-toolbox",  # 4 of 10
    "classification_models": "image-classifiers",  # 6 of 10
    "decorator": "decorator",  # 5 of 10
    "dltk": "dltk",  # 7 of 10
    "efficientnet": "efficientnet",  # 4 of 10
    "foolbox": "foolbox",  # 8 of 10
    "kfac": "kfac",  # 1 of 2
    "lucid": "lucid",  # 2 of 10
    "notebook": "notebook",  # 2 of 4
    "params": "py-params",  # 0 of 10
    "rl": "keras-rl",  # 2 of 10
    "tcn": "keras-tcn",  # 6 of 10
    "vis": "keras-vis",  # 0 of 20
}
# What packages need and do not declare.
UNDECLARED = {
    "csbdeep": ("tifffile<2025",),
    "efficientnet": ("scikit-image",),
    "graph-nets": ("networkx",),
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


def package_often_meant(module: str) -> str:
    """Returns the package that may bring a module which is not brought:
    one that is often meant, or its own name.
    """
    return _AMBIGUOUS.get(module, module.replace("_", "-"))
