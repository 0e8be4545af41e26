"""[Ji21], AAAI 2021: its tables and figures by name; those of the supplement are also known by their own numbers."""

from fewlabels.reproduction.aaai21.figures import FIGURES
from fewlabels.reproduction.aaai21.table_4 import table_4
from fewlabels.reproduction.aaai21.table_6 import table_6
from fewlabels.reproduction.aaai21.table_7 import table_7
from fewlabels.reproduction.aaai21.table_9 import table_9
from fewlabels.reproduction.aaai21.tables_3_5_8 import table_3, table_5, table_8
from fewlabels.reproduction.aaai21.tables_10_11 import table_10, table_11

AAAI21 = {
    "aaai-table-3": table_3,
    "aaai-table-4": table_4,
    "aaai-table-5": table_5,
    "aaai-table-6": table_6,
    "aaai-table-7": table_7,
    "aaai-table-8": table_8,
    "aaai-table-9": table_9,
    "aaai-table-10": table_10,
    "aaai-table-11": table_11,
    **FIGURES,
}
