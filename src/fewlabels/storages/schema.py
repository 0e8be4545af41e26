"""The tables of studies, the same in every database; by their names they can stand beside the tables of others."""

import sqlalchemy as sa

VERSION = 2
metadata = sa.MetaData()

schema = sa.Table("fewlabels_schema", metadata, sa.Column("version", sa.Integer, primary_key=True))

# What studies keep of pools: enough to answer without them. The last two tables are for engines of large pools: the
# first items of each cell in the order of a seed, so that asking need not look for them, and what labellers are shown.
pools = sa.Table(
    "fewlabels_pools",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("fingerprint", sa.Text, nullable=False, unique=True),  # of what is said about it, and of its cells
    sa.Column("about", sa.Text, nullable=False),
    sa.Column("cells", sa.LargeBinary, nullable=False),
)
prefixes = sa.Table(
    "fewlabels_prefixes",
    metadata,
    sa.Column("pool", sa.Integer, sa.ForeignKey(pools.c.id), primary_key=True),
    sa.Column("seed", sa.BigInteger, primary_key=True),
    sa.Column("cell", sa.Integer, primary_key=True),
    sa.Column("place", sa.Integer, primary_key=True),
    sa.Column("item", sa.Text, nullable=False),  # as JSON: 17 is not "17"
    sa.Column("predicted", sa.Text, nullable=False),
    sa.Column("score", sa.Double, nullable=False),
)
payloads = sa.Table(
    "fewlabels_payloads",
    metadata,
    sa.Column("pool", sa.Integer, sa.ForeignKey(pools.c.id), primary_key=True),
    sa.Column("item", sa.Text, primary_key=True),
    sa.Column("content", sa.Text, nullable=False),
)

studies = sa.Table(
    "fewlabels_studies",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("pool", sa.Integer, sa.ForeignKey(pools.c.id), nullable=False),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("created", sa.Text, nullable=False),
    sa.Column("settings", sa.Text, nullable=False),
)
events = sa.Table(
    "fewlabels_events",
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),  # 1, 2, … given under the study's lock
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("who", sa.Text),
    sa.Column("content", sa.Text, nullable=False),
)

# Not a part of the state: what folding came to, so that opening is fast. Whoever keeps the first one makes the table.
folds = sa.Table(
    "fewlabels_folds",
    sa.MetaData(),
    sa.Column("study", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("mark", sa.Text, nullable=False),  # by what it was folded
    sa.Column("events", sa.Integer, nullable=False),  # how many
    sa.Column("digest", sa.Text, nullable=False),  # of these events, and of the content
    sa.Column("content", sa.LargeBinary, nullable=False),
)
