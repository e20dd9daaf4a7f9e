"""What is one run, one node, one call? The records that every reader produces and the store keeps.

One rule above all: ``None`` means *not recorded*. It is never replaced by 0, by "" or by a guess.
Only the standard library is imported here, because the recorder runs inside other people's programs.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import datetime

SCHEMA_VERSION = 1
"""Written into every store and every Parquet file; a store with a higher number is refused."""


class Fate(enum.StrEnum):
    """What became of a node."""

    EXPANDED = "expanded"
    PRUNED = "pruned"
    TERMINAL = "terminal"
    UNSCORED = "unscored"
    OPEN = "open"


class Stage(enum.StrEnum):
    """How far a node got, in this order."""

    REACHABLE = "reachable"
    GENERATED = "generated"
    DISTINCT = "distinct"
    EVALUATED = "evaluated"
    SURVIVED = "survived"
    COMPLETED = "completed"
    VERIFIED = "verified"


class Role(enum.StrEnum):
    """Who was asked in a call."""

    PROPOSER = "proposer"
    EVALUATOR = "evaluator"
    VERIFIER = "verifier"
    TOOL = "tool"


class Tier(enum.StrEnum):
    """What the evidence of a score rests on, weakest first."""

    JUDGE = "judge"
    PROCESS_MODEL = "process_model"
    DOMAIN_SIGNAL = "domain_signal"
    ENVIRONMENT = "environment"


class ScoreSource(enum.StrEnum):
    """What kind of thing gave the score."""

    MODEL = "model"
    VERIFIER = "verifier"
    ENVIRONMENT = "environment"


class Outcome(enum.StrEnum):
    """Whether the run's selected answer was right."""

    RIGHT = "right"
    WRONG = "wrong"
    UNKNOWN = "unknown"


class StopReason(enum.StrEnum):
    """Why the run ended; the caps are named one by one."""

    GOAL = "goal"
    POLICY_STOP = "policy_stop"
    FRONTIER_EXHAUSTED = "frontier_exhausted"
    MAX_DEPTH = "max_depth"
    MAX_NODES = "max_nodes"
    WALL_CLOCK = "wall_clock"
    CALL_BUDGET = "call_budget"
    TOKEN_BUDGET = "token_budget"
    COST_BUDGET = "cost_budget"
    ERROR = "error"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One search state, as the log recorded it."""

    run_id: str
    node_id: str
    parent_ids: tuple[str, ...] = ()
    """Empty for a root; the first is the primary parent, more than one only where equivalent states merged."""
    depth: int | None = None
    """As logged; where the log has none, the store fills in the depth rebuilt from the parents."""
    pass_bound: int | None = None
    """Bound of the iterative-deepening pass that made the node. The log's name for it is ``pass``."""
    request_index: int | None = None
    seq: int | None = None
    """Order of creation in the run, from 0."""
    decision_id: str | None = None
    """Names the set of candidates that were ranked together."""
    step: str | None = None
    """The parsed step."""
    state: str | None = None
    """JSON text."""
    state_key: str | None = None
    env_checkpoint: str | None = None
    resumed_from: str | None = None
    action_kind: str | None = None
    action_target: str | None = None
    action_effect: str | None = None
    """informational | transformational"""
    observation: str | None = None
    score: float | None = None
    """Higher is better. None where the evaluator was never asked or failed, which is not zero. Never nan or infinite."""
    score_raw: str | None = None
    """As logged, before it was turned or refused."""
    promise: float | None = None
    progress: float | None = None
    regressions: float | None = None
    violations: float | None = None
    tier: str | None = None
    uncertainty: float | None = None
    score_source: str | None = None
    evaluator: str | None = None
    fate: str | None = None
    pruned_by: str | None = None
    """The stage at which it was pruned."""
    prune_rule: str | None = None
    prune_reason: str | None = None
    merged_into: str | None = None
    error: str | None = None
    expanded_seq: int | None = None
    """Position in the run's order of expansions."""
    verified: bool | None = None
    """A terminal node's result in an external check."""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    extra: str | None = None
    """JSON object of every logged field that has no column: nothing is dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One model or tool call: what was asked, answered and paid. Spend is counted here and nowhere else."""

    run_id: str
    call_id: str
    node_id: str | None = None
    """The node that the call worked on: a proposal that yields five children stands once, at their parent."""
    role: str | None = None
    template_id: str | None = None
    template_version: str | None = None
    prompt_hash: str | None = None
    """sha256 of ``prompt``; set by the store where the text is there, else as logged."""
    response_hash: str | None = None
    parsed: str | None = None
    model: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_output_tokens: int | None = None
    seed: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    """Part of ``input_tokens``, never added to it."""
    cost: float | None = None
    """US dollars. None is not known; 0 is free."""
    latency_ms: float | None = None
    retries: int | None = None
    from_cache: bool | None = None
    error: str | None = None
    started_at: datetime | None = None
    extra: str | None = None
    prompt: str | None = None
    """The text itself; the store moves it to ``texts`` and keeps its hash."""
    response: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One search over one task, root to end."""

    run_id: str
    task_id: str | None = None
    question: str | None = None
    answer: str | None = None
    outcome: str = Outcome.UNKNOWN
    outcome_by: str | None = None
    """What decided the outcome; None while it is unknown."""
    protocol: str | None = None
    """JSON object: every recorded setting that can change the outcome."""
    fingerprint: str | None = None
    """First 12 hex digits of sha256 over the sorted protocol."""
    budget_max_depth: int | None = None
    budget_wall_clock_s: float | None = None
    budget_max_calls: int | None = None
    budget_max_tokens: int | None = None
    budget_max_nodes: int | None = None
    budget_max_cost: float | None = None
    stop_reason: str | None = None
    """A StopReason; None where the log does not say."""
    complete: bool | None = None
    """False: the best so far of a search that a cap cut off. None: not recorded."""
    ended: bool | None = None
    """False: the log has no end record, so the run is still running or died. None: the format has no such record."""
    depth_reached: int | None = None
    wall_clock_s: float | None = None
    selected_path: tuple[str, ...] | None = None
    """Node ids, root first. None: not recorded; empty: recorded that nothing was selected."""
    best_so_far: str | None = None
    """JSON list of {at_s, node_id, score}."""
    started_at: datetime | None = None
    reported_nodes: int | None = None
    """The producer's own totals, for logs that count a run as a whole and for reconciliation with the sums."""
    reported_calls: int | None = None
    reported_input_tokens: int | None = None
    reported_output_tokens: int | None = None
    reported_cached_tokens: int | None = None
    reported_tokens: int | None = None
    reported_cost: float | None = None
    level_by_level: bool | None = None
    """True: candidates of one depth compete (beam, breadth-first). False: siblings do. None: not known."""
    source: str = ""
    """The log file, as the user named it; the store fills it in."""
    source_format: str = ""
    warnings: tuple[str, ...] = ()
    """What the reader had to assume."""
    extra: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What one source says about one node: can a right answer still be reached from here?"""

    run_id: str
    node_id: str
    viable: bool
    viable_by: str
    """environment | oracle | label | reviewer | cross_run"""
    detail: str | None = None
    recorded_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """Everything that one log says about one run."""

    run: Run
    nodes: tuple[Node, ...] = ()
    calls: tuple[Call, ...] = ()
    truth: tuple[Truth, ...] = field(default=())
