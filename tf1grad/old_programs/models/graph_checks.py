"""Checks graphs before TensorFlow gets them: names, cycles, functions that call themselves, gigantic tensors."""

from __future__ import annotations

import collections
from typing import Any, Dict, Iterable, Mapping, Sequence

from tf1grad.old_programs.models import graph_facts
from tf1grad.old_programs.models.graph_messages import Damaged, attribute, elements, shape_of

LARGEST = 2 ** 31  # elements of a constant: no message is larger, and a short one could ask for any number


def check_graph(graph: Dict[str, Any]) -> None:
    """Raises `Damaged` if the graph cannot be one that TensorFlow wrote."""
    _check_nodes(graph["nodes"])
    for function in graph_facts.functions(graph):
        _check_cycle(function["nodes"], f"function {graph_facts.function_name(function)!r}")
    _check_calls(graph)
    for node in graph_facts.all_nodes(graph):
        if node["op"] == "Const":
            _check_constant(node)


def check_assets(assets: Iterable[str]) -> None:
    """Raises `Damaged` if the name of an asset leads out of its folder."""
    for name in assets:
        parts = name.replace("\\", "/").split("/")
        if name.startswith(("/", "\\")) or ".." in parts or not name or "\0" in name or ":" in parts[0]:
            raise Damaged(f"its asset {name!r} leads out of the model's folder")


def _check_nodes(nodes: Sequence[Dict[str, Any]]) -> None:
    names = collections.Counter(node["name"] for node in nodes)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        raise Damaged(f"two of its nodes are named {twice[0]!r}")
    for node in nodes:
        for name in node["inputs"]:
            if graph_facts.node_name(name) not in names:
                raise Damaged(f"its node {node['name']!r} uses {graph_facts.node_name(name)!r}, which is missing")
    _check_cycle(nodes, "graph")


def _check_cycle(nodes: Sequence[Dict[str, Any]], where: str) -> None:
    """Raises `Damaged` if nodes wait for each other. Loops are fine: their cycles pass a NextIteration."""
    loops = {node["name"] for node in nodes if node["op"] in ("NextIteration", "RefNextIteration")}
    waits = {node["name"]: [graph_facts.node_name(name) for name in node["inputs"]
                            if graph_facts.node_name(name) not in loops] for node in nodes}
    _refuse_cycle(waits, f"in its {where} nodes wait for each other")


def _check_calls(graph: Dict[str, Any]) -> None:
    calls = {graph_facts.function_name(function): [
        name for node in function["nodes"] for name in [node["op"], *graph_facts.called_functions(node)]]
        for function in graph_facts.functions(graph)}
    _refuse_cycle(calls, "a function of it calls itself")


def _refuse_cycle(edges: Mapping[str, Sequence[str]], said: str) -> None:
    """Raises `Damaged` for a cycle. The walk is iterative: a file may chain more than Python can nest."""
    done: Dict[str, bool] = {}  # False while the name is on the path
    for start in edges:
        if start in done:
            continue
        path, ways = [start], [iter(edges[start])]
        done[start] = False
        while path:
            following = next(ways[-1], None)
            if following is None:
                done[path.pop()] = True
                ways.pop()
            elif following in edges and following not in done:
                done[following] = False
                path.append(following)
                ways.append(iter(edges[following]))
            elif done.get(following) is False:
                cycle = path[path.index(following):]
                shown = [*cycle[:4], "..."] if len(cycle) > 5 else cycle
                raise Damaged(f"{said}: {' -> '.join([*shown, cycle[0]])}")


def _check_constant(node: Dict[str, Any]) -> None:
    shape = shape_of(attribute(node, "value").get("tensor", {}).get("shape")) or []
    if None in shape:
        raise Damaged(f"the shape of its constant {node['name']!r} is not known")
    if elements(shape) > LARGEST:
        raise Damaged(f"its constant {node['name']!r} has the shape {shape}, more than {LARGEST:,} elements")
