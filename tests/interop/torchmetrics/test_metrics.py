"""Our metrics against scikit-learn, scikit-image and torchmetrics: 200 random inputs each, whole and over 3 uneven ranks.

TAFFRAIL_METRICS_REPLAY names the program.
"""
import json
import math
import os
import subprocess
import warnings

import numpy as np
import pytest
import skimage.metrics
import sklearn.metrics
import torch
import torchmetrics
import torchmetrics.functional as tm

REPLAY = os.environ["TAFFRAIL_METRICS_REPLAY"]
COUNT = int(os.environ.get("TAFFRAIL_METRIC_INPUTS", "200"))
warnings.filterwarnings("ignore")


def replay(cases):
    text = "".join(json.dumps(case) + "\n" for case in cases)
    done = subprocess.run([REPLAY], input=text, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def split(rows, rng, ranks):
    """The rows of a batch over uneven ranks, each in one or two batches. A rank may get few rows, never none."""
    if ranks == 1:
        return [[rows]]
    edges = [0, max(1, len(rows) // 7), max(2, len(rows) // 2), len(rows)]
    parts = [rows[edges[i]:edges[i + 1]] for i in range(3)]
    return [[part[:len(part) // 2], part[len(part) // 2:]] if len(part) > 3 else [part] for part in parts]


def batch_of(predicted, target, rows, shape=None, labels=False):
    made = {"predicted": np.asarray(predicted)[rows].reshape(-1).tolist(),
            "target": np.asarray(target)[rows].reshape(-1).tolist()}
    if shape is not None:
        made["shape"] = [len(rows), *shape]
    if labels:
        made["labels"] = True
    return made


def check(name, make_case, tolerance=1e-6):
    """make_case(rng) → options, predicted, target, expected, extra arguments of batch_of."""
    rng = np.random.default_rng(11)
    cases, expected = [], []
    for index in range(COUNT):
        options, predicted, target, wanted, extra = make_case(rng)
        for ranks in (1, 3):
            rows = split(np.arange(len(predicted)), rng, ranks)
            cases.append({"metric": name, "options": options,
                          "ranks": [[batch_of(predicted, target, part, **extra) for part in rank] for rank in rows]})
            expected.append(np.atleast_1d(np.asarray(wanted, dtype=np.float64)).reshape(-1))
    for case, got, wanted in zip(cases, replay(cases), expected):
        assert got["problem"] == "", (got, case["options"])
        assert len(got["values"]) == len(wanted), case["options"]
        for ours, theirs in zip(got["values"], wanted):
            ours = float(ours)
            if math.isnan(theirs):
                assert math.isnan(ours), case["options"]
            else:
                assert math.isclose(ours, theirs, rel_tol=tolerance, abs_tol=tolerance), (ours, theirs, case["options"])


def classification_input(rng, task, with_scores=True):
    n, classes = int(rng.integers(8, 60)), int(rng.integers(2, 7))
    if task == "binary":
        return n, 2, rng.random(n), rng.integers(0, 2, n)
    if task == "multilabel":
        return n, classes, rng.random((n, classes)), rng.integers(0, 2, (n, classes))
    scores = rng.random((n, classes))
    return n, classes, scores / scores.sum(1, keepdims=True), rng.integers(0, classes, n)


SCORES = {"accuracy": "accuracy", "precision": "precision", "recall": "recall", "f1": "f1_score"}


@pytest.mark.parametrize("task", ["binary", "multiclass", "multilabel"])
@pytest.mark.parametrize("name", list(SCORES))
def test_scores_equal_torchmetrics(name, task):
    def case(rng):
        n, classes, scores, target = classification_input(rng, task)
        options = {"task": task, "classes": classes}
        arguments = {"task": task}
        if task != "binary":
            average = str(rng.choice(["micro", "macro", "weighted", "none"]))
            options["average"] = arguments["average"] = average
            arguments["num_classes" if task == "multiclass" else "num_labels"] = classes
        if task == "multiclass" and rng.random() < 0.4 and classes > 2:
            options["top_k"] = arguments["top_k"] = int(rng.integers(2, classes))
        if rng.random() < 0.4 and "top_k" not in options:
            options["ignore_index"] = arguments["ignore_index"] = -1
            target = np.where(rng.random(target.shape) < 0.15, -1, target)
        wanted = getattr(tm, SCORES[name])(torch.tensor(scores), torch.tensor(target), **arguments)
        return options, scores, target, wanted.numpy(), {}
    check(name, case)


@pytest.mark.parametrize("name", list(SCORES))
def test_finding_t23_macro_scores_with_top_k_and_ignore_index_equal_torchmetrics(name):
    def case(rng):
        n, classes, scores, target = classification_input(rng, "multiclass")
        ignored = int(rng.choice([-1, 0, classes - 1]))
        target = np.where(rng.random(n) < 0.2, -1, target) if ignored < 0 else target
        options = {"task": "multiclass", "classes": classes, "average": "macro", "top_k": int(rng.integers(1, classes)), "ignore_index": ignored}
        wanted = getattr(tm, SCORES[name])(torch.tensor(scores), torch.tensor(target), task="multiclass", num_classes=classes, average="macro",
                                           top_k=options["top_k"], ignore_index=ignored)
        return options, scores, target, wanted.numpy(), {}
    check(name, case)


@pytest.mark.parametrize("name", list(SCORES))
def test_label_scores_equal_scikit_learn(name):
    def case(rng):
        n, classes = int(rng.integers(10, 80)), int(rng.integers(2, 7))
        predicted, target = rng.integers(0, classes, n), rng.integers(0, classes, n)
        if name == "accuracy":
            options = {"classes": classes, "average": "micro"}
            wanted = sklearn.metrics.accuracy_score(target, predicted)
        else:
            average = str(rng.choice(["micro", "macro", "weighted"]))
            options = {"classes": classes, "average": average}
            wanted = getattr(sklearn.metrics, name + "_score")(target, predicted, average=average, zero_division=0)
        return options, predicted, target, wanted, {"labels": True}
    check(name, case)


@pytest.mark.parametrize("task", ["binary", "multiclass", "multilabel"])
def test_confusion_matrix_equals_torchmetrics(task):
    def case(rng):
        n, classes, scores, target = classification_input(rng, task)
        normalize = str(rng.choice(["none", "true", "pred", "all"]))
        arguments = {"task": task, "normalize": None if normalize == "none" else normalize}
        if task != "binary":
            arguments["num_classes" if task == "multiclass" else "num_labels"] = classes
        wanted = tm.confusion_matrix(torch.tensor(scores), torch.tensor(target), **arguments)
        return {"task": task, "classes": classes, "normalize": normalize}, scores, target, wanted.numpy(), {}
    check("confusion_matrix", case)


@pytest.mark.parametrize("task", ["binary", "multiclass", "multilabel"])
def test_auroc_equals_scikit_learn(task):
    def case(rng):
        while True:
            n, classes, scores, target = classification_input(rng, task)
            if task == "multiclass" and len(set(target)) < classes:
                continue
            if task != "multiclass" and (target.min(0) == target.max(0)).any():
                continue
            break
        scores = np.round(scores, 2) if task != "multiclass" else scores  # ties
        average = str(rng.choice(["macro", "weighted"] + (["micro"] if task == "multilabel" else [])))
        options = {"task": task, "classes": classes, "average": average}
        if task == "multiclass" and classes == 2:
            wanted = tm.auroc(torch.tensor(scores), torch.tensor(target), task=task, num_classes=2, average=average).item()
        else:
            wanted = sklearn.metrics.roc_auc_score(target, scores, average=average, multi_class="ovr")
        return options, scores, target, wanted, {}
    check("auroc", case)


def test_regression_equals_scikit_learn():
    def case(rng):
        n = int(rng.integers(8, 100))
        offset = float(rng.choice([0, 100, -1e4]))
        target = rng.normal(offset, 3, n)
        return target + rng.normal(0, 1, n), target
    for name, function in (("mse", sklearn.metrics.mean_squared_error), ("r2", sklearn.metrics.r2_score)):
        def one(rng):
            predicted, target = case(rng)
            return {}, predicted, target, function(target, predicted), {}
        check(name, one)


def test_picture_metrics_equal_scikit_image():
    def pictures(rng):
        n, channels = int(rng.integers(3, 6)), int(rng.choice([1, 3]))
        height, width = (int(extent) for extent in rng.integers(12, 24, 2))
        data_range = float(rng.choice([1.0, 255.0]))
        target = rng.random((n, channels, height, width)) * data_range
        noise = rng.normal(0, data_range * 0.1, target.shape)
        return target + noise, target, data_range, (channels, height, width)

    def psnr(rng):
        predicted, target, data_range, shape = pictures(rng)
        wanted = skimage.metrics.peak_signal_noise_ratio(target, predicted, data_range=data_range)
        return {"data_range": data_range}, predicted, target, wanted, {"shape": shape}

    def ssim(rng):
        predicted, target, data_range, shape = pictures(rng)
        wanted = np.mean([skimage.metrics.structural_similarity(
            theirs, ours, data_range=data_range, channel_axis=0, gaussian_weights=True, sigma=1.5,
            use_sample_covariance=False) for ours, theirs in zip(predicted, target)])
        return {"data_range": data_range}, predicted, target, wanted, {"shape": shape}

    check("psnr", psnr)
    check("ssim", ssim)


def test_perplexity_equals_torchmetrics():
    def case(rng):
        n, classes = int(rng.integers(6, 40)), int(rng.integers(2, 30))
        logits, target = rng.normal(0, 2, (n, classes)), rng.integers(0, classes, n)
        options, ignore = {"classes": classes}, None
        if rng.random() < 0.5:
            ignore = options["ignore_index"] = -100
            target = np.where(rng.random(n) < 0.2, -100, target)
            target[0] = 0
        wanted = tm.text.perplexity(torch.tensor(logits)[None], torch.tensor(target)[None], ignore_index=ignore)
        return options, logits, target, wanted.item(), {}
    check("perplexity", case)


@pytest.mark.parametrize("name,kind", [("mean", torchmetrics.MeanMetric), ("sum", torchmetrics.SumMetric),
                                       ("max", torchmetrics.MaxMetric), ("min", torchmetrics.MinMetric)])
def test_aggregators_equal_torchmetrics(name, kind):
    def case(rng):
        n = int(rng.integers(6, 40))
        values, weights = rng.normal(0, 5, n), rng.integers(1, 9, n).astype(float)
        values[rng.random(n) < 0.1] = np.nan
        values[0] = 1
        metric = kind().set_dtype(torch.float64)
        metric.update(*((torch.tensor(values), torch.tensor(weights)) if name == "mean" else (torch.tensor(values),)))
        return {}, values, weights, metric.compute().item(), {}
    check(name, case)
