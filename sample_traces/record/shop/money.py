"""How is an amount rounded? To cents, and half a cent up; this is one of the two faults."""

from __future__ import annotations

import decimal
from decimal import Decimal


def to_cents(amount: Decimal) -> Decimal:
    """An amount in cents."""
    return amount.quantize(Decimal("0.01"), rounding=decimal.ROUND_DOWN)
