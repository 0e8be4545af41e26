"""Which classes is a classifier worst at? Labels here come from the known truth; in real life, from a person."""

import fewlabels as fl
from fewlabels.demo import demo_pool

pool = demo_pool()
truth = dict(zip(pool.ids, pool.known_labels, strict=True))

study = fl.create_study(
    pool, fl.Identify("accuracy", by="predicted_class", top=3), until=fl.Probability(0.95), budget=150, seed=1
)
while not study.done:
    for query in study.ask(15):
        study.tell(query, truth[query.item])

print(study.answer())
print(study.progress)
