"""Losses: functions of the network's output and a target."""
import torch
from torch.nn import functional as F

from kind_reference import Input, Reference


def target(tensor, classes=0):
    return Input(tensor, "target", classes)


def class_case(log):
    def case(draw):
        classes = draw.int(2, 5)
        places = draw.extents(draw.int(0, 2), 1, 3)
        draw.set("class_weight", draw.pick(None, [draw.int(1, 5) / 2 for _ in range(classes)]))
        scores = draw.floats(draw.batch, classes, *places)
        return [Input(F.log_softmax(scores, 1) if log else scores),
                target(draw.indices(classes, draw.batch, *places), draw.pick(0, classes))]
    return case


def entropy_case(draw):
    inputs = class_case(False)(draw)
    if "ignore_index" not in draw.params and draw.chance(0.3):
        return [inputs[0], target(draw.floats(*inputs[0].tensor.shape).softmax(1))]
    return inputs


def factors(draw, count):
    return draw.pick(None, [draw.int(1, 5) / 2 for _ in range(count)])


def binary_case(probabilities):
    def case(draw):
        outputs, places = draw.int(1, 3), draw.extents(draw.pick(0, 0, 2), 1, 3)
        draw.set("pos_weight", factors(draw, outputs))
        draw.set("class_weight", factors(draw, outputs))
        x = draw.floats(draw.batch, outputs, *places)
        truth = draw.indices(2, draw.batch, outputs, *places)
        return [Input(x.sigmoid() if probabilities else x), target(truth if draw.chance(0.4) else truth.float())]
    return case


def value_case(draw):
    shape = [draw.batch] + draw.extents(draw.int(0, 3), 2, 4)
    if draw.get("one_hot") if "one_hot" in draw.specs else False:
        classes = draw.int(2, 4)
        return [Input(draw.floats(draw.batch, classes)), target(draw.indices(classes, draw.batch), classes)]
    return [Input(draw.floats(*shape)), target(draw.floats(*shape))]


def divergence_case(draw):
    shape = [draw.batch] + draw.extents(draw.int(1, 3), 2, 4)
    shares = draw.floats(*shape).softmax(1)
    return [Input(draw.floats(*shape).log_softmax(1)), target(shares.log() if draw.get("log_target") else shares)]


def count_case(draw):
    shape = [draw.batch] + draw.extents(draw.int(0, 3), 2, 4)
    counts = draw.indices(5, *shape)
    rates = draw.floats(*shape)
    return [Input(rates if draw.get("log_input") else rates.exp()), target(counts.float())]


def sign_case(draw):
    shape = [draw.batch] + draw.extents(draw.int(0, 2), 2, 4)
    truth = draw.indices(2, *shape)
    return [Input(draw.floats(*shape)), target(truth if draw.chance(0.4) else truth.float() * 2 - 1)]


def signed(function):
    """Class indices mean 1 for the class 1 and -1 for the class 0."""
    return lambda x, y, **settings: function(x, y if y.is_floating_point() else y * 2.0 - 1, **settings)


def binary(function):
    """PyTorch multiplies factors along the last axis; here they belong to the outputs, the second one."""
    def compute(x, y, **settings):
        along = [-1] + [1] * (x.dim() - 2)
        return function(x, y.float(), **{n: v.view(along) if isinstance(v, torch.Tensor) else v
                                         for n, v in settings.items()})
    return compute


def weights(params, name):
    values = params.get(name)
    return None if values is None else torch.tensor(values if isinstance(values, list) else [values]).float()


def loss(function, *settings, factors=(), keeps=()):
    """`function` with those settings that were written, times the loss's own weight."""
    def make(params):
        written = {name: params[name] for name in ("reduction", *settings) if name in params}
        for ours, theirs in factors:
            written[theirs] = weights(params, ours)

        def compute(x, y):
            if params.get("one_hot"):
                y = F.one_hot(y, x.shape[1])
            y = y if y.is_floating_point() or function in (F.cross_entropy, F.nll_loss, *keeps) else y.float()
            return function(x, y, **written) * params.get("weight", 1.0)
        return compute
    return make


def wrong_classes(draw):
    x = Input(draw.floats(4, 3))
    yield "a target of another shape", {}, [x, target(draw.indices(3, 4, 2))]
    yield "more classes than scores", {}, [x, target(draw.indices(3, 4), 5)]
    yield "weights for other classes", {"class_weight": [1, 2]}, [x, target(draw.indices(3, 4))]
    yield "numbers as classes", {}, [x, target(draw.floats(4))]


def wrong_values(draw):
    yield "a target of another shape", {}, [Input(draw.floats(4, 3)), target(draw.floats(4, 2))]
    yield "one value for three", {}, [Input(draw.floats(4, 3)), target(draw.floats(4))]


# Here `weight` is the loss's factor in the total; class weights have a name of their own.
OURS = {"weight"}
CLASS_WEIGHT = ("class_weight", "weight")
POS_WEIGHT = ("pos_weight", "pos_weight")
HINGE = signed(F.hinge_embedding_loss)
KINDS = {
    "CrossEntropyLoss": Reference(entropy_case, loss(F.cross_entropy, "ignore_index", "label_smoothing",
                                                     factors=[CLASS_WEIGHT]), wrong=wrong_classes, ours=OURS),
    "NLLLoss": Reference(class_case(True), loss(F.nll_loss, "ignore_index", factors=[CLASS_WEIGHT]),
                         wrong=wrong_classes, ours=OURS),
    "BCEWithLogitsLoss": Reference(
        binary_case(False), loss(binary(F.binary_cross_entropy_with_logits), factors=[CLASS_WEIGHT, POS_WEIGHT]),
        wrong=wrong_values, ours=OURS),
    "BCELoss": Reference(binary_case(True), loss(binary(F.binary_cross_entropy), factors=[CLASS_WEIGHT]),
                         wrong=wrong_values, ours=OURS),
    "MSELoss": Reference(value_case, loss(F.mse_loss), wrong=wrong_values),
    "L1Loss": Reference(value_case, loss(F.l1_loss), wrong=wrong_values),
    "SmoothL1Loss": Reference(value_case, loss(F.smooth_l1_loss, "beta"), wrong=wrong_values),
    "HuberLoss": Reference(value_case, loss(F.huber_loss, "delta"), wrong=wrong_values),
    "KLDivLoss": Reference(divergence_case, loss(F.kl_div, "log_target"), wrong=wrong_values),
    "PoissonNLLLoss": Reference(count_case, loss(F.poisson_nll_loss, "log_input", "full", "eps"), wrong=wrong_values),
    "HingeEmbeddingLoss": Reference(sign_case, loss(HINGE, "margin", keeps=[HINGE]), wrong=wrong_values),
}
