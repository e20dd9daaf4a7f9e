"""Say which caps stopped the runs, how deep their right answers lie, how deep a call budget reaches, and what deepening step by step would cost.

    branchlight budget
    branchlight budget --percentile 90 --margin 1 --calls 100 --json
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from explorer import reviews
from explorer.analysis import anytime, anytime_reading, budget, budget_document, budget_reading, caps, deepening, frontier, frontier_reading, plan
from explorer.analysis.budget import Currency, RunBudget
from explorer.analysis.fact import Fact
from explorer.analysis.plan import Wish
from explorer.analysis.solution_depth import right_depths
from explorer.commands.output import print_json, print_table, progress, say
from explorer.commands.show import find_run
from ingest.store import Store

_FEW = 5
"""Runs up to which the changes of the best answer are shown one by one."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="*", metavar="RUN", help="run ids, or the ends of some; without any, all runs")
    parser.add_argument("--percentile", type=_percentile, default=95.0, metavar="P", help="share of right answers to cover, in percent; default: 95")
    parser.add_argument("--margin", type=_whole, default=1, metavar="LEVELS", help="levels added for the suggested depth cap; default: 1")
    parser.add_argument("--calls", type=_whole, metavar="N", help="calls that one run may spend; default: the smallest budget that a run recorded")
    parser.add_argument("--answers", choices=("selected", "kept"), default="selected",
                        help="right answers that were selected (default), or the shallowest that each run kept")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Print the figures, reviewers' marks included. Status 1 when a review cannot be read."""
    store = Store(args.store)
    run_ids = [find_run(store, name) for name in args.runs] or None
    said = reviews.read(store.folder)
    found = list(_watched(budget.of_runs(store, run_ids, reviews.marks(said.current)), store, run_ids))
    wish = Wish(share=args.percentile / 100, margin=args.margin, calls=args.calls, answers=args.answers)
    if args.json:
        print_json(budget_document.document(found, wish))
    elif not found:
        print(f"{args.store} holds no runs; load some with: branchlight ingest LOGS")
    else:
        _print(found, wish, singly=run_ids is not None and len(run_ids) <= _FEW)
    say(said.problems)
    return int(bool(said.problems))


def _watched(runs: Iterator[RunBudget], store: Store, run_ids: Sequence[str] | None) -> Iterator[RunBudget]:
    total = len(run_ids) if run_ids is not None else int(store.query("select count(*) as n from runs")["n"][0].as_py())
    tell, close = progress()
    for number, one in enumerate(runs):
        tell("adding up the runs", number, total)
        yield one
    close()


def _print(runs: Sequence[RunBudget], wish: Wish, singly: bool) -> None:
    selected, kept = right_depths(runs, "selected"), right_depths(runs, "kept")
    right, other = (selected, kept) if wish.answers == "selected" else (kept, selected)
    currency = anytime.usual_currency(runs)
    _facts(budget_reading.cards(runs, right, currency))
    _lines(budget_reading.depth_notes(right, other))
    _table("Why the runs stopped", budget_reading.stops(caps.stops(runs)))
    _table("Depth of right answers, in runs", budget_reading.depths(selected, kept))
    planned = plan.plan(runs, wish)
    print("\nNeeded against affordable depth")
    _facts([*budget_reading.plan_cards(planned), budget_reading.verdict(planned)])
    _lines(budget_reading.plan_notes(planned))
    _print_deepening(runs, right.percentile(0.5))
    curve = anytime.right_by_spend(runs, currency)
    _table(f"Runs that are right, by {budget_reading.CURRENCIES[currency]} given to each", anytime_reading.parts(curve))
    _lines(anytime_reading.curve_notes(curve, runs))
    _print_protocols(runs)
    for one in runs if singly else ():
        currency = anytime.usual_currency([one])
        print(f"\n{one.run_id}")
        _facts(anytime_reading.run_facts(one, currency))
        _lines(anytime_reading.run_notes(one))
        _table("Changes of the best answer so far", anytime_reading.steps(one))


def _print_deepening(runs: Sequence[RunBudget], median: int | None) -> None:
    costs, repeated = deepening.level_costs(runs, Currency.CALLS), deepening.repeated(runs)
    rows = deepening.deepening(costs, median)
    _table("Iterative deepening against a direct search, in calls for one run", budget_reading.deepening(rows))
    _lines(budget_reading.deepening_notes(rows, costs, repeated))
    _table("Runs that deepened step by step", budget_reading.repeats(repeated))


def _print_protocols(runs: Sequence[RunBudget]) -> None:
    found = frontier.protocols(runs)
    currency = next((one for one in frontier.PRICES if any(protocol.spent[one].runs for protocol in found)), Currency.NODES)
    _table("What a right answer costs, by protocol", frontier_reading.protocols(found, frontier.dominated(runs, currency), currency))
    _lines(frontier_reading.notes(runs))
    _lines(one.text for one in frontier_reading.baselines(list(frontier.against_baselines(runs))))


def _facts(facts: Iterable[Fact]) -> None:
    for fact in facts:
        hint = f"  ({fact.hint})" if fact.hint else ""
        print(f"{fact.label + ': ' if fact.label else ''}{fact.text}{hint}")


def _lines(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


def _table(title: str, table: pa.Table) -> None:
    if table.num_rows:
        print(f"\n{title}")
        print_table(table.to_pylist(), table.column_names)


def _percentile(text: str) -> float:
    value = float(text)
    if not 0 < value <= 100:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and at most 100")
    return value


def _whole(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return value
