"""Holds a fixer of fissix: `sort(compare)` and `sorted(items, compare)` of Python 2 become `key=cmp_to_key(compare)`.

fissix has a fixer of its own, which takes any argument of any `sort` for a comparison: it would rewrite
`numpy.sort(array)` and `array.sort(0)` too. This one asks for a sign that the argument compares two values.
"""

import re
from typing import Any, Dict

from fissix.fixes.fix_sorted import FixSorted
from fissix.pygram import python_symbols as symbols

_LAMBDA_OF_TWO = re.compile(r"\s*lambda\s+\w+\s*,\s*\w+\s*:")


class FixComparisonSort(FixSorted):  # type: ignore[misc]
    """Rewrites the calls whose comparison is `cmp=...`, `cmp`, a lambda of two arguments, or a function of the file."""

    def start_tree(self, tree: Any, filename: str) -> None:
        """Notes the functions and methods of the file that take two values."""
        super().start_tree(tree, filename)
        definition = r"\bdef\s+(\w+)\s*\(\s*(?:self\s*,\s*)?(?!self\b)\w+\s*,\s*\w+\s*\)"
        self._comparisons = {"cmp", *re.findall(definition, str(tree))}

    def match(self, node: Any) -> Any:
        """Returns what fissix's fixer matches, if an argument of it is a comparison."""
        found: Dict[str, Any] = super().match(node) or {}
        given = found.get("func_args") or found.get("func_arg") or []
        return any(map(self._compares, given)) and found

    def _compares(self, argument: Any) -> bool:
        text = str(argument).strip()
        if argument.type == symbols.argument:
            return text.startswith("cmp")
        return bool(_LAMBDA_OF_TWO.match(text)) or text.rpartition(".")[2] in self._comparisons
