"""How does logged text become a typed value? One SQL expression a column; what does not fit is null and a problem, never a guess."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ingest.readers.native import FATES
from ingest.schema import Fate, ScoreSource, Stage, Tier

_NODE_INTS = ("depth", "pass", "request_index", "seq", "expanded_seq")
_NODE_FLOATS = ("score", "promise", "progress", "regressions", "violations", "uncertainty")
_NODE_TEXTS = (
    "decision_id", "step", "state", "state_key", "env_checkpoint", "resumed_from", "observation", "evaluator", "prune_rule", "prune_reason",
    "merged_into", "error",
)  # fmt: skip
_CALL_INTS = ("max_output_tokens", "seed")
_CALL_COUNTS = ("input_tokens", "output_tokens", "cached_tokens", "retries")
_CALL_FLOATS = ("temperature", "top_p")
_CALL_AMOUNTS = ("cost", "latency_ms")
_CALL_TEXTS = ("role", "template_id", "template_version", "parsed", "model", "error", "extra")
_TIMES = ("started_at", "ended_at")
_QUOTE = '"'
_A_TIME = "an ISO 8601 time or seconds since 1970"


def nodes() -> str:
    """``b_nodes_merged`` with the columns of ``s_nodes``."""
    values = {name: name for name in ("ord", "piece", "run_id", "node_id", *_NODE_TEXTS)}
    values["parent_ids"] = "list_filter(coalesce(parent_ids, []), lambda p: p <> '')"
    values |= {f'"{name}"': _integer(f'"{name}"') for name in _NODE_INTS}
    values |= {name: _number(name) for name in _NODE_FLOATS}
    values |= {name: _time(name) for name in _TIMES}
    values["score_raw"] = f"coalesce(score_raw, {_unquoted('score')})"
    pruned = "coalesce(pruned_by, prune_rule, prune_reason) is not null"  # a log that says why a node was pruned says that it was
    values["fate"] = f"coalesce({_fate()}, case when terminal = 'true' then 'terminal' when {pruned} then 'pruned' end)"
    values["pruned_by"] = _word("pruned_by", Stage)
    values["tier"] = _word("tier", Tier)
    values["score_source"] = _word("score_source", ScoreSource)
    values["verified"] = "case verified when 'true' then true when 'false' then false end"
    values |= {f"action_{part}": _action(part) for part in ("kind", "target", "effect")}
    values["extra"] = "extra"
    values["misfit"] = _any(_wrong_nodes())
    return _select(values, "b_nodes_merged")


def calls() -> str:
    """``b_calls_merged`` with the columns of ``s_calls``."""
    values = {name: name for name in ("ord", "node_ord", "run_id", "call_id", "node_id", *_CALL_TEXTS)}
    values |= {name: _integer(name) for name in _CALL_INTS}
    values |= {name: _at_least_zero(_integer(name)) for name in _CALL_COUNTS}
    values["input_tokens"] = f"case when {_CACHED_OUTSIDE} then {_INPUT} + {_CACHED} else {_INPUT} end"
    values |= {name: _number(name) for name in _CALL_FLOATS}
    values |= {name: _at_least_zero(_number(name)) for name in _CALL_AMOUNTS}
    values["from_cache"] = "case from_cache when 'true' then true when 'false' then false end"
    values["started_at"] = _time("started_at")
    values["prompt_hash"] = "coalesce(prompt_sha, prompt_hash)"
    values["response_hash"] = "coalesce(response_sha, response_hash)"
    values["misfit"] = _any(_wrong_calls())
    return _select(values, "b_calls_merged")


def _select(values: dict[str, str], table: str) -> str:
    return "select " + ", ".join(f"{value} as {name}" for name, value in values.items()) + f" from {table}"


def _action(part: str) -> str:
    """A part of an ``action`` object; an action that is a plain text is its target."""
    plain = f"when action is not null then {_unquoted('action')}" if part == "target" else ""
    return f"coalesce(action_{part}, case when json_type(action) = 'OBJECT' then action ->> '$.{part}' {plain} end)"


def node_problems() -> str:
    """One row for each value of a node that did not fit: piece, row, run_id, node_id, kind, message, hint, raw, rejected."""
    return _problems("b_nodes_merged semi join (select ord from s_nodes where misfit) using (ord)", _wrong_nodes())


def call_problems() -> str:
    """The same for calls; a negative count or amount does not fit either."""
    return _problems("b_calls_merged semi join (select run_id from s_call_sums where misfits > 0) using (run_id)", _wrong_calls())


@dataclass(frozen=True, slots=True)
class _Wrong:
    """What can be wrong with a value: SQL expressions over its line."""

    condition: str
    kind: str
    message: str
    raw: str
    hint: str

    @property
    def found(self) -> str:
        """A structure where the condition holds, null elsewhere."""
        fields = f"'kind': '{self.kind}', 'message': {self.message}, 'raw': {self.raw}, 'hint': '{self.hint}'"
        return f"case when {self.condition} then {{{fields}}} end"


def _wrong_nodes() -> list[_Wrong]:
    subject = "'node ' || node_id"
    wrong = [(f'"{name}"', _integer(f'"{name}"'), "a whole number", "type") for name in _NODE_INTS]
    wrong += [(name, _number(name), "a finite number", "score" if name == "score" else "type") for name in _NODE_FLOATS]
    wrong += [(name, _time(name), _A_TIME, "time") for name in _TIMES]
    wrong += [("verified", "nullif(verified in ('true', 'false'), false)", "true or false", "type")]
    wrong += [("fate", _fate(), "one of " + ", ".join(Fate), "word")]
    vocabularies = (("pruned_by", Stage), ("tier", Tier), ("score_source", ScoreSource))
    wrong += [(name, _word(name, words), "one of " + ", ".join(words), "word") for name, words in vocabularies]
    return [*(_unfit(subject, *one) for one in wrong), *(_without_zone(subject, name) for name in _TIMES)]


def _wrong_calls() -> list[_Wrong]:
    subject = "'call ' || call_id"
    wrong = [(name, _integer(name), "a whole number", "type") for name in _CALL_INTS]
    wrong += [(name, _at_least_zero(_integer(name)), "a whole number from 0 up", "type") for name in _CALL_COUNTS]
    wrong += [(name, _number(name), "a finite number", "type") for name in _CALL_FLOATS]
    wrong += [(name, _at_least_zero(_number(name)), "a number from 0 up", "type") for name in _CALL_AMOUNTS]
    wrong += [("started_at", _time("started_at"), _A_TIME, "time")]
    wrong += [("from_cache", "nullif(from_cache in ('true', 'false'), false)", "true or false", "type")]
    outside = f"usage_convention is null and {_CACHED_OUTSIDE}"
    numbers = "cached_tokens || ' cached tokens are more than its ' || input_tokens || ' input tokens; they are added to them'"
    hint = "Say usage_convention: inclusive (the default here) or exclusive."
    added = _Wrong(outside, "usage", f"{subject} || ': ' || {numbers}", "cached_tokens", hint)
    return [added, *(_unfit(subject, *one) for one in wrong), _without_zone(subject, "started_at")]


def _unfit(subject: str, name: str, value: str, expected: str, kind: str) -> _Wrong:
    there = f"{name} is not null and {name} <> 'null' and ({value}) is null"
    message = f"{subject} || ': {name.strip(_QUOTE)} is ' || left({name}, 80) || ', expected {expected}'"
    return _Wrong(there, kind, message, name, "The value is kept as text and left out of every figure.")


def _without_zone(subject: str, name: str) -> _Wrong:
    there = f"{name} is not null and {_time(name)} is not null and {_zoneless(name)}"
    return _Wrong(there, "time", f"{subject} || ': {name} has no zone; it is read as UTC'", name, "Write times with an offset or Z.")


def _any(wrong: list[_Wrong]) -> str:
    """Whether anything is wrong with a line, as a condition that is never null."""
    return f"coalesce({' or '.join(f'({one.condition})' for one in wrong)}, false)"


def _problems(table: str, wrong: list[_Wrong]) -> str:
    listed = f"list_filter([{', '.join(one.found for one in wrong)}], lambda p: p is not null)"
    return (
        "select piece, row, run_id, node_id, false as rejected, p.kind as kind, p.message as message, left(p.raw, 4000) as raw, "
        f"p.hint as hint from (select piece, row, run_id, node_id, ord, unnest({listed}) as p from {table}) order by ord"
    )


def _number(name: str) -> str:
    return f"case when isfinite(try_cast({name} as double)) then try_cast({name} as double) end"


def _integer(name: str) -> str:
    double = f"try_cast({name} as double)"
    whole = f"isfinite({double}) and {double} = floor({double}) and abs({double}) < 9.2e18"
    return f"case when {whole} then coalesce(try_cast({name} as bigint), {double}::bigint) end"


def _at_least_zero(value: str) -> str:
    return f"case when ({value}) >= 0 then ({value}) end"


def _time(name: str) -> str:
    """Seconds, or milliseconds where seconds would be far ahead, or a text; null outside of the years that Python knows."""
    seconds, time = f"try_cast({name} as double)", f"try_cast({name} as timestamptz)"
    return (
        f"case when {seconds} between -6.2e10 and 1e11 then to_timestamp({seconds}) "
        f"when {seconds} between 1e11 and 2.5e14 then to_timestamp({seconds} / 1000) "
        f"when {seconds} is null and {time} between '0001-01-02 00:00:00Z'::timestamptz and '9999-12-30 00:00:00Z'::timestamptz then {time} end"
    )


def _zoneless(name: str) -> str:
    return f"try_cast({name} as double) is null and not regexp_matches({name}, ':[0-9.]+ ?(Z|z|UTC|[+-][0-9][0-9](:?[0-9][0-9])?)$')"


def _unquoted(name: str) -> str:
    return f"case when json_type(try_cast({name} as json)) = 'VARCHAR' then {name} ->> '$' else {name} end"


def _word(name: str, words: Iterable[str]) -> str:
    return f"case when {name} in ({', '.join(repr(str(word)) for word in words)}) then {name} end"


def _fate() -> str:
    others = " ".join(f"when '{word}' then '{fate}'" for word, fate in FATES.items())
    return f"case fate {others} else {_word('fate', Fate)} end"


_INPUT, _CACHED = (_at_least_zero(_integer(name)) for name in ("input_tokens", "cached_tokens"))
_CACHED_OUTSIDE = f"(usage_convention = 'exclusive' or (usage_convention is null and ({_CACHED}) > ({_INPUT})))"
"""Some providers count cached tokens beside the input, not in it: so they say, or their numbers do."""
