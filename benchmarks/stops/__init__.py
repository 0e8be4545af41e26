"""When studies stop: labels to the claim, and how often it is right, on every pool of the leaderboard and on pools made
up against the rules. `python -m benchmarks.stops run`, then `page`."""
