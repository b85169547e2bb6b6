"""The names that modules have lost, and what serves them: one table."""

import importlib
import os
from typing import Any, Dict, Tuple

from tf1grad.old_programs.era.fix_messages import Fix

# module -> name -> where the same thing is today, "module:name" or "module:" for a module itself. What has to be
# written anew is in `lost_functions.py`.
_NUMPY_TYPES = {
    "float": "builtins:float", "int": "builtins:int", "bool": "builtins:bool", "object": "builtins:object",
    "str": "builtins:str", "complex": "builtins:complex", "unicode": "builtins:str", "long": "builtins:int",
    "float_": "numpy:float64", "complex_": "numpy:complex128", "cfloat": "numpy:complex128",
    "unicode_": "numpy:str_", "string_": "numpy:bytes_", "str0": "numpy:str_", "object0": "numpy:object_",
    "int0": "numpy:intp", "uint0": "numpy:uintp", "bool8": "numpy:bool_", "longfloat": "numpy:longdouble",
    "clongfloat": "numpy:clongdouble", "longcomplex": "numpy:clongdouble", "singlecomplex": "numpy:complex64",
    "typeDict": "numpy:sctypeDict",
}
_NUMPY_NUMBERS = {
    "Inf": "numpy:inf", "infty": "numpy:inf", "Infinity": "numpy:inf", "PINF": "numpy:inf", "NaN": "numpy:nan",
    "NAN": "numpy:nan", "NINF": "lost_functions:minus_infinity", "PZERO": "lost_functions:zero",
    "NZERO": "lost_functions:minus_zero",
}
_NUMPY_FUNCTIONS = {
    "product": "numpy:prod", "cumproduct": "numpy:cumprod", "alltrue": "numpy:all", "sometrue": "numpy:any",
    "round_": "numpy:round", "rank": "numpy:ndim", "row_stack": "numpy:vstack", "mat": "numpy:asmatrix",
    "trapz": "numpy:trapezoid", "issubclass_": "builtins:issubclass", "loads": "pickle:loads",
    "safe_eval": "ast:literal_eval", "disp": "builtins:print", "math": "math:",
    "byte_bounds": "numpy.lib.array_utils:byte_bounds",
    "asscalar": "lost_functions:asscalar", "in1d": "lost_functions:in1d", "msort": "lost_functions:msort",
    "asfarray": "lost_functions:asfarray", "find_common_type": "lost_functions:find_common_type",
    "cast": "lost_functions:cast",
}
_ABSTRACT = ("Awaitable AsyncGenerator AsyncIterable AsyncIterator ByteString Callable Collection Container Coroutine "
             "Generator Hashable ItemsView Iterable Iterator KeysView Mapping MappingView MutableMapping "
             "MutableSequence MutableSet Reversible Sequence Set Sized ValuesView").split()
_FROM_NUMPY = ("absolute allclose arange arccos arcsin arctan arctan2 argmax argmin argsort array asarray average cos "
               "cosh cumsum diag dot exp eye floor hstack identity isnan linspace log log10 log2 logspace matrix "
               "maximum mean median meshgrid mgrid min minimum nan newaxis ones ones_like outer pi power prod ravel "
               "real reshape round sign sin sinh sort sqrt std sum tan tanh tile transpose vstack where zeros "
               "zeros_like float32 float64 int32 int64 complex64 complex128 inf ndarray append concatenate "
               "unique max dstack column_stack vectorize histogram polyfit polyval interp trace cov").split()
_SPECIAL = {name: "scipy.special:" + name for name in ("comb", "factorial", "factorial2", "factorialk", "logsumexp")}
_WINDOWS = ("barthann bartlett blackman blackmanharris bohman boxcar chebwin cosine exponential flattop gaussian "
            "general_gaussian hamming hann kaiser nuttall parzen triang tukey").split()

ATTRIBUTES: Dict[str, Dict[str, str]] = {
    "numpy": dict(_NUMPY_TYPES, **dict(_NUMPY_NUMBERS, **_NUMPY_FUNCTIONS)),
    "numpy.lib": {"pad": "numpy:pad"},
    "numpy.linalg": {"linalg": "numpy.linalg:"},
    "numpy.random": {"random_integers": "lost_functions:random_integers"},
    "scipy": dict({name: "numpy:" + name for name in _FROM_NUMPY}, rand="numpy.random:rand", randn="numpy.random:randn",
                  misc="scipy.misc:"),
    "scipy.misc": dict(_SPECIAL, **{name: "scipy_images:" + name for name in (
        "imread", "imsave", "imresize", "imrotate", "imshow", "toimage", "fromimage", "bytescale")}),
    "scipy.ndimage": {"imread": "scipy_images:imread"},
    "scipy.integrate": {"simps": "scipy.integrate:simpson", "trapz": "scipy.integrate:trapezoid",
                        "cumtrapz": "scipy.integrate:cumulative_trapezoid"},
    "scipy.linalg": {"pinv2": "scipy.linalg:pinv", "tri": "numpy:tri", "tril": "numpy:tril", "triu": "numpy:triu"},
    "scipy.signal": {name: "scipy.signal.windows:" + name for name in _WINDOWS},
    "scipy.sparse.linalg": {"eigen": "scipy.sparse.linalg.eigen:"},
    "scipy.sparse.linalg.eigen": {"arpack": "scipy.sparse.linalg.eigen.arpack:"},
    "scipy.stats": {"nanmean": "numpy:nanmean", "nanstd": "numpy:nanstd", "nanmedian": "numpy:nanmedian",
                    "binom_test": "lost_functions:binom_test"},
    "matplotlib.cm": {"get_cmap": "matplotlib.pyplot:get_cmap", "spectral": "matplotlib.cm:nipy_spectral"},
    "matplotlib.mlab": {"normpdf": "lost_functions:normpdf"},
    "matplotlib.pyplot": {"hold": "lost_functions:hold", "ishold": "lost_functions:ishold"},
    "time": {"clock": "time:process_time" if os.name == "posix" else "time:perf_counter"},
    "collections": {name: "collections.abc:" + name for name in _ABSTRACT},
    "inspect": {"getargspec": "lost_functions:getargspec", "ArgSpec": "lost_functions:ArgSpec"},
    "fractions": {"gcd": "math:gcd"},
    "base64": {"encodestring": "base64:encodebytes", "decodestring": "base64:decodebytes"},
    "cgi": {"escape": "lost_functions:escape"},
    "os": {"errno": "errno:", "getcwdu": "os:getcwd"},
    "PIL.Image": {"ANTIALIAS": "PIL.Image:LANCZOS", "CUBIC": "PIL.Image:BICUBIC", "LINEAR": "PIL.Image:BILINEAR",
                  "fromstring": "PIL.Image:frombytes"},
    # Python 2
    "itertools": {"izip": "builtins:zip", "imap": "builtins:map", "ifilter": "builtins:filter",
                  "izip_longest": "itertools:zip_longest", "ifilterfalse": "itertools:filterfalse"},
    "string": dict({name: "lost_functions:string_" + name for name in (
        "join", "split", "replace", "strip", "upper", "lower")}, letters="string:ascii_letters",
        lowercase="string:ascii_lowercase", uppercase="string:ascii_uppercase", maketrans="lost_functions:maketrans"),
    "sys": {"maxint": "sys:maxsize", "setdefaultencoding": "lost_functions:setdefaultencoding"},
    "types": {"StringType": "builtins:str", "UnicodeType": "builtins:str", "ListType": "builtins:list",
              "TupleType": "builtins:tuple", "DictType": "builtins:dict", "IntType": "builtins:int",
              "LongType": "builtins:int", "FloatType": "builtins:float", "BooleanType": "builtins:bool"},
    "urllib": dict({name: "urllib.request:" + name for name in ("urlopen", "urlretrieve", "URLopener")}, **{
        name: "urllib.parse:" + name for name in ("urlencode", "quote", "quote_plus", "unquote", "unquote_plus")}),
}
_OURS = ("lost_functions", "scipy_images")


def describe() -> Tuple[Fix, ...]:
    """(name, what it does) of every name that can be served."""
    return tuple((f"{module}.{name}", effect_of(target))
                 for module, names in ATTRIBUTES.items() for name, target in names.items())


def effect_of(target: str) -> str:
    """What serves a name, as a phrase."""
    module, _, name = target.partition(":")
    if module in _OURS:
        summary: str = resolve(target).__doc__.split("\n")[0].rstrip(".")
        return summary[0].lower() + summary[1:]
    return "here it is " + ".".join(filter(None, [module.replace("builtins", ""), name])).lstrip(".")


def resolve(target: str) -> Any:
    """What a target of the table is; imports it."""
    module, _, name = target.partition(":")
    found = importlib.import_module("tf1grad.old_programs.era." + module if module in _OURS else module)
    return getattr(found, name) if name else found
