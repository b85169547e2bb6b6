"""Holds the rows of SciPy."""

from tf1grad.programs.names.rows import NOT, Row, moved, moved_together, served, value

_FROM_NUMPY = (
    "absolute allclose arange arccos arcsin arctan arctan2 argmax argmin argsort array asarray average cos "
    "cosh cumsum diag dot exp eye floor hstack identity isnan linspace log log10 log2 logspace matrix "
    "maximum mean median meshgrid mgrid minimum nan newaxis ones ones_like outer pi power prod ravel "
    "real reshape sign sin sinh sort sqrt std sum tan tanh tile transpose vstack where zeros "
    "zeros_like float32 float64 int32 int64 complex64 complex128 inf ndarray append concatenate "
    "unique dstack column_stack vectorize histogram polyfit polyval interp trace cov"
)
_WINDOWS = (
    "barthann bartlett blackman blackmanharris bohman boxcar chebwin cosine exponential flattop gaussian "
    "general_gaussian hamming hann kaiser nuttall parzen triang tukey"
)
_PILLOW = {
    "imread": "Use imageio.imread, or PIL.Image.open.",
    "imsave": "Use imageio.imwrite, or PIL.Image.Image.save.",
    "imresize": "Use PIL.Image.Image.resize.",
    "imrotate": "Use PIL.Image.Image.rotate.",
    "imshow": "Use PIL.Image.Image.show.",
    "toimage": "Use PIL.Image.fromarray.",
}
_IMAGES = "dropped_names.scipy_images:"
_SOLVERS = "scipy.sparse.linalg"

ROWS = (
    *moved_together("scipy", "SciPy 1.12", "numpy", _FROM_NUMPY),
    *moved_together("scipy", "by SciPy 1.5", "numpy", "max min round"),
    *moved_together("scipy", "SciPy 1.12", "numpy.random", "rand randn"),
    Row(
        "scipy.misc",
        "submodule",
        None,
        "deprecated in SciPy 1.10",
        "dropped_names.scipy_images",
        NOT + "its functions went to several places",
        "Use scipy.special for its functions of numbers, and Pillow or imageio for its images.",
    ),
    *moved("scipy.misc", "SciPy 1.3", {"pilutil": "scipy.misc"}, "module"),
    *moved_together(
        "scipy.misc", "SciPy 1.3", "scipy.special", "comb factorial factorial2 factorialk logsumexp"
    ),
    *(
        served("scipy.misc." + name, "SciPy 1.3", _IMAGES + name, remedy, requirement="pillow")
        for name, remedy in _PILLOW.items()
    ),
    served(
        "scipy.ndimage.imread",
        "SciPy 1.3",
        _IMAGES + "imread",
        _PILLOW["imread"],
        requirement="pillow",
    ),
    *moved(
        "scipy.integrate",
        "SciPy 1.14",
        {
            "simps": "scipy.integrate.simpson",
            "trapz": "scipy.integrate.trapezoid",
            "cumtrapz": "scipy.integrate.cumulative_trapezoid",
        },
    ),
    *moved("scipy.linalg", "SciPy 1.9", {"pinv2": "scipy.linalg.pinv"}),
    *moved("scipy.linalg", "by SciPy 1.17", {"kron": "numpy.kron"}),
    *moved("scipy.signal", "by SciPy 1.13", {"hanning": "scipy.signal.windows.hann"}),
    *moved_together("scipy.linalg", "SciPy 1.13", "numpy", "tri tril triu"),
    *moved_together("scipy.signal", "SciPy 1.13", "scipy.signal.windows", _WINDOWS),
    *moved(_SOLVERS, "deprecated in SciPy 1.8", {"eigen": _SOLVERS}, "submodule"),
    *moved(_SOLVERS + ".eigen", "SciPy 1.8", {"arpack": _SOLVERS}, "submodule"),
    *moved(_SOLVERS + ".eigen.arpack", "SciPy 1.8", {"arpack": _SOLVERS}, "module"),
    *moved_together("scipy.stats", "SciPy 0.18", "numpy", "nanmean nanstd nanmedian"),
    *moved(
        "scipy.stats",
        "SciPy 1.6",
        {"frechet_r": "scipy.stats.weibull_min", "frechet_l": "scipy.stats.weibull_max"},
    ),
    value(
        "scipy.sparse.coo_matrix.sum_duplicates(entries in the old order)",
        "by SciPy 1.17",
        "scipy.sparse order of entries",
        "Sort the entries by column where their order matters.",
        NOT + "the order rarely matters",
        NOT + "only the running program shows whether the order matters",
    ),
)
