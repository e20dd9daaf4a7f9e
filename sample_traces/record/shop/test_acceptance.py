"""Is a repair right? Tests that are run once, when a repair is handed in; the search does not see them."""

from __future__ import annotations

import unittest
from decimal import Decimal

from cart import total
from money import to_cents


class AcceptanceTest(unittest.TestCase):
    """Cases that the other tests do not name."""

    def test_rounding_alone(self) -> None:
        assert [to_cents(Decimal(text)) for text in ("0.004", "0.005", "0.015")] == [Decimal("0.00"), Decimal("0.01"), Decimal("0.02")]

    def test_every_country(self) -> None:
        paid = {country: total([Decimal("99.99")], country) for country in ("DE", "NL", "CH")}
        assert paid == {"DE": Decimal("118.99"), "NL": Decimal("120.99"), "CH": Decimal("108.09")}


if __name__ == "__main__":
    unittest.main()
