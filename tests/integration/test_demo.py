"""The bundled pool and the demo's loop."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import fewlabels as fl
from fewlabels.cli import app
from fewlabels.demo import MODELS, demo_pool, run_demo, save_pool
from fewlabels.demo.run import Demo, true_labels
from fewlabels.reading import cells

RUNNING = sys.modules["fewlabels.cli.demo"]


@pytest.fixture(scope="module", autouse=True)
def _fewer_draws() -> Iterator[None]:
    """What is said is the same with as many draws or fewer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "DRAWS", 2_000)
        yield


@pytest.fixture(scope="module")
def pool() -> fl.Pool:
    return demo_pool()


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["demo", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


# -- the pool --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("model", "accuracy"), [("minilm_mlp_5shot", 0.781), ("tfidf_lr", 0.915)])
def test_each_bundled_classifier_has_the_accuracy_its_provenance_states(model: str, accuracy: float) -> None:
    pool = demo_pool(model)
    assert (len(pool), len(pool.classes), pool.columns) == (3080, 77, ())
    rows = pool.engine.find("model", (), pool.ids)
    right = [row is not None and row.predicted == true for row, true in zip(rows, pool.known_labels, strict=True)]  # type: ignore[arg-type]
    assert np.mean(right) == pytest.approx(accuracy, abs=0.0006)


def test_labels_belong_to_their_ids_and_there_are_forty_a_class(pool: fl.Pool) -> None:
    known = true_labels(pool)
    assert known["b77_test_00000"] == "card_arrival"
    assert set(np.unique(list(known.values()), return_counts=True)[1].tolist()) == {40}


def test_an_unknown_bundled_model_lists_the_known_ones() -> None:
    with pytest.raises(fl.PoolError, match="minilm_mlp_5shot, tfidf_lr"):
        demo_pool("bert")


def test_the_attribution_travels_with_the_files(tmp_path: Path) -> None:
    files = save_pool(tmp_path / "bank")
    text = files[-1].read_text()
    assert "BANKING77 by PolyAI" in text
    assert "https://creativecommons.org/licenses/by/4.0/" in text
    assert fl.open_pool(files[0], items=files[1], classes=files[2]).classes == demo_pool().classes


# -- the loop --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def of_seed_1(pool: fl.Pool) -> tuple[Demo, list[int]]:
    """A demo of 60 labels and two seeds, and how many labels each of its steps told."""
    told: list[int] = []
    return run_demo(pool, labels=60, seed=1, repeats=2, tick=told.append), told


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path, Demo]:
    """What the command prints, the report it writes and the demo it ran: 60 labels and two seeds, from 0 on."""
    out, ran = tmp_path_factory.mktemp("demo") / "r.html", list[Demo]()

    def recorded(*given: Any) -> Demo:
        ran.append(run_demo(*given))
        return ran[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RUNNING, "run_demo", recorded)
        printed = run("--labels", "60", "--repeats", "2", "--out", str(out)).stdout
    return printed, out, ran[0]


def test_the_demo_labels_as_many_items_as_it_says_and_scores_them_against_the_truth(
    of_seed_1: tuple[Demo, list[int]],
) -> None:
    demo, told = of_seed_1
    assert sum(told) == 60 * 2 * 2
    assert len(demo.chosen.study.labels) == len(demo.uniform.study.labels) == 60
    assert demo.worst[0] == "declined_transfer"
    assert list(demo.truth.values()) == sorted(demo.truth.values())
    assert demo.chosen.found == len(set(demo.worst) & set(demo.chosen.answer.groups))
    assert len(demo.found_chosen) == len(demo.found_uniform) == 2


def test_runs_of_other_seeds_count_as_if_they_were_shown(
    command: tuple[str, Path, Demo], of_seed_1: tuple[Demo, list[int]]
) -> None:
    """Whether the run of a seed is the one that is shown or not, as many groups are found."""
    (_, _, several), (second, _) = command, of_seed_1
    assert several.found_chosen[1] == second.chosen.found
    assert several.found_uniform[1] == second.uniform.found


@pytest.mark.parametrize("labels", [0, 3081])
def test_the_demo_cannot_tell_more_labels_than_there_are(pool: fl.Pool, labels: int) -> None:
    with pytest.raises(fl.QuestionError, match="3,080"):
        run_demo(pool, labels)


# -- the command -----------------------------------------------------------------------------------------------------


def test_the_demo_command_prints_the_sentence_a_table_and_the_comparison_and_writes_the_report(
    command: tuple[str, Path, Demo],
) -> None:
    printed, out, _ = command
    sentence, table, beside = (
        printed.index(words) for words in ("Lowest accuracy by predicted class", "true rank", "Beside it: 60 labels")
    )
    assert sentence < table < beside
    assert "240 of 240 labels told" in printed
    assert "one run with one seed" in printed
    assert "found on average over 2 seeds" in printed
    assert "fewlabels demo --save" in printed
    assert out.stat().st_size > 5000


def test_the_demo_as_json_is_nothing_but_json(tmp_path: Path) -> None:
    out = tmp_path / "r.html"
    data = json.loads(
        run("--labels", "30", "--repeats", "1", "--model", "tfidf_lr", "--out", str(out), "--json").stdout
    )
    assert data["worst"][0] == "card_not_working"
    assert data["fewlabels"]["groups"] == []  # 60 labels are too few to name any of 77 classes
    assert data["report"] == str(out)


def test_the_saved_files_make_the_study_the_demo_suggests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    printed = run("--save", "bank").stdout
    command = next(line for line in printed.splitlines() if "fewlabels new" in line).split()[1:]
    assert CliRunner().invoke(app, command).exit_code == 0
    query = fl.load_study("bank", storage="sqlite:///bank.db").ask(1)[0]
    assert query.payload["text"]


def test_a_wrong_model_is_wrong_use_and_a_report_that_cannot_be_written_a_failure(
    tmp_path: Path, of_seed_1: tuple[Demo, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RUNNING, "run_demo", lambda *_: of_seed_1[0])
    assert "it has" in run("--model", "bert", code=2).stderr
    missing = tmp_path / "no" / "such" / "folder.html"
    assert "Error: " in run("--labels", "5", "--repeats", "1", "--out", str(missing), code=1).stderr


def test_every_bundled_model_is_described() -> None:
    assert all(MODELS.values())
