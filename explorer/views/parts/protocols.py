"""Which protocol's runs does a page about many runs show? Chips to choose with; the address names the choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol, TypeVar

import streamlit as st

from explorer import selection, widgets, wording
from explorer.analysis.fact import Fact

ALL = "all"
MOST = 8
"""Protocols that are shown at once, those with the most runs; the others are one click away."""


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
    ranked = sorted(counts.items(), key=lambda item: (item[0] != wanted, -item[1], item[0]))  # the chosen one is never folded away
    first, others = ranked[:MOST], ranked[MOST:]
    widgets.badge_line([Fact(text="protocol", tone="muted"), *_chips([(ALL, len(runs)), *first], wanted)], key=key, on_pick=_choose)
    if others:
        with st.expander(f"{len(others):,} more protocols", type="compact"):
            widgets.badge_line(_chips(others, wanted), key=f"{key}_more", on_pick=_choose)
    return [one for one in runs if _name(one) == wanted] if wanted in counts else runs


def _chips(counts: Sequence[tuple[str, int]], wanted: str) -> list[Fact]:
    return [
        Fact(text=f"{name} · {wording.count(count, 'run')}", tone="blue" if name == wanted else "plain", pick=name) for name, count in counts
    ]


def _choose(name: str) -> None:
    selection.write(protocol=None if name == ALL else name)


def _name(one: OfProtocol) -> str:
    return one.fingerprint or wording.NOT_RECORDED
