#!/usr/bin/env python3
"""Writes what scikit-learn says of made-up predictions as JSON (needs python3-sklearn, python3-torch).

    python3 make_metric_cases.py > ../data/metric_cases.json

ECE, perplexity, MAPE, IoU and Dice are not in scikit-learn, or otherwise than in torchmetrics: they are written here as
torchmetrics defines them.
"""
import json

import numpy as np
import torch
from sklearn import metrics as sk

EPSILON = 1.17e-6  # of torchmetrics' mean absolute percentage error


def single(array):
    """The float32 numbers, to compute with in float64."""
    return np.asarray(array).astype(np.float32).astype(np.float64)


def rounded(array):
    return [float(str(np.float32(v))) for v in np.asarray(array).flatten().tolist()]


def ece(confidence, hit, bins=15):
    borders = torch.linspace(0, 1, bins + 1)
    index = torch.bucketize(torch.tensor(confidence, dtype=torch.float32), borders, right=True) - 1
    total = 0.0
    for b in index.unique():
        rows = (index == b).numpy()
        total += abs(hit[rows].mean() - confidence[rows].mean()) * rows.mean()
    return total


def class_case(name, logits, truth, ignored=None):
    logits = single(logits)
    kept = np.ones(len(truth), bool) if ignored is None else ~ignored
    scores, y = logits[kept], truth[kept]
    p = np.exp(scores - scores.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    predicted = scores.argmax(1)
    classes = list(range(scores.shape[1]))
    values = {"accuracy": sk.accuracy_score(y, predicted), "token_accuracy": sk.accuracy_score(y, predicted)}
    for metric, function in (("precision", sk.precision_score), ("recall", sk.recall_score), ("f1", sk.f1_score)):
        values[metric] = function(y, predicted, average="macro", zero_division=0)
        for average in ("micro", "weighted"):
            values[metric + "_" + average] = function(y, predicted, average=average, zero_division=0)
    values["iou"] = sk.jaccard_score(y, predicted, average="macro", zero_division=0)
    values["dice"] = values["f1"]
    values["cohen_kappa"] = sk.cohen_kappa_score(y, predicted)
    values["mcc"] = sk.matthews_corrcoef(y, predicted)
    areas = [sk.roc_auc_score(y == c, p[:, c]) for c in classes if 0 < (y == c).sum() < len(y)]
    values["roc_auc"] = float(np.mean(areas))
    values["average_precision"] = float(np.mean([sk.average_precision_score(y == c, p[:, c]) for c in classes if (y == c).any()]))
    values["ece"] = ece(p.max(1), (predicted == y).astype(float))
    values["perplexity"] = float(np.exp(sk.log_loss(y, p, labels=classes)))
    for k in (2, 3, 5):
        if k < len(classes):
            values[f"top{k}_accuracy"] = sk.top_k_accuracy_score(y, scores, k=k, labels=classes)
    confusion = sk.confusion_matrix(y, predicted, labels=classes).tolist()
    target = [int(t) if k else -100 for t, k in zip(truth, kept)]
    return {"name": name, "task": "classes", "classes": len(classes), "scores": rounded(logits), "target": target,
            "values": values, "confusion": confusion}


def binary_case(name, logits, truth, probabilities):
    scores = single(1 / (1 + np.exp(-logits)) if probabilities else logits)
    p = scores if probabilities else 1 / (1 + np.exp(-scores))
    predicted = (scores > (0.5 if probabilities else 0)).astype(int)
    values = {"accuracy": sk.accuracy_score(truth, predicted), "precision": sk.precision_score(truth, predicted, zero_division=0),
              "recall": sk.recall_score(truth, predicted, zero_division=0), "f1": sk.f1_score(truth, predicted, zero_division=0),
              "f1_weighted": sk.f1_score(truth, predicted, average="weighted"), "iou": sk.jaccard_score(truth, predicted),
              "dice": sk.f1_score(truth, predicted), "cohen_kappa": sk.cohen_kappa_score(truth, predicted),
              "mcc": sk.matthews_corrcoef(truth, predicted), "roc_auc": sk.roc_auc_score(truth, scores),
              "average_precision": sk.average_precision_score(truth, scores), "ece": ece(p, truth.astype(float)),
              "perplexity": float(np.exp(sk.log_loss(truth, p)))}
    return {"name": name, "task": "binary", "probabilities": probabilities, "scores": rounded(scores), "target": truth.tolist(),
            "values": values, "confusion": sk.confusion_matrix(truth, predicted).tolist()}


def value_case(name, predicted, truth):
    predicted = single(predicted)
    truth = single(truth)
    values = {"mae": sk.mean_absolute_error(truth, predicted), "mse": sk.mean_squared_error(truth, predicted),
              "rmse": sk.mean_squared_error(truth, predicted) ** 0.5, "r2": sk.r2_score(truth, predicted),
              "mape": float(np.mean(np.abs(predicted - truth) / np.maximum(np.abs(truth), EPSILON)))}
    return {"name": name, "task": "values", "columns": truth.shape[1], "scores": rounded(predicted), "target": rounded(truth),
            "values": values}


def cases():
    draw = np.random.default_rng(7)
    truth = draw.integers(0, 4, 60)
    yield class_case("four classes", draw.normal(size=(60, 4)) + 1.5 * np.eye(4)[truth], truth)
    truth = draw.choice([0, 1, 2, 5], 80, p=[0.7, 0.1, 0.15, 0.05])
    yield class_case("rare and missing classes", draw.normal(size=(80, 6)) + np.eye(6)[truth], truth)
    truth = draw.integers(0, 3, 50)
    yield class_case("ignored rows", draw.normal(size=(50, 3)) + 2 * np.eye(3)[truth], truth, draw.random(50) < 0.3)
    truth = draw.integers(0, 7, 40)
    yield class_case("equal scores", np.round(draw.normal(size=(40, 7)) + np.eye(7)[truth], 0) + 1e-3 * np.arange(7), truth)
    truth = draw.integers(0, 2, 70)
    yield binary_case("binary scores", draw.normal(size=70) + truth, truth, False)
    yield binary_case("binary probabilities", draw.normal(size=70) + 2 * truth - 1, truth, True)
    truth = (draw.random(40) < 0.1).astype(int)
    yield binary_case("few positives, equal scores", np.round(draw.normal(size=40) * 2), truth, False)
    truth = draw.normal(size=(30, 1))
    yield value_case("one column", truth + 0.3 * draw.normal(size=(30, 1)), truth)
    truth = draw.normal(size=(25, 3)) * [1, 10, 100] + [0, 5, 1000]
    yield value_case("three columns", truth + draw.normal(size=(25, 3)), truth)


if __name__ == "__main__":
    print("[\n" + ",\n".join(json.dumps(case) for case in cases()) + "\n]")
