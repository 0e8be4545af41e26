"""Spark as the database of an engine: queries run on the cluster of a session somebody else opened."""

import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import Any
from uuid import uuid4

from fewlabels.engines.words import ListWords, Words
from fewlabels.errors import PoolError
from fewlabels.tables.values import plain_list

_LOWEST = f"cast({-(1 << 63)} as bigint)"  # what is below zero by its sign is above all others without

WORDS = Words(
    text="cast({0} as string)",
    trimmed="btrim({0}, concat(' ', chr(9)))",
    matches=r"{0} rlike r'(?i)\A(?:{1})\z'",
    # The first eight bytes of MD5, the last of them first; -10 writes 64 bits as a number with a sign.
    hash=(
        "cast(conv(regexp_replace(substr(md5({0}), 1, 16), '(..)(..)(..)(..)(..)(..)(..)(..)', "
        "'$8$7$6$5$4$3$2$1'), 16, -10) as bigint)"
    ),
    xor="({0} ^ {1})",
    right="shiftrightunsigned({0}, {1})",
    left="shiftleft({0}, {1})",
    total="cast(sum(cast({0} as decimal(20, 0))) as string)",
    reach=f"({{0}} ^ {_LOWEST}) <= ({{1}} ^ {_LOWEST})",
    whole="cast({0} as bigint)",
    lists=ListWords(
        made="array({0})",
        width="size({0})",
        known="size(array_compact({0}))",
        lowest="array_min({0})",
        highest="array_max({0})",
        added="aggregate({0}, cast(0 as double), (a, x) -> a + x)",
        each="transform({0}, x -> {1})",
        at="element_at({0}, {1})",
        place="array_position({0}, {1})",
    ),
    signed=True,
    let="element_at(transform(array({0}), x -> {1}), 1)",
)
_TYPES = {int: "bigint", float: "double"}


class SparkTables:
    """A session, and the views made in it, which go with this object."""

    words = WORDS

    def __init__(self, session: Any) -> None:
        self.session = session
        self._name, self._number = f"fewlabels_{uuid4().hex}", count()
        self._views: list[str] = []
        weakref.finalize(self, _drop, session, self._views)

    def __reduce__(self) -> Any:
        raise TypeError("a pool in Spark cannot be handed to another process; open it there.")

    def view(self, frame: Any) -> str:
        """A frame under a name that queries may use."""
        name = f"{self._name}_{next(self._number)}"
        frame.createOrReplaceTempView(name)
        self._views.append(name)
        return name

    def columns(self, query: str) -> list[list[Any]]:
        frame = self.session.sql(query)
        rows = self._said(frame.collect)
        return [plain_list([row[place] for row in rows], name) for place, name in enumerate(frame.columns)]

    def parts(self, query: str, most: int) -> Iterator[list[list[Any]]]:
        ((rows,),) = self.columns(f"select count(*) from ({query}) as t")
        key = "place_in_pool"
        frame = self.session.sql(query).repartitionByRange(rows // most + 1, key).sortWithinPartitions(key)
        held: list[Any] = []
        for row in self._said(frame.toLocalIterator):  # one part after the other comes to this process
            held.append(row)
            if len(held) == most:
                yield [list(column) for column in zip(*held, strict=True)]
                held = []
        if held:
            yield [list(column) for column in zip(*held, strict=True)]

    def keep(self, columns: Mapping[str, Sequence[Any]]) -> str:
        kinds = {
            name: _TYPES.get(type(values[0]) if len(values) else str, "string") for name, values in columns.items()
        }
        schema = ", ".join(f"{name} {kind}" for name, kind in kinds.items())
        rows = list(zip(*columns.values(), strict=True))
        frame = self.session.createDataFrame(rows, schema)
        return self.view(frame.hint("broadcast"))  # small: every worker gets all of it, and the pool stays where it is

    def _said(self, run: Any) -> Any:
        """What Spark finds; its errors in one line."""
        from pyspark.errors import PySparkException

        try:
            return run()
        except PySparkException as error:
            raise PoolError(f"Spark could not read the pool: {str(error).strip().splitlines()[0]}") from error


def _drop(session: Any, views: list[str]) -> None:
    from pyspark.errors import PySparkException

    with suppress(PySparkException):  # a session of Spark Connect that has ended took its views with it
        for name in views:
            session.catalog.dropTempView(name)
