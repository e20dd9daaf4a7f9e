"""Verdicts on published logs and on the cases of the specification, against what is known of them and against a computation of our own.

``lost`` below was written for this test from the log's JSON and the rules of the game; it shares no code with the product.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from explorer.analysis import attribution, funnel, known
from explorer.analysis.funnel import Share
from explorer.analysis.verdict import Verdict
from explorer.judging import judge
from ingest.judgements import add_routes, read_routes
from ingest.pipeline import ingest
from ingest.store import Store
from tests.logs import SHARED, rows

TOT = SHARED / "real_traces" / "tot-bfs" / "game24_gpt-4_0.7_propose1_value3_greedy5.json"
CASES = SHARED / "cases"
pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="the folder 'shared' beside this repository is absent: no published logs to judge")


# the published Game of 24 log, judged once more from its JSON


class Lost(NamedTuple):
    verdict: str
    mechanism: str
    step: int


def lost(record: dict[str, Any]) -> Lost | None:
    """Where one record lost the right path, counting steps from 1; None where its first answer is right."""
    numbers = [int(word) for word in record["steps"][0]["x"].split()]
    for number, step in enumerate(record["steps"], start=1):
        right = [place for place, text in enumerate(step["new_ys"]) if can_be_right(text, numbers)]
        kept = places(step["select_new_ys"], step["new_ys"])
        if not any(place in kept for place in right):
            return Lost("generation", "not_proposed", number) if not right else Lost(*cut(step, right, kept), number)
    if can_be_right(record["ys"][0], numbers):
        return None
    last = record["steps"][-1]
    scores = [score(last, place) for place in places(last["select_new_ys"], last["new_ys"])]
    answers = [can_be_right(text, numbers) for text in last["select_new_ys"]]
    best = max(value for value, is_right in zip(scores, answers, strict=True) if is_right and value is not None)
    first = scores[0]
    assert first is not None and first >= best, "the program ranks by score"
    if len(set(scores)) == 1:
        return Lost("evaluation", "not_discriminating", len(record["steps"]))
    return Lost("evaluation", "underscored", len(record["steps"])) if first > best else Lost("control", "tie_order", len(record["steps"]))


def cut(step: dict[str, Any], right: list[int], kept: list[int]) -> tuple[str, str]:
    """How the best right candidate of a step lost against the worst kept one."""
    best = max(value for place in right if (value := score(step, place)) is not None)
    worst = min(value for place in kept if (value := score(step, place)) is not None)
    scored = [value for place in range(len(step["values"])) if (value := score(step, place)) is not None]
    if best < worst:
        return "evaluation", "underscored"
    assert best == worst, "the program keeps the best"
    return ("evaluation", "not_discriminating") if set(scored) == {best} else ("control", "tie_order")


def score(step: dict[str, Any], place: int) -> float | None:
    """The evaluator's value; an integer is the program's own zero."""
    value = step["values"][place]
    return value if isinstance(value, float) else None


def places(texts: list[str], among: list[str]) -> list[int]:
    """Where each kept text stands among the candidates; equal texts take one place each."""
    found: list[int] = []
    for text in texts:
        found.append(next(place for place, other in enumerate(among) if other == text and place not in found))
    return found


def can_be_right(text: str, numbers: list[int]) -> bool:
    """Whether exact arithmetic still leads from these lines to 24."""
    have = sorted(Fraction(number) for number in numbers)
    for line in text.strip().split("\n") if text.strip() else []:
        if line.lower().startswith("answer"):
            return answer_is_right(line.split(":", 1)[-1].split("=")[0], numbers)
        words = re.fullmatch(r"\s*(\S+) ([-+*/]) (\S+) = (\S+) \(left: ([^)]*)\).*", line)
        if words is None:
            return False
        left, sign, right, made, rest = words.groups()
        try:
            a, b, c = Fraction(left), Fraction(right), Fraction(made)
            after = sorted(Fraction(word) for word in rest.split())
            have.remove(a)
            have.remove(b)
            result = {"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else None}[sign]
        except (ValueError, ZeroDivisionError):
            return False
        have = sorted([*have, c])
        if result != c or after != have:
            return False
    return 24 in values_of(tuple(have))


def answer_is_right(expression: str, numbers: list[int]) -> bool:
    used = sorted(int(word) for word in re.findall(r"\d+", expression))
    if used != sorted(numbers) or not re.fullmatch(r"[\d\s()+*/-]+", expression):
        return False
    try:
        exact = eval(re.sub(r"(\d+)", r"Fraction(\1)", expression), {"Fraction": Fraction, "__builtins__": {}})  # only digits and signs are in it
    except (SyntaxError, ZeroDivisionError, TypeError):
        return False
    return bool(exact == 24)


@cache
def values_of(numbers: tuple[Fraction, ...]) -> frozenset[Fraction]:
    """Everything that some expression over all of these numbers comes to: split them in two, join what each part can be."""
    if len(numbers) == 1:
        return frozenset(numbers)
    found: set[Fraction] = set()
    for mask in range(1, 2 ** len(numbers) - 1):
        one = tuple(number for place, number in enumerate(numbers) if mask >> place & 1)
        two = tuple(number for place, number in enumerate(numbers) if not mask >> place & 1)
        for a in values_of(one):
            for b in values_of(two):
                found |= {a + b, a - b, a * b} | ({a / b} if b else set())
    return frozenset(found)


@pytest.fixture(scope="module")
def tot(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("tot")
    ingest(folder, [str(TOT)])
    assert judge(folder, "game24").problems == ()
    return Store(folder)


@pytest.fixture(scope="module")
def verdicts(tot: Store) -> dict[str, Verdict]:
    return {verdict.run_id.rsplit("/", 1)[1]: verdict for verdict in attribution.of_runs(tot)}


def test_every_run_agrees_with_the_computation_from_the_json(verdicts: dict[str, Verdict]) -> None:
    expected = {str(record["idx"]): lost(record) for record in json.loads(TOT.read_text("utf-8"))}
    found = {idx: None if v.verdict == "none" else Lost(v.verdict, str(v.mechanism), v.depth or 0) for idx, v in verdicts.items()}
    assert found == expected


def test_the_figures_are_those_of_the_specification(verdicts: dict[str, Verdict]) -> None:
    counts = Counter((v.verdict, v.depth) for v in verdicts.values())
    assert counts == {
        ("none", None): 62, ("generation", 1): 4, ("generation", 2): 8, ("generation", 3): 2, ("generation", 4): 5, ("control", 1): 10,
        ("control", 4): 3, ("evaluation", 1): 2, ("evaluation", 4): 4,
    }  # fmt: skip
    mechanisms = Counter((v.verdict, v.mechanism) for v in verdicts.values() if v.verdict not in ("none", "generation"))
    assert mechanisms == {("control", "tie_order"): 13, ("evaluation", "underscored"): 5, ("evaluation", "not_discriminating"): 1}


def test_every_run_is_the_one_that_the_shared_figures_name(verdicts: dict[str, Verdict]) -> None:
    named = json.loads((TOT.parent / "expected.json").read_text("utf-8"))["files"][TOT.name]
    expected = named["attribution_run_ids"] | named["rank1_wrong_run_ids"]
    assert {idx: f"{v.verdict}@step{(v.depth or 0) - 1}" for idx, v in verdicts.items() if v.verdict != "none"} == expected


def test_the_sentence_of_run_914_can_be_quoted(verdicts: dict[str, Verdict]) -> None:
    assert verdicts["914"].sentence == (
        'Run 914 (1 5 10 11) is wrong. The right path was lost at depth 1 by control: "10 / 5 = 2 (left: 1 2 11)" was proposed and scored 3.0, '
        "equal to the worst of the 5 kept; 8 of the 9 candidates scored 3.0 (5 kept, 3 cut) and the order decided. "
        "(truth: oracle game24; competitors inferred from the depth)"
    )
    assert verdicts["914"].confidence == "likely"


def test_viable_states_that_only_the_value_cache_zeroed_were_never_judged(tot: Store) -> None:
    found = set()
    for _, _, runs in known.of_runs(tot):
        for run in runs:
            unscored = [run.search.nodes[i] for i in run.viable_nodes() if run.search.nodes[i].score is None and run.search.nodes[i].depth > 0]
            found |= {(node.run_id.rsplit("/", 1)[1], node.depth) for node in unscored if "cache" in (node.remarks or "")}
    assert found == {("911", 1), ("918", 1), ("982", 1)}


def test_the_suite_adds_up(verdicts: dict[str, Verdict]) -> None:
    suite = funnel.suite(verdicts.values())
    assert (suite.counted, suite.selected_success, suite.oracle_generated_success) == (100, Share(62, 100), Share(81, 100))
    assert (suite.search_gap, suite.pruning_regret, suite.allocation_regret) == (Share(19, 100), Share(12, 81), Share(0, 81))


# the cases


def case(folder: Path, name: str) -> tuple[dict[str, Verdict], dict[str, Any], Store]:
    (path,) = CASES.glob(f"{name}-*")
    ingest(folder, [str(file) for file in sorted(path.glob("*.ndjson"))])
    for file in sorted(path.glob("known_good*.json")):
        routes, problems = read_routes(file)
        assert problems == []
        add_routes(folder, routes)
    store = Store(folder)
    return {v.run_id: v for v in attribution.of_runs(store)}, json.loads((path / "expect.json").read_text("utf-8")), store


def agrees(verdict: Verdict, expected: dict[str, Any]) -> None:
    assert (verdict.verdict, verdict.lost_at, verdict.node_id) == (expected["verdict"], expected["lost_at"], expected["node"])
    assert verdict.flags == expected["flags"]


def test_c23_a_state_merged_under_a_key_that_leaves_something_out(tmp_path: Path) -> None:
    found, expected, _ = case(tmp_path, "c23")
    agrees(found["dedup-bad"], expected["dedup-bad"])
    assert found["dedup-bad"].evidence[1]["state_difference"] == expected["dedup-bad"]["state_difference"]
    assert found["dedup-bad"].evidence[0]["score"] == 0.92 and "(scored 0.88)" in found["dedup-bad"].sentence
    ok = found["dedup-ok"]
    assert (ok.verdict, ok.lost_at, ok.flags) == ("none", None, expected["dedup-ok"]["flags"])


def test_c24_a_cap_fired_while_the_right_step_was_open(tmp_path: Path) -> None:
    found, expected, _ = case(tmp_path, "c24")
    agrees(found["cap"], expected)
    assert "max_nodes (7 of 7)" in found["cap"].sentence and "best so far" in found["cap"].sentence


def test_c25_an_evaluator_that_failed(tmp_path: Path) -> None:
    found, expected, _ = case(tmp_path, "c25")
    agrees(found["everr"], expected)
    assert "the evaluator failed" in found["everr"].sentence and "HTTP 529 overloaded" in found["everr"].sentence


def test_c26_words_that_occur_elsewhere_are_no_proposal(tmp_path: Path) -> None:
    found, expected, _ = case(tmp_path, "c26")
    agrees(found["nogen"], expected)
    (mention,) = [row for row in found["nogen"].evidence if row["what"] == "mention"]
    assert (mention["node_id"], mention["role"]) == ("n1", "evaluator")


def test_c27_flat_scores(tmp_path: Path) -> None:
    found, expected, _ = case(tmp_path, "c27")
    verdict = found["flat"]
    assert verdict.verdict in expected["verdict_allowed"]
    assert (verdict.lost_at, verdict.node_id, verdict.flags) == (expected["lost_at"], expected["node"], expected["flags"])
    assert "all 4 scored candidates have that score, and the order decided" in verdict.sentence


def test_c28_a_route_through_the_second_parent(tmp_path: Path) -> None:
    found, expected, store = case(tmp_path, "c28")
    agrees(found["merge"], expected)
    edges = store.query("select parent_id, child_id from edges order by parent_id, child_id").to_pylist()
    assert [list(edge.values()) for edge in edges] == sorted(expected["edges"])
    assert "scored 0.9, above 0.7" in found["merge"].sentence


def test_c29_texts_that_were_not_kept(tmp_path: Path) -> None:
    found, expected, _ = case(tmp_path, "c29")
    verdict = found["nopay"]
    assert (verdict.verdict, verdict.lost_at) == (expected["verdict"], expected["lost_at"])
    assert "the steps of the 3 nodes at depth 1 were not kept" in verdict.sentence
    assert funnel.suite([verdict]).counted == 0


def test_all_labelled_trials_together_give_the_figures_of_the_cases(tmp_path: Path) -> None:
    together = [v for name in ("c23", "c24", "c25", "c26", "c27", "c28", "c29") for v in case(tmp_path / name, name)[0].values()]
    suite = funnel.suite(together)
    assert (suite.runs, suite.counted, suite.left_out) == (8, 7, ("nopay",))
    assert (suite.oracle_generated_success, suite.selected_success, suite.search_gap) == (Share(6, 7), Share(1, 7), Share(5, 7))
    assert (suite.pruning_regret, suite.allocation_regret) == (Share(2, 6), Share(1, 6))


def test_c17_where_lower_is_better_the_smallest_value_is_the_best(tmp_path: Path) -> None:
    (path,) = CASES.glob("c17-*")
    expected = json.loads((path / "expect.json").read_text("utf-8"))
    good = json.loads((path / "outcome.json").read_text("utf-8"))["known_good_node"]
    for name in ("journal.json", "journal_conflict.json"):
        folder = tmp_path / name
        ingest(folder, [str(path / name)])
        ((run_id,),) = rows(folder, "select run_id from runs")
        line = """
            select n.step from nodes n join nodes g on g.node_id = $good and n.preorder <= g.preorder and n.preorder + n.subtree_size > g.preorder
            order by n.preorder
        """
        add_routes(folder, [{"run_id": run_id, "route": [{"step": step} for (step,) in rows(folder, line, good=good)]}])
        verdict = attribution.of_run(Store(folder), run_id)
        assert verdict.verdict == expected[name]["verdict"]
        assert verdict.node_id == good
        if name == "journal.json":
            assert "scored -0.29" in verdict.sentence
        else:
            assert "the direction of the score is contradicted" in verdict.sentence


# other published logs: a verdict, or an honest refusal


def test_a_step_of_which_every_completion_is_rated_wrong_is_a_generation_failure(tmp_path: Path) -> None:
    """A labelled solution of the published data set, cut where the labellers found no right step and wrote none of their own."""
    lines = (SHARED / "real_traces" / "prm800k" / "samples_prm800k_0_3.jsonl").read_text("utf-8").splitlines()
    record = json.loads(lines[0])
    steps = record["label"]["steps"][:2]
    steps[1] |= {"human_completion": None, "chosen_completion": None}
    steps[1]["completions"] = [completion | {"rating": -1} for completion in steps[1]["completions"]]
    record["label"] |= {"steps": steps, "finish_reason": "found_error"}
    (tmp_path / "labels.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
    ingest(tmp_path / "store", [str(tmp_path / "labels.jsonl")])
    (found,) = attribution.of_runs(Store(tmp_path / "store"))
    assert (found.verdict, found.mechanism, found.lost_at, found.depth) == ("generation", "not_proposed", "generated", 1)


@pytest.mark.parametrize("folder", ["toolbench-dfsdt", "moatless-tree", "tot-bfs", "tot-crosswords-dfs", "mcts-reasoning", "prm800k"])
def test_every_verdict_has_evidence_and_every_refusal_names_what_is_missing(tmp_path: Path, folder: str) -> None:
    beside = {"expected.json", "PROVENANCE.json"}
    ingest(tmp_path, [str(file) for file in sorted((SHARED / "real_traces" / folder).glob("*.json*")) if file.name not in beside])
    found = list(attribution.of_runs(Store(tmp_path)))
    assert found
    for verdict in found:
        assert verdict.sentence.endswith((".", ")"))
        assert verdict.missing if verdict.verdict == "cannot_tell" else verdict.verdict == "none" or verdict.evidence
