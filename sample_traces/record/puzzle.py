"""What is true about a Game of 24? Its states, its moves, and, by exact arithmetic, what can still be reached."""

from __future__ import annotations

import ast
import functools
import operator
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

TARGET = Fraction(24)
_OPERATIONS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
}  # fmt: skip
_NODES: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


@dataclass(frozen=True, slots=True)
class Number:
    """One number that is left, and how it was made."""

    value: Fraction
    expression: str


State = tuple[Number, ...]


def start(question: str) -> State:
    """The state of a puzzle written as ``4 5 6 10``. In every state the numbers stand in order of size."""
    return tuple(sorted((Number(Fraction(word), word) for word in question.split()), key=lambda number: number.value))


def state_key(state: State) -> str:
    """The numbers left, in order of size. Nothing else about a state can change what follows from it."""
    return " ".join(str(value) for value in sorted(number.value for number in state))


def moves(state: State) -> list[tuple[Number, str, Number, Fraction]]:
    """Every sum, difference that is not negative, product and division of two of the numbers."""
    found = []
    for one, other in combinations(state, 2):
        large, small = (one, other) if one.value >= other.value else (other, one)
        pairs = [(large, "+", small), (large, "-", small), (large, "*", small), (large, "/", small), (small, "/", large)]
        found += [(a, sign, b, _OPERATIONS[sign](a.value, b.value)) for a, sign, b in pairs if sign != "/" or b.value]
    return found


def step_text(state: State, a: Number, sign: str, b: Number, result: Fraction) -> str:
    """A move as a proposer writes it: ``10 - 4 = 6 (left: 5 6 6)``."""
    rest = list(state)
    rest.remove(a)
    rest.remove(b)
    left = sorted([number.value for number in rest] + [result])
    return f"{a.value} {sign} {b.value} = {result} (left: {' '.join(map(str, left))})"


def after(state: State, step: str) -> State:
    """The state that a written step leads to. Raises ValueError when the step is no move of the state."""
    a_text, sign, b_text, _, result_text = step.partition(" (")[0].split(" ")
    rest = list(state)
    try:
        a, b = _take(rest, Fraction(a_text)), _take(rest, Fraction(b_text))
        result = _OPERATIONS[sign](a.value, b.value)
    except (KeyError, ZeroDivisionError) as error:
        raise ValueError(f"{step!r} is no move from {state_key(state)}") from error
    if result != Fraction(result_text):
        raise ValueError(f"{step!r}: the result is {result}")
    made = Number(result, f"({a.expression} {sign} {b.expression})")
    return tuple(sorted([*rest, made], key=lambda number: number.value))


def solvable(state: State) -> bool:
    """Can these numbers still make 24?"""
    return _solvable(tuple(sorted(number.value for number in state)))


def is_right(question: str, expression: str) -> bool:
    """Does the expression make exactly 24 out of exactly the numbers of the question?"""
    used: list[Fraction] = []
    value = _evaluate(ast.parse(expression, mode="eval").body, used)
    return value == TARGET and Counter(used) == Counter(Fraction(word) for word in question.split())


def _take(numbers: list[Number], value: Fraction) -> Number:
    for number in numbers:
        if number.value == value:
            numbers.remove(number)
            return number
    raise KeyError(value)


@functools.cache
def _solvable(values: tuple[Fraction, ...]) -> bool:
    if len(values) == 1:
        return values[0] == TARGET
    for i, j in combinations(range(len(values)), 2):
        a, b = values[i], values[j]
        rest = [value for position, value in enumerate(values) if position not in (i, j)]
        results = {a + b, a - b, b - a, a * b} | ({a / b} if b else set()) | ({b / a} if a else set())
        if any(_solvable(tuple(sorted([*rest, result]))) for result in results):
            return True
    return False


def _evaluate(node: ast.expr, used: list[Fraction]) -> Fraction:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        used.append(Fraction(node.value))
        return used[-1]
    if isinstance(node, ast.BinOp) and type(node.op) in _NODES:
        return _OPERATIONS[_NODES[type(node.op)]](_evaluate(node.left, used), _evaluate(node.right, used))
    raise ValueError(f"no arithmetic: {ast.unparse(node)}")
