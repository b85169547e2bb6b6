"""A module of protocol buffer messages is too old for protobuf 4.

`protoc` before 3.19 wrote modules (`*_pb2.py`) that build their descriptors in Python. protobuf 4
and later, which TensorFlow 2.13 and later need, refuse them: "Descriptors cannot be created
directly". `tf1grad run` and `import tf1grad.v1` build their classes from the serialized file in
them.
"""

from __future__ import annotations

from tf1grad.programs.source.program import Program
from tf1grad.upgrade.rules import Findings

ID = "TFG410"
SEVERITY = "error"
REPORTED_BY_UPGRADE = True
SUMMARY = "protobuf 4 and later refuse this module of messages, which protoc before 3.19 wrote."
REMEDY = "Write it again from its .proto file, by protoc 3.19 or later."
EXAMPLE = """
- from google.protobuf import descriptor
-
- SIZE = descriptor.FieldDescriptor(name="size", full_name="Size.size", index=0, number=1, type=5, cpp_type=1, label=1)
+ from google.protobuf import descriptor_pool
+
+ DESCRIPTOR = descriptor_pool.Default().AddSerializedFile(b"...")
"""
_BUILT = {
    f"google.protobuf.descriptor.{name}Descriptor"
    for name in ("", "Enum", "EnumValue", "Field", "File", "Oneof", "Service")
}


def findings(program: Program) -> Findings:
    """Yields the first descriptor that a module builds,
    unless TensorFlow 1.15 comes by a line of its program.
    """
    built = [call.node for call in program.calls if call.name in _BUILT]
    on_1_15 = [other for other in program.together.on_1_15 if program in other.reached]
    if not on_1_15:
        yield from built[:1]
