"""Writes trec_eval.json: random runs, and what trec_eval says of them.

pip install pytrec_eval-terrier==0.5.11 && python3 trec_eval.py > trec_eval.json
"""

import json
import random

import pytrec_eval

MEASURES = {"recall.1,3,5,10", "ndcg_cut.10", "recip_rank"}
random.seed(20260511)
qrels, run, ranks = {}, {}, {}
for number in range(200):
    name = f"q{number}"
    documents = [f"d{at}" for at in range(40)]
    random.shuffle(documents)
    # Some relevant documents are not retrieved, and some queries retrieve few.
    retrieved = documents[: random.choice([3, 12, 30, 40])]
    relevant = random.sample(sorted(documents), random.choice([1, 1, 1, 2, 3, 7, 14]))
    qrels[name] = {document: 1 for document in relevant}
    run[name] = {document: float(len(documents) - at) for at, document in enumerate(retrieved)}
    ranks[name] = [
        retrieved.index(document) + 1 if document in retrieved else None for document in relevant
    ]
found = pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate(run)
print("[")
rows = [json.dumps({"ranks": ranks[name], "expected": found[name]}, sort_keys=True) for name in qrels]
print(",\n".join(rows))
print("]")
