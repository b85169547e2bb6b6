"""Translates calls of SciPy, h5py and PyYAML that have other arguments today, or other results."""

import functools
import inspect
import sys
from typing import Any, Callable, Dict

from tf1grad.old_programs.era import sparse_matrices
from tf1grad.old_programs.era.fix_messages import say
from tf1grad.old_programs.process.ownership import is_asked_by_user

_TNC = ("scipy.optimize TNC maxiter", "replaced by maxfun, the limit of evaluations that it was")
_ATTRIBUTES = ("h5py attributes", "text that was written as bytes is read as bytes, as before h5py 3")
_MODE = ("h5py.File without a mode", "the file is created, or opened to read and write, as before h5py 3")
_FID = ("h5py.File.fid", "replaced by id")
_LOADER = ("yaml.load", "takes FullLoader where no loader is given, as PyYAML 5 did")


def _patch_scipy(module: Any) -> None:
    minimize = module.minimize

    @functools.wraps(minimize)
    def minimize_by_maxfun(fun: Any, x0: Any, args: Any = (), method: Any = None, *others: Any, **kwargs: Any) -> Any:
        options = kwargs.get("options") or {}
        if isinstance(method, str) and method.upper() == "TNC" and "maxiter" in options and _takes_maxfun(module):
            say(*_TNC)
            options = dict(options)
            options.setdefault("maxfun", options.pop("maxiter"))
            kwargs["options"] = options
        return minimize(fun, x0, args, method, *others, **kwargs)

    module.minimize = minimize_by_maxfun


def _takes_maxfun(module: Any) -> bool:
    """Says whether TNC knows only `maxfun`: given another option, it warns and runs without a limit."""
    return "maxiter" not in str(module.show_options("minimize", "tnc", disp=False))


def _patch_h5py(module: Any) -> None:
    manager = module.AttributeManager
    read, get, write = manager.__getitem__, manager.get, manager.__setitem__

    @functools.wraps(read)
    def __getitem__(attributes: Any, name: Any) -> Any:
        value = read(attributes, name)
        return _as_bytes(module, attributes, name, value) if is_asked_by_user() else value

    @functools.wraps(get)
    def get_or_default(attributes: Any, name: Any, default: Any = None) -> Any:
        value = get(attributes, name, default)
        wanted = value is not default and is_asked_by_user()
        return _as_bytes(module, attributes, name, value) if wanted else value

    @functools.wraps(write)
    def __setitem__(attributes: Any, name: Any, value: Any) -> None:
        if isinstance(value, list) and value and all(type(each) is bytes for each in value) and is_asked_by_user():
            say(*_ATTRIBUTES)
            value = _numpy().array(value)  # of a fixed length
        write(attributes, name, value)

    opened = module.File.__init__

    @functools.wraps(opened)
    def __init__(file: Any, name: Any, mode: Any = None, *arguments: Any, **options: Any) -> Any:
        if mode is None and not is_asked_by_user():
            return opened(file, name, "r", *arguments, **options)
        try:
            opened(file, name, mode or "a", *arguments, **options)
        except OSError:
            if mode is not None:
                raise
            return opened(file, name, "r", *arguments, **options)
        if mode is None:
            say(*_MODE)

    if int(module.__version__.split(".")[0]) >= 3:
        module.File.__init__ = __init__
        module.File.fid = property(_fid)
        manager.__getitem__, manager.get, manager.__setitem__ = __getitem__, get_or_default, __setitem__


def _fid(file: Any) -> Any:
    say(*_FID)
    return file.id


def _patch_yaml(module: Any) -> None:
    def with_loader(load: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(load)
        def loaded(stream: Any, Loader: Any = None) -> Any:
            if Loader is None:
                say(*_LOADER)
            return load(stream, Loader or module.FullLoader)
        return loaded

    if inspect.signature(module.load).parameters["Loader"].default is inspect.Parameter.empty:
        module.load, module.load_all = with_loader(module.load), with_loader(module.load_all)


def _numpy() -> Any:
    """Returns NumPy, which the patched libraries have imported."""
    return sys.modules["numpy"]


def _as_bytes(module: Any, attributes: Any, name: Any, value: Any) -> Any:
    """Returns the bytes of a text that is stored as ASCII, since h5py wrote bytes so."""
    info = module.check_string_dtype(attributes.get_id(name).dtype)
    if isinstance(value, bytes) or info is None or info.encoding != "ascii" or info.length is not None:
        return value
    say(*_ATTRIBUTES)
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    texts = [text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text for text in value.flat]
    return _numpy().array(texts, object).reshape(value.shape)


PATCHES: Dict[str, Callable[[Any], None]] = {
    "h5py": _patch_h5py,
    "scipy.sparse": sparse_matrices.patch,
    "scipy.optimize": _patch_scipy,
    "yaml": _patch_yaml,
}
