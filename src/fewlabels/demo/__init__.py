"""The bundled pool of BANKING77 messages, and the loop that `fewlabels demo` runs on it."""

from fewlabels.demo.pool import MODELS, demo_pool, save_pool
from fewlabels.demo.run import QUESTION, Demo, Run, run_demo

__all__ = ["MODELS", "QUESTION", "Demo", "Run", "demo_pool", "run_demo", "save_pool"]
