"""How notebooks show a study."""

from typing import Protocol

from fewlabels.answers import Progress, count_of
from fewlabels.answers.notebook import html_of
from fewlabels.core.events import Item
from fewlabels.settings import StudySettings


class _Study(Protocol):
    name: str
    settings: StudySettings

    @property
    def progress(self) -> Progress: ...

    @property
    def labels(self) -> dict[Item, str]: ...


class Shown:
    """What a study says of itself, without its answer."""

    def _repr_html_(self: _Study) -> str:
        about = [self.settings.question.describe(), f"{count_of(len(self.labels), 'label')}. {self.progress.reason}"]
        return html_of(f"Study {self.name!r}", about)

    def __repr__(self: _Study) -> str:
        told = count_of(len(self.labels), "label")
        return f"<Study {self.name!r}: {self.settings.question.describe()}, {told}>"
