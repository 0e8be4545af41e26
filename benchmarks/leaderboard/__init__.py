"""The leaderboard: every method on every pool against its rivals, judged by bars that were written down before.

`python -m benchmarks.leaderboard run`, then `bars` or `page`; see docs/leaderboard.md for what comes out.
"""
