"""Losses with other ports than an input and a target."""
import torch
from torch.nn import functional as F

from kind_reference import ByPort, Input, Reference


class Loss(ByPort):
    """`function(settings, **tensors)` with those settings that were written, times the loss's own weight."""

    def __init__(self, function, params):
        super().__init__()
        self.function, self.params = function, params

    def compute(self, **tensors):
        settings = {name: value for name, value in self.params.items() if name != "weight"}
        return self.function(settings, **tensors) * self.params.get("weight", 1.0)


def made(function):
    return lambda params: Loss(function, params)


# --- GaussianNLLLoss ---

def gaussian_case(draw):
    shape = [draw.batch] + draw.extents(draw.int(0, 2), 2, 4)
    spread = draw.pick(shape, shape[:-1] + [1]) if len(shape) > 1 else shape
    return [Input(draw.floats(*shape)), Input(draw.floats(*shape), "target"),
            Input(draw.floats(*spread).square(), "var")]


def gaussian(settings, input, target, var):
    return F.gaussian_nll_loss(input, target, var, **settings)


def wrong_gaussian(draw):
    x, y = Input(draw.floats(4, 3)), Input(draw.floats(4, 3), "target")
    yield "a target of another shape", {}, [x, Input(draw.floats(4, 2), "target"), Input(torch.ones(4, 3), "var")]
    yield "a variance of another shape", {}, [x, y, Input(torch.ones(4, 2), "var")]
    yield "indices as variance", {}, [x, y, Input(torch.ones(4, 3).long(), "var", 3)]
    yield "a variance below zero", {}, [x, y, Input(-torch.ones(4, 3), "var")]


# --- CosineEmbeddingLoss ---

def cosine_case(draw):
    shape = (draw.batch, draw.int(1, 5))
    truth = draw.indices(2, draw.batch)
    return [Input(draw.floats(*shape), "input1"), Input(draw.floats(*shape), "input2"),
            Input(truth if draw.chance(0.4) else truth.float() * 2 - 1, "target")]


def cosine(settings, input1, input2, target):
    sign = target if target.is_floating_point() else target * 2.0 - 1
    return F.cosine_embedding_loss(input1, input2, sign, **settings)


def wrong_cosine(draw):
    x = Input(draw.floats(4, 3), "input1")
    y = Input(torch.ones(4), "target")
    yield "vectors of another length", {}, [x, Input(draw.floats(4, 2), "input2"), y]
    yield "images", {}, [x, Input(draw.floats(4, 3, 2), "input2"), y]
    yield "three classes", {}, [x, Input(draw.floats(4, 3), "input2"), Input(draw.indices(2, 4), "target", 3)]
    yield "a target for each number", {}, [x, Input(draw.floats(4, 3), "input2"), Input(torch.ones(4, 3), "target")]


# --- TripletMarginLoss ---

def triplet_case(draw):
    shape = (draw.batch, draw.int(1, 5))
    if draw.get("p") != 2:
        draw.set("p", draw.pick(1.0, 1.5, 3.0))  # gradients of other orders may be infinite
    return [Input(draw.floats(*shape), port) for port in ("anchor", "positive", "negative")]


def triplet(settings, anchor, positive, negative):
    return F.triplet_margin_loss(anchor, positive, negative, **settings)


def wrong_triplet(draw):
    anchor, positive = (Input(draw.floats(4, 3), port) for port in ("anchor", "positive"))
    yield "vectors of another length", {}, [anchor, positive, Input(draw.floats(4, 2), "negative")]
    yield "one vector for all", {}, [anchor, positive, Input(draw.floats(4, 1), "negative")]


# --- CTCLoss ---

def letters_case(draw):
    classes, letters = draw.int(3, 5), draw.int(1, 3)
    steps = 2 * letters + draw.int(1, 4)
    draw.set("blank", draw.pick(0, classes - 1))
    blank = draw.get("blank")
    word = draw.indices(classes - 1, draw.batch, letters)
    inputs = [Input(draw.floats(draw.batch, steps, classes).log_softmax(-1), "log_probs"),
              Input(word + (word >= blank).long(), "targets", draw.pick(0, classes))]
    if draw.chance(0.5):
        inputs.append(Input(torch.tensor([draw.int(2 * letters, steps) for _ in range(draw.batch)]), "input_lengths"))
    if draw.chance(0.5):
        inputs.append(Input(torch.tensor([draw.int(1, letters) for _ in range(draw.batch)]), "target_lengths"))
    return inputs


def letters(settings, log_probs, targets, input_lengths=None, target_lengths=None):
    def all_of(length):
        return torch.full((len(targets),), length)
    input_lengths = all_of(log_probs.shape[1]) if input_lengths is None else input_lengths
    target_lengths = all_of(targets.shape[1]) if target_lengths is None else target_lengths
    return F.ctc_loss(log_probs.transpose(0, 1), targets, input_lengths, target_lengths, **settings)


def wrong_letters(draw):
    x = Input(draw.floats(2, 6, 4).log_softmax(-1), "log_probs")
    word = Input(torch.ones(2, 2).long(), "targets", 3)
    yield "a blank beyond the classes", {"blank": 4}, [x, word]
    yield "more classes than scores", {}, [x, Input(word.tensor, "targets", 5)]
    yield "numbers as targets", {}, [x, Input(torch.ones(2, 2), "targets")]
    yield "one letter per sample", {}, [x, Input(torch.ones(2).long(), "targets", 3)]
    yield "a length per letter", {}, [x, word, Input(torch.ones(2, 2).long(), "target_lengths")]
    yield "lengths with fractions", {}, [x, word, Input(torch.ones(2), "input_lengths")]


KINDS = {
    "GaussianNLLLoss": Reference(gaussian_case, made(gaussian), wrong=wrong_gaussian),
    "CosineEmbeddingLoss": Reference(cosine_case, made(cosine), wrong=wrong_cosine, ranks={2}),
    "TripletMarginLoss": Reference(triplet_case, made(triplet), wrong=wrong_triplet, ranks={2}),
    "CTCLoss": Reference(letters_case, made(letters), wrong=wrong_letters, ranks={3}),
}
