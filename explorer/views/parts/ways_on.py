"""Where can one go from an address that names nothing? One sentence with the name, and the ways on."""

from __future__ import annotations

from explorer import selection, widgets
from explorer.views.parts import first_steps


def show(missing: selection.NotThere) -> None:
    """The page in place of the one that was asked for; never another run or node than the one named."""
    if not missing.name and selection.store_is_empty():
        first_steps.show()
        return
    widgets.say(missing.sentence)
    if missing.run:
        selection.link("investigate", "Open the run without a node", run=missing.run)
    selection.link("runs", "Choose from the list of runs")
