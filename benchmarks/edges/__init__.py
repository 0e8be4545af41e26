"""Recipes of data made to break intervals and verdicts, and how often they hold there; see __main__.py."""
