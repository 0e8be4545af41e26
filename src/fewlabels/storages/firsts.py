"""The first items of each cell of a large pool, kept so that asking needs no look at it."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from fewlabels.core.first_items import FirstItem
from fewlabels.storages.database import Database
from fewlabels.storages.schema import payloads, prefixes, studies

_AT_ONCE = 5000  # rows written together
_OF_ALL = (  # made once: making it takes longer than running it
    sa.select(prefixes.c.cell, prefixes.c.place, prefixes.c.item, prefixes.c.predicted, prefixes.c.score)
    .add_columns(payloads.c.content)
    .join(studies, studies.c.pool == prefixes.c.pool)
    .outerjoin(payloads, (payloads.c.pool == prefixes.c.pool) & (payloads.c.item == prefixes.c.item))
    .where(studies.c.name == sa.bindparam("name"), prefixes.c.seed == sa.bindparam("seed"))
    .where(prefixes.c.place >= sa.bindparam("start"), prefixes.c.place < sa.bindparam("end"))
    .order_by(prefixes.c.cell, prefixes.c.place)
)
_OF_ONE = _OF_ALL.where(prefixes.c.cell == sa.bindparam("cell"))


@dataclass(frozen=True)
class SqlFirsts:
    """Two tables: what the model said of the items, by their places, and what labellers are shown of them. Studies of
    one pool and one seed share them."""

    database: Database
    reading: Callable[[Callable[[sa.Connection], Any], Any], Any]  # what work reads, or else what is given

    def items(self, name: str, seed: int, cell: int | None, after: int, n: int) -> Sequence[FirstItem]:
        """The next n items of a cell, or of each cell, past the first `after`, as far as they are kept; in order."""
        about = {"name": name, "seed": seed, "start": after, "end": after + n}
        query, about = (_OF_ALL, about) if cell is None else (_OF_ONE, {**about, "cell": cell})
        rows = self.reading(lambda connection: connection.execute(query, about).all(), [])
        return [
            FirstItem(of, place, json.loads(item), predicted, score, {} if shown is None else json.loads(shown))
            for of, place, item, predicted, score, shown in rows
        ]

    def keep(self, name: str, seed: int, items: Iterable[FirstItem]) -> None:
        """Keep these too; those that are kept already stay as they are."""
        with self.database.writing() as connection:
            pool = connection.execute(sa.select(studies.c.pool).where(studies.c.name == name)).scalar_one()
            counted = sa.select(prefixes.c.cell, sa.func.max(prefixes.c.place)).group_by(prefixes.c.cell)
            mine = counted.where(prefixes.c.pool == pool, prefixes.c.seed == seed)
            last: dict[int, int] = {row[0]: row[1] for row in connection.execute(mine)}
            new = iter([item for item in items if item.place > last.get(item.cell, -1)])
            while rows := list(islice(new, _AT_ONCE)):
                texts = [json.dumps(row.item, ensure_ascii=False) for row in rows]
                about = {"pool": pool, "seed": seed}
                connection.execute(
                    sa.insert(prefixes),
                    [
                        {
                            **about,
                            "cell": r.cell,
                            "place": r.place,
                            "item": t,
                            "predicted": r.predicted,
                            "score": r.score,
                        }
                        for r, t in zip(rows, texts, strict=True)
                    ],
                )
                self._keep_shown(connection, pool, dict(zip(texts, rows, strict=True)))

    def _keep_shown(self, connection: sa.Connection, pool: int, rows: dict[str, FirstItem]) -> None:
        """What is shown of an item is kept once, whatever the seed."""
        new = [
            {"pool": pool, "item": text, "content": json.dumps(row.payload, ensure_ascii=False)}
            for text, row in rows.items()
            if row.payload
        ]
        if new:
            insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
            connection.execute(insert(payloads).on_conflict_do_nothing(), new)
