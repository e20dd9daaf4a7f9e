"""What is true about an incident? A small world with one cause, and a suspect that looks guilty at first and is not it.

Four parts of a shop could be to blame. One of them has just been changed: it is the *salient* suspect: its clock fits the alarm, and it is
innocent, which nobody knows. What separates it from the cause is seen only by looking further.
A route is: suspect a part, look at it twice, narrow the trouble down, apply a remedy in a rehearsal. Everything follows from the number
of the incident, so that the same step from the same state always shows the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from ingest.schema import Node, Run
from sample_traces.record.players import chance

PARTS = ("checkout release", "connection pool", "message queue", "certificate")
TROUBLES = ("a limit that was set too low", "a leak", "a wrong default")
LOOKS = ("clock", "load", "log")
"""Does its change fit the alarm in time; is it loaded beyond what it can bear; does its log complain."""
DEPTH = 5
"""Steps from the alarm to a remedy."""
_FITS = {"cause": (0.95, 0.9, 0.9), "salient": (1.0, 0.2, 0.1), "other": (0.2, 0.15, 0.1)}
"""How often each look fits, by what the part is."""


@dataclass(frozen=True, slots=True)
class State:
    """What a responder knows and has done. The order in which it looked does not matter."""

    suspect: str | None = None
    seen: frozenset[tuple[str, bool]] = frozenset()
    """Looks that were taken, and whether what they showed fits the suspicion."""
    trouble: str | None = None
    trouble_fits: bool | None = None
    remedy: str | None = None

    @property
    def key(self) -> str:
        """Everything about the state that can change what follows."""
        looks = ", ".join(f"{look} {'yes' if fits else 'no'}" for look, fits in sorted(self.seen))
        return " | ".join(str(one or "-") for one in (self.suspect, looks, self.trouble, self.remedy))

    @property
    def evidence(self) -> tuple[int, int]:
        """Observations that fit, and those that do not."""
        shown = [fits for _, fits in self.seen] + ([] if self.trouble_fits is None else [self.trouble_fits])
        return sum(shown), len(shown) - sum(shown)

    def record(self) -> dict[str, object]:
        """For the log, and for the oracle: what is known, and nothing else."""
        known = {"suspect": self.suspect, "seen": dict(sorted(self.seen)), "trouble": self.trouble, "remedy": self.remedy}
        return {name: value for name, value in known.items() if value}


@dataclass(frozen=True, slots=True)
class Incident:
    """One task."""

    number: int

    @property
    def cause(self) -> str:
        return PARTS[int(chance(self.number, "cause") * len(PARTS))]

    @property
    def trouble(self) -> str:
        return TROUBLES[int(chance(self.number, "trouble") * len(TROUBLES))]

    @property
    def salient(self) -> str:
        """The part that was changed last. It is innocent."""
        innocent = [part for part in PARTS if part != self.cause]
        return innocent[int(chance(self.number, "salient") * len(innocent))]

    @property
    def question(self) -> str:
        return f"Incident {self.number}: payments fail since 09:00, the {self.salient} was changed at 08:52."

    def look(self, state: State, look: str) -> State:
        """One observation of the suspect."""
        what = "cause" if state.suspect == self.cause else "salient" if state.suspect == self.salient else "other"
        fits = chance(self.number, "look", str(state.suspect), look) < _FITS[what][LOOKS.index(look)]
        return replace(state, seen=state.seen | {(look, fits)})

    def narrow(self, state: State, trouble: str) -> State:
        """Assume one trouble of the suspect; a test shows whether it fits, rightly in nine of ten cases."""
        right = state.suspect == self.cause and trouble == self.trouble
        errs = chance(self.number, "narrow", str(state.suspect), trouble) < 0.1
        return replace(state, trouble=trouble, trouble_fits=right != errs)

    def solved(self, state: State) -> bool:
        """Whether the rehearsed remedy ends the incident."""
        return (state.suspect, state.trouble, state.remedy) == (self.cause, self.trouble, "remedy")

    def open_to_success(self, state: State) -> bool:
        """Whether some continuation ends the incident."""
        return state.suspect in (None, self.cause) and state.trouble in (None, self.trouble) and state.remedy in (None, "remedy")


def oracle(run: Run, node: Node) -> bool | None:
    """For ``branchlight judge --oracle sample_traces.record.incident:oracle``; None for runs of other tasks."""
    if node.state is None or not (run.task_id or "").startswith("incident "):
        return None
    said = json.loads(node.state)
    state = State(said.get("suspect"), trouble=said.get("trouble"), remedy=said.get("remedy"))
    return Incident(int((run.task_id or "").removeprefix("incident "))).open_to_success(state)
