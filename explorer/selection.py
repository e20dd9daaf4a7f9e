"""What is this tab looking at? Run, node and view live in the address; this module alone reads and writes them."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

import streamlit as st

from explorer.analysis import run_states
from ingest.store import Store

STORE_VARIABLE = "BRANCHLIGHT_STORE"
VIEWS = Path(__file__).parent / "views"
_LAST_RUN, _LAST_NODE = "last_run", "last_node"


class NotThere(Exception):
    """The address names nothing that the store holds. The page shows the sentence and the ways on, never something else instead."""

    def __init__(self, sentence: str, name: str = "", run: str | None = None) -> None:
        super().__init__(sentence)
        self.sentence, self.name, self.run = sentence, name, run


def store_folder() -> Path:
    """The store that this process serves; ``serve.run`` puts it into the process's own environment."""
    return Path(os.environ.get(STORE_VARIABLE, ".branchlight"))


def store() -> Store:
    """The open store, shared by all tabs."""
    return _open_store(str(store_folder().resolve()))


def store_is_empty() -> bool:
    """Whether nothing was loaded yet."""
    return not store().query("select run_id from runs limit 1").num_rows


def current_run() -> str:
    """The run that the address names. Raises NotThere when it names none, or one that the store does not hold."""
    run_id = st.query_params.get("run", "")
    if not run_id:
        raise NotThere("No run is chosen yet.")
    if not _has_run(run_id):
        raise NotThere(f"This store holds no run named “{run_id}”.", run_id)
    st.session_state[_LAST_RUN] = run_id
    return run_id


def current_node(run_id: str) -> str | None:
    """The node that the address names, or None when it names none. Raises NotThere when the run has no such node."""
    node_id = st.query_params.get("node", "")
    if node_id and not _has_node(store().version, run_id, node_id):
        raise NotThere(f"Run “{run_id}” has no node named “{node_id}”.", node_id, run_id)
    if node_id:
        st.session_state[_LAST_NODE] = {run_id: node_id}
    return node_id or None


def run_state(run_id: str) -> str:
    """Changes whenever anything does that tells about this run, and stays as it is while other runs grow: a key for caches."""
    return _run_states(store().version).get(run_id, "")


def choice(name: str, allowed: tuple[str, ...], default: str) -> str:
    """A value such as ``view`` from the address; one that is not allowed counts as absent."""
    value = st.query_params.get(name, "")
    return value if value in allowed else default


def whole(name: str, low: int, high: int) -> int | None:
    """A whole number between the two from the address; anything else counts as absent."""
    value = st.query_params.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 16 and low <= int(value) <= high else None


def write(**values: str | None) -> None:
    """Put values into the address, one history entry for all; None takes a name out."""
    before = st.query_params.to_dict()
    after = {name: value for name, value in {**before, **values}.items() if value is not None}
    if after != before:
        st.query_params.from_dict(after)


def keep_run() -> None:
    """Name the last run again where the navigation dropped it. Called before each page."""
    last = st.session_state.get(_LAST_RUN)
    if last and "run" not in st.query_params and _has_run(last):
        write(run=last)


def kept(view: str) -> dict[str, str]:
    """What the address of another page keeps of this one: the run, and on the page that shows nodes its node."""
    run_id = st.query_params.get("run") or st.session_state.get(_LAST_RUN)
    if not run_id:
        return {}
    node_id = st.session_state.get(_LAST_NODE, {}).get(run_id) if view == "investigate" else None
    return _params(run_id, node_id, {"over": "run"} if view == "what_if" else {})


def go(view: str, *, run: str | None = None, node: str | None = None, **more: str) -> None:
    """Open another page in this tab, at a run and a node."""
    st.switch_page(page_file(view), query_params=_params(run, node, more))


def link(view: str, label: str, *, run: str | None = None, node: str | None = None, **more: str) -> None:
    """A link to another page, with a real address. The label is ours, never text from a log."""
    st.page_link(page_file(view), label=label, query_params=_params(run, node, more))


def address(view: str, *, run: str | None = None, node: str | None = None, **more: str) -> str:
    """The address of a page, relative to the server: ids only, quoted."""
    query = urlencode(_params(run, node, more), quote_via=quote)
    return f"/{view}" + (f"?{query}" if query else "")


def raw_address(run_id: str, node_id: str, field: str) -> str:
    """Where the whole text of one field of a node is served as plain text (``serve.py``)."""
    return f"/raw?{urlencode({'run': run_id, 'node': node_id, 'field': field}, quote_via=quote)}"


def text_address(run_id: str, text_hash: str | None) -> str | None:
    """Where a prompt or response is served whole; None where the log has none."""
    return None if text_hash is None else f"/raw?{urlencode({'run': run_id, 'text': text_hash}, quote_via=quote)}"


def full_address(view: str, *, run: str, node: str) -> str:
    """An address to copy, with the server as this browser knows it."""
    server = urlsplit(st.context.url or "")
    return f"{server.scheme}://{server.netloc}{address(view, run=run, node=node)}" if server.netloc else address(view, run=run, node=node)


def page_file(view: str) -> str:
    """The script of a view, as Streamlit wants it."""
    return str(VIEWS / f"{view}.py")


@st.cache_resource(max_entries=4, show_spinner=False)
def _open_store(folder: str) -> Store:
    return Store(Path(folder))


@st.cache_resource(max_entries=2, show_spinner=False)
def _run_states(version: str) -> dict[str, str]:  # noqa: ARG001 - the version is a part of the cache key
    return run_states.of_all(store())


def _has_run(run_id: str) -> bool:
    return bool(store().query("select run_id from runs where run_id = $run_id limit 1", run_id=run_id).num_rows)


@st.cache_data(max_entries=1_000, show_spinner=False)
def _has_node(version: str, run_id: str, node_id: str) -> bool:  # noqa: ARG001 - the version is a part of the cache key
    sql = "select node_id from nodes where run_id = $run_id and node_id = $node_id limit 1"
    return bool(store().query(sql, run_id=run_id, node_id=node_id).num_rows)


def _params(run: str | None, node: str | None, more: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in {"run": run, "node": node, **more}.items() if value is not None}
