"""Storages keep studies: in memory, or in an SQL database."""

from fewlabels.storages.base import Folds, Log, Storage, StudyRecord
from fewlabels.storages.memory import MemoryStorage
from fewlabels.storages.open import SQLITE, file_of, open_storage, upgrade_storage

__all__ = [
    "SQLITE",
    "Folds",
    "Log",
    "MemoryStorage",
    "Storage",
    "StudyRecord",
    "file_of",
    "open_storage",
    "upgrade_storage",
]
