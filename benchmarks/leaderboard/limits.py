"""How near the limit one is: what the best allocation would reach if the curve of correctness over the score were
known, for the whole pool's accuracy and for its calibration error."""

from dataclasses import dataclass

import numpy as np
from benchmarks.leaderboard import errors as err
from benchmarks.leaderboard.judging import ratio_of_rms
from benchmarks.leaderboard.pools import Entry, load
from benchmarks.leaderboard.records import Board
from scipy.optimize import isotonic_regression

from fewlabels.core.arrays import Array, Bools


@dataclass(frozen=True)
class Limit:
    """Errors of the whole pool's accuracy, as shares of a uniform sample's with as many labels."""

    stratified: float  # uniform labels, but the curve known: what no reading of a uniform sample beats
    allocated: float  # labels where sqrt(p (1 - p)) is large, which no choice of labels beats
    alone: float  # the standard deviation of correctness

    def ece_error(self, labels: int, items: int) -> float:
        """The least mean absolute error of the calibration error of so many items. Were it known of every bin whether
        the model is over- or under-confident there, it would be a sum of ones and minus ones times correctness, no
        easier to estimate than accuracy: the best labels without replacement have (sum sqrt(v))^2 / n - sum v, over
        the square of the items, with v = p (1 - p)."""
        root, spread = (self.allocated * self.alone) ** 2, (self.stratified * self.alone) ** 2
        return float(np.sqrt(2 / np.pi * max(root / labels - spread / items, 0.0)))


def limit_of(score: Array, right: Bools) -> Limit:
    """From the curve that all labels give, made to rise: sqrt(mean p (1-p)) and mean sqrt(p (1-p)), over the standard
    deviation of correctness."""
    order = np.argsort(score, kind="stable")
    rate = isotonic_regression(right[order].astype(np.float64)).x
    spread, accuracy = np.clip(rate * (1 - rate), 0, None), right.mean()
    alone = np.sqrt(accuracy * (1 - accuracy))
    return Limit(float(np.sqrt(spread.mean()) / alone), float(np.sqrt(spread).mean() / alone), float(alone))


def limit(entry: Entry) -> Limit:
    """Of a pool on the list."""
    board = load(entry)
    outputs, classes = board.engine.models[board.model], np.array(board.pool.classes, dtype=object)
    return limit_of(outputs.score, classes[outputs.predicted] == board.engine.labels)


def measured(board: Board, entry: Entry, subject: str, look: int) -> tuple[float, float]:
    """The subject's error over a uniform sample's at a look, with its standard error; nan where there is no such."""
    found = err.curves(board, entry, err.OVERALL_PLAIN, subject)
    if len(found) < 2 or look not in found[0][1].looks:
        return float("nan"), float("nan")
    at = found[0][1].looks.index(look)
    return ratio_of_rms(found[0][2][:, at], found[1][2][:, at])


def measured_ece(board: Board, entry: Entry, subject: str, look: int) -> tuple[float, float, float]:
    """The least possible error of the calibration error over that of the best rival at a look; then the subject's, with
    its standard error; nan where there is no such look."""
    found = err.ratios(board, entry, err.ECE, subject, [("", look)])
    if not found:
        return float("nan"), float("nan"), float("nan")
    ours, *rivals = err.curves(board, entry, err.ECE, subject)
    at = ours[1].looks.index(look)
    theirs = min(float(err.ECE.mean(errors)[at]) for _, _, errors in rivals)
    return limit(entry).ece_error(look, load(entry).items) / theirs, found[0].value, found[0].se
