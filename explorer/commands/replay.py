"""Ask what another policy would have made of recorded runs: what it keeps and selects, what it costs, and where the record ends.

    branchlight replay RUN --beam-width 8
    branchlight replay --sweep beam-width=1..5 --json
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from explorer import reviews
from explorer.commands.output import print_json, print_table, progress, say
from explorer.commands.show import find_run
from explorer.replay import changes, sweep
from explorer.replay.difference import Difference
from explorer.replay.outcome import Outcome
from explorer.replay.sweep import Point, Swept
from ingest.errors import TraceError
from ingest.store import Store

_FEW = 5
"""Runs up to which each is shown with what it would have kept and cut."""
_MOST_SHOWN = 40
_COLUMNS = ("node", "depth", "score", "recorded", "now", "viable", "step")
_COUNTS = ("runs", "right_kept", "right_selected", "upper_right_kept", "upper_right_selected", "runs_past_horizon")
_HELP = {
    "beam_width": ("N", "the best N of a level go on"),
    "threshold": ("X", "what is scored under X is cut"),
    "per_parent": ("N", "the best N children of a node go on"),
    "tie_break": ("HOW", "order of equal scores: order, diverse or random:SEED"),
    "dedup": ("KEY", "which states are equal: on (the recorded state key), off, or a column or a field of the state"),
    "max_depth": ("N", "nodes at depth N are not expanded"),
    "max_nodes": ("N", "cap on nodes, the root counts"),
    "max_calls": ("N", "cap on calls"),
    "max_tokens": ("N", "cap on tokens"),
    "max_cost": ("USD", "cap on cost"),
    "select": ("HOW", "final choice: best, majority or verifier"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="*", metavar="RUN", help="run ids, or the ends of some; without any, all runs")
    for name, (metavar, text) in _HELP.items():
        parser.add_argument(changes.flag(name), dest=name, metavar=metavar, type=_reading(name), help=text)
    parser.add_argument("--sweep", type=_sweep, metavar="SETTING=VALUES", help="one point for each value: beam-width=1..5, threshold=0.1,0.5")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Print the points, and each run where none is swept. Status 1 when a run cannot be asked, which stderr explains."""
    store = Store(args.store)
    run_ids = [find_run(store, name) for name in args.runs] or None
    common = {name: value for name in changes.READ if (value := getattr(args, name)) is not None}
    policies = [common | {args.sweep.name: value} for value in args.sweep.values] if args.sweep else [common]
    said = reviews.read(store.folder)
    marks, otherwise = reviews.marks(said.current), dict[str, tuple[Difference, ...]]()
    if args.sweep:
        tried = list(_with_progress(store, run_ids, sweep.tries(store, run_ids, policies, marks)))
    else:
        pairs = list(_with_progress(store, run_ids, sweep.with_differences(store, run_ids, common, marks)))
        tried, otherwise = [one for one, _ in pairs], {one.run_id: found for one, found in pairs}
    found = sweep.swept(tried, len(policies))
    if args.json:
        print_json(found.document() if args.sweep else _document(found, otherwise))
    elif not found.tried:
        print(f"{args.store} holds no runs; load some with: branchlight ingest LOGS")
    else:
        _print(found, policies, otherwise if found.recorded.runs <= _FEW else {})
    say(f"{len(runs):,} runs, {runs[0]!r} for one: each {why}" if runs[1:] else f"run {runs[0]!r} {why}" for why, runs in found.refused.items())
    say(said.problems)
    return int(bool(found.refused or said.problems))


def _document(found: Swept, otherwise: Mapping[str, Sequence[Difference]]) -> dict[str, Any]:
    runs = []
    for one in found.tried:
        if one.recorded is not None:
            kept = [node.node_id for node in otherwise[one.run_id] if node.kept]
            cut = [node.node_id for node in otherwise[one.run_id] if node.cut]
            told = {"kept": kept, "cut": cut, "recorded": one.recorded.document(), "assumed": list(one.assumed)}
            runs.append(one.outcomes[0].document() | told)
    refused = [{"run_id": one.run_id, "why": one.refused} for one in found.tried if one.refused]
    return {"runs": runs, **found.document(), "refused": refused}


def _print(found: Swept, policies: Sequence[Mapping[str, Any]], otherwise: Mapping[str, Sequence[Difference]]) -> None:
    for sentence in found.assumed:
        print(sentence)
    if not found.recorded.runs:
        return
    for one in found.tried:
        if one.recorded is not None and one.run_id in otherwise:
            _print_run(one.recorded, one.outcomes[0], [node for node in otherwise[one.run_id] if node.kept or node.cut])
    rows = [_row("as recorded", found.recorded)]
    rows += [_row(", ".join(f"{name} {value}" for name, value in policy.items()) or "unchanged", point)
             for policy, point in zip(policies, found.points, strict=True)]  # fmt: skip
    print_table(rows, ["policy", *_COUNTS, *_roles(found), "tokens", "cost"])
    if found.recorded.runs > found.recorded.upper_right_kept == 0:
        print("no answer of these runs is known to be right; an oracle or a reviewer can tell: branchlight judge")
    if any(point.runs_past_horizon for point in found.points):
        print("past the horizon the record ends: the counts suppose that what was never asked brings nothing, the upper ones that it goes well; "
              "tokens and cost are then lower bounds")  # fmt: skip


def _print_run(recorded: Outcome, now: Outcome, nodes: Sequence[Difference]) -> None:
    print(f"{now.run_id}: selects {_end(now)} (recorded: {_end(recorded)}), {_right(now)} (recorded: {_right(recorded)})")
    if now.horizon:
        print(f"  past the horizon: it would expand {len(now.horizon)} nodes that were never expanded: {', '.join(now.horizon[:10])}")
    if now.viable_depth is not None or recorded.viable_depth is not None:
        print(f"  a viable node is kept down to depth {_depth(now)} (recorded: {_depth(recorded)})")
    if nodes:
        print_table([asdict(node) | {"node": node.node_id} for node in nodes[:_MOST_SHOWN]], _COLUMNS)
    if len(nodes) > _MOST_SHOWN:
        print(f"and {len(nodes) - _MOST_SHOWN} more nodes; --json names all of them")
    print()


def _row(policy: str, point: Point) -> dict[str, Any]:
    counts = {name: getattr(point, name) for name in _COUNTS}
    calls = {f"{role} calls": count for role, count in point.paid.roles.items()}
    return {"policy": policy, **counts, **calls, "tokens": point.paid.tokens, "cost": point.paid.cost}


def _roles(found: Swept) -> list[str]:
    return [f"{role} calls" for role in sorted({role for point in (found.recorded, *found.points) for role in point.paid.roles})]


def _end(outcome: Outcome) -> str:
    return outcome.path[-1] if outcome.path else "nothing"


def _depth(outcome: Outcome) -> str:
    return "none" if outcome.viable_depth is None else str(outcome.viable_depth)


def _right(outcome: Outcome) -> str:
    if outcome.right_selected:
        return "right"
    return "perhaps right" if outcome.upper_right_selected else "not right"


def _reading(name: str) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        return _usage(lambda: changes.READ[name](name, text))

    return read


def _sweep(text: str) -> changes.Sweep:
    found: changes.Sweep = _usage(lambda: changes.sweep(text))
    return found


def _usage(read: Callable[[], Any]) -> Any:
    """A value as typed; what cannot be read is wrong usage, status 2."""
    try:
        return read()
    except TraceError as error:
        raise argparse.ArgumentTypeError(error.message.partition(": ")[2]) from None


def _with_progress(store: Store, run_ids: Sequence[str] | None, tries: Any) -> Any:
    total = len(run_ids) if run_ids is not None else store.query("select count(*) as n from runs")["n"][0].as_py()
    tell, close = progress()
    try:
        for done, one in enumerate(tries, start=1):
            tell("searching again", done, total)
            yield one
    finally:
        close()
