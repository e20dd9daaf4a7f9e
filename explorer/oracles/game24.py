"""Can 24 still be made? Exact arithmetic over every way to join the numbers that are left; no float is ever used.

Two kinds of states are read. Tree of Thoughts: a text of lines like ``10 / 5 = 2 (left: 1 2 11)``, a remark after the bracket
ignored, and a last line ``Answer: … = 24``. Our samples: an object ``{"left": [...], "made": [...]}``. Every line must be a step that
the numbers before it allow: a rounded result such as 0.67 is not the quotient, so nothing right is reached through it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache

from ingest.schema import Node, Run

GOAL = Fraction(24)
LONGEST = 200
"""Characters of an expression that are read; parentheses nest no deeper than this."""
_NUMBER = r"-?\d+(?:\.\d+|/\d+)?"
_STEP = re.compile(rf"\s*({_NUMBER})\s*([-+*/x×÷])\s*({_NUMBER})\s*=\s*({_NUMBER})\s*\(left:([^)]*)\)", re.IGNORECASE)
_ANSWER = re.compile(r"\s*answer\s*:(.*)", re.IGNORECASE)
_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|([-+*/()×÷]))")
_QUESTION = re.compile(r"\s*\d+(?:[\s,]+\d+){1,5}\s*")


def oracle(run: Run, node: Node) -> bool | None:
    """True where 24 can still be made, False where it cannot or the answer is wrong, None where the state or the question cannot be read."""
    question = numbers(run.question)
    if question is None:
        return None
    if node.state is None:
        return reaches(question) if not node.parent_ids and node.step is None else None
    try:
        state = json.loads(node.state)
    except ValueError:
        return None
    if isinstance(state, dict):
        left = _left(state, question)
        return None if left is None else reaches(left)
    return _text(state, question) if isinstance(state, str) else None


def numbers(question: str | None) -> tuple[Fraction, ...] | None:
    """The numbers of a question like ``1 5 10 11``, in ascending order; None where it is something else."""
    if question is None or not _QUESTION.fullmatch(question):
        return None
    return tuple(sorted(Fraction(word) for word in re.findall(r"\d+", question)))


@cache
def reaches(left: tuple[Fraction, ...]) -> bool:
    """Whether some way to join these numbers, given in ascending order, makes 24. Exhaustive; every set is searched once."""
    if len(left) == 1:
        return left[0] == GOAL
    for i in range(len(left)):
        for j in range(i + 1, len(left)):
            rest = left[:i] + left[i + 1 : j] + left[j + 1 :]
            if any(reaches(tuple(sorted((*rest, made)))) for made in _joined(left[i], left[j])):
                return True
    return False


def value(expression: str) -> tuple[Fraction, Counter[Fraction]] | None:
    """What an expression of numbers, + - * / and parentheses comes to, and the numbers it uses; None where it is none, or divides by 0."""
    if len(expression) > LONGEST:
        return None
    used: Counter[Fraction] = Counter()
    tokens = _tokens(expression)
    if tokens is None:
        return None
    try:
        result = _sum(tokens, used)
    except (ValueError, ZeroDivisionError, IndexError):
        return None
    return None if tokens else (result, used)


def _joined(a: Fraction, b: Fraction) -> Iterator[Fraction]:
    yield from {a + b, a - b, b - a, a * b}
    if b:
        yield a / b
    if a:
        yield b / a


def _text(text: str, question: tuple[Fraction, ...]) -> bool:
    """A Tree of Thoughts state: every line is checked against the numbers that the lines before it left."""
    left = Counter(question)
    for line in text.split("\n"):
        if not line.strip():
            continue
        if answer := _ANSWER.match(line):
            return _answers(answer[1], question)
        after = _after(line, left)
        if after is None:
            return False
        left = after
    return reaches(tuple(sorted(left.elements())))


def _after(line: str, left: Counter[Fraction]) -> Counter[Fraction] | None:
    """The numbers left after one step; None where the line is no step, its arithmetic is not exact, or it uses numbers that are not there."""
    step = _STEP.match(line)
    if step is None:
        return None
    a, sign, b, made = _fraction(step[1]), step[2], _fraction(step[3]), _fraction(step[4])
    if a is None or b is None or made is None or made != _apply(a, sign, b):
        return None
    taken = Counter([a, b])
    if taken - left:
        return None
    after = left - taken + Counter([made])
    stated = [_fraction(word) for word in re.split(r"[\s,]+", step[5].strip()) if word]
    return after if None not in stated and Counter(stated) == after else None


def _apply(a: Fraction, sign: str, b: Fraction) -> Fraction | None:
    if sign == "+":
        return a + b
    if sign == "-":
        return a - b
    if sign in "*x×X":
        return a * b
    return a / b if b else None


def _answers(text: str, question: tuple[Fraction, ...]) -> bool:
    found = value(text.split("=")[0])
    return found is not None and found[0] == GOAL and found[1] == Counter(question)


def _left(state: dict[str, object], question: tuple[Fraction, ...]) -> tuple[Fraction, ...] | None:
    """The numbers left of ``{"left", "made"}``; None where they cannot be read or the expressions do not come to them."""
    listed, made = state.get("left"), state.get("made")
    if not isinstance(listed, list):
        return None
    left = [_fraction(word) if isinstance(word, str) else Fraction(word) if type(word) is int else None for word in listed]
    exact = [number for number in left if number is not None]
    if len(exact) != len(left) or not exact:
        return None
    if isinstance(made, list) and not _made_of(made, exact, question):
        return None
    return tuple(sorted(exact))


def _made_of(made: Sequence[object], left: Sequence[Fraction], question: tuple[Fraction, ...]) -> bool:
    values = [value(text) for text in made if isinstance(text, str)]
    used: Counter[Fraction] = sum((one[1] for one in values if one is not None), Counter())
    return [one[0] if one else None for one in values] == list(left) and used == Counter(question)


def _fraction(word: str) -> Fraction | None:
    try:
        return Fraction(word) if re.fullmatch(_NUMBER, word) else None
    except ZeroDivisionError:
        return None


def _tokens(expression: str) -> list[str] | None:
    """The tokens last first, so that the next one is popped from the end; None where something else stands among them."""
    found, at, text = [], 0, expression.strip()
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            return None
        found.append(token[1] or token[2])
        at = token.end()
    return found[::-1]


def _sum(tokens: list[str], used: Counter[Fraction]) -> Fraction:
    result = _product(tokens, used)
    while tokens and tokens[-1] in "+-":
        sign = tokens.pop()
        term = _product(tokens, used)
        result = result + term if sign == "+" else result - term
    return result


def _product(tokens: list[str], used: Counter[Fraction]) -> Fraction:
    result = _factor(tokens, used)
    while tokens and tokens[-1] in "*/×÷":
        sign = tokens.pop()
        factor = _factor(tokens, used)
        result = result * factor if sign in "*×" else result / factor
    return result


def _factor(tokens: list[str], used: Counter[Fraction]) -> Fraction:
    token = tokens.pop()
    if token == "-":
        return -_factor(tokens, used)
    if token == "(":
        result = _sum(tokens, used)
        if tokens.pop() != ")":
            raise ValueError("a parenthesis is not closed")
        return result
    number = Fraction(token)
    used[number] += 1
    return number
