"""Applies plans to the text of a file with LibCST, which keeps every space and comment that is not changed."""

import re

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

MARK = re.compile(r"#\s*tf1grad: TFG\d{3} ")


def apply(plan):
    """The text of a `Plan`'s program with its changes made."""
    wrapper = MetadataWrapper(cst.parse_module(plan.program.source.text))
    changer = _Changer(plan, wrapper.resolve(PositionProvider))
    return changer.added(wrapper.module.visit(changer)).code


def marked(text, findings):
    """`text` with a comment above the statement of each finding, and without the comments of earlier ones."""
    if not findings and not MARK.search(text):
        return text
    wrapper = MetadataWrapper(cst.parse_module(text))
    marker = _Marker(findings, wrapper.resolve(PositionProvider))
    return wrapper.module.visit(marker).code


class _Positions(cst.CSTTransformer):

    def __init__(self, positions):
        super(_Positions, self).__init__()
        self._positions = positions

    def place(self, node):
        start = self._positions[node].start
        return start.line, start.column


class _Changer(_Positions):
    """Makes the replacements of a plan, and notes where in the module's body its additions belong."""

    def __init__(self, plan, positions):
        super(_Changer, self).__init__(positions)
        self._plan = plan
        self._body = []

    def visit_Module(self, node):
        self._body = list(node.body)

    def _leave_name(self, original, updated):
        key = self.place(original) + (_dotted(original),)
        return cst.parse_expression(self._plan.replaced[key]) if key in self._plan.replaced else updated

    leave_Name = leave_Attribute = _leave_name

    def leave_Call(self, original, updated):
        numpy = self._plan.items.get(self.place(original.func) + (_dotted(original.func),))
        if numpy is None:
            return updated
        array = updated.with_changes(func=cst.parse_expression(numpy + ".asarray"))
        return cst.Call(cst.Attribute(array, cst.Name("item")))

    def leave_SimpleStatementLine(self, original, updated):
        if not any(self.place(small) in self._plan.statements for small in original.body):
            return updated
        body = self._statements(original, updated)
        if not body:
            return self._emptied(original, updated)
        if len(original.body) > 1 or len(body) == 1:
            return updated.with_changes(body=_separated(body))
        lines = [cst.SimpleStatementLine([small]) for small in body]
        lines[0] = lines[0].with_changes(leading_lines=updated.leading_lines)
        lines[-1] = lines[-1].with_changes(trailing_whitespace=updated.trailing_whitespace)
        return cst.FlattenSentinel(lines)

    def _statements(self, original, updated):
        body = []
        for old, new in zip(original.body, updated.body):
            lines = self._plan.statements.get(self.place(old))
            body += [new] if lines is None else [_small(line, old) for line in lines]
        return body

    def _emptied(self, original, updated):
        """A line without statements goes, but what it says in comments stays, and so does the block around it."""
        if original not in self._body:
            return updated.with_changes(body=[cst.Pass()])
        comments = [line for line in updated.leading_lines if line.comment]
        if comments or original is self._body[0]:
            return updated.with_changes(body=[cst.Pass()]) if comments else cst.RemoveFromParent()
        return cst.RemoveFromParent()

    def added(self, module):
        """The module with the plan's lines added."""
        return _with_lines(module, self._plan)


def _with_lines(module, plan):
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
        if isinstance(inner, cst.Import) and any(_dotted(alias.name).split(".")[0] == package for alias in inner.names):
            return True
        if isinstance(inner, cst.ImportFrom) and inner.module and not inner.relative and \
                _dotted(inner.module).split(".")[0] == package:
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


def _small(line, old):
    return cst.parse_statement(line).body[0].with_changes(semicolon=old.semicolon)


def _separated(body):
    """Small statements for one line, with semicolons between them and none after the last."""
    semicolon = cst.Semicolon(whitespace_after=cst.SimpleWhitespace(" "))
    body = [small if isinstance(small.semicolon, cst.Semicolon) else small.with_changes(semicolon=semicolon)
            for small in body]
    return body[:-1] + [body[-1].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]


def _dotted(node):
    if isinstance(node, cst.Name):
        return node.value
    base = _dotted(node.value) if isinstance(node, cst.Attribute) and not node.lpar else None
    return base and "%s.%s" % (base, node.attr.value)


class _Marker(_Positions):
    """Puts a comment above the innermost statement that has a finding, and takes earlier ones away."""

    def __init__(self, findings, positions):
        super(_Marker, self).__init__(positions)
        self._findings = {}
        for finding in findings:
            self._findings.setdefault((finding.line, finding.column - 1), []).append(finding)
        self._statements = []
        self._comments = {}

    def on_visit(self, node):
        if "leading_lines" in getattr(node, "__dataclass_fields__", ()):
            self._statements.append(node)
        if node in self._positions:
            for finding in self._findings.pop(self.place(node), []):
                comments = self._comments.setdefault(self._statements[-1] if self._statements else None, [])
                comments.append("# tf1grad: %s %s" % (finding.rule.id, finding.message))
        return super(_Marker, self).on_visit(node)

    def on_leave(self, original, updated):
        updated = super(_Marker, self).on_leave(original, updated)
        if self._statements and original is self._statements[-1]:
            self._statements.pop()
            comments = list(dict.fromkeys(self._comments.get(original, [])))
            kept = [line for line in updated.leading_lines if not (line.comment and MARK.match(line.comment.value))]
            updated = updated.with_changes(leading_lines=kept + [cst.EmptyLine(comment=cst.Comment(comment))
                                                                 for comment in comments])
        return updated
