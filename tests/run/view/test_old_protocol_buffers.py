"""Tests old modules of protocol buffer messages,
whose classes are built from the serialized file in them.
"""

import importlib.util
import inspect

import pytest
from google.protobuf import descriptor_pb2

from tf1grad.programs.process import patches
from tf1grad.run.script import user_modules
from tf1grad.run.view import protobuf_names

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("google.protobuf.internal.builder") is None,
    reason="this protobuf reads such modules unchanged",
)
MODULE = """
import sys
_b = sys.version_info[0] < 3 and (lambda x: x) or (lambda x: x.encode('latin1'))
from google.protobuf import descriptor as _descriptor
from google.protobuf import reflection as _reflection
{imports}
DESCRIPTOR = _descriptor.FileDescriptor(name={name!r}, package='old', syntax='proto3', serialized_pb={data})
_POINT = _descriptor.Descriptor(name='Point', full_name='old.Point', filename=None, file=DESCRIPTOR, fields=[])
"""


def _file(name, message, field_type, dependency=None):
    file = descriptor_pb2.FileDescriptorProto(name=name, package="old", syntax="proto3")
    field = file.message_type.add(name=message).field.add(
        name="x", number=1, label=1, type=field_type
    )
    if dependency:
        file.dependency.append(dependency)
        field.type_name = ".old.Point"
    return file.SerializeToString()


@pytest.mark.slow
@pytest.mark.each_release
def test_classes_come_from_the_serialized_file(folder):
    data = _file("point.proto", "Point", 5).decode("latin1")
    folder.write(
        "point_pb2.py", MODULE.format(imports="", name="point.proto", data=f"_b({data!r})")
    )
    data = _file("line.proto", "Line", 11, "point.proto")
    folder.write(
        "line_pb2.py",
        MODULE.format(imports="import point_pb2 as point__pb2", name="line.proto", data=data),
    )
    folder.write(
        "train.py",
        """
        import line_pb2
        line = line_pb2.Line(x=line_pb2.point__pb2.Point(x=3))
        print(line_pb2.Line.FromString(line.SerializeToString()).x.x, line_pb2.DESCRIPTOR.name)
    """,
    )
    assert folder.lines("train.py") == ["3 line.proto"]


def test_other_modules_are_left_alone(folder):
    assert user_modules.compile_messages(b"x = 1", "new_pb2.py") is None
    folder.write("module.py", "print(dict(serialized_pb=b'no messages'))")
    folder.write("train.py", "import module")
    assert folder.lines("train.py") == ["{'serialized_pb': b'no messages'}"]


@pytest.fixture
def as_before():
    """Undoes what a test changes."""
    before = len(patches.changes())
    yield
    patches.undo(before)


@pytest.mark.skipif(
    importlib.util.find_spec("google._upb") is None, reason="this is protobuf 3, or in Python"
)
def test_names_of_protobuf_3(as_before):
    from google.protobuf import message_factory, reflection, struct_pb2, symbol_database
    from google.protobuf.internal import containers

    protobuf_names.install()
    message = struct_pb2.ListValue(values=[struct_pb2.Value(number_value=2)])
    descriptor, data = message.DESCRIPTOR, message.SerializeToString()
    assert isinstance(message.values, containers.RepeatedCompositeFieldContainer)
    assert not isinstance(message.values, containers.RepeatedScalarFieldContainer)
    assert reflection.ParseMessage(descriptor, data) == message
    for made in (
        reflection.MakeClass(descriptor),
        message_factory.MessageFactory().GetPrototype(descriptor),
        symbol_database.Default().GetPrototype(descriptor),
    ):
        assert made.FromString(data).values[0].number_value == 2


@pytest.mark.skipif(
    importlib.util.find_spec("google._upb") is None, reason="this is protobuf 3, or in Python"
)
def test_private_names_of_protobuf_3(as_before, monkeypatch):
    from google.protobuf import json_format, struct_pb2
    from google.protobuf.internal import api_implementation

    keywords = inspect.signature(json_format.MessageToDict).parameters
    lacks_keyword = "including_default_value_fields" not in keywords
    protobuf_names.install()
    from google.protobuf.pyext import _message

    message = struct_pb2.ListValue(values=[struct_pb2.Value(number_value=2)])
    assert isinstance(message, _message.Message)
    assert isinstance(message.values, _message.RepeatedCompositeContainer)
    assert isinstance(message.DESCRIPTOR, _message.Descriptor)
    assert isinstance(type(message), _message.MessageMeta)
    _message.SetAllowOversizeProtos(True)
    assert (api_implementation.Type(), api_implementation.Version()) == ("cpp", 2)
    said = []
    monkeypatch.setattr(protobuf_names, "warn_once", lambda *words: said.append(words))
    of_file = descriptor_pb2.FileDescriptorProto(name="x")
    assert json_format.MessageToDict(of_file) == {"name": "x"} and said == []
    as_dict = json_format.MessageToDict(of_file, including_default_value_fields=True)
    assert as_dict["name"] == "x" and as_dict["dependency"] == []
    effect = "replaced by always_print_fields_with_no_presence"
    translated = ("MessageToDict(including_default_value_fields=)", effect)
    assert said == [translated] * lacks_keyword
