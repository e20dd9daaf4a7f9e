"""What does a drawing need to know of each node? Short columns, small whole numbers and plain text, ready to become JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Ints = npt.NDArray[np.int64]
Viable = Mapping[str, bool]
"""Nodes of which it is known whether a right answer can be reached from them."""

FATES = ("not recorded", "expanded", "pruned", "terminal", "unscored", "open")
"""A fate outside the vocabulary is drawn as *not recorded*; its rule and the inspector still show it."""
ON_PATH, ORPHAN, CUT, ERROR, MERGED, VERIFIED, REFUTED, VIABLE, LOST = 1, 2, 4, 8, 16, 32, 64, 128, 256
"""Bits of ``flag``. ORPHAN: the log lacks the parent. CUT: the log has it, this drawing leaves it out. VIABLE: a right answer can still be reached
from it; LOST: it is known that none can."""
PER_NODE = ("id", "depth", "score", "norm", "fate", "rule", "flag", "label")
"""Columns with one value a row; the others are legends."""
BUDGET = 600_000
"""Bytes that a payload of up to 5,000 nodes may take; labels are shortened until it does."""
_WIDTHS = (80, 64, 48, 36, 28, 20, 14)
_DIGITS = 6


def node_columns(nodes: pa.Table, selected_path: Sequence[str], viable: Viable | None = None) -> dict[str, Any]:
    """Columns that tree and outline share, one value a row of ``nodes``; ``rules[0]`` stands for *no rule recorded*."""
    rules, rule = _numbered(nodes["prune_rule"])
    return {
        "id": nodes["node_id"].to_pylist(),
        "depth": nodes["depth"].to_pylist(),
        "score": rounded(nodes["score"], _DIGITS),
        "norm": rounded(nodes["norm"], 3),
        "fate": fate_codes(nodes["fate"]).tolist(),
        "rule": rule.tolist(),
        "flag": flags(nodes, selected_path, viable).tolist(),
        "label": nodes["label"].to_pylist(),
        "fates": list(FATES),
        "rules": rules,
        "score_range": score_range(nodes),
    }


def score_range(nodes: pa.Table) -> list[float] | None:
    """Lowest and highest score of the run; None where nothing was scored or there is no row."""
    low, high = (first(nodes, name) for name in ("score_min", "score_max"))
    return None if low is None or high is None else [float(low), float(high)]


def first(table: pa.Table, name: str) -> Any:
    """The first value of a column that is the same in all rows; None where there are none."""
    return table[name][0].as_py() if table.num_rows else None


def ints(column: pa.ChunkedArray, missing: int = -1) -> Ints:
    """A whole-number column with ``missing`` in place of null."""
    filled: Ints = pc.fill_null(column.cast(pa.int64()), missing).to_numpy()
    return filled


def fate_codes(column: pa.ChunkedArray) -> Ints:
    """Positions in FATES; 0 where the fate was not recorded."""
    return ints(pc.index_in(column, value_set=pa.array(FATES)), 0)


def flags(nodes: pa.Table, selected_path: Sequence[str], viable: Viable | None = None) -> Ints:
    """One bit mask a row; see ON_PATH and its neighbours."""
    parents = ints(pc.list_value_length(nodes["parent_ids"]), 0)
    top = pc.is_null(nodes["parent_preorder"]).to_numpy()
    on_path = pc.is_in(nodes["node_id"], value_set=pa.array(list(selected_path), pa.string())).to_numpy()
    verified = nodes["verified"].cast(pa.int8())
    bits = (
        (on_path, ON_PATH),
        (top & (parents > 0), ORPHAN),
        (pc.fill_null(nodes["has_error"], False).to_numpy(), ERROR),
        (parents > 1, MERGED),
        (ints(verified) == 1, VERIFIED),
        (ints(verified) == 0, REFUTED),
        (_among(nodes, viable, True), VIABLE),
        (_among(nodes, viable, False), LOST),
    )
    mask = np.zeros(nodes.num_rows, dtype=np.int64)
    for holds, bit in bits:
        mask |= holds.astype(np.int64) * bit
    return mask


def _among(nodes: pa.Table, viable: Viable | None, wanted: bool) -> npt.NDArray[np.bool_]:
    """The rows of which it is known that they are viable, or that they are not."""
    names = [name for name, is_viable in (viable or {}).items() if is_viable == wanted]
    found: npt.NDArray[np.bool_] = pc.is_in(nodes["node_id"], value_set=pa.array(names, pa.string())).to_numpy()
    return found


def rounded(column: pa.ChunkedArray, digits: int) -> list[float | int | None]:
    """Numbers to so many significant digits, whole ones without a point; null stays None."""
    values = column.cast(pa.float64()).to_numpy()
    known = np.isfinite(values) & (values != 0)
    scale = np.ones(len(values))
    scale[known] = 10.0 ** np.clip(digits - 1 - np.floor(np.log10(np.abs(values[known]))), -300, 300)
    short = np.where(known, np.round(values * scale) / scale, values)
    return [None if v != v else int(v) if v == int(v) and abs(v) < 1e15 else v for v in short.tolist()]


def fit_labels(payload: dict[str, Any], budget: int = BUDGET) -> dict[str, Any]:
    """The payload with labels cut to the widest of a few widths that keeps it within ``budget`` bytes."""
    labels = pa.array(payload["label"], pa.string())
    rest = len(encoded({**payload, "label": []})) + 3 * len(labels)
    for width in _WIDTHS:
        cut = pc.utf8_slice_codeunits(labels, 0, width)
        if rest + (pc.sum(pc.binary_length(cut)).as_py() or 0) <= budget:
            break
    return {**payload, "label": cut.to_pylist()}


def versioned(payload: dict[str, Any], key: str) -> dict[str, Any]:
    """The payload with its identity: ``key`` as the caller chose it, ``version`` that changes with the contents."""
    digest = hashlib.blake2b(encoded(payload), digest_size=8).hexdigest()
    return {"key": key, "version": digest, **payload}


def encoded(payload: dict[str, Any]) -> bytes:
    """The payload as the browser gets it: JSON without blanks. Keys that begin with ``_`` stay on the server."""
    public = {name: value for name, value in payload.items() if not name.startswith("_")}
    return json.dumps(public, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")


def _numbered(column: pa.ChunkedArray) -> tuple[list[str], Ints]:
    """Distinct texts behind an empty first one, and each row's position among them; null and the empty text are 0."""
    values = ["", *sorted(value for value in pc.unique(column).to_pylist() if value)]
    return values, ints(pc.index_in(column, value_set=pa.array(values, pa.string())), 0)
