"""The command line: each command is a few lines around the library."""

from fewlabels.cli.app import app, main

__all__ = ["app", "main"]
