"""Which script draws what? The text of each drawing, for a page of Streamlit and for the report that stands alone."""

from __future__ import annotations

from pathlib import Path

_PARTS = {
    "tree": ("canvas", "link", "tree", "tree_camera", "tree_drawing", "tree_input"),
    "outline": ("canvas", "link", "outline", "outline_input"),
    "map": ("canvas", "link", "map", "map_input"),
}
DRAWINGS = tuple(_PARTS)
_FOLDER = Path(__file__).parent


def script(name: str) -> str:
    """One drawing as an ECMAScript module, the parts that all share first; it exports the function that mounts it."""
    return "\n".join((_FOLDER / f"{part}.js").read_text("utf-8") for part in _PARTS[name])


def page_script(name: str) -> str:
    """The same for a page that has no modules: it defines the function ``mount_<name>`` for the scripts behind it.

    Call it with ``{parentElement, data, setStateValue}``: ``parentElement`` takes ``style()`` too, ``data`` has ``role: "view"``,
    the ``payload``, its ``key`` and ``version``, and what the drawing's ``draw_…`` function is asked for.
    """
    body = script(name).replace("export default ", "return ")
    return f"const mount_{name} = (() => {{\n{body}\n}})();"


def style() -> str:
    """The style sheet of all drawings."""
    return (_FOLDER / "drawing.css").read_text("utf-8")
