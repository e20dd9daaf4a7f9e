"""How does each branch of a search get a world of its own? A throw-away git repository, with a work tree for each node.

Nothing of the user's git is read or touched: no configuration, no hooks, no variables of the environment. Authors and dates are fixed, so
that the same edit on the same commit has the same hash on every machine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SHOP = Path(__file__).parent / "shop"
_WHO = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in (
    ("NAME", "repair-program"), ("EMAIL", "repair@localhost"), ("DATE", "2026-01-05T09:00:00+00:00"))}  # fmt: skip
_LONGEST_S = 60.0
"""A test run that takes longer counts as failed in every test."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository with one commit on ``main``, and work trees beside it."""

    folder: Path

    @classmethod
    def of(cls, files: Path, folder: Path) -> Repository:
        """A new repository in an empty folder, with the files of another folder."""
        repository = cls(folder)
        shutil.copytree(files, repository.main, ignore=shutil.ignore_patterns("__pycache__"))
        repository.git("init", "--quiet", "--initial-branch=main", "--object-format=sha1", "--template=")
        repository.git("add", "--all")
        repository.git("commit", "--quiet", "--message", "the shop")
        return repository

    @property
    def main(self) -> Path:
        """The work tree of ``main``: the real thing, which is changed once, at the end."""
        return self.folder / "main"

    def head(self, revision: str = "main") -> str:
        """The hash of a revision."""
        return self.git("rev-parse", revision)

    def show(self, revision: str, file: str) -> str:
        """The text of a file in a commit."""
        return self.git("show", f"{revision}:{file}")

    def branch(self, name: str, checkpoint: str) -> Path:
        """A work tree of its own at a commit; the folder is new."""
        path = self.folder / name
        self.git("worktree", "add", "--quiet", "--detach", str(path), checkpoint)
        return path

    def commit(self, tree: Path, message: str) -> str:
        """Commit everything that changed in a work tree, and return the hash."""
        self.git("commit", "--quiet", "--all", "--message", message, at=tree)
        return self.git("rev-parse", "HEAD", at=tree)

    def drop(self, tree: Path) -> None:
        """Remove a work tree; its commits stay."""
        self.git("worktree", "remove", "--force", str(tree))

    def fast_forward(self, checkpoint: str, expected: str) -> None:
        """Move ``main`` to a commit, once, and only from where it is expected to be. Raises CalledProcessError otherwise."""
        self.git("update-ref", "refs/heads/main", checkpoint, expected)
        self.git("reset", "--quiet", "--hard", "main")

    def git(self, *arguments: str, at: Path | None = None) -> str:
        """One git command, in the main work tree or another one."""
        settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(self.folder), "PATH": os.environ.get("PATH", os.defpath)}
        command = ["git", "-c", "core.autocrlf=false", "-c", "core.hooksPath=/dev/null", *arguments]
        done = subprocess.run(command, cwd=at or self.main, env={**settings, **_WHO}, check=True, capture_output=True, text=True)
        return done.stdout.strip()


def run_tests(tree: Path, modules: Sequence[str]) -> dict[str, bool]:
    """Run the tests of a work tree for real: each test by name, and whether it passed. Empty where they cannot even be loaded."""
    command = [sys.executable, "-B", "-m", "unittest", "-v", *modules]
    environment = {"PATH": os.environ.get("PATH", os.defpath), "PYTHONHASHSEED": "0"}
    try:
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=_LONGEST_S, check=False)
    except subprocess.TimeoutExpired:
        return {}
    said = (line.partition(" ... ") for line in done.stderr.splitlines() if line.startswith("test_") and " ... " in line)
    return {name.partition(" ")[0]: verdict == "ok" for name, _, verdict in said}


def report(now: dict[str, bool]) -> str:
    """A test run as text, one test a line."""
    return "\n".join(f"{name} {'ok' if passed else 'FAIL'}" for name, passed in now.items()) or "the tests cannot be loaded"


def read_report(text: str) -> dict[str, bool]:
    """The test run of a report."""
    return {line.removesuffix(" ok").removesuffix(" FAIL"): line.endswith(" ok") for line in text.splitlines() if line.startswith("test_")}
