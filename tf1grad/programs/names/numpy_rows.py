"""Holds the rows of NumPy."""

from tf1grad.programs.names.rows import (
    NOT,
    expression,
    keyword,
    method,
    moved,
    moved_together,
    served,
    value,
)

_OURS = "dropped_names.lost_functions:"
_RUN_ONLY = NOT + "only the running program shows the array"
_KEYWORDS = "numpy keyword arguments"
_METHODS = "numpy array methods"

_FINANCIAL = ("fv", "ipmt", "irr", "mirr", "nper", "npv", "pmt", "ppmt", "pv", "rate")
_FILES = (
    "arraypad",
    "arraysetops",
    "function_base",
    "histograms",
    "index_tricks",
    "nanfunctions",
    "polynomial",
    "shape_base",
    "twodim_base",
    "type_check",
    "ufunclike",
    "utils",
)

RETURNED = ("numpy.bool", "numpy.long")  # gone from NumPy 1.24 to 1.26, and back in 2.0

ROWS = (
    *moved(
        "numpy",
        "NumPy 1.24",
        {
            "float": "float",
            "int": "int",
            "bool": "bool",
            "object": "object",
            "str": "str",
            "complex": "complex",
            "unicode": "str",
            "long": "int",
        },
    ),
    *moved(
        "numpy",
        "NumPy 2.0",
        {
            "float_": "numpy.float64",
            "complex_": "numpy.complex128",
            "cfloat": "numpy.complex128",
            "unicode_": "numpy.str_",
            "string_": "numpy.bytes_",
            "str0": "numpy.str_",
            "object0": "numpy.object_",
            "int0": "numpy.intp",
            "uint0": "numpy.uintp",
            "bool8": "numpy.bool_",
            "longfloat": "numpy.longdouble",
            "clongfloat": "numpy.clongdouble",
            "longcomplex": "numpy.clongdouble",
            "singlecomplex": "numpy.complex64",
            "Inf": "numpy.inf",
            "infty": "numpy.inf",
            "Infinity": "numpy.inf",
            "PINF": "numpy.inf",
            "NaN": "numpy.nan",
            "NAN": "numpy.nan",
            "product": "numpy.prod",
            "cumproduct": "numpy.cumprod",
            "alltrue": "numpy.all",
            "sometrue": "numpy.any",
            "round_": "numpy.round",
            "mat": "numpy.asmatrix",
            "issubclass_": "issubclass",
            "safe_eval": "ast.literal_eval",
            "math": "math",
            "disp": "print",
            "byte_bounds": "numpy.lib.array_utils.byte_bounds",
        },
    ),
    *moved_together(
        "numpy",
        "NumPy 2.0",
        "numpy.exceptions",
        (
            "AxisError",
            "ComplexWarning",
            "ModuleDeprecationWarning",
            "RankWarning",
            "TooHardError",
            "VisibleDeprecationWarning",
        ),
    ),
    *moved(
        "numpy",
        "NumPy 2.0",
        {
            "DataSource": "numpy.lib.npyio.DataSource",
            "compare_chararrays": "numpy.char.compare_chararrays",
            "format_parser": "numpy.rec.format_parser",
            "issubsctype": "numpy.issubdtype",
        },
    ),
    *moved("numpy", "by NumPy 2.0", {"bytes0": "numpy.bytes_", "void0": "numpy.void"}),
    *moved(
        "numpy",
        "NumPy 2.0",
        {name: f"numpy_financial.{name}" for name in _FINANCIAL},
        requirement="numpy-financial",
    ),
    *moved("numpy", "NumPy 2.4", {"trapz": "numpy.trapezoid"}),
    *moved("numpy", "NumPy 1.23", {"loads": "pickle.loads"}),
    *moved("numpy", "NumPy 1.18", {"rank": "numpy.ndim"}),
    *moved("numpy", "by NumPy 1.26", {"typeDict": "numpy.sctypeDict"}),
    *moved("numpy", "deprecated in NumPy 2.0", {"row_stack": "numpy.vstack"}),
    *moved_together(
        "numpy.lib",
        "NumPy 2.0",
        "numpy",
        ("pad", "unique", "median", "percentile", "average", "diff", "interp", "meshgrid"),
    ),
    *moved("numpy.lib", "NumPy 2.0", dict.fromkeys(_FILES, "numpy"), "submodule"),
    *moved("numpy.linalg", "NumPy 2.4", {"linalg": "numpy.linalg"}, "submodule"),
    *moved("numpy.core", "NumPy 2.0", {"umath_tests": "numpy._core._umath_tests"}, "module"),
    *moved("numpy.testing", "NumPy 1.25", {"utils": "numpy.testing"}, "module"),
    expression("numpy.NINF", "NumPy 2.0", "(-{module}.inf)", "Use -numpy.inf."),
    expression("numpy.PZERO", "NumPy 2.0", "(0.0)", "Use 0.0."),
    expression("numpy.NZERO", "NumPy 2.0", "(-0.0)", "Use -0.0."),
    expression(
        "numpy.asscalar", "NumPy 1.23", "{module}.asarray({arguments}).item()", "Use array.item()."
    ),
    expression(
        "numpy.alen",
        "NumPy 1.23",
        "len({module}.atleast_1d({arguments}))",
        "Use len(numpy.atleast_1d(a)).",
    ),
    expression(
        "numpy.msort",
        "NumPy 2.0",
        "{module}.sort({arguments}, axis=0)",
        "Use numpy.sort(a, axis=0).",
    ),
    served(
        "numpy.asfarray", "NumPy 2.0", _OURS + "asfarray", "Use numpy.asarray with dtype=float."
    ),
    expression(
        "numpy.in1d",
        "NumPy 2.4",
        "{module}.ravel({module}.isin({arguments}))",
        "Use numpy.isin of the flattened array.",
    ),
    served("numpy.cast", "NumPy 2.0", _OURS + "cast", "Use numpy.asarray(x, dtype)."),
    method("numpy.ndarray.tostring", "tobytes", "NumPy 2.3", 0, run=_METHODS),
    method(
        "numpy.ndarray.ptp",
        "numpy.ptp",
        "NumPy 2.0",
        run=_METHODS,
        upgrade="helper",
        remedy="Use numpy.ptp(array).",
    ),
    keyword("numpy.reshape(newshape=)", "shape", "NumPy 2.4", _KEYWORDS),
    keyword("numpy.histogram(normed=)", "density", "NumPy 1.24", _KEYWORDS),
    *(
        keyword(f"numpy.{name}(interpolation=)", "method", "NumPy 2.4", _KEYWORDS)
        for name in ("percentile", "quantile", "nanpercentile", "nanquantile")
    ),
    value(
        "numpy.load(pickled objects)",
        "NumPy 1.16.3",
        "numpy.load",
        "Add allow_pickle=True for a file that you trust.",
    ),
    value("numpy.array(copy=False)", "NumPy 2.0", "numpy.array(copy=False)", "Use numpy.asarray."),
    value(
        "numpy.stack(generator) and the like",
        "NumPy 1.25",
        "numpy.stack of a generator",
        "Put the arrays in a list.",
    ),
    value(
        "numpy.fromstring(binary data)",
        "NumPy 2.3",
        "numpy.fromstring",
        "Use numpy.frombuffer(...).copy().",
    ),
    value(
        "numpy.array(rows of different lengths)",
        "NumPy 1.24",
        "numpy.array of rows of different lengths",
        "Add dtype=object.",
        _RUN_ONLY,
        _RUN_ONLY,
    ),
    value(
        "numpy.array(...) or array.fill(...) with numbers too large for the dtype",
        "NumPy 2.0",
        "numpy numbers too large",
        "Use numpy.array(...).astype(dtype).",
        _RUN_ONLY,
        _RUN_ONLY,
    ),
    value(
        "float(array of one number), str % (array of one number) or array[index] = (array of one number)",
        "NumPy 2.4",
        "numpy array of one number",
        "Use array.item().",
        _RUN_ONLY,
        _RUN_ONLY,
    ),
    value(
        "if (empty array):", "NumPy 2.2", "numpy if array", "Test array.size.", _RUN_ONLY, _RUN_ONLY
    ),
)
