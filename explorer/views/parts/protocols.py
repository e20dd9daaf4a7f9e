"""Which protocol's runs does a page about many runs show? Chips to choose with; the address names the choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol, TypeVar

import streamlit as st

from explorer import selection, widgets, wording
from explorer.analysis.fact import Fact

ALL = "all"


class OfProtocol(Protocol):
    """Whatever stands for one run."""

    @property
    def fingerprint(self) -> str | None:
        """Names its protocol; None: not recorded."""


T = TypeVar("T", bound=OfProtocol)


def chosen(runs: Sequence[T], *, key: str) -> Sequence[T]:
    """Those of the protocol that the address names, or all; no chips where there is nothing to choose."""
    counts = Counter(_name(one) for one in runs)
    if len(counts) < 2:
        return runs
    wanted = st.query_params.get("protocol", ALL)
    chips = [Fact(text="protocol", tone="muted")]
    for name, count in {ALL: len(runs), **dict(sorted(counts.items()))}.items():
        chips.append(Fact(text=f"{name} · {wording.count(count, 'run')}", tone="blue" if name == wanted else "plain", pick=name))
    widgets.badge_line(chips, key=key, on_pick=lambda name: selection.write(protocol=None if name == ALL else name))
    return [one for one in runs if _name(one) == wanted] if wanted in counts else runs


def _name(one: OfProtocol) -> str:
    return one.fingerprint or wording.NOT_RECORDED
