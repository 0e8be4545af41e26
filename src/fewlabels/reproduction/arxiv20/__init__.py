"""[Ji20] v1, the first version on arXiv, 2020: its tables and figures by name."""

from fewlabels.reproduction.arxiv20.figures import FIGURES
from fewlabels.reproduction.arxiv20.table_2 import table_2

ARXIV20 = {"v1-table-2": table_2, **FIGURES}
