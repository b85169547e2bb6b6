"""Checks graphs before TensorFlow gets them: names, functions that call themselves, gigantic tensors."""

from __future__ import annotations

import collections
from typing import Any, Dict, Iterable

from tf1grad.old_programs.models import graph_facts
from tf1grad.old_programs.models.graph_messages import Damaged, attribute, elements, shape_of
from tf1grad.sessions.reached import reached

LARGEST = (
    2**31
)  # elements of a constant: no message is larger, and a short one could ask for any number


def check_graph(graph: Dict[str, Any]) -> None:
    """Raises `Damaged` if the graph cannot be one that TensorFlow wrote."""
    names = collections.Counter(node["name"] for node in graph["nodes"])
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        raise Damaged(f"two of its nodes are named {twice[0]!r}")
    for node in graph["nodes"]:
        for name in map(graph_facts.node_name, node["inputs"]):
            if name not in names:
                raise Damaged(f"its node {node['name']!r} uses {name!r}, which is missing")
    _check_calls(graph)
    for node in graph_facts.all_nodes(graph):
        if node["op"] == "Const":
            _check_constant(node)


def check_assets(assets: Iterable[str]) -> None:
    """Raises `Damaged` if the name of an asset leads out of its folder."""
    for name in assets:
        parts = name.replace("\\", "/").split("/")
        if (
            name.startswith(("/", "\\"))
            or ".." in parts
            or not name
            or "\0" in name
            or ":" in parts[0]
        ):
            raise Damaged(f"its asset {name!r} leads out of the model's folder")


def _check_calls(graph: Dict[str, Any]) -> None:
    """Raises `Damaged` if a function calls itself, directly or through others, which crashes TensorFlow."""
    calls = {
        function["signature"]["name"]: [
            name
            for node in function["nodes"]
            for name in [node["op"], *graph_facts.called_functions(node)]
        ]
        for function in graph["library"]["functions"]
    }
    for name, called in calls.items():
        if name in reached(called, lambda each: calls.get(each, ())):
            raise Damaged(f"its function {name!r} calls itself")


def _check_constant(node: Dict[str, Any]) -> None:
    shape = shape_of(attribute(node, "value")["tensor"].get("shape")) or []
    if None in shape:
        raise Damaged(f"the shape of its constant {node['name']!r} is not known")
    if elements(shape) > LARGEST:
        raise Damaged(
            f"its constant {node['name']!r} has the shape {shape}, more than {LARGEST:,} elements"
        )
