"""How often one `answer` goes from one file of fewlabels to another: `python benchmarks/answer_walk.py`.

The number of calls and returns that cross from one module to another, and the modules that were entered, in the first
answer of each kind of study and in a second one, which finds some caches filled.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import fewlabels as fl

HERE = str(Path(fl.__file__).parent)


def walk(work: Callable[[], object]) -> tuple[int, int]:
    """Switches between files, and how many files."""
    stack: list[str] = []
    seen: set[str] = set()
    switches, last = 0, ""

    def look(frame: FrameType, event: str, argument: Any) -> None:  # noqa: ARG001 - as a profiler is called
        nonlocal switches, last
        if event == "call" and (name := frame.f_code.co_filename).startswith(HERE):
            stack.append(name)
        elif event == "return" and stack and frame.f_code.co_filename == stack[-1]:
            stack.pop()
        else:
            return
        now = stack[-1] if stack else last
        switches += bool(last) and now != last
        last = now
        seen.add(now)

    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
    return switches, len(seen - {""})


def main() -> None:
    rng = np.random.default_rng(0)
    truth, score = rng.integers(0, 10, 2000), rng.uniform(0.5, 1.0, 2000)
    predicted = np.where(rng.random(2000) < score, truth, (truth + 1) % 10)
    region = np.where(np.arange(2000) % 3 == 0, "north", "south")
    pool = fl.Pool.from_arrays(predicted=predicted, score=score, columns={"region": region})
    binary = fl.Pool.from_arrays(positive_score=np.where(truth == 3, score, 1 - score), positive="yes")
    questions = {
        "accuracy by class": fl.Estimate("accuracy", by="predicted_class"),
        "accuracy": fl.Estimate("accuracy"),
        "calibration error": fl.Estimate("calibration_error"),
        "confusion": fl.Estimate("confusion"),
        "three worst classes": fl.Identify("accuracy", by="predicted_class", top=3),
        "two regions": fl.Compare("accuracy", by="region", a="north", b="south"),
        "F1": fl.Estimate("f1", positive="yes"),
    }
    for name, question in questions.items():
        study = fl.create_study(binary if name == "F1" else pool, question, budget=100, seed=1)
        classes = ["yes" if t == 3 else "not yes" for t in truth] if name == "F1" else [str(t) for t in truth]
        while queries := study.ask(20):
            study.tell({q.item: classes[int(q.item)] for q in queries})
        first, files = walk(study.answer)
        again, _ = walk(study.answer)
        print(f"{name:22} {first:5} switches between {files:3} files, {again:5} when asked again")


if __name__ == "__main__":
    main()
