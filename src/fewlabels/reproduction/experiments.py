"""Every table and figure by name, tables first; each paper's are in a folder of its own.

Names that begin with aaai- lie in aaai21/, with v1- in arxiv20/, with workshop- in workshop19/, with acis- in acis21/.
"""

from dataclasses import replace

from fewlabels.reproduction.aaai21 import AAAI21
from fewlabels.reproduction.aaai21.claims import CLAIMS as OF_AAAI21
from fewlabels.reproduction.acis21 import ACIS21
from fewlabels.reproduction.acis21.claims import CLAIMS as OF_ACIS21
from fewlabels.reproduction.arxiv20 import ARXIV20
from fewlabels.reproduction.arxiv20.claims import CLAIMS as OF_ARXIV20
from fewlabels.reproduction.base import Experiment
from fewlabels.reproduction.workshop19 import WORKSHOP19
from fewlabels.reproduction.workshop19.claims import CLAIMS as OF_WORKSHOP19

_CLAIMS = {**OF_AAAI21, **OF_ARXIV20, **OF_WORKSHOP19, **OF_ACIS21}
_ALL = {
    name: replace(experiment, claims=_CLAIMS.get(name, ()))
    for name, experiment in {**AAAI21, **ARXIV20, **WORKSHOP19, **ACIS21}.items()
}
TABLES: dict[str, Experiment] = {name: experiment for name, experiment in _ALL.items() if "-table-" in name}
EXPERIMENTS: dict[str, Experiment] = {**TABLES, **_ALL}
