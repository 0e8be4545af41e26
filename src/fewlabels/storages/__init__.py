"""Storages keep studies: in memory, or in an SQL database."""

from fewlabels.storages.base import Log, Storage, StudyRecord
from fewlabels.storages.memory import MemoryStorage
from fewlabels.storages.open import open_storage

__all__ = ["Log", "MemoryStorage", "Storage", "StudyRecord", "open_storage"]
