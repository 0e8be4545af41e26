"""A label names a class, or none: it is never matched to something it does not say."""

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.typed import match_label

ANIMALS = ("cat", "dog", "owl")
SAYS = {
    "a name": ("dog", ANIMALS, None, "dog"),
    "a name between spaces": (" dog ", ANIMALS, None, None),
    "an index": (1, ANIMALS, None, "dog"),
    "an index of NumPy": (np.int64(2), ANIMALS, None, "owl"),
    "an index that became a float": (1.0, ANIMALS, None, "dog"),
    "a number between two": (1.6, ANIMALS, None, None),
    "a number in letters": ("1", ANIMALS, None, None),
    "yes where nothing is positive": (True, ANIMALS, None, None),
    "no number": (float("nan"), ANIMALS, None, None),
    "no end of a number": (float("inf"), ANIMALS, None, None),
    "a number past all floats": (10**400, ANIMALS, None, None),
    "an index before the first": (-1, ANIMALS, None, None),
    "a number among numbers": (1, ("1", "2"), None, "1"),
    "a number that is no name among numbers": (0, ("1", "2"), None, None),
    "a whole number among fractions": (1, ("1.0", "2.0"), None, None),
    "a number among negative ones": (0, ("-1", "-2"), None, None),
    "a whole fraction among whole numbers": (1.0, ("1", "2"), None, None),
    "several labels at once": (np.array([1, 2]), ANIMALS, None, None),
    "yes": (True, ("no fraud", "fraud"), "fraud", "fraud"),
    "one": ("1", ("fraud", "no fraud"), "fraud", "fraud"),
    "nought": (0.0, ("fraud", "no fraud"), "fraud", "no fraud"),
    "nought where the second is positive": (0, ("no fraud", "fraud", "unsure"), "fraud", "no fraud"),
    "one beside other labels": (1, ("no fraud", "fraud", "unsure"), "fraud", "fraud"),
    "one that is positive or second": (1, ("fraud", "no fraud", "unsure"), "fraud", None),
    "nought that is first or not positive": (0, ("fraud", "no fraud", "unsure"), "fraud", None),
}


@pytest.mark.parametrize(("label", "classes", "positive", "says"), SAYS.values(), ids=SAYS)
def test_a_label_is_matched_to_what_it_says(label, classes, positive, says) -> None:
    assert match_label(label, classes, positive) == says


def test_a_label_that_could_mean_two_classes_is_refused() -> None:
    pool = fl.Pool.from_arrays(
        positive_score=[0.9, 0.1], positive="fraud", classes=["fraud", "no fraud"], other_labels=["unsure"]
    )
    study = fl.create_study(pool, fl.Estimate("accuracy"))
    with pytest.raises(fl.LabelError, match="unknown label 1"):
        study.tell(study.ask(1)[0], 1)
