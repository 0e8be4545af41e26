"""Small pools under the names of the real ones."""

import pytest

from small_pools import write_small_pools


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return write_small_pools(tmp_path_factory.mktemp("pools"))


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory):
    return write_small_pools(tmp_path_factory.mktemp("tiny"), items=60)


@pytest.fixture(scope="session")
def few_pairs_folder(tmp_path_factory):
    """For experiments that look after every label of every pair of classes."""
    return write_small_pools(tmp_path_factory.mktemp("pairs"), items=60, classes=6)


@pytest.fixture(scope="session")
def few_classes_folder(tmp_path_factory):
    """For experiments that go through the classes one by one."""
    return write_small_pools(tmp_path_factory.mktemp("few"), classes=3)
