"""Faster twins of the step for many runs: each takes the very choices of the step, and is held to it by tests."""
