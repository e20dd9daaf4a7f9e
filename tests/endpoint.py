"""A chat endpoint on this machine, and a small beam search over Game of 24 that asks one through the official client."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import openai
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from explorer.replay import server
from explorer.replay.prompt_cache import PromptCache
from explorer.replay.upstream import Upstream
from ingest.recorder import ROOT, RunRecorder
from ingest.store import Store
from sample_traces.record import puzzle
from sample_traces.record.players import LABELS, Judge, Proposer, chance

PROPOSER, JUDGE = Proposer(seed=9, forgets=0.2, lists=6), Judge(seed=9, errs=0.15, fails=0.05)
WIDTH, SAMPLES = 3, 2


@contextmanager
def serving(app: Starlette) -> Iterator[str]:
    """The base URL of an application that is served until the end of the block."""
    listening = server.listen("127.0.0.1", 0)
    running = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, lifespan="on", ws="none"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
    finally:
        running.should_exit = True
        thread.join(10)


@contextmanager
def replaying(folder: Path, upstream: str | None = None, log: Path | None = None) -> Iterator[str]:
    """The base URL of a replay server over the store in ``folder``."""
    cache = PromptCache.of(Store(folder))
    with serving(server.app(cache, Upstream(upstream, log) if upstream is not None and log is not None else None)) as url:
        yield url


def client(url: str, retries: int = 0) -> openai.OpenAI:
    return openai.OpenAI(base_url=url, api_key="sk-of-the-client", max_retries=retries, timeout=30)


@dataclass
class Programs:
    """An endpoint behind which the two programs of the samples answer; without seeds, by chance that depends on the order of arrival."""

    asked: list[dict[str, Any]] = field(default_factory=list)
    """Bodies and, under ``headers``, the headers of all requests."""
    _drawn: Iterator[int] = field(default_factory=lambda: itertools.count(1000))

    def app(self) -> Starlette:
        async def complete(request: Request) -> JSONResponse:
            body = await request.json()
            self.asked.append({**body, "headers": dict(request.headers)})
            prompt = body["messages"][-1]["content"]
            said = [self._answer(prompt, body.get("seed")) for _ in range(body.get("n", 1))]
            if None in said:
                return JSONResponse({"error": {"message": "overloaded", "type": "server_error", "param": None, "code": "overloaded"}}, 503)
            choices = [
                {"index": index, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"} for index, text in enumerate(said)
            ]
            sizes = len(prompt) // 4, sum(len(text or "") // 4 for text in said)
            usage = {"prompt_tokens": sizes[0], "completion_tokens": sizes[1], "total_tokens": sum(sizes)}
            whole = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "programs-1", "choices": choices, "usage": usage}
            return JSONResponse(whole)

        return Starlette(routes=[Route("/v1/chat/completions", complete, methods=["POST"])])

    def _answer(self, prompt: str, seed: int | None) -> str | None:
        state = puzzle.start(prompt.splitlines()[0].removeprefix("Numbers left: "))
        if "List up to" in prompt:
            return PROPOSER.ask(state).response
        draw = next(self._drawn) if seed is None else seed
        if chance(draw, prompt, "overloaded") < 0.03:
            return None
        return Judge(draw, JUDGE.errs, JUDGE.fails).ask(state, 0).response


Said = Callable[[str, int | None], str | None]
"""What an endpoint says to a prompt with a seed; None where it fails."""


def plain(of: openai.OpenAI) -> Said:
    """Asks and waits for the whole answer."""

    def ask(prompt: str, seed: int | None) -> str | None:
        try:
            found = of.chat.completions.create(model="programs", messages=[{"role": "user", "content": prompt}], temperature=0.7, **_seed(seed))
        except openai.InternalServerError:
            return None
        return str(found.choices[0].message.content)

    return ask


def streaming(of: openai.OpenAI) -> Said:
    """Asks and joins the pieces."""

    def ask(prompt: str, seed: int | None) -> str | None:
        try:
            pieces = of.chat.completions.create(
                model="programs", messages=[{"role": "user", "content": prompt}], temperature=0.7, stream=True, **_seed(seed)
            )
        except openai.InternalServerError:
            return None
        return "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)

    return ask


def _seed(seed: int | None) -> dict[str, Any]:
    return {} if seed is None else {"seed": seed}


@dataclass(frozen=True)
class Walked:
    """One node of a finished search."""

    node_id: str
    step: str | None
    score: float | None
    fate: str


def beam(say: Said, question: str, *, seeded: bool, workers: int = 1, run: RunRecorder | None = None) -> list[Walked]:
    """Level by level, the best of each go on; proposals and judgements of a level are asked for at the same time by ``workers`` threads."""
    walked = [Walked(ROOT, None, None, "expanded")]
    frontier = [(ROOT, puzzle.start(question))]
    with ThreadPoolExecutor(workers) as pool:
        while frontier:
            prompts = [PROPOSER.ask(state).prompt for _, state in frontier]
            lists = list(pool.map(lambda prompt: say(prompt, PROPOSER.seed if seeded else None), prompts))
            children = []
            for (parent, state), prompt, listed in zip(frontier, prompts, lists, strict=True):
                _note(run, parent, "proposer", prompt, listed, PROPOSER.seed if seeded else None)
                steps = Proposer.parse(listed or "")
                children += [(f"{parent}.{index}", step, puzzle.after(state, step)) for index, step in enumerate(steps)]
            scores = _judge(say, children, seeded, pool, run)
            scored = [position for position, score in enumerate(scores) if score is not None]
            kept = sorted(scored, key=lambda position: -(scores[position] or 0))[:WIDTH]
            for position, (node_id, step, state) in enumerate(children):
                fate = ("terminal" if len(state) == 1 else "expanded") if position in kept else "pruned" if position in scored else "unscored"
                walked.append(Walked(node_id, step, scores[position], fate))
            frontier = [(children[position][0], children[position][2]) for position in kept if len(children[position][2]) > 1]
    for node in walked if run is not None else ():
        parents = [] if node.node_id == ROOT else [node.node_id.rpartition(".")[0]]
        run.node(node.node_id, parent_ids=parents, step=node.step, score=node.score, fate=node.fate)  # type: ignore[union-attr]  # run is not None
    return walked


def _judge(
    say: Said, children: list[tuple[str, str, puzzle.State]], seeded: bool, pool: ThreadPoolExecutor, run: RunRecorder | None
) -> list[float | None]:
    """The mean over the samples that were answered, for each child."""
    wanted = [(node_id, JUDGE.ask(state, 0).prompt, sample) for node_id, _, state in children for sample in range(SAMPLES)]
    found = list(pool.map(lambda one: say(one[1], JUDGE.sample_seed(one[2]) if seeded else None), wanted))
    scores: list[float | None] = []
    for start in range(0, len(wanted), SAMPLES):
        for (node_id, prompt, sample), response in zip(wanted[start : start + SAMPLES], found[start : start + SAMPLES], strict=True):
            _note(run, node_id, "evaluator", prompt, response, JUDGE.sample_seed(sample) if seeded else None)
        labels = [Judge.parse(response) for response in found[start : start + SAMPLES] if response is not None]
        scores.append(sum(LABELS[label] for label in labels) / len(labels) if labels else None)
    return scores


def _note(run: RunRecorder | None, node_id: str, role: str, prompt: str, response: str | None, seed: int | None) -> None:
    if run is not None:
        error = None if response is not None else "the endpoint failed"
        run.call(node_id, role=role, prompt=prompt, response=response, error=error, model="programs", seed=seed)


def lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a native log."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
