"""What does a cart cost? The repository that the repair samples mend; it has two faults, and neither is in this file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

from money import to_cents


def total(prices: Sequence[Decimal], country: str) -> Decimal:
    """What a customer pays, tax included; a cart over 100 gets a tenth off."""
    net = sum(prices, Decimal(0))
    if net > 100:
        net = net - net * Decimal("0.10")
    return to_cents(net + net * rate(country))


def rate(country: str) -> Decimal:
    """The tax rate of a country."""
    rates: dict[str, str] = json.loads((Path(__file__).parent / "rates.json").read_text("utf-8"))
    return Decimal(rates[country])
