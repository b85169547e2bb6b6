"""Where the lines that an upgraded file needs are added."""

import re

import libcst as cst


def with_lines(module, plan):
    """The module with what a `Plan` adds: before the first import, after TensorFlow's, and after the imports."""
    body = list(module.body)
    start = _after_docstring(body)
    calls = _position_of_calls(body, start, plan)
    imports = next((index + 1 for index, node in enumerate(body) if _imports(node, "tensorflow")), start)
    body = _insert(body, max(calls, imports), plan.calls, blank=True) if plan.calls else body
    body = _insert(body, imports, sorted(plan.imports, key=lambda line: not line.startswith("import tensorflow")))
    body = _insert(body, start, plan.first)
    return module.with_changes(body=body)


def _insert(body, index, lines, blank=False):
    nodes = [cst.parse_statement(line) for line in lines]
    if nodes and blank:
        nodes[0] = nodes[0].with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    if nodes and index < len(body):
        following = body[index]
        if index == 0 or not blank and not _is_import(following) and index and not _is_import(body[index - 1]):
            nodes[0], body[index] = nodes[0].with_changes(leading_lines=following.leading_lines), \
                following.with_changes(leading_lines=[])
        elif not _is_import(following) and not following.leading_lines:
            body[index] = following.with_changes(leading_lines=[cst.EmptyLine(indent=False)])
        elif _is_import(following) and not blank and index == _after_docstring(body) and index:
            nodes[0] = nodes[0].with_changes(leading_lines=following.leading_lines)
            body[index] = following.with_changes(leading_lines=[])
    return body[:index] + nodes + body[index:]


def _after_docstring(body):
    """The index after the docstring and the imports from `__future__`."""
    index = 0
    for place, node in enumerate(body):
        if _imports(node, "__future__") or place == 0 and _is_string(node):
            index = place + 1
        elif not _is_import(node):
            break
    return index


def _position_of_calls(body, start, plan):
    """The index after the imports at the top: the last before anything that calls TensorFlow."""
    stop = next((index for index, node in enumerate(body) if index >= start and _uses(node, plan)), len(body))
    return max([index + 1 for index, node in enumerate(body[:stop]) if _is_import(node)] + [start])


def _uses(node, plan):
    """True for a statement that is no import and needs the switch before it."""
    return not _is_import(node) and not isinstance(node, (cst.FunctionDef, cst.ClassDef)) and \
        any(isinstance(inner, cst.Call) for inner in _walk(node)) and not _is_harmless(node)


def _is_harmless(node):
    return bool(re.match(r"\s*(sys\.path|os\.environ|warnings|matplotlib|mpl|logging|print)\b",
                         cst.Module([node.with_changes(leading_lines=[])]).code))


def _imports(node, package):
    """True for a statement that imports the package or something in it."""
    for inner in _walk(node):
        if isinstance(inner, cst.Import) and any(dotted(alias.name).split(".")[0] == package for alias in inner.names):
            return True
        if isinstance(inner, cst.ImportFrom) and inner.module and not inner.relative and \
                dotted(inner.module).split(".")[0] == package:
            return True
    return False


def _is_import(node):
    """True for an import statement, and for a `try` or `if` that has one."""
    if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
        return False
    return any(isinstance(inner, (cst.Import, cst.ImportFrom)) for inner in _walk(node)) and \
        not any(isinstance(inner, (cst.FunctionDef, cst.ClassDef)) for inner in _walk(node)) and not _is_main(node)


def _is_main(node):
    return isinstance(node, cst.If) and any(isinstance(inner, cst.Name) and inner.value == "__name__"
                                            for inner in _walk(node.test))


def _is_string(node):
    return isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Expr) and \
        isinstance(node.body[0].value, (cst.SimpleString, cst.ConcatenatedString))


def _walk(node):
    yield node
    for child in node.children:
        for inner in _walk(child):
            yield inner


def dotted(node):
    """`a.b.c` as written, or None for anything else."""
    if isinstance(node, cst.Name):
        return node.value
    base = dotted(node.value) if isinstance(node, cst.Attribute) and not node.lpar else None
    return base and "%s.%s" % (base, node.attr.value)
