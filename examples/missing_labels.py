"""Learn from labels of which a third is not known, and score on those that are."""

import numpy as np
from sklearn.model_selection import KFold, cross_val_score

from mlfs.learners import BRLogistic
from mlfs.metrics import auc_by_label, macro_auc, scorer

rng = np.random.default_rng(0)
X = rng.standard_normal((300, 6))
truth = (X[:, :3] + 0.5 * rng.standard_normal((300, 3)) > 0).astype(float)
Y = truth.copy()
Y[rng.random(Y.shape) < 0.33] = np.nan  # what a file with empty fields gives

# estimate with known labels only, each predicted by a model that did not see its row
folds = KFold(5, shuffle=True, random_state=0)
known = BRLogistic()  # each label is learned on the rows where it is known
print(f"unknown labels: {np.isnan(Y).mean():.0%}")
for name, labels in {"known labels": Y, "holes taken as 0": np.nan_to_num(Y)}.items():
    found = []
    for train, test in folds.split(X):
        model = BRLogistic().fit(X[train], labels[train])
        found.append(macro_auc(Y[test], model.decision_function(X[test])))
    print(f"{name}: AUC {np.mean(found):.3f}")
same = cross_val_score(known, X, Y, cv=folds, scoring=scorer("macro_auc"))
print(f"by scikit-learn: AUC {same.mean():.3f}")

# here the truth is known: how good are the answers for the holes themselves?
scores = BRLogistic().fit(X, Y).decision_function(X)
holes = np.where(np.isnan(Y), truth, np.nan)
print("AUC of the holes, by label:", auc_by_label(holes, scores).round(3))
