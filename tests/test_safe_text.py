"""No text from a log may reach a Streamlit call that reads Markdown or HTML: the rule, held over the whole source."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.safe_text import findings, sources_below

EXPLORER = Path(__file__).parent.parent / "explorer"


def test_no_text_of_a_log_reaches_markdown_or_html() -> None:
    found = findings(sources_below(EXPLORER))
    assert not found, "\n".join(["Show it with widgets.show_raw, show_table or a component instead:", *map(str, found)])


def test_nothing_switches_html_on() -> None:
    users = [name for name, text in sources_below(EXPLORER).items() if "unsafe_allow_html" in text or "components.v1" in text]
    assert users == []


@pytest.mark.parametrize(
    "code",
    [
        "st.markdown(node['step'])",
        "st.caption(f'reason: {reason}')",
        "left, right = st.columns(2)\nleft.metric('score', score)",
        "st.button('Open', help=node['step'])",
        "st.tabs([run_id, 'State'])",
        "st.selectbox('Run', run_ids)",
        "st.write('even a literal')",
        "st.code(step)",
        "st.expander(title)",
        "st.column_config.TextColumn('step', help=step)",
    ],
)
def test_text_that_the_source_does_not_know_is_found(code: str) -> None:
    assert len(findings({"view.py": f"import streamlit as st\n{code}\n"})) == 1


@pytest.mark.parametrize(
    "code",
    [
        "st.markdown('**Formats**')",
        "st.subheader(f'{n:,} nodes')",
        "st.metric('nodes', wording.count(nodes))",
        "st.selectbox('Ending', ENDINGS)",
        "st.page_link(page, label='Open the run')",
        "st.text_input('Search', value=whatever)",
        "'title'.title()",
    ],
)
def test_words_of_ours_and_numbers_pass(code: str) -> None:
    assert findings({"view.py": f"import streamlit as st\n{code}\n"}) == []


def test_a_label_that_is_a_parameter_is_looked_for_at_the_callers() -> None:
    code = "import streamlit as st\ndef link(page, label):\n    st.page_link(page, label=label)\n"
    assert findings({"a.py": code, "b.py": "link(page, 'Open')\n"}) == []
    assert [finding.where for finding in findings({"a.py": code, "b.py": "link(page, label=step)\n"})] == ["b.py:1"]


def test_only_widgets_may_show_text_of_a_log() -> None:
    code = "import streamlit as st\nst.code(step)\n"
    assert findings({"explorer/widgets.py": code}) == []
    assert len(findings({"explorer/views/runs.py": code})) == 1
