"""How does an orchestrator write down its search? The native log, one JSON object a line, with the standard library alone.

    with Recorder("logs/run.jsonl") as recorder:
        run = recorder.run(task_id="t1", question="1 5 10 11", protocol={"search": "beam", "beam_width": 5})
        run.node(ROOT, depth=0, fate="expanded")
        run.call(ROOT, role="proposer", prompt=prompt, response=text, model="m", input_tokens=210, output_tokens=64)
        child = run.request(ROOT)                                  # "0.0", fixed before anything has answered
        run.node(child, depth=1, step="11 - 10 = 1", score=0.5)
        run.node(child, fate="pruned", prune_rule="beam_width", prune_reason="rank 6 of 9, 5 kept")   # only what changed
        run.end(outcome="wrong", stop_reason="frontier_exhausted", selected_path=[ROOT])

Fields are the columns of ``ingest/schema.py``; ``None`` means not recorded and leaves the field out; whatever else is worth
keeping goes into ``extra={...}``. A field that does not exist or a value that does not fit is a TypeError that names the field, a
word outside a vocabulary a ValueError, a full disk an OSError: each reaches the caller, and nothing of that line is in the file.

A call that is to be replayed (``branchlight replay-server``) is found again by its whole request. For a chat model give
``prompt=prompt_text(messages)``, of ``ingest.messages``, and ``extra={"chat_parameters": {"stop": [...], ...}}`` with the parameters that
have no column, empty if there are none: then what the call does not name was not given. Without it, what is not there is not known.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
import uuid
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Self

from ingest.line_file import LineFile
from ingest.record_line import Json, Redactor, all_of, clean_fields, encode
from ingest.schema import Call, Node, Outcome, Run

ROOT = "0"
"""Node id of a run's root."""


def utc_now() -> datetime:
    """The default clock."""
    return datetime.now(UTC)


class Recorder:
    """Appends runs to one log file; safe from threads, and from processes that each have a Recorder on the file."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        payloads: str = "all",
        redact: Iterable[Redactor] = (),
        retain_days: float | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        """Opens ``path`` for appending, and creates it and its folder where they are missing.

        Args:
            payloads: whose prompts and responses reach the disk. ``all``; ``none``; ``sample:RATE``, that share of the runs,
                chosen by a hash of the run id; ``failed``, every run except those that end ``right``: the texts stay in memory
                until the end is known. Everything else is always written at once, hashes of the texts included.
            redact: applied in order to every string that the caller gives, ids and the keys of JSON values included, before
                anything reaches the disk. Hashes are those of the redacted texts.
            retain_days: how long after a run's start its texts may be kept. Each run that is opened here carries the end of that
                window as ``texts_until``; ``branchlight retain`` drops from a store the texts whose window is over. None: no window.
            clock: gives the present time, with a time zone; replaced where two recordings have to be equal byte for byte.
        """
        self._share = _payload_share(payloads)
        self._window = _window(retain_days)
        self._redact = all_of(redact)
        self._clock = clock
        self._runs: list[RunRecorder] = []
        self._file = LineFile(path)

    def run(self, run_id: str | None = None, **fields: object) -> RunRecorder:
        """Open a run with its task, question, protocol and budgets; without a ``run_id`` it gets a random one."""
        started = fields.setdefault("started_at", self._clock())
        run = self._recorder_of(run_id or uuid.uuid4().hex, opened_at=started)
        line = clean_fields(Run, fields, self._redact)
        if self._window is not None and isinstance(started, datetime):
            line["texts_until"] = (started + self._window).astimezone(UTC).isoformat(timespec="microseconds")
        run.write("run", line)
        return run

    def join(self, run_id: str) -> RunRecorder:
        """The run that another process opened, in order to add to it: writes no ``run`` line."""
        return self._recorder_of(run_id, opened_at=None)

    def close(self) -> None:
        """Close the file. Texts held for runs that were opened here and never ended are written: nobody saw them end right."""
        try:
            for run in self._runs:
                run.release()
        finally:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _recorder_of(self, run_id: str, opened_at: object) -> RunRecorder:
        if not isinstance(run_id, str):
            raise TypeError(f"run_id: text was expected, found {type(run_id).__name__}")
        texts = "hold" if self._share is None else "write" if _position(run_id) < self._share else "drop"
        run = RunRecorder(run_id, self._file, self._redact, self._clock, texts, opened_at)
        if texts == "hold":
            self._runs.append(run)
        return run


class RunRecorder:
    """One run of a Recorder: ids for its nodes, lines for its nodes and calls, and its end."""

    def __init__(
        self, run_id: str, file: LineFile, redact: Redactor, clock: Callable[[], datetime], texts: str, opened_at: object
    ) -> None:
        """Not called by users: ``Recorder.run`` and ``Recorder.join`` make these."""
        self.run_id = run_id
        self._file, self._redact, self._clock, self._texts, self._opened_at = file, redact, clock, texts, opened_at
        self._held: deque[dict[str, Json]] = deque()
        self._lock = threading.Lock()
        self._next_child: defaultdict[str, int] = defaultdict(int)
        self._next_call: defaultdict[tuple[str, str], int] = defaultdict(int)
        self._requested: dict[str, dict[str, object]] = {}

    def request(self, parent_id: str, request_index: int | None = None) -> str:
        """The id of the node that is about to be asked for: the parent's id, a dot, and the index of the request.

        Call it when the request goes out, never when the answer arrives: then two runs that ask the same give the same ids.
        Without an index the requests of this process under this parent are counted; processes that share a parent give it.
        The first ``node`` line of the id then carries parent, index and the time of the request, unless told otherwise.
        """
        with self._lock:
            index = self._next_child[parent_id] if request_index is None else request_index
            self._next_child[parent_id] = max(self._next_child[parent_id], index + 1)
            node_id = f"{parent_id}.{index}"
            self._requested[node_id] = {"parent_ids": [parent_id], "request_index": index, "started_at": self._clock()}
        return node_id

    def node(self, node_id: str, **fields: object) -> None:
        """Write a node, or, in a later line, the fields of it that changed."""
        with self._lock:
            known = self._requested.pop(node_id, {})
        try:
            self.write("node", clean_fields(Node, {"node_id": node_id, **known, **fields}, self._redact))
        except BaseException:
            if known:  # not written: the next attempt is still the first line
                self._requested[node_id] = known
            raise

    def call(
        self,
        node_id: str | None,
        *,
        role: str | None,
        prompt: str | None = None,
        response: str | None = None,
        call_index: int | None = None,
        **fields: object,
    ) -> str:
        """Write one model or tool call made for a node, and return its id. Several votes or samples are several calls.

        ``call_index`` numbers the calls of one role for one node; without it this process counts. Proposals that yield
        several children are one call, at the node that was expanded. ``None`` for node or role: not known.
        """
        with self._lock:
            key = (node_id or "run", role or "call")
            index = self._next_call[key] if call_index is None else call_index
            self._next_call[key] = max(self._next_call[key], index + 1)
        call_id = f"{key[0]}:{key[1]}:{index}"
        line = clean_fields(Call, {"call_id": call_id, "node_id": node_id, "role": role, **fields}, self._redact)
        texts = clean_fields(Call, {"prompt": prompt, "response": response}, self._redact)
        for name, text in texts.items():
            line[f"{name}_hash"] = hashlib.sha256(str(text).encode("utf-8", "surrogatepass")).hexdigest()
        with self._lock:
            if self._texts == "hold" and texts:
                self._held.append({"call_id": line["call_id"], **texts})
            writes_texts = self._texts == "write"
        self.write("call", {**line, **texts} if writes_texts else line)
        return call_id

    def end(self, **fields: object) -> None:
        """Close the run: outcome, stop reason, whether it is complete, selected path, totals.

        ``wall_clock_s`` is measured from the opening of the run, if that happened here, unless it is given.
        """
        if isinstance(self._opened_at, datetime) and (elapsed := (self._clock() - self._opened_at).total_seconds()) >= 0:
            fields.setdefault("wall_clock_s", elapsed)
        line = clean_fields(Run, fields, self._redact)
        self.settle(str(fields.get("outcome") or Outcome.UNKNOWN))
        self.write("run_end", line)

    def settle(self, outcome: str) -> None:
        """Say how the run ended in a process that does not write the end: held texts are written, or dropped if it was right."""
        with self._lock:
            if self._texts == "hold":
                self._texts = "drop" if outcome == Outcome.RIGHT else "write"
            if self._texts == "drop":
                self._held.clear()
            while self._held:  # one by one: after a full disk, a second attempt goes on where this one stopped
                self.write("call", self._held[0])
                self._held.popleft()

    def release(self) -> None:
        """Not called by users: the Recorder is closed."""
        if self._opened_at is not None:
            self.settle(Outcome.UNKNOWN)

    def write(self, record: str, fields: Mapping[str, Json]) -> None:
        """Not called by users: append one line, whose fields are checked and redacted."""
        self._file.append(encode({"record": record, "run_id": self._redact(self.run_id), **fields}))


def _payload_share(policy: str) -> float | None:
    """The share of runs whose texts are written; None: it depends on how the run ends."""
    shares = {"all": 1.0, "none": 0.0, "failed": None}
    if policy in shares:
        return shares[policy]
    match = re.fullmatch(r"sample:(0(?:\.\d+)?|1(?:\.0+)?|\.\d+)", policy)
    if not match:
        raise ValueError(f"payloads: {policy!r} is none of all, failed, none, sample:RATE with a rate from 0 to 1")
    return float(match[1])


def _window(days: float | None) -> timedelta | None:
    if days is None:
        return None
    if not 0 <= days <= 36525:
        raise ValueError(f"retain_days: {days} is no number of days from 0 to 36525")
    return timedelta(days=days)


def _position(run_id: str) -> float:
    """Where a hash puts the run in [0, 1): the same in every process and every recording."""
    return int.from_bytes(hashlib.sha256(run_id.encode("utf-8", "surrogatepass")).digest()[:6], "big") / 2**48
