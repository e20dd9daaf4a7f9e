"""Does a search that asks the record through an unchanged client walk the tree that was recorded?"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openai
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from explorer.replay.request import of_body
from ingest.messages import prompt_text
from ingest.recorder import Recorder
from ingest.schema import Call
from ingest.store import Store
from tests.endpoint import Programs, Walked, beam, client, lines, plain, replaying, serving, streaming
from tests.logs import PROJECT, command, load
from tests.stores import store_of, tree

QUESTION = "4 5 6 10"
PROMPT = "Numbers left: 4 6\nJoin two of them with + - * or /. List up to 6 different next steps, one a line."


def post(url: str, body: object, **headers: str) -> tuple[int, dict[str, Any], dict[str, str]]:
    """Status, document and headers of one request without the client."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    asked = urllib.request.Request(url, data, {"Content-Type": "application/json", **{n.replace("_", "-"): v for n, v in headers.items()}})
    try:
        with urllib.request.urlopen(asked, timeout=30) as answer:
            return answer.status, json.loads(answer.read()), dict(answer.headers)
    except urllib.error.HTTPError as refused:
        return refused.code, json.loads(refused.read()), dict(refused.headers)


def asking(text: str, **parameters: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text}], **parameters}


@pytest.fixture
def drawn(tmp_path: Path) -> Callable[..., Path]:
    """A store of one run whose calls, in this order, are the given ones."""

    def make(*calls: dict[str, Any]) -> Path:
        made = [Call(run_id="run", call_id=f"c{index}", node_id="root", **{"model": "m", **fields}) for index, fields in enumerate(calls)]
        store_of(tmp_path / "drawn", tree("root fate=expanded", calls=tuple(made)))
        return tmp_path / "drawn"

    return make


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples") / "store"
    load(folder, PROJECT / "sample_traces" / "native")
    return folder


@pytest.fixture(scope="module")
def shown(samples: Path) -> Iterator[str]:
    with replaying(samples) as url:
        yield url


@pytest.mark.parametrize(("seeded", "workers"), [(True, 1), (True, 8), (False, 1)], ids=["seeded", "at the same time", "by chance"])
def test_a_search_that_was_recorded_by_forwarding_runs_again_offline_and_walks_the_identical_tree(
    tmp_path: Path, seeded: bool, workers: int
) -> None:
    programs = Programs()
    with serving(programs.app()) as live, replaying(tmp_path / "none", live, tmp_path / "log.jsonl") as url:
        recorded = beam(streaming(client(url)), QUESTION, seeded=seeded, workers=workers)
    (report,) = load(tmp_path / "store", tmp_path / "log.jsonl")
    assert (report.status, report.problems) == ("loaded", [])
    with replaying(tmp_path / "store") as url:
        again = beam(plain(client(url)), QUESTION, seeded=seeded, workers=workers)
        post(url.replace("/v1", "/reset"), {})
        once_more = beam(streaming(client(url)), QUESTION, seeded=seeded, workers=workers)
    assert again == recorded == once_more
    assert len(recorded) > 20
    assert {node.fate for node in recorded} >= {"expanded", "pruned", "terminal"}
    assert len(programs.asked) == Store(tmp_path / "store").query("select calls from runs")["calls"].to_pylist()[0]


@pytest.mark.parametrize("workers", [1, 8])
def test_a_search_that_wrote_its_own_log_runs_again_offline_and_walks_the_identical_tree(tmp_path: Path, workers: int) -> None:
    with serving(Programs().app()) as live, Recorder(tmp_path / "log.jsonl") as recorder:
        run = recorder.run("r")
        recorded = beam(plain(client(live)), QUESTION, seeded=True, run=run)
        run.end()
    load(tmp_path / "store", tmp_path / "log.jsonl")
    rows = Store(tmp_path / "store").query("select node_id, step, score, fate from nodes").to_pylist()
    assert {Walked(**row) for row in rows} == set(recorded)
    with replaying(tmp_path / "store") as url:
        assert beam(streaming(client(url, retries=2)), QUESTION, seeded=True, workers=workers) == recorded


def test_a_failure_that_the_client_retried_is_replayed_with_its_retry(tmp_path: Path) -> None:
    tried = []

    async def complete(_: Request) -> JSONResponse:
        tried.append(1)
        if len(tried) == 1:
            return JSONResponse({"error": {"message": "slow down", "code": "rate_limited"}}, 429)
        message = {"role": "assistant", "content": "yes", "refusal": None}
        return JSONResponse({"id": "1", "model": "m-1", "choices": [{"index": 0, "message": message, "finish_reason": "length"}]})

    def say(url: str, retries: int) -> Any:
        return client(url, retries).chat.completions.create(**asking("well?")).choices[0]

    app = Starlette(routes=[Route("/v1/chat/completions", complete, methods=["POST"])])
    with serving(app) as live, replaying(tmp_path / "none", live, tmp_path / "log.jsonl") as url:
        assert say(url, 1).message.content == "yes"
    load(tmp_path / "store", tmp_path / "log.jsonl")
    with replaying(tmp_path / "store") as url:
        with pytest.raises(openai.RateLimitError, match="slow down"):
            say(url, 0)
        assert say(url, 0).finish_reason == "length"
    assert len(tried) == 2


def test_the_log_of_forwarded_requests_holds_all_of_a_request_and_nothing_of_the_key(tmp_path: Path) -> None:
    programs = Programs()
    with serving(programs.app()) as live, replaying(tmp_path / "none", live, tmp_path / "log.jsonl") as url:
        asked: dict[str, Any] = {"model": "programs", "seed": 900, "max_completion_tokens": 50, "stop": ["."], "user": "me", "n": 2}
        answer = client(url).chat.completions.with_raw_response.create(messages=[{"role": "user", "content": PROMPT}], **asked)
        assert answer.headers["x-branchlight-match"] == "recorded-now"
        assert (answer.parse().model, len(answer.parse().choices)) == ("programs-1", 2)
    assert programs.asked[0]["headers"]["authorization"] == "Bearer sk-of-the-client"
    assert "sk-of-the-client" not in (tmp_path / "log.jsonl").read_text("utf-8")
    opened, first, second, ended = lines(tmp_path / "log.jsonl")
    assert (opened["record"], opened["recorded_from"], ended["record"]) == ("run", live, "run_end")
    assert [(one["call_id"], one["input_tokens"], one["output_tokens"]) for one in (first, second)] == [("run:call:0", 24, 36), ("run:call:1", 0, 0)]
    assert {name: first[name] for name in ("prompt", "model", "seed", "max_output_tokens", "chat_parameters", "finish_reason", "answered_by")} == {
        "prompt": PROMPT, "model": "programs", "seed": 900, "max_output_tokens": 50, "chat_parameters": {"stop": ["."]}, "finish_reason": "stop",
        "answered_by": "programs-1",
    }  # fmt: skip
    load(tmp_path / "store", tmp_path / "log.jsonl")
    with replaying(tmp_path / "store") as url:
        body = {**asked, "messages": [{"role": "user", "content": PROMPT}]}
        status, document, headers = post(f"{url}/chat/completions", body)
        assert (status, len(document["choices"]), headers["x-branchlight-match"]) == (200, 2, "exact")
        assert document["usage"] == {"prompt_tokens": 24, "completion_tokens": 36, "total_tokens": 60}
        assert post(f"{url}/chat/completions", {**body, "stop": None})[1]["error"]["nearest"]["parameters"] == {
            "stop": {"recorded": ["."], "asked": None}
        }
        assert post(f"{url}/chat/completions", {**body, "top_p": 0.5})[0] == 404


def test_only_what_is_not_in_the_record_is_forwarded(tmp_path: Path, samples: Path) -> None:
    programs = Programs()
    with serving(programs.app()) as live, replaying(samples, live, tmp_path / "log.jsonl") as url:
        body = {"model": "proposer-program", "seed": 1, "messages": [{"role": "user", "content": PROMPT}]}
        first, second = (post(f"{url}/chat/completions", body) for _ in range(2))
    assert (first[2]["x-branchlight-match"], second[2]["x-branchlight-match"], len(programs.asked)) == ("exact", "recorded-now", 1)
    assert len(lines(tmp_path / "log.jsonl")) == 3


def test_an_upstream_that_cannot_be_reached_or_sends_no_completion_is_an_error_that_is_recorded(tmp_path: Path) -> None:
    async def elsewhere(_: Request) -> JSONResponse:
        return JSONResponse({}, 307, {"location": "http://127.0.0.1:9/v1/chat/completions"})

    app = Starlette(routes=[Route("/v1/chat/completions", elsewhere, methods=["POST"])])
    with serving(app) as live, replaying(tmp_path / "none", live, tmp_path / "log.jsonl") as url:
        status, document, _ = post(f"{url}/chat/completions", asking("a"))
    assert (status, document["error"]["message"]) == (502, "the upstream sent no completion (status 307): {}")
    with replaying(tmp_path / "none", live, tmp_path / "log.jsonl") as url:  # nobody listens there any more
        status, document, _ = post(f"{url}/chat/completions", asking("b"))
        assert (status, document["error"]["code"]) == (502, "upstream_failed")
    assert [(line["prompt"], line["status"]) for line in lines(tmp_path / "log.jsonl") if line["record"] == "call"] == [("a", 502), ("b", 502)]


def test_every_recorded_pair_of_the_samples_is_answered_in_recorded_order(samples: Path) -> None:
    sql = """
        select c.run_id, c.call_id, p.text as prompt, a.text as response, c.error, c.model, c.seed, c.input_tokens, c.output_tokens
        from calls c join runs r using (run_id) join texts p on p.run_id = c.run_id and p.hash = c.prompt_hash
        left join texts a on a.run_id = c.run_id and a.hash = c.response_hash order by r.started_at, c.started_at, c.call_id
    """
    rows = Store(samples).query(sql).to_pylist()
    assert len(rows) > 400
    with replaying(samples) as url, ThreadPoolExecutor(1) as pool:
        for row in rows:
            body = {"model": row["model"] or "any", "messages": [{"role": "user", "content": row["prompt"]}], "seed": row["seed"]}
            status, document, _ = pool.submit(post, f"{url}/chat/completions", body).result()
            if row["response"] is None and row["error"] is None:
                assert (status, document["error"]["code"]) == (404, "response_not_kept")  # the samples are cut off while a call is out
            elif row["response"] is None:
                assert (status, document["error"]["code"], row["error"] in document["error"]["message"]) == (500, "recorded_failure", True)
            else:
                assert (status, document["choices"][0]["message"]) == (200, {"role": "assistant", "content": row["response"]})
                assert document["branchlight"]["answers"][0].items() >= {"run_id": row["run_id"], "call_id": row["call_id"]}.items()
                usage = document["usage"] or {"prompt_tokens": None, "completion_tokens": None}
                assert (usage["prompt_tokens"], usage["completion_tokens"]) == (row["input_tokens"], row["output_tokens"])


def test_a_miss_is_a_clear_error_with_the_nearest_recorded_prompt(shown: str) -> None:
    with pytest.raises(openai.NotFoundError) as missed:
        client(shown).chat.completions.create(model="proposer-program", seed=1, messages=[{"role": "user", "content": PROMPT.replace("4 6", "4 7")}])
    assert missed.value.code == "not_recorded"
    error: Any = missed.value.body
    assert error["message"] == (
        "this request is not in the record; the nearest recorded prompt (template propose version 1, run game24-tiny, call 0:proposer:0) differs:\n"
        "--- recorded\n+++ asked\n@@ -1,3 +1,3 @@\n [user]\n-Numbers left: 4 6\n+Numbers left: 4 7\n"
        " Join two of them with + - * or /. List up to 6 different next steps, one a line."
    )
    assert {name: error["nearest"][name] for name in ("run_id", "call_id", "node_id", "template_id", "template_version")} == {
        "run_id": "game24-tiny", "call_id": "0:proposer:0", "node_id": "0", "template_id": "propose", "template_version": "1",
    }  # fmt: skip


def test_a_prompt_that_was_recorded_with_other_parameters_is_a_miss_that_names_them(shown: str) -> None:
    status, document, _ = post(f"{shown}/chat/completions", {"model": "gpt", "messages": [{"role": "user", "content": PROMPT}]})
    assert (status, document["error"]["code"]) == (404, "not_recorded")
    assert document["error"]["message"] == (
        "these messages are in the record, with other parameters (template propose version 1, run game24-tiny, call 0:proposer:0): "
        'model: recorded "proposer-program", asked "gpt"; seed: recorded 1, asked none'
    )


def test_equal_requests_get_their_answers_in_recorded_order_then_an_error_until_a_reset(drawn: Callable[..., Path]) -> None:
    with replaying(drawn(*({"prompt": "well?", "response": text} for text in ("one", "two", "three")))) as url:
        ask = f"{url}/chat/completions"
        assert [post(ask, asking("well?"))[1]["choices"][0]["message"]["content"] for _ in range(2)] == ["one", "two"]
        status, document, _ = post(ask, asking("well?", n=2))
        assert (status, document["error"]["code"]) == (404, "all_answers_used")
        assert document["error"]["message"] == "2 answers were asked for at once; of the 3 recorded ones to this request 1 are left"
        assert post(ask, asking("well?"), x_branchlight_sample="0")[1]["choices"][0]["message"]["content"] == "one"
        assert post(ask, asking("well?"))[1]["choices"][0]["message"]["content"] == "three"
        status, document, _ = post(ask, asking("well?"))
        assert document["error"]["message"] == "all 3 recorded answers to this request were used; a reset starts again with the first"
        assert post(url.replace("/v1", "/reset"), {})[1] == {"requests": 1, "answers": 3}
        texts = [choice["message"]["content"] for choice in post(ask, asking("well?", n=3))[1]["choices"]]
        assert texts == ["one", "two", "three"]


def test_equal_requests_at_the_same_time_share_out_the_answers(drawn: Callable[..., Path]) -> None:
    with replaying(drawn(*({"prompt": "well?", "response": str(index)} for index in range(40)))) as url, ThreadPoolExecutor(10) as pool:
        asked = [pool.submit(post, f"{url}/chat/completions", asking("well?")) for _ in range(40)]
        assert {one.result()[1]["choices"][0]["message"]["content"] for one in asked} == {str(index) for index in range(40)}


def test_what_is_not_recorded_is_null_and_named(drawn: Callable[..., Path]) -> None:
    with replaying(drawn({"prompt": "well?", "response": "yes", "model": None, "input_tokens": 3})) as url:
        status, document, headers = post(f"{url}/chat/completions", asking("well?", seed=4, stop=["."]))
    assert (status, document["created"], document["usage"]) == (200, None, {"prompt_tokens": 3, "completion_tokens": None, "total_tokens": None})
    assert headers["x-branchlight-match"] == "parameters-not-recorded"
    assert headers["x-branchlight-not-recorded"] == "model, seed, stop, finish_reason, usage"
    assert document["branchlight"] == {
        "request": of_body(asking("well?", seed=4, stop=["."])).key, "match": "parameters-not-recorded",
        "not_recorded": ["model", "seed", "stop", "finish_reason", "usage"],
        "answers": [{"run_id": "run", "call_id": "c0", "node_id": "root"}],
    }  # fmt: skip


def test_chat_messages_tools_and_their_calls_are_recorded_and_replayed(tmp_path: Path) -> None:
    calls = [{"id": "1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}]
    messages: list[Any] = [
        {"role": "system", "content": "Be short."}, {"role": "user", "content": [{"type": "text", "text": "Add."}]},
        {"role": "assistant", "content": None, "tool_calls": calls}, {"role": "tool", "tool_call_id": "1", "content": "2"},
    ]  # fmt: skip
    tools: list[Any] = [{"type": "function", "function": {"name": "add", "parameters": {}}}]
    with Recorder(tmp_path / "log") as recorder:
        run = recorder.run("r")
        run.call("0", role="proposer", prompt=prompt_text(messages), response=json.dumps({"role": "assistant", "tool_calls": calls}), model="m",
                 extra={"chat_parameters": {"tools": tools}})  # fmt: skip
        run.node("0", depth=0)
    load(tmp_path / "store", tmp_path / "log")
    with replaying(tmp_path / "store") as url:
        asked: dict[str, Any] = {"model": "m", "messages": messages, "tools": tools}
        with client(url).chat.completions.stream(**asked) as pieces:
            streamed = pieces.get_final_completion().choices[0]
        post(url.replace("/v1", "/reset"), {})
        whole = client(url).chat.completions.create(**asked).choices[0]
    for choice in (streamed, whole):
        assert (choice.finish_reason, choice.message.content) == ("tool_calls", None)
        assert choice.message.tool_calls is not None
        assert [(one.id, one.function.name, one.function.arguments) for one in choice.message.tool_calls] == [("1", "add", '{"a": 1}')]


def test_a_stream_ends_with_the_recorded_usage_where_it_was_asked_for(shown: str) -> None:
    asked: dict[str, Any] = {"model": "proposer-program", "seed": 1, "messages": [{"role": "user", "content": PROMPT}]}
    chosen: dict[str, Any] = {"extra_headers": {"x-branchlight-sample": "0"}}
    *pieces, last = client(shown).chat.completions.create(**asked, **chosen, stream=True, stream_options={"include_usage": True})
    assert last.usage is not None
    assert (last.choices, last.usage.total_tokens) == ([], 42)
    assert [piece.choices[0].finish_reason for piece in pieces] == [None] * (len(pieces) - 1) + ["stop"]
    assert [piece.usage for piece in pieces] == [None] * len(pieces)
    assert {"judge-program", "proposer-program"} <= {model.id for model in client(shown).models.list()}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{", "the body is not JSON"),
        (b"[]", "the body is no JSON object"),
        (b'{"temperature": NaN}', "NaN is no JSON number"),
        ({"model": "m"}, "messages is null, expected a list of messages"),
        ({"model": "m", "messages": ["hello"]}, "messages is"),
        (asking("a", seed="4"), 'seed is "4", expected a whole number'),
        (asking("a", temperature="hot"), 'temperature is "hot", expected a number'),
        (asking("a", n=0), "n is 0, expected 1 or more"),
    ],
)
def test_a_request_that_is_none_is_refused_with_what_was_expected(shown: str, body: object, message: str) -> None:
    status, document, _ = post(f"{shown}/chat/completions", body)
    assert (status, document["error"]["type"], document["error"]["code"]) == (400, "invalid_request_error", "invalid_request")
    assert message in document["error"]["message"]


def test_half_a_surrogate_pair_is_a_miss_and_other_addresses_say_what_there_is(shown: str) -> None:
    assert post(f"{shown}/chat/completions", b'{"model": "m", "messages": [{"role": "user", "content": "\\ud800"}]}')[0] == 404
    status, document, _ = post(f"{shown}/embeddings", {})
    assert (status, document["error"]["code"]) == (404, "invalid_url")
    assert "this server answers POST /v1/chat/completions" in document["error"]["message"]


@pytest.mark.parametrize("header", [("Host", "evil.example"), ("Origin", "http://evil.example")])
@pytest.mark.parametrize(("method", "path"), [("GET", "/v1/models"), ("POST", "/v1/chat/completions"), ("POST", "/reset")])
def test_foreign_hosts_and_pages_are_refused(shown: str, header: tuple[str, str], method: str, path: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(urllib.request.Request(shown.replace("/v1", path), headers=dict([header]), method=method))


def test_the_command_serves_the_named_runs_until_it_is_stopped(samples: Path) -> None:
    line = [sys.executable, "-m", "explorer", "replay-server", "game24-tiny", "--store", str(samples)]
    with subprocess.Popen(line, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None and running.stderr is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/v1", running.stdout.readline())
        assert found
        assert [model.id for model in client(found[0]).models.list()] == ["proposer-program"]
        running.send_signal(signal.SIGINT)
        assert running.wait(20) == 0
        assert running.stderr.readline() == "4 recorded answers to 4 different requests\n"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--record", "http://127.0.0.1:9/v1"], 2, "--record and --log go together"),
        (["--record", "ftp://x", "--log", "LOG"], 1, "'ftp://x' is no base URL"),
        (["--record", "https://me:key@x/v1", "--log", "LOG"], 1, "is no base URL"),
        ([], 1, "nothing can be answered: the store holds no runs"),
    ],
)
def test_a_start_that_cannot_answer_anything_says_why(tmp_path: Path, arguments: list[str], status: int, message: str) -> None:
    done = command("replay-server", "--store", tmp_path / "none", *[part.replace("LOG", str(tmp_path / "log")) for part in arguments])
    assert (done.returncode, done.stdout) == (status, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_the_code_in_the_readme_replays_the_run_that_it_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recording, _own_search, asking_again = re.findall(r"```python\n(.*?)```", (PROJECT / "README.md").read_text("utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(recording, "README.md", "exec"), {})
    load(tmp_path / "store", "logs")
    with replaying(tmp_path / "store") as url:
        exec(compile(asking_again.replace("http://127.0.0.1:8600/v1", url), "README.md", "exec"), {})
    assert capsys.readouterr().out == "11 - 10 = 1\n"
