"""What was asked and answered? The calls of one node, their texts as logged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from explorer import queries, selection, widgets
from explorer.analysis import inspector

MOST = 24


def show(run_id: str, calls: Sequence[Mapping[str, Any]], what: str) -> None:
    """Each call with its response open and its prompt folded."""
    if not calls:
        widgets.not_recorded(what)
        return
    hashes = inspector.hashes_of(calls)
    kept = {row["hash"]: row for row in queries.run(selection.store(), "call_texts", run_id=run_id, hashes=hashes).to_pylist()}
    for number, call in enumerate(calls):
        widgets.badge_line(inspector.call(call), key=f"call_{what}_{number}")
        for name in ("response", "prompt"):
            text_hash = call[f"{name}_hash"]
            text = kept.get(text_hash, {"text": None, "chars": None})
            address = selection.text_address(run_id, text_hash)
            widgets.show_folded(text["text"], what=name, chars=text["chars"], raw_address=address, folded=name == "prompt")
    if len(calls) == MOST:
        widgets.say(f"The first {MOST} calls are shown.")
