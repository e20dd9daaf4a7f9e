"""Does any text from a log reach a call of Streamlit that reads Markdown or HTML? Read from the source, without running it.

Streamlit treats labels, captions and messages as Markdown. So their texts must be known when the program is written: literals,
constants in capitals, and numbers. A parameter is followed to the callers of its function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FORBIDDEN = frozenset({
    "html", "write", "write_stream", "iframe", "table", "exception", "echarts_chart", "latex", "image", "json", "help", "echo",
    "MarkdownColumn", "ImageColumn", "LinkColumn",
})  # fmt: skip
"""Never called: each would render, load or link what it is given. (``st.json`` shows text well, but is not needed.)"""
ONE_TEXT = frozenset({
    "markdown", "caption", "title", "header", "subheader", "error", "warning", "info", "success", "toast", "badge", "button",
    "link_button", "download_button", "form_submit_button", "menu_button", "expander", "popover", "status", "spinner", "tabs", "checkbox", "toggle",
    "text_input", "text_area", "number_input", "slider", "date_input", "time_input", "datetime_input", "file_uploader", "chat_input", "chat_message",
    "color_picker", "dialog", "feedback",
})  # fmt: skip
"""The first argument is read as Markdown."""
MORE_TEXTS = {"metric": 3, "progress": 2, "radio": 2, "pills": 2, "segmented_control": 2, "selectbox": 2, "multiselect": 2, "select_slider": 2}
"""The first arguments, as many as said."""
TEXT_KEYWORDS = frozenset({
    "label", "body", "help", "placeholder", "options", "caption", "captions", "title", "page_title", "icon", "text", "delta",
})  # fmt: skip
KEYWORDS_ONLY = frozenset({"page_link", "Page", "set_page_config"})
"""The first argument names a page."""
ONLY_IN_WIDGETS = frozenset({"text", "code", "dataframe", "data_editor"})
"""Safe for any text; elsewhere their text must be a literal, so that there is one place to look."""
NUMBERS = frozenset({"count", "cost", "tokens", "seconds", "share", "number", "len", "int", "round"})
"""Functions of ``wording`` and builtins whose result holds no text of a log."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One call that could receive text from a log."""

    where: str
    call: str
    argument: str

    def __str__(self) -> str:
        return f"{self.where}: {self.call}({self.argument}) reads Markdown or HTML, and its text is not known from the source."


@dataclass(slots=True)
class _Sinks:
    """Functions of ours that pass a parameter on to a label: name → positions and names of those parameters."""

    found: dict[str, set[tuple[int, str]]] = field(default_factory=dict)


def findings(sources: dict[str, str]) -> list[Finding]:
    """Every unsafe call in the given files (name → text), in order."""
    trees = {name: ast.parse(text) for name, text in sources.items()}
    sinks = _Sinks()
    while True:
        before = {name: set(places) for name, places in sinks.found.items()}
        result = [finding for name, tree in trees.items() for finding in _in_file(name, tree, sinks)]
        if before == sinks.found:
            return result


def sources_below(folder: Path) -> dict[str, str]:
    """Every Python file below a folder, by its path from the folder's parent."""
    return {str(path.relative_to(folder.parent)): path.read_text("utf-8") for path in sorted(folder.rglob("*.py"))}


def _in_file(name: str, tree: ast.Module, sinks: _Sinks) -> Iterator[Finding]:
    ours = _imported(tree) - {"st"}
    for call, function in _calls(tree):
        called = _called(call)
        if called is None:
            continue
        if _is_streamlit(call, ours) and called in FORBIDDEN:
            yield Finding(f"{name}:{call.lineno}", called, "…")
            continue
        for argument in _texts(name, call, called, ours, sinks):
            if not _is_known(argument) and not _follow(argument, function, sinks):
                yield Finding(f"{name}:{call.lineno}", called, ast.unparse(argument))


def _texts(name: str, call: ast.Call, called: str, ours: set[str], sinks: _Sinks) -> Iterator[ast.expr]:
    """The arguments of a call that are read as Markdown."""
    if _is_streamlit(call, ours):
        most = MORE_TEXTS.get(called, 1 if called in ONE_TEXT else 0)
        if called in ONLY_IN_WIDGETS and not name.endswith("widgets.py"):
            most = 1
        yield from call.args[:most]
        if most or called in KEYWORDS_ONLY or called.endswith("Column"):
            yield from (word.value for word in call.keywords if word.arg in TEXT_KEYWORDS)
    for position, parameter in sinks.found.get(called, ()):
        if position < len(call.args):
            yield call.args[position]
        yield from (word.value for word in call.keywords if word.arg == parameter)


def _is_known(node: ast.expr) -> bool:
    """Whether an expression can hold nothing but words of ours and numbers."""
    match node:
        case ast.Constant():
            return True
        case ast.JoinedStr(values=parts):
            return all(_is_known(part) for part in parts)
        case ast.FormattedValue(value=value, format_spec=spec):
            return _is_known(value) or (spec is not None and ast.unparse(spec).strip("f'\"")[-1:] in tuple(",dfg%e"))
        case ast.BinOp(left=left, right=right):
            return _is_known(left) and _is_known(right)
        case ast.IfExp(body=body, orelse=other):
            return _is_known(body) and _is_known(other)
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return all(_is_known(part) for part in parts)
        case ast.Dict(values=parts):  # labels by value: the keys are not shown
            return all(_is_known(part) for part in parts)
        case ast.Starred(value=value) | ast.Subscript(value=value) | ast.DictComp(value=value):
            return _is_known(value)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.isupper()
        case ast.Call(func=ast.Name(id="tuple" | "list" | "str"), args=[only]):
            return _is_known(only)
        case ast.Call():
            return _called(node) in NUMBERS
    return False


def _follow(node: ast.expr, function: ast.FunctionDef | None, sinks: _Sinks) -> bool:
    """Whether the text is a parameter of the function around it, whose callers are then checked in its place."""
    inner = node.args[0] if isinstance(node, ast.Call) and _called(node) in ("tuple", "list") and node.args else node
    if function is None or not isinstance(inner, ast.Name):
        return False
    names = [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]
    if inner.id not in names:
        return False
    sinks.found.setdefault(function.name, set()).add((names.index(inner.id), inner.id))
    return True


def _calls(tree: ast.Module) -> Iterator[tuple[ast.Call, ast.FunctionDef | None]]:
    """Every call with the innermost function around it."""
    pending: list[tuple[ast.AST, ast.FunctionDef | None]] = [(tree, None)]
    while pending:
        node, function = pending.pop()
        if isinstance(node, ast.Call):
            yield node, function
        inside = node if isinstance(node, ast.FunctionDef) else function
        pending.extend((child, inside) for child in ast.iter_child_nodes(node))


def _imported(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
    return names


def _called(call: ast.Call) -> str | None:
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return None


def _is_streamlit(call: ast.Call, ours: set[str]) -> bool:
    """Whether a call is one of Streamlit's: ``st.…`` or a method of something that this file did not import."""
    target = call.func
    if not isinstance(target, ast.Attribute):
        return False
    while isinstance(target, ast.Attribute):
        target = target.value
    return not isinstance(target, ast.Constant | ast.JoinedStr) and not (isinstance(target, ast.Name) and target.id in ours)
