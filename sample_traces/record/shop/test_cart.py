"""Does a cart cost what it should? The tests that the search may run as often as it likes."""

from __future__ import annotations

import unittest
from decimal import Decimal

from cart import rate, total


class CartTest(unittest.TestCase):
    """Prices in euros."""

    def test_nothing_costs_nothing(self) -> None:
        assert total([], "DE") == Decimal("0.00")

    def test_tax_is_added(self) -> None:
        assert total([Decimal("10.00")], "DE") == Decimal("11.90")

    def test_a_cart_of_exactly_100_gets_nothing_off(self) -> None:
        assert total([Decimal("100.00")], "DE") == Decimal("119.00")

    def test_a_cart_over_100_gets_a_tenth_off(self) -> None:
        assert total([Decimal("200.00")], "DE") == Decimal("214.20")

    def test_half_a_cent_goes_up(self) -> None:
        assert total([Decimal("0.50")], "DE") == Decimal("0.60")

    def test_the_dutch_rate(self) -> None:
        assert rate("NL") == Decimal("0.21")

    def test_a_dutch_cart(self) -> None:
        assert total([Decimal("0.45")], "NL") == Decimal("0.54")

    def test_a_dutch_cart_over_100(self) -> None:
        assert total([Decimal("100.45")], "NL") == Decimal("109.39")


if __name__ == "__main__":
    unittest.main()
