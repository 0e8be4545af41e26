"""Studies: asking, telling, answering, and finding them again."""

from fewlabels.study.creation import create_study, load_study, study_names
from fewlabels.study.study import Study

__all__ = ["Study", "create_study", "load_study", "study_names"]
