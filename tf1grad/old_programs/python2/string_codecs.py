"""Encodes and decodes strings by codecs that Python 3 strings lack, such as `"text".encode("hex")`.

A `str` of Python 3 cannot hold a string that is not text. So a decoded string is a `str` if all of it is ASCII, and
`bytes` if not: no encoding is guessed.
"""

import codecs
from typing import Any, Callable, Union

Data = Union[str, bytes]
_BYTES = ("hex", "base64", "quopri", "uu")  # their results are ASCII
_COMPRESSED = ("zlib", "zip", "bz2")
_NAMES = {"base_64": "base64", "quoted_printable": "quopri", "quotedprintable": "quopri", "rot_13": "rot13"}


def method(value: Data, name: str) -> Callable[..., Any]:
    """Returns the method "encode" or "decode" of a string or bytes, with the codecs of Python 2."""
    def converted(encoding: str = "utf-8", errors: str = "strict") -> Any:
        codec = _codec(encoding)
        if codec in _BYTES + _COMPRESSED:
            return _of_bytes(value, name, codec)
        if codec == "rot13":
            return codecs.encode(_text(value), "rot13")
        if codec == "string_escape":
            return _text(value).encode("unicode_escape").decode("ascii").replace("'", "\\'") if name == "encode" else \
                _string(codecs.escape_decode(_data(value))[0])
        return _own(value, name, encoding, errors)
    return converted


def _codec(encoding: str) -> str:
    codec = str(encoding).lower().replace("-", "_")
    codec = codec[:-len("_codec")] if codec.endswith("_codec") else codec
    return _NAMES.get(codec, codec)


def _of_bytes(value: Data, name: str, codec: str) -> Data:
    if name == "encode":
        data: bytes = codecs.encode(_data(value), codec)  # type: ignore[call-overload]  # the codec takes bytes
        return data if codec in _COMPRESSED else data.decode("ascii")
    return _string(codecs.decode(_data(value), codec))  # type: ignore[arg-type]  # the codec gives bytes


def _own(value: Data, name: str, encoding: str, errors: str) -> Any:
    """Does what Python 3 does; text stays text when it is decoded."""
    own = getattr(value, name, None)
    return value if own is None else own(encoding, errors)


def _data(value: Data) -> bytes:
    return value.encode("utf-8") if isinstance(value, str) else value


def _text(value: Data) -> str:
    return value if isinstance(value, str) else value.decode("utf-8")


def _string(data: bytes) -> Data:
    return data.decode("ascii") if all(byte < 128 for byte in data) else data
