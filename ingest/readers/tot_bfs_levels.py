"""Which kept state does a candidate extend, who scored it, and what became of it? For ``tot_bfs`` and ``xot_bfs``."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.readers import fields
from ingest.readers.fields import Malformed
from ingest.schema import Fate, Node, ScoreSource, Stage, Tier

_LEFT = re.compile(r"\(left: ([^)]*)\)")
REPEATED = "repeated text"
BY_RULE = "rule: no 'answer' in a last step"
FROM_CACHE = "rule's zero from the value cache"
NO_LABEL = "0.0: no sample of the evaluator ended in a known label"
UNEXPLAINED = "integer 0, which the evaluator never gives"


@dataclass(frozen=True, slots=True)
class Level:
    """One entry of ``steps`` as logged; ``depth`` is that of its candidates."""

    depth: int
    last: bool
    question: str | None
    ys: tuple[str, ...]
    new_ys: tuple[str, ...]
    values: tuple[Any, ...]
    select_new_ys: tuple[str, ...]


def level_at(steps: list[Any], index: int, path: str) -> Level:
    """One entry of ``steps``, checked. Raises Malformed where it is not what the format promises."""
    step = steps[index]
    if not isinstance(step, dict):
        raise Malformed(path, "something else where an object with new_ys, values and select_new_ys was expected")
    new_ys, values = fields.texts_at(step, "new_ys", path), fields.list_at(step, "values", path)
    if len(values) != len(new_ys):
        raise Malformed(f"{path}.values", f"{len(values)} values for {len(new_ys)} candidates in new_ys")
    question = step.get("x") if isinstance(step.get("x"), str) else None
    ys, kept = fields.texts_at(step, "ys", path), fields.texts_at(step, "select_new_ys", path)
    return Level(index + 1, index + 1 == len(steps), question, ys, new_ys, tuple(values), kept)


class Zeros:
    """Which zeros did the evaluator not give? Lives as long as the file, as the producer's cache of values did."""

    def __init__(self, votes: bool) -> None:
        self.votes = votes
        """In a log of votes an integer 0 is a real result: nobody voted for it."""
        self._by_rule: set[tuple[str | None, str]] = set()

    def reason(self, level: Level, at: int) -> str | None:
        """Why the candidate has no score although a number is logged; None where the number is the evaluator's."""
        value, text = level.values[at], level.new_ys[at]
        if self.votes or isinstance(value, bool) or not isinstance(value, int) or value != 0:
            return None
        if text in level.new_ys[:at]:
            return REPEATED
        line = text.strip().rsplit("\n", 1)[-1]
        # what the evaluator's prompt showed, and so the key of the producer's cache: the numbers left, or the answer
        shown = (None, line.split("left: ")[-1].split(")")[0]) if "left: " in line else (level.question, line.lower())
        if len(text.strip().split("\n")) == 4 and "answer" not in text.lower():
            self._by_rule.add(shown)
            return BY_RULE
        return FROM_CACHE if shown in self._by_rule else UNEXPLAINED

    def note(self, value: object) -> dict[str, Any]:
        """A fractional zero is a sum over samples none of which was read as a label; the program uses it as a value."""
        return {"score_note": NO_LABEL} if not self.votes and isinstance(value, float) and value == 0 else {}


def first_copies(wanted: Sequence[str], among: Sequence[str]) -> list[int | None]:
    """For each text the position of its first copy that is not taken yet; None where no copy is left."""
    places: defaultdict[str, deque[int]] = defaultdict(deque)
    for place, text in enumerate(among):
        places[text].append(place)
    return [places[text].popleft() if places[text] else None for text in wanted]


def tree(run_id: str, levels: Sequence[Level], zeros: Zeros) -> tuple[list[Node], list[str | None], list[str]]:
    """All nodes in order of appearance, the ids of the texts kept at the end (best first), and what had to be assumed."""
    starts: list[str | None] = [f"r{place or ''}" for place in range(len(levels[0].ys))]
    nodes = [_start(run_id, str(starts[place]), text, place) for place, text in enumerate(levels[0].ys)]
    warnings: list[str] = []
    kept, before = starts, 0
    for level, above in zip(levels, (None, *levels), strict=False):
        if above is not None:
            starts = [kept[place] if place is not None else None for place in first_copies(level.ys, above.select_new_ys)]
        before += len(level.ys)
        made = list(_candidates(run_id, level, starts, len(nodes), before, zeros))
        nodes += made
        kept = [made[place].node_id if place is not None else None for place in first_copies(level.select_new_ys, level.new_ys)]
        warnings += _doubts(level, made, kept)
    return nodes, kept, warnings


def _start(run_id: str, node_id: str, text: str, place: int) -> Node:
    return Node(
        run_id=run_id, node_id=node_id, depth=0, request_index=place, seq=place, state=fields.json_text(text), fate=Fate.EXPANDED,
        expanded_seq=place,
    )  # fmt: skip


def _candidates(run_id: str, level: Level, starts: Sequence[str | None], seq: int, expanded: int, zeros: Zeros) -> Iterator[Node]:
    ranks = {place: rank for rank, place in enumerate(first_copies(level.select_new_ys, level.new_ys)) if place is not None}
    rule, children, ids = _rule(level), Counter[str](), dict[str, str]()
    for at, (place, fits) in enumerate(_extended(level)):
        text = level.new_ys[at]
        parent = (starts[place] if place is not None else None) or f"missing.{level.depth - 1}"
        node_id, why = f"{parent}.{children[parent]}", zeros.reason(level, at)
        step = text.removeprefix(level.ys[place] if place is not None else "").strip("\n")
        extra = {"unscored_because": why} if why else zeros.note(level.values[at])
        yield Node(
            run_id=run_id, node_id=node_id, parent_ids=(parent,), depth=level.depth, request_index=children[parent], seq=seq + at,
            step=step, state=fields.json_text(text), state_key=_state_key(step),
            **_score(level.values[at], why), **_fate(level, ranks.get(at), rule, why, ids.get(text), expanded),
            extra=fields.extra_text(extra | ({"parent_ambiguous": True} if fits > 1 else {})),
        )  # fmt: skip
        children[parent] += 1
        ids.setdefault(text, node_id)


def _extended(level: Level) -> Iterator[tuple[int | None, int]]:
    """For each candidate the place in ``ys`` of the state that it extends, and how many states it might extend."""
    at, under = 0, set[str]()
    for text in level.new_ys:
        fits = [place for place, start in enumerate(level.ys) if text.startswith(start)]
        ahead = [place for place in fits if place >= at] or fits
        # candidates stand in the order of the states they extend; a list that begins anew was asked of the next equal state
        again = text in under and len(ahead) > 1 and level.ys[ahead[1]] == level.ys[ahead[0]]
        place = ahead[again] if ahead else None
        if place is not None and place != at:
            at, under = place, set()
        under.add(text)
        yield place, len(fits)


def _score(value: object, why: str | None) -> dict[str, Any]:
    score = None if why else fields.number(value)
    if score is None:
        error = None if why else "the logged value is not a finite number"
        return {"score_raw": fields.json_text(value), "error": error}
    return {"score": score, "score_raw": fields.json_text(value), "score_source": ScoreSource.MODEL, "tier": Tier.JUDGE}


def _fate(level: Level, rank: int | None, rule: str | None, why: str | None, first: str | None, expanded: int) -> dict[str, Any]:
    if rank is not None:
        return {"fate": Fate.TERMINAL} if level.last else {"fate": Fate.EXPANDED, "expanded_seq": expanded + rank}
    if why == REPEATED:
        return {"fate": Fate.PRUNED, "pruned_by": Stage.DISTINCT, "prune_rule": REPEATED, "merged_into": first}
    return {"fate": Fate.PRUNED, "pruned_by": Stage.SURVIVED, "prune_rule": rule}


def _rule(level: Level) -> str | None:
    """``greedy top-k`` where the kept texts are indeed the k best, ties by order; None where the log shows another choice."""
    values = [fields.number(value) for value in level.values]
    width = len(level.select_new_ys)
    best = sorted(range(len(values)), key=lambda at: -(values[at] or 0.0))[:width]
    greedy = None not in values and tuple(level.new_ys[at] for at in best) == level.select_new_ys
    return f"greedy top-{width}" if greedy else None


def _state_key(step: str) -> str | None:
    """The numbers that a Game of 24 step says are left, in ascending order: the order of writing them makes no other state."""
    found = _LEFT.findall(step)
    return "left:" + " ".join(sorted(found[-1].split(), key=_by_size)) if found else None


def _by_size(word: str) -> tuple[float, str]:
    try:
        return float(word), word
    except ValueError:
        return float("inf"), word


def _doubts(level: Level, made: Sequence[Node], kept: Sequence[str | None]) -> Iterator[str]:
    """What is not certain about one level, in words for the run's warnings."""
    where = f"steps[{level.depth - 1}]"
    doubtful = sum('"parent_ambiguous"' in (node.extra or "") for node in made)
    if doubtful:
        yield f"{where}: {doubtful} candidates extend two equal kept states; the order in the log decides their parent"
    lost = sum(node.parent_ids[0].startswith("missing.") for node in made)
    if lost:
        yield f"{where}: {lost} candidates extend no recorded kept state"
    strange = sum(node_id is None for node_id in kept)
    if strange:
        yield f"{where}: {strange} texts of select_new_ys are not among new_ys"
