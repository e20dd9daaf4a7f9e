"""Which settings does the name of a Tree of Thoughts log carry? They stand nowhere else. For ``tot_bfs`` only."""

from __future__ import annotations

import re
from typing import Any

from ingest.readers import fields

_FILE_NAME = re.compile(
    r"(?:(?P<task>game24|text|crosswords)_)?(?P<backend>.+?)(?:_(?P<temperature>\d+(?:\.\d+)?))?_"
    r"(?:naive_(?P<prompt_sample>standard|cot)_sample_(?P<naive_samples>\d+)"
    r"|(?P<method_generate>sample|propose)(?P<n_generate_sample>\d*)_(?P<method_evaluate>value|vote)(?P<n_evaluate_sample>\d*)"
    r"_(?P<method_select>greedy|sample)(?P<n_select_sample>\d*))(?:_start(?P<task_start_index>\d+)_end(?P<task_end_index>\d+))?"
)


def protocol_of(stem: str) -> str | None:
    """The settings in a file name of the producer's pattern, under the producer's names; None for any other name."""
    match = _FILE_NAME.fullmatch(stem)
    found: dict[str, Any] = {key: value for key, value in (match.groupdict() if match else {}).items() if value}
    if samples := found.pop("naive_samples", None):
        found |= {"method_generate": "naive", "n_generate_sample": samples}
    typed = {key: float(value) if key == "temperature" else int(value) if value.isdigit() else value for key, value in found.items()}
    return fields.json_text(typed, sort_keys=True) if typed else None
