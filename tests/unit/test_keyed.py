"""Keyed randomness: the same key gives the same number everywhere, and the numbers are as good as random."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from fewlabels.core.keyed import Keyed, Use, combine, item_hash, item_hashes, item_order, mix, mix_one

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def test_the_mixer_is_the_finaliser_of_splitmix64():
    """The first five outputs of the splitmix64 generator with seed 1234567, as published with it."""
    published = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    states = [(1234567 + GOLDEN * (i + 1)) & MASK for i in range(5)]
    assert [mix_one(s) for s in states] == published
    assert mix(np.array(states, dtype=np.uint64)).tolist() == published


@settings(derandomize=True, max_examples=100, deadline=None)
@given(some.integers(0, MASK))
def test_one_number_and_an_array_are_mixed_alike(value):
    assert mix_one(value) == int(mix(np.array([value], dtype=np.uint64))[0])


def test_every_part_of_the_key_changes_the_numbers():
    index = np.arange(50)
    base = Keyed(3, 4).uniforms(Use.ARM_DRAW, index)
    others = [
        Keyed(5, 4).uniforms(Use.ARM_DRAW, index),
        Keyed(3, 5).uniforms(Use.ARM_DRAW, index),
        Keyed(4, 3).uniforms(Use.ARM_DRAW, index),
        Keyed(3, 4).uniforms(Use.COIN, index),
        Keyed(3, 4).uniforms(Use.ARM_DRAW, index, attempt=1),
    ]
    for other in others:
        assert not np.any(base == other)
    np.testing.assert_array_equal(base, Keyed(3, 4).uniforms(Use.ARM_DRAW, index))


def test_an_arm_keeps_its_number_whatever_the_other_arms_are():
    keyed = Keyed(0, 9)
    all_arms = keyed.uniforms(Use.ARM_DRAW, np.arange(20))
    assert all_arms[13] == keyed.uniform(Use.ARM_DRAW, 13)
    assert all_arms[[4, 17]].tolist() == keyed.uniforms(Use.ARM_DRAW, np.array([4, 17])).tolist()


def test_the_order_of_the_parts_of_a_key_matters():
    assert len({combine(1, 2, 3), combine(3, 2, 1), combine(1, 2), combine(1, 2, 0), combine(0, 1, 2)}) == 5


@pytest.mark.parametrize("along", ["index", "step", "seed", "attempt"])
def test_the_numbers_are_uniform_and_uncorrelated_along_each_part_of_the_key(along):
    """Kolmogorov-Smirnov and lag-one correlation of 20,000 numbers; each fails by chance once in 10,000."""
    n = 20_000
    make = {
        "index": lambda i: Keyed(1, 2).uniform(Use.ARM_DRAW, i),
        "step": lambda i: Keyed(1, i).uniform(Use.ARM_DRAW),
        "seed": lambda i: Keyed(i, 2).uniform(Use.ARM_DRAW),
        "attempt": lambda i: Keyed(1, 2).uniform(Use.ARM_DRAW, attempt=i),
    }[along]
    u = np.array([make(i) for i in range(n)]) if along != "index" else Keyed(1, 2).uniforms(Use.ARM_DRAW, np.arange(n))
    assert stats.kstest(u, "uniform").pvalue > 1e-4
    assert abs(np.corrcoef(u[:-1], u[1:])[0, 1]) < 3.9 / np.sqrt(n)


def _undo_shift(value: int, by: int) -> int:
    out = value
    for _ in range(64 // by + 1):
        out = value ^ (out >> by)
    return out


def _undo_mix(value: int) -> int:
    """The argument of which `mix_one` is the value: the mixer is a bijection of 64 bits."""
    z = _undo_shift(value, 31)
    z = _undo_shift(z * pow(0x94D049BB133111EB, -1, 2**64) & MASK, 27)
    return _undo_shift(z * pow(0xBF58476D1CE4E5B9, -1, 2**64) & MASK, 30)


def _index_with_bits(keyed: Keyed, use: Use, bits: int) -> np.ndarray:
    """The index for which the mixed bits of a uniform are exactly these."""
    inner = _undo_mix(_undo_mix(bits) ^ combine(keyed.seed, keyed.step, use, 0))
    return np.array([inner * pow(GOLDEN, -1, 2**64) & MASK], dtype=np.uint64)


def test_the_smallest_uniform_is_above_zero():
    keyed = Keyed(0, 1)
    assert keyed.uniforms(Use.ARM_DRAW, _index_with_bits(keyed, Use.ARM_DRAW, 0))[0] > 0


def test_the_largest_uniform_is_below_one():
    """2^53 - 1/2 is no double: a number of 53 bits plus a half rounds up to 2^53."""
    keyed = Keyed(0, 1)
    assert keyed.uniforms(Use.ARM_DRAW, _index_with_bits(keyed, Use.ARM_DRAW, MASK))[0] < 1


def test_an_item_stands_for_the_first_eight_bytes_of_its_md5():
    for name in ("a17", "", "Müller", "0"):
        expected = int.from_bytes(hashlib.md5(name.encode()).digest()[:8], "little")
        assert item_hash(name) == expected
        assert item_hashes([name]).tolist() == [expected]


def test_item_order_does_not_depend_on_which_other_items_there_are():
    names = [f"item-{i}" for i in range(200)]
    keys = dict(zip(names, item_order(5, item_hashes(names)).tolist(), strict=True))
    some_names = names[::-3]
    assert item_order(5, item_hashes(some_names)).tolist() == [keys[n] for n in some_names]


def test_every_item_comes_first_equally_often_over_seeds():
    """Chi-square over 4,000 seeds and 8 items; fails by chance once in 10,000."""
    hashes = item_hashes([str(i) for i in range(8)])
    first = [int(np.argmin(item_order(seed, hashes))) for seed in range(4000)]
    assert stats.chisquare(np.bincount(first, minlength=8)).pvalue > 1e-4


def test_a_generator_is_the_same_for_the_same_key_only():
    first = Keyed(7, 1).generator(Use.ANSWER).random(5)
    np.testing.assert_array_equal(first, Keyed(7, 1).generator(Use.ANSWER).random(5))
    assert not np.any(first == Keyed(7, 1).generator(Use.ANSWER, attempt=1).random(5))
    assert not np.any(first == Keyed(7, 2).generator(Use.ANSWER).random(5))


@pytest.mark.parametrize("step", [0, 1, 2**40])
def test_a_generator_is_that_of_philox_with_the_key(step):
    for use in Use:
        ours = Keyed(3, step).generator(use, attempt=4)
        theirs = np.random.Generator(np.random.Philox(key=combine(3, step, use, 4)))
        np.testing.assert_equal(ours.bit_generator.state, theirs.bit_generator.state)
        assert (ours.standard_gamma(0.3, 50) == theirs.standard_gamma(0.3, 50)).all()
