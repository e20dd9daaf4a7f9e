"""Which recorded answer belongs to a request? The whole request decides; what was not recorded of it matches anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explorer.replay import nearest
from explorer.replay.prompt_cache import NotRecorded, PromptCache, RecordedFailure, cannot
from explorer.replay.request import Request, differing, not_recorded, of_body
from ingest import retain
from ingest.messages import canonical
from ingest.schema import Call
from ingest.store import Store
from tests.logs import PROJECT, load, node, write_log
from tests.stores import store_of, tree


def cache_of(folder: Path, *calls: dict[str, Any], run: str = "run") -> PromptCache:
    """A cache over one run with these calls."""
    made = tuple(Call(run_id=run, call_id=f"c{index}", node_id="root", **fields) for index, fields in enumerate(calls))
    return PromptCache.of(store_of(folder, tree("root", run_id=run, calls=made)))


def asked(text: str = "hello", **parameters: Any) -> Request:
    return of_body({"messages": [{"role": "user", "content": text}], **parameters})


def test_a_store_without_calls_answers_nothing() -> None:
    empty = PromptCache([])
    assert (len(empty), empty.requests, empty.models) == (0, 0, [])
    with pytest.raises(NotRecorded, match="this request is not in the record: nothing is recorded"):
        empty.ask("hello")


def test_the_key_is_a_hash_of_the_whole_request_whatever_way_it_is_written() -> None:
    same = [
        asked(model="m", max_tokens=5, temperature=1),
        asked(model="m", max_completion_tokens=5, temperature=1.0, stream=True, n=3, user="me", stop=None),
        of_body({"messages": [{"content": [{"type": "text", "text": "hello"}], "role": "user", "name": None}], "model": "m", "temperature": 1,
                 "max_output_tokens": 5}),
    ]  # fmt: skip
    assert len({one.key for one in same}) == len(set(same)) == 1
    other = [asked("hallo"), asked(), asked(model="n"), asked(seed=1), asked(top_p=0.5), asked(stop=["."])]
    assert len({one.key for one in [same[0], *other]}) == 7


@pytest.mark.parametrize(
    ("record", "request_", "open_parameters"),
    [
        (Request("x"), Request("x", others="{}"), ()),
        (Request("x"), Request("x", model="m", seed=3, others='{"stop": ["."]}'), ("model", "seed", "stop")),
        (Request("x", model="m", seed=3), Request("x", model="m", seed=3, others="{}"), ()),
        (Request("x", model="m", seed=3), Request("x", model="m", seed=4, others="{}"), None),
        (Request("x", seed=3), Request("x", others="{}"), None),
        (Request("x", model="m", others="{}"), Request("x", model="m", others="{}"), ()),
        (Request("x", model="m", others="{}"), Request("x", model="m", seed=3, others="{}"), None),
        (Request("x", others='{"stop": ["."]}'), Request("x", others="{}"), None),
        (Request("x", temperature=0.0), Request("x", temperature=0, others="{}"), ()),
    ],
)
def test_what_was_not_recorded_matches_anything_and_what_was_only_itself(
    record: Request, request_: Request, open_parameters: tuple[str, ...] | None
) -> None:
    assert not_recorded(record, request_) == open_parameters
    assert (differing(record, request_) == []) is (open_parameters is not None)


def test_of_several_recorded_requests_that_fit_the_one_that_says_most_answers(tmp_path: Path) -> None:
    cache = cache_of(tmp_path, {"prompt": "hello", "response": "loose"}, {"prompt": "hello", "response": "exact", "model": "m", "seed": 1})
    assert [cache.ask("hello", model="m", seed=1), cache.ask("hello", model="m", seed=2)] == ["exact", "loose"]


def test_runs_answer_one_after_the_other_and_samples_by_their_number(tmp_path: Path) -> None:
    log = [{"record": "call", "run_id": run, "call_id": f"a:evaluator:{index}", "node_id": "a", "prompt": "p", "response": f"{run} {index}"}
           for run in ("late", "early") for index in (10, 9)]  # fmt: skip
    opened = [{"record": "run", "run_id": run, "started_at": f"2026-01-0{day}T00:00:00Z"} for run, day in (("late", 2), ("early", 1))]
    load(tmp_path / "store", write_log(tmp_path / "log", *opened, node("a", run="late"), node("a", run="early"), *log))
    every, one = PromptCache.of(Store(tmp_path / "store")), PromptCache.of(Store(tmp_path / "store"), ["late"])
    assert [every.ask("p") for _ in range(4)] == ["early 9", "early 10", "late 9", "late 10"]
    assert [one.ask("p") for _ in range(2)] == ["late 9", "late 10"]
    with pytest.raises(NotRecorded) as used:
        one.ask("p")
    assert used.value.kind == "all_answers_used"
    assert str(used.value) == "all 2 recorded answers to this request were used; a reset starts again with the first"
    one.reset()
    assert one.ask("p") == "late 9"


def test_a_callable_is_asked_only_for_what_is_not_in_the_record(tmp_path: Path) -> None:
    live = []

    def propose(prompt: Any, **parameters: Any) -> str:
        live.append((prompt, parameters))
        return "live"

    replayed = cache_of(tmp_path, {"prompt": "hello", "response": "recorded", "seed": 1}).around(propose)
    messages = [{"role": "user", "content": "hello"}]
    assert [replayed(messages, seed=1), replayed("hello", seed=1), replayed("hello", seed=2)] == ["recorded", "live", "live"]
    assert live == [("hello", {"seed": 1}), ("hello", {"seed": 2})]


def test_a_recorded_failure_fails_again_and_a_response_that_was_not_kept_is_said(tmp_path: Path) -> None:
    cache = cache_of(tmp_path, {"prompt": "a", "error": "no answer within 3 s"}, {"prompt": "b"})
    with pytest.raises(RecordedFailure, match="run run, call c0: no answer within 3 s"):
        cache.ask("a")
    with pytest.raises(NotRecorded, match=r"the prompt was kept, its response was not \(run run, call c1\)"):
        cache.ask("b")


def test_every_pair_of_the_samples_comes_back(tmp_path: Path) -> None:
    load(tmp_path / "store", PROJECT / "sample_traces" / "native")
    store = Store(tmp_path / "store")
    sql = """
        select p.text as prompt, a.text as response, c.model, c.seed from calls c join texts p on p.run_id = c.run_id and p.hash = c.prompt_hash
        join texts a on a.run_id = c.run_id and a.hash = c.response_hash where c.run_id = $run_id order by c.started_at, c.call_id
    """
    served = 0
    for run_id in store.query("select run_id from runs order by run_id")["run_id"].to_pylist():
        cache, rows = PromptCache.of(store, [run_id]), store.query(sql, run_id=run_id).to_pylist()
        served += len(rows)
        for row in rows:
            assert cache.ask(row["prompt"], model=row["model"], seed=row["seed"]) == row["response"]
    assert served > 400


def test_a_store_that_can_answer_nothing_says_why(tmp_path: Path) -> None:
    def why(name: str, *records: dict[str, Any]) -> str | None:
        load(tmp_path / name, write_log(tmp_path / f"{name}.log", node("a"), *records))
        return cannot(Store(tmp_path / name))

    call = {"record": "call", "run_id": "r", "call_id": "c", "node_id": "a"}
    assert cannot(Store(tmp_path / "nothing")) == "the store holds no runs"
    assert why("bare") == "its 1 runs hold no calls (logs of native)"
    assert why("unasked", call | {"response": "yes"}) == "1 calls are recorded, but the logs (native) hold no prompts"
    assert why("silent", call | {"prompt": "p"}) == "1 calls are recorded, but no response was kept (logs of native)"
    assert why("whole", call | {"prompt": "p", "response": "yes"}) is None
    retain.drop_texts(tmp_path / "whole", ["r"])
    dropped = Store(tmp_path / "whole")
    text = "1 calls are recorded, but no prompt was kept: loaded without payloads, or dropped by retain. Load the logs again with --payloads all"
    assert cannot(dropped) == text
    with pytest.raises(NotRecorded, match=f"this request is not in the record: {text}"):
        PromptCache.of(dropped).ask("p")


def test_the_nearest_prompt_shares_most_words_and_the_first_of_equals_wins() -> None:
    recorded = [canonical([{"role": "user", "content": text}]) for text in ("Add 4 and 5.", "Judge 1 2 3.", "Judge 1 2 3?")]
    assert nearest.nearest(canonical([{"role": "user", "content": "Judge 1 2 4."}]), recorded) == recorded[1]
    assert nearest.nearest("[]", []) is None


def test_a_diff_is_short_even_where_prompts_are_long() -> None:
    one, other = (canonical([{"role": "system", "content": "x" * 1000}, {"role": "user", "content": "\n".join(words)}])
                  for words in (map(str, range(500)), map(str, range(500, 1000))))  # fmt: skip
    found = nearest.difference(one, other)
    assert len(found) == 41
    assert max(map(len, found)) <= 201
    assert found[-1].startswith("… ")
    assert nearest.difference(one, one) == []
