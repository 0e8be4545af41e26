"""What notebooks and terminals show of pools, studies, answers and simulations."""

import os
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.answers import notebook
from fewlabels.answers.notebook import MOST_ROWS

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def pool() -> fl.Pool:
    rng = np.random.default_rng(0)
    predicted = rng.choice([EVIL, "a_class_with_quite_a_long_name_indeed", *(f"c{i}" for i in range(30))], size=300)
    return fl.Pool.from_arrays(predicted=predicted, score=rng.uniform(0.4, 1, 300), columns={"side": ["l", "r"] * 150})


@pytest.fixture(scope="module")
def study(pool: fl.Pool) -> fl.Study:
    made = fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"), name="march")
    made.tell({query.item: query.predicted for query in made.ask(40)})
    return made


def parsed(shown: object) -> ET.Element:
    text = shown._repr_html_()  # type: ignore[attr-defined]
    assert EVIL not in text
    return ET.fromstring(f"<div>{text}</div>")


def test_a_pool_a_study_and_an_answer_show_themselves(pool: fl.Pool, study: fl.Study) -> None:
    assert "300 items, 32 classes" in "".join(parsed(pool).itertext())
    assert "Study 'march'" in "".join(parsed(study).itertext())
    assert repr(study) == "<Study 'march': accuracy by predicted class, 40 labels>"
    answer = study.answer()
    page = parsed(answer)
    assert answer.sentence in "".join(page.itertext())
    assert len(page.findall(".//tbody/tr")) == MOST_ROWS
    assert "… and 12 more" in "".join(page.itertext())


def test_other_answers_and_simulations_show_themselves_too(pool: fl.Pool, study: fl.Study) -> None:
    ranked = parsed(study.answer(fl.Identify("accuracy", by="side")))
    assert [cell.text for cell in ranked.findall(".//th")][-1] == "p(top)"
    few = fl.Pool.from_arrays(predicted=["a", "b"] * 20, score=[0.8] * 40, labels=["a"] * 40)
    result = fl.simulate(few, None, fl.Estimate("accuracy"), ["uprior"], budgets=[5, 10], runs=2, workers=1)
    assert len(parsed(result).findall(".//tbody/tr")) == min(len(result.to_dicts()), MOST_ROWS)


def test_every_table_becomes_a_frame(study: fl.Study) -> None:
    figure = fl.plot(study, "labels_by_group")
    assert figure.to_frame()["labels"].sum() == 40
    assert list(study.answer().to_frame()["group"]) == [f.group for f in study.answer().findings]


@pytest.mark.parametrize("width", [40, 60, 100])
def test_print_is_never_wider_than_the_terminal(study: fl.Study, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setattr(notebook, "screen_width", lambda: width)
    monkeypatch.setattr("fewlabels.answers.answer.screen_width", lambda: width)
    for answer in (
        study.answer(),
        study.answer(fl.Identify("accuracy", by="predicted_class")),
        study.answer(fl.Estimate("accuracy")),
    ):
        assert max(len(line) for line in str(answer).splitlines()) <= width
    assert "a_class_with" in str(study.answer(fl.Identify("accuracy", by="predicted_class")))


def test_the_width_is_asked_of_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((71, 20)))
    assert notebook.screen_width() == 71
    monkeypatch.setattr("sys.stdout.isatty", lambda: False)
    assert notebook.screen_width() is None


@pytest.mark.filterwarnings("ignore")  # of ArviZ and what it imports
@pytest.mark.parametrize("estimator", ["auto", "beta"])
def test_draws_of_an_answer_go_to_arviz(pool: fl.Pool, estimator: str) -> None:
    pytest.importorskip("arviz")
    study = fl.create_study(pool, fl.Identify("accuracy", by="side"), estimator=estimator)
    study.tell({query.item: query.predicted for query in study.ask(20)})
    answer = study.answer()
    drawn = answer.to_arviz().posterior["value"]
    assert drawn.dims == ("chain", "draw", "group")
    for finding in answer.findings:
        mine = drawn.sel(group=finding.group).values.ravel()
        assert np.mean((mine >= finding.low - 1e-9) & (mine <= finding.high + 1e-9)) > 0.94
        assert np.median(mine) == pytest.approx(finding.value, abs=0.05)


def test_what_has_no_posterior_has_no_draws() -> None:
    pool = fl.Pool.from_arrays(predicted=["a", "b"] * 20, score=[0.8] * 40)
    study = fl.create_study(pool, fl.Estimate("f1", positive="a"), strategy="doubt")
    with pytest.raises(fl.QuestionError, match="not read off a posterior"):
        study.answer().to_arviz()
