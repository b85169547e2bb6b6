"""Applies plans to the text of a file with LibCST, which keeps every space and comment that is not changed."""

import re

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from tf1grad.commands.upgrade.additions import dotted, with_lines

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
        key = self.place(original) + (dotted(original),)
        return cst.parse_expression(self._plan.replaced[key]) if key in self._plan.replaced else updated

    leave_Name = leave_Attribute = _leave_name

    def leave_Call(self, original, updated):
        numpy = self._plan.items.get(self.place(original.func) + (dotted(original.func),))
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
        return with_lines(module, self._plan)


def _small(line, old):
    return cst.parse_statement(line).body[0].with_changes(semicolon=old.semicolon)


def _separated(body):
    """Small statements for one line, with semicolons between them and none after the last."""
    semicolon = cst.Semicolon(whitespace_after=cst.SimpleWhitespace(" "))
    body = [small if isinstance(small.semicolon, cst.Semicolon) else small.with_changes(semicolon=semicolon)
            for small in body]
    return body[:-1] + [body[-1].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]


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
