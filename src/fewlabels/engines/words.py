"""What SQL engines call the same things by different names, and expressions made of it: hashes, grids, fixed points.

All arithmetic is exact, or rounds as IEEE floats do everywhere; whole numbers never pass the ends of their type, which
some engines refuse and others wrap.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fewlabels.core.keyed import MIXERS, Use, combine
from fewlabels.engines.binning import FINEST, STEPS
from fewlabels.engines.fixed_point import BITS

_EXPONENT = 10  # steps of 512, 256, … 1 that bring any exponent of a normal double in (0, 1] to 0


@dataclass(frozen=True)
class ListWords:
    """Templates about lists of numbers: {0} is a list, places are counted from 1."""

    made: str  # of these values
    width: str  # how many entries
    known: str  # how many that are not missing
    lowest: str
    highest: str  # NaN is the highest of all
    added: str  # the sum
    each: str  # {1} of each entry, called x
    at: str  # the entry at place {1}
    place: str  # the first place of {1}


@dataclass(frozen=True)
class Words:
    """Templates of one engine: {0} and {1} are what they are about."""

    text: str  # a value as text
    trimmed: str  # a text without blanks and tabs at its ends
    matches: str  # whether all of a text is what the regular expression {1} says, in capitals or not
    hash: str  # core.keyed.item_hash of a text
    xor: str
    right: str  # shifted to the right, zeros behind
    left: str
    total: str  # the exact sum of whole numbers
    reach: str  # whether 64 bits without a sign are at most others
    whole: str  # a constant of 64 bits
    lists: ListWords
    signed: bool = False  # whether that has a sign
    bits: str | None = None  # the 64 bits of a double in [0, 1], where there is a word for it
    let: str | None = None  # {1}, an expression of x, of x = {0}, where there is a word for it

    def written(self, value: int) -> int:
        """64 bits as the whole number that stands for them."""
        return value - (1 << 64) if self.signed and value >> 63 else value

    def constant(self, value: int) -> str:
        """64 bits as a constant."""
        return self.whole.format(self.written(value))

    def low(self, value: str, bits: int) -> str:
        """The last bits of a whole number."""
        return f"({value} & {self.constant((1 << bits) - 1)})"

    def times(self, value: str, factor: int) -> str:
        """The product of 64 bits and a constant modulo 2^64.

        Halves of 32 bits are multiplied by the constant in parts of 16 bits, so that no product needs more than 48.
        """
        part = [self.constant((factor >> shift) & 0xFFFF) for shift in (0, 16, 32, 48)]
        low, high = self.low(value, 32), self.right.format(value, 32)

        def up(product: str) -> str:
            return self.left.format(self.low(product, 16), 16)

        middle = f"({low} * {part[1]})"
        carried = f"({low} * {part[0]} + {up(middle)})"
        others = f"{self.right.format(middle, 16)} + {low} * {part[2]} + {up(f'({low} * {part[3]})')}"
        rest = f"({others} + {high} * {part[0]} + {up(f'({high} * {part[1]})')})"
        top = self.left.format(self.low(f"({self.right.format(carried, 32)} + {rest})", 32), 32)
        return f"({top} | {self.low(carried, 32)})"


def double(value: float) -> str:
    """A float as SQL, every bit of it."""
    return f"cast('{value!r}' as double)"


def then(query: str, **more: str) -> str:
    """The query with further columns, made of those it has."""
    made = ", ".join(f"{expression} as {name}" for name, expression in more.items())
    return f"select *, {made} from ({query}) as t"


def in_steps(words: Words, query: str, name: str, value: str, steps: Sequence[Callable[[str], str]]) -> str:
    """The query with a further column: the value, and of that each step, which may name what came before many times.

    Where the engine has a word for it each step is a function of what it is given; elsewhere a column of its own.
    """
    if words.let is not None:
        for step in steps:
            value = words.let.format(value, step("x"))
        return then(query, **{name: value})
    query = then(query, **{f"{name}_0": value})
    for place, step in enumerate(steps, start=1):
        query = then(query, **{name if place == len(steps) else f"{name}_{place}": step(f"{name}_{place - 1}")})
    return query


def mixed(words: Words, query: str, name: str, value: str) -> str:
    """The query with a further column: core.keyed.mix of the value."""

    def folded(shift: int) -> Callable[[str], str]:
        return lambda x: words.xor.format(x, words.right.format(x, shift))

    def multiplied(factor: int) -> Callable[[str], str]:
        return lambda x: words.times(x, factor)

    first, second = MIXERS
    return in_steps(
        words, query, name, value, [folded(30), multiplied(first), folded(27), multiplied(second), folded(31)]
    )


def ordered(words: Words, query: str, seed: int) -> str:
    """The query, which has the hashes of its items, with the key of each: what core.keyed.item_order says."""
    return mixed(words, query, "sort_key", words.xor.format("hash", words.constant(combine(seed, Use.ITEM_ORDER))))


def fixed_sum(words: Words, value: str) -> str:
    """The sum that engines.fixed_point makes."""
    whole = f"cast(floor({value} * {double(2.0**BITS)} + {double(0.5)}) as bigint)"
    return words.total.format(whole)


def with_bits(words: Words, query: str, name: str, value: str) -> str:
    """The query with a further column: the 64 bits of a double in [0, 1], as IEEE 754 lays them out.

    Without a word for it the value is doubled until it lies in [1, 2), which changes its exponent alone; what is below
    2^-1022 is a multiple of 2^-1074.
    """
    if words.bits is not None:
        return then(query, **{name: words.bits.format(value)})

    def doubled(by: int) -> Callable[[str], str]:
        return lambda x: f"case when {x} < {double(2.0 ** (1 - by))} then {x} * {double(2.0**by)} else {x} end"

    mantissa = f"{name}_mantissa"
    query = in_steps(words, query, mantissa, value, [doubled(1 << step) for step in range(_EXPONENT - 1, -1, -1)])
    tiny = f"cast({value} * {double(2.0**537)} * {double(2.0**537)} as bigint)"
    exponent = f"(1023 - cast(round(log2({mantissa} / {value})) as bigint))"
    normal = f"{exponent} * {1 << BITS} + cast(({mantissa} - 1) * {double(2.0**BITS)} as bigint)"
    return then(query, **{name: f"case when {value} < {double(2.0**-1022)} then {tiny} else {normal} end"})


def on_grid(score: str) -> str:
    """The step of engines.binning.on_grid that a score stands for."""

    def step(near: str, power: int) -> str:
        return f"floor({near} * {double(2.0**power)}) * {double(2.0**-power)}"

    def steps(near: str) -> str:
        powers = range(1, FINEST)
        cases = [f"when {near} >= {double(2.0 ** -(p + 1))} then {step(near, p + STEPS + 1)}" for p in powers]
        return f"case {' '.join(cases)} else {step(near, FINEST + STEPS + 1)} end"

    above = f"({double(1.0)} - {score})"
    return f"case when {score} >= {double(0.5)} then {double(1.0)} - {steps(above)} else {steps(score)} end"


def place_among(edges: list[float], value: str) -> str:
    """How many of the edges, which rise, a value reaches."""
    if not edges:
        return "0"
    cases = " ".join(f"when {value} < {double(edge)} then {place}" for place, edge in enumerate(edges))
    return f"case {cases} else {len(edges)} end"


def chosen(places: Mapping[int, int], value: str) -> str:
    """What a whole number stands for."""
    cases = " ".join(f"when {known} then {place}" for known, place in places.items())
    return f"case {value} {cases} end"
