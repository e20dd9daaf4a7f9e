"""What is one short fact on a page? Data only: ``components/facts.py`` draws it, and never as markup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tone = Literal["plain", "strong", "blue", "red", "green", "orange", "muted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One chip or card. Every text is shown as it is, whatever it holds."""

    text: str
    label: str = ""
    tone: Tone = "plain"
    hint: str = ""
    """Shown on hover for a chip, in small print on a card."""
    pick: str = ""
    """What the page gets when the chip is clicked; empty: it is no button."""
    mono: bool = False
    missing: bool = False
    """The card's value was not recorded, and is set smaller than a number."""
