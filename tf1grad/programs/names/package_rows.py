"""Holds the rows of Matplotlib, pandas, Pillow, scikit-learn, gast, pyDOE and PyYAML."""

from tf1grad.programs.names.rows import NOT, RARE, Row, keyword, method, moved, served, value

_OURS = "dropped_names.lost_functions:"
_AXES, _FIGURE = "matplotlib.axes.Axes.", "matplotlib.figure.Figure."

_MATPLOTLIB = (
    *moved("matplotlib.cm", "Matplotlib 3.11", {"get_cmap": "matplotlib.pyplot.get_cmap"}),
    *moved("matplotlib.cm", "Matplotlib 2.2", {"spectral": "matplotlib.cm.nipy_spectral"}),
    served(
        "matplotlib.mlab.normpdf", "Matplotlib 3.1", _OURS + "normpdf", "Use scipy.stats.norm.pdf."
    ),
    served(
        "matplotlib.pyplot.hold",
        "Matplotlib 3.0",
        _OURS + "hold",
        "Remove it: Matplotlib always adds to the drawing.",
    ),
    method(
        "matplotlib.backend_bases.FigureCanvasBase.set_window_title",
        "manager.set_window_title",
        "Matplotlib 3.6",
        1,
        run=_OURS + "set_window_title",
    ),
    method(
        "matplotlib.backends.backend_agg.FigureCanvasAgg.tostring_rgb",
        "buffer_rgba",
        "Matplotlib 3.10",
        0,
        run=_OURS + "tostring_rgb",
        upgrade="helper",
        remedy="Use the first three channels of buffer_rgba.",
    ),
    keyword(_AXES + "hist(normed=)", "density", "Matplotlib 3.1", "matplotlib hist(normed)"),
    keyword(_AXES + "grid(b=)", "visible", "Matplotlib 3.7", "matplotlib grid(b)"),
    keyword("matplotlib.use(warn=)", None, "Matplotlib 3.3", "matplotlib.use"),
    value(
        _FIGURE + "gca(projection=)",
        "Matplotlib 3.7",
        "matplotlib gca(projection)",
        "Use add_subplot of a figure, or pyplot.subplot.",
        RARE,
        RARE,
    ),
    value(
        "matplotlib.style.use(seaborn)",
        "Matplotlib 3.8",
        "matplotlib style seaborn",
        "Use the name that begins with seaborn-v0_8.",
        RARE,
        RARE,
    ),
    value(
        "matplotlib.rcParams(a list as a LaTeX preamble)",
        "Matplotlib 3.3",
        "matplotlib preamble",
        'Join the lines with "\\n".join(...).',
    ),
)
_PANDAS = (
    *(
        method(
            f"pandas.{owner}.append",
            "pandas.concat",
            "pandas 2.0",
            run=_OURS + "append",
            upgrade="helper",
            remedy="Use pandas.concat.",
        )
        for owner in ("DataFrame", "Series")
    ),
    method("pandas.DataFrame.as_matrix", "to_numpy", "pandas 1.0", 0, run=_OURS + "as_matrix"),
    method("pandas.Series.as_matrix", "to_numpy", "pandas 1.0", 0, run=_OURS + "as_matrix"),
    method("pandas.DataFrame.get_values", "to_numpy", "pandas 1.0", 0),
    method("pandas.Series.get_values", "to_numpy", "pandas 1.0", 0),
    method("pandas.Index.get_values", "to_numpy", "pandas 1.0", 0),
    method(
        "pandas.Series.nonzero",
        None,
        "pandas 1.0",
        run=_OURS + "nonzero",
        upgrade="helper",
        remedy="Use series.to_numpy().nonzero().",
    ),
    *(
        method(f"pandas.{owner}.{old}", new, since, run=_OURS + old, upgrade="helper")
        for owner in ("DataFrame", "Series")
        for old, new, since in (
            ("get_value", "at", "pandas 1.0"),
            ("set_value", "at", "pandas 1.0"),
            ("clip_lower", "clip", "pandas 1.0"),
            ("clip_upper", "clip", "pandas 1.0"),
            ("mad", "mean", "pandas 2.0"),
        )
    ),
    method("pandas.DataFrame.lookup", "melt", "pandas 2.0", run=_OURS + "lookup", upgrade="helper"),
    *moved("pandas", "pandas 2.0", {"datetime": "datetime.datetime", "np": "numpy"}),
    method("pandas.DataFrame.iteritems", "items", "pandas 2.0"),
    method("pandas.Series.iteritems", "items", "pandas 2.0"),
    method("pandas.DataFrame.applymap", "map", "pandas 3.0", 1),
    method(
        "pandas.DataFrame.sort", "sort_values", "pandas 0.20", run=_OURS + "sort", upgrade="helper"
    ),
    method("pandas.Series.order", "sort_values", "pandas 0.20"),
    value(
        "pandas.DataFrame.ix(labels or positions)",
        "pandas 1.0",
        "pandas.DataFrame.ix",
        "Use loc for labels and iloc for positions.",
        NOT + "only the running program shows which of both it means",
        NOT + "only the running program shows whose attribute it is",
    ),
)
_PILLOW = (
    *moved(
        "PIL.Image",
        "Pillow 10.0",
        {
            "ANTIALIAS": "PIL.Image.LANCZOS",
            "CUBIC": "PIL.Image.BICUBIC",
            "LINEAR": "PIL.Image.BILINEAR",
        },
    ),
    *moved("PIL.Image", "by Pillow 13.0", {"fromstring": "PIL.Image.frombytes"}),
    *moved("", "Pillow 1.0", {"Image": "PIL.Image"}, "module", "pillow"),
    method(
        "PIL.ImageDraw.ImageDraw.textsize",
        "textbbox",
        "Pillow 10.0",
        run=_OURS + "text_size",
        upgrade="helper",
    ),
    method(
        "PIL.ImageFont.FreeTypeFont.getsize",
        "getbbox",
        "Pillow 10.0",
        run=_OURS + "font_size",
        upgrade="helper",
    ),
    method("PIL.Image.Image.tostring", "tobytes", "by Pillow 13.0"),
)
_SCIKIT_LEARN = (
    Row(
        "sklearn.cross_validation",
        "module",
        "sklearn.model_selection",
        "scikit-learn 0.20",
        "dropped_names.cross_validation",
        "rename",
        "Use sklearn.model_selection.",
    ),
    *(
        Row(
            f"sklearn.cross_validation.{name}",
            "name",
            f"tf1grad.migrate.sample_folds.{name}",
            "scikit-learn 0.20",
            NOT + "what replaces its module has it",
            "rename",
            f"Use tf1grad.migrate.sample_folds.{name}; that of sklearn.model_selection takes the samples in `split`.",
        )
        for name in ("KFold", "StratifiedKFold")
    ),
    *moved(
        "sklearn",
        "scikit-learn 0.20",
        {"grid_search": "sklearn.model_selection", "learning_curve": "sklearn.model_selection"},
        "module",
    ),
    *moved(
        "sklearn",
        "scikit-learn 0.19",
        {"lda": "sklearn.discriminant_analysis", "qda": "sklearn.discriminant_analysis"},
        "module",
    ),
    *moved("sklearn.externals", "scikit-learn 0.23", {"joblib": "joblib"}, "module", "joblib"),
    *moved("sklearn.externals", "scikit-learn 0.23", {"six": "six"}, "module", "six"),
    *moved(
        "sklearn.datasets", "scikit-learn 0.24", {"samples_generator": "sklearn.datasets"}, "module"
    ),
    *moved(
        "sklearn.metrics",
        "scikit-learn 0.23",
        {"calinski_harabaz_score": "sklearn.metrics.calinski_harabasz_score"},
    ),
    served(
        "sklearn.preprocessing.Imputer",
        "scikit-learn 0.22",
        _OURS + "Imputer",
        "Use sklearn.impute.SimpleImputer.",
        NOT + "SimpleImputer has other arguments",
    ),
    keyword(
        "sklearn.manifold.TSNE(n_iter=)", "max_iter", "scikit-learn 1.7", "sklearn TSNE(n_iter)"
    ),
    keyword(
        "sklearn.preprocessing.OneHotEncoder(sparse=)",
        "sparse_output",
        "scikit-learn 1.4",
        "sklearn OneHotEncoder(sparse)",
    ),
)
_GAST = moved(
    "gast",
    "gast 0.3",
    dict.fromkeys(("Bytes", "Ellipsis", "NameConstant", "Num", "Str"), "gast.Constant"),
)
_PYDOE = (
    Row(
        "pyDOE",
        "module",
        "pydoe",
        "by pyDOE 1.6",
        "pydoe pyDOE3 pyDOE2",
        "rename",
        "Use pydoe.",
        "pydoe",
    ),
)
_YAML = (
    value(
        "yaml.load(stream without a loader)",
        "PyYAML 6.0",
        "yaml.load",
        "Add Loader=yaml.FullLoader.",
    ),
)

ROWS = _MATPLOTLIB + _PANDAS + _PILLOW + _SCIKIT_LEARN + _GAST + _PYDOE + _YAML
