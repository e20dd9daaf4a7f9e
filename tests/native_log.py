"""What do the tests of the recorder share? Reading a log back, and running a program that writes one."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[1]


def lines(path: Path) -> list[dict[str, Any]]:
    """Every line of a log as an object."""
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def start(code: str, *arguments: str) -> subprocess.Popen[str]:
    """A second Python process that runs ``code`` in the project's folder."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
