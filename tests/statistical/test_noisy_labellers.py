"""Labellers who err: intervals that allow for it cover, those that take labels for the truth do not.

Errors are independent, which is what the method assumes: nothing here tells how it does where labellers err on hard
items. A tenth of the items asked get two labels. Of 100 studies, at least 89 hold with a chance of 99.6 % where
coverage is 95 %, and of 16 % where it is 85 %. Real pools, and more runs: `python -m benchmarks.noisy_labellers`.
"""

import pytest

from noisy_studies import coverage, found, made_up, share_right

CASES = [(classes, error) for classes in (2, 10) for error in (0.05, 0.15)]


@pytest.mark.slow
@pytest.mark.parametrize("deciding", ["all", "differing", "none"])
@pytest.mark.parametrize(("classes", "error"), CASES)
def test_intervals_allow_for_labellers_errors(classes, error, deciding):
    seen = coverage(lambda seed: made_up(classes, seed), error, 100, deciding)
    assert seen["overlap"].covers >= 0.89, seen
    if deciding == "all":
        assert seen["overlap"].width <= 2 * seen["known"].width, seen
    assert seen["naive"].covers < 0.8, seen  # the control


@pytest.mark.parametrize("deciding", ["all", "differing", "none"])
def test_a_study_whose_labellers_err_finds_the_truth_and_the_one_that_does_not_know_it_misses(deciding):
    pool, truth = made_up(2, seed=0)
    right, seen = share_right(pool, truth), found(pool, truth, 0.15, seed=0, deciding=deciding)
    assert seen["overlap"].low <= right <= seen["overlap"].high
    assert not seen["naive"].low <= right <= seen["naive"].high
    if deciding == "all":
        assert seen["overlap"].high - seen["overlap"].low <= 2.5 * (seen["known"].high - seen["known"].low)
