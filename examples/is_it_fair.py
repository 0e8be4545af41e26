"""Does a score treat two groups alike? Binary scores, a threshold, an attribute column."""

import numpy as np

import fewlabels as fl

rng = np.random.default_rng(3)
sex = rng.choice(["F", "M"], 4000)
score = rng.beta(1, 3, 4000)
repaid = rng.random(4000) < np.where(sex == "F", score, score**1.3)

pool = fl.Pool.from_arrays(positive_score=score, threshold=0.4, positive="default", columns={"sex": sex})
study = fl.create_study(pool, fl.Compare("accuracy", by="sex", a="F", b="M", rope=0.05), budget=200)
while queries := study.ask(20):
    study.tell({query.item: bool(repaid[query.item]) for query in queries})

print(study.answer())
print(study.answer(fl.Estimate("true_positive_rate", by="sex", positive="default")))
