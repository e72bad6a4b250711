"""The mutants: every small change of the code, by cosmic-ray, that some test should notice."""

from __future__ import annotations

import ast
import difflib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from rule import INNER, OUTER, modules

SEED = 0
# The swaps that a slip of the pen makes. cosmic-ray puts every operator for every other, and eleven
# of twelve mutants of a product would die of a TypeError and prove nothing.
SWAPS = {
    "ReplaceBinaryOperator": "Add_Sub Sub_Add Mul_Div Div_Mul FloorDiv_Mul Mod_FloorDiv Pow_Mul "
    "BitAnd_BitOr BitOr_BitAnd BitXor_BitOr",
    "ReplaceComparisonOperator": "Lt_LtE Lt_GtE LtE_Lt LtE_Gt Gt_GtE Gt_LtE GtE_Gt GtE_Lt Eq_NotEq "
    "NotEq_Eq Is_IsNot IsNot_Is",
    "ReplaceUnaryOperator": "Delete_USub Delete_Invert Delete_Not",
}
OPERATORS = (
    *(f"{kind}_{swap}" for kind, swaps in SWAPS.items() for swap in swaps.split()),
    *("NumberReplacer", "AddNot", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue"),
    *("ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceBreakWithContinue"),
    *("ReplaceContinueWithBreak", "ZeroIterationForLoop", "ExceptionReplacer"),
)
# parso's nodes of two operands; elsewhere * and ** spread arguments or part them
BINARY = {"arith_expr", "term", "power", "expr", "xor_expr", "and_expr"}
# what no test of behaviour can see, or only by repeating it: the versions that results are stored
# under, guards against assignment, and the values that the papers tuned over
DECLARED = {"__all__", "version", "frozen", "search_space"}

Position = tuple[int, int]


@dataclass(frozen=True)
class Mutant:
    """One change of one module; `key` stays the same when other lines are edited."""

    key: str
    module: str
    definition: str
    operator: str
    occurrence: int
    line: int

    def code(self, source: str) -> str:
        mutated: str = mutate_code(source, get_operator(f"core/{self.operator}")(), self.occurrence)
        return mutated

    def diff(self, source: str) -> str:
        lines = source.splitlines(), self.code(source).splitlines()
        return "\n".join(list(difflib.unified_diff(*lines, lineterm="", n=1))[2:])


def sample(root: Path, count: int) -> list[Mutant]:
    """A fixed random sample of the inner and of the outer rooms: the first in the order of a hash.

    An edit changes the mutants of the lines it touches and leaves the others in the sample.
    """
    chosen = []
    for rooms in (INNER, OUTER):
        found = [mutant for module in modules(root, rooms) for mutant in mutants(root, module)]
        chosen += sorted(found, key=lambda mutant: mutant.key)[:count]
    return chosen


def mutants(root: Path, module: str) -> Iterator[Mutant]:
    """All mutants of a module."""
    source = (root / module).read_text(encoding="utf-8")
    lines, tree = source.splitlines(), ast.parse(source)
    skipped = [_span(node, lines) for node in _idle(tree)]
    definitions = _definitions(tree)
    nodes = list(ast_nodes(get_ast(source)))
    twins: Counter[str] = Counter()
    for name in OPERATORS:
        operator = get_operator(f"core/{name}")()
        places = ((node, at) for node in nodes for at, _ in operator.mutation_positions(node))
        for occurrence, (node, at) in enumerate(places):
            definition = definitions.get(at[0], "")
            if any(start <= at < end for start, end in skipped):
                continue
            if name.startswith("ReplaceBinary") and node.parent.type not in BINARY:
                continue
            if name == "ReplaceBinaryOperator_BitOr_BitAnd" and not definition:
                continue  # a union of types
            line = lines[at[0] - 1]
            column = at[1] - len(line) + len(line.lstrip())
            text = f"{SEED} {module} {definition} {name} {column} {line.strip()}"
            twins[text] += 1
            key = sha256(f"{text} {twins[text]}".encode()).hexdigest()[:8]
            yield Mutant(key, module, definition, name, occurrence, at[0])


def _idle(tree: ast.AST) -> Iterator[ast.AST]:
    """Parts whose change alters no result: types, messages, texts, what is only declared."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr):
            yield node
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
            yield node.annotation
        if isinstance(node, ast.FunctionDef) and node.returns:
            yield node.returns
        if isinstance(node, ast.keyword) and node.arg in DECLARED:
            yield node.value
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id in DECLARED for target in targets):
                yield node


def _definitions(tree: ast.AST, outer: str = "") -> dict[int, str]:
    """The function or class of each line, as ``FSNM._rank``."""
    found: dict[int, str] = {}
    for node in ast.iter_child_nodes(tree):
        name = outer
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            name = f"{outer}.{node.name}".lstrip(".")
            found |= dict.fromkeys(range(node.lineno, (node.end_lineno or 0) + 1), name)
        found |= _definitions(node, name)
    return found


def _span(node: ast.AST, lines: list[str]) -> tuple[Position, Position]:
    """Where a node starts and ends in characters; ast counts bytes."""

    def place(line: int, column: int) -> Position:
        return line, len(lines[line - 1].encode()[:column].decode())

    start = place(node.lineno, node.col_offset)  # type: ignore[attr-defined]
    return start, place(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
