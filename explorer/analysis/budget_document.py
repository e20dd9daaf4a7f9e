"""How do the figures about budgets stand in a document for other programs? Stable keys, units in the names, None for what is not recorded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from explorer.analysis import anytime, caps, committed, deepening, frontier, plan, solution_depth
from explorer.analysis.budget import Currency, RunBudget
from explorer.analysis.caps import Stop
from explorer.analysis.frontier import Mean, Protocol
from explorer.analysis.funnel import Share
from explorer.analysis.plan import Plan, Wish
from explorer.analysis.solution_depth import DepthCap, RightDepths

Document = dict[str, Any]


def document(runs: Sequence[RunBudget], wish: Wish) -> Document:
    """``{"runs", "suite", "protocols", "baselines"}``: each run, all of them together, and each protocol on its own."""
    limits, found = solution_depth.depth_caps(runs), frontier.protocols(runs)
    beaten = {currency: frontier.dominated(runs, currency) for currency in Currency}
    groups = {one.fingerprint: [run for run in runs if run.fingerprint == one.fingerprint] for one in found}
    return {
        "runs": [_run(run, limits.get(run.run_id)) for run in runs],
        "suite": _figures(runs, wish),
        "protocols": [_protocol(one, beaten) | _figures(groups[one.fingerprint], wish) for one in found],
        "same_tasks": frontier.same_tasks(runs),
        "baselines": [
            asdict(one) | {"search_right": _share(one.search_right), "baseline_right": _share(one.baseline_right), "beats": one.beats}
            for one in frontier.against_baselines(runs)
        ],
    }


def _run(run: RunBudget, limit: DepthCap | None) -> Document:
    end = caps.ending(run)
    return {
        "run_id": run.run_id,
        "task_id": run.run["task_id"],
        "fingerprint": run.fingerprint,
        "outcome": run.run["outcome"],
        "regime": frontier.regime(run),
        "stop_reason": end.reason,
        "stop_inferred": end.inferred,
        "cut_off": caps.is_cut_off(run),
        "ended": run.run["ended"],
        "budgets": dict(run.run["budgets"]),
        "depth_reached": run.row["depth_reached"],
        "depth_cap": limit.depth if limit else None,
        "depth_cap_inferred": limit.inferred if limit else None,
        "right_depth_selected": run.right_selected,
        "right_depth_kept": run.right_kept,
        "finished_known": run.finished_known,
        "spend_from": run.row["spend_from"],
        "spent": asdict(run.spent),
        "calls_with_tokens": run.row["calls_with_tokens"],
        "calls_with_cost": run.row["calls_with_cost"],
        "committed": asdict(run.committed),
        "speculative": asdict(committed.speculative(run)),
        "levels": [asdict(level) for level in run.levels],
        "passes": [{"bound": one.bound, "levels": [asdict(level) for level in one.levels]} for one in run.passes],
        "best_so_far_from": run.steps[0].basis if run.steps else None,
        "best_so_far": [
            {"node_id": step.node_id, "score": step.score, "finished": step.finished, "right": step.right, "at": asdict(step.at)}
            for step in run.steps
        ],
        "ends_with_selected": anytime.agrees(run),
        "spent_after_last_change": asdict(run.spent.minus(run.steps[-1].at)) if run.steps else None,
        "margin": run.margin.value,
        "rivals": run.margin.rivals,
        "decisions": run.decisions.made,
        "decisions_changed": run.decisions.changed,
    }


def _figures(runs: Sequence[RunBudget], wish: Wish) -> Document:
    selected, kept = (solution_depth.right_depths(runs, answers) for answers in ("selected", "kept"))
    median = (selected if wish.answers == "selected" else kept).percentile(0.5)
    costs = {currency: deepening.level_costs(runs, currency) for currency in Currency}
    return {
        "run_count": len(runs),
        "stops": [_stop(stop) for stop in caps.stops(runs)],
        "cut_off": _share(caps.cut_off(runs)),
        "right_depth": {found.answers: _depths(found) for found in (selected, kept)},
        "plan": _plan(plan.plan(runs, wish)),
        "levels": {name.value: {"basis": found.basis or None, "levels": [asdict(one) for one in found.levels]} for name, found in costs.items()},
        "deepening": {name.value: [asdict(row) for row in deepening.deepening(found, median)] for name, found in costs.items()},
        "repeated": [asdict(row) for row in deepening.repeated(runs)],
        "right_by_spend": {name.value: _curve(anytime.right_by_spend(runs, name)) for name in Currency},
        "waste": {name.value: _waste(anytime.waste_over(runs, name)) for name in Currency},
        "committed": {name.value: _committed(committed.committed_over(runs, name)) for name in Currency},
    }


def _protocol(one: Protocol, beaten: Mapping[Currency, Collection[str | None]]) -> Document:
    return {
        "fingerprint": one.fingerprint,
        "regime": one.regime,
        "tasks": one.tasks,
        "right": _share(one.right),
        "verified": _share(one.verified),
        "spent_per_run": _means(one.spent),
        "spent_per_right_run": _means(one.per_right),
        "spent_per_verified_success": _means(one.per_verified),
        "dominated": {currency.value: one.fingerprint in beaten[currency] for currency in Currency},
        "evaluations_per_score": one.evaluations_per_score,
        "decisions_changed_by_scores": _share(one.decisions_changed),
        "evaluations_per_changed_decision": one.evaluations_per_change,
        "evaluation_share_of_calls": one.evaluation_share,
        "finished_checked": _share(one.checked),
    }


def _depths(found: RightDepths) -> Document:
    percentiles = {f"p{round(share * 100)}": found.percentile(share) for share in solution_depth.SHOWN}
    counts = [{"depth": depth, "runs": runs} for depth, runs in found.counts.items()]
    return {"runs": len(found.depths), "of": found.of, **percentiles, "max": found.deepest, "counts": counts, "at_cap": _share(found.at_cap),
            "caps_inferred": found.caps_inferred}  # fmt: skip


def _plan(found: Plan) -> Document:
    shown = asdict(found)
    wish = shown.pop("wish")
    return {"percentile": wish["share"] * 100, "margin": wish["margin"], "answers": wish["answers"], **shown,
            "nominal_calls_per_level": found.nominal.calls_per_level}  # fmt: skip


def _stop(stop: Stop) -> Document:
    return {"reason": stop.reason, "is_cap": stop.is_cap, "runs": len(stop.run_ids), "recorded": stop.recorded, "inferred": stop.inferred,
            "share": _share(stop.share), "recorded_this_limit": stop.limited, "right": _share(stop.right), "run_ids": stop.run_ids}  # fmt: skip


def _curve(curve: anytime.Curve) -> Document:
    parts = [asdict(part) | {"right": _share(part.right)} for part in anytime.parts(curve)]
    points = [asdict(point) for point in curve.points]
    return {"runs": curve.runs, "left_out": curve.left_out, "rebuilt": curve.rebuilt, "points": points, "parts": parts}


def _waste(over: anytime.WasteOver) -> Document:
    known = over.runs > 0
    return {"runs": over.runs, "after": over.after if known else None, "whole": over.whole if known else None, "share": over.share,
            "median_share": over.median_share}  # fmt: skip


def _committed(over: committed.Committed) -> Document:
    known = over.runs > 0
    return {"runs": over.runs, "committed": over.committed if known else None, "speculative": over.speculative if known else None,
            "speculative_share": over.speculative_share}  # fmt: skip


def _means(means: Mapping[Currency, Mean]) -> Document:
    return {currency.value: {"value": mean.value, "runs": mean.runs} for currency, mean in means.items()}


def _share(share: Share) -> Document:
    return {"value": share.value, "numerator": share.numerator, "denominator": share.denominator}

