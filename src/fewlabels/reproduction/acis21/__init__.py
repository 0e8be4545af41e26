"""[ACIS21], ICCV 2021: its figures by name, and what they left to be asked."""

from fewlabels.reproduction.acis21.figure_2_rounds import figure_2
from fewlabels.reproduction.acis21.figures_3_to_6_and_11 import (
    figure_3,
    figure_4,
    figure_5,
    figure_6,
    figure_11,
    other_pools,
    switches,
)
from fewlabels.reproduction.acis21.figures_7_8_12 import coverage_of_intervals, figure_7, figure_8
from fewlabels.reproduction.acis21.figures_9_10 import figure_9, figure_10

ACIS21 = {
    "acis-figure-2": figure_2,
    "acis-figure-3": figure_3,
    "acis-figure-4": figure_4,
    "acis-figure-5": figure_5,
    "acis-figure-6": figure_6,
    "acis-figure-7": figure_7,
    "acis-figure-8": figure_8,
    "acis-figure-9": figure_9,
    "acis-figure-10": figure_10,
    "acis-figure-11": figure_11,
    "acis-coverage": coverage_of_intervals,
    "acis-switches": switches,
    "acis-other-pools": other_pools,
}
