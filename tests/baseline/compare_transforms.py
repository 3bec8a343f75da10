"""Every transform of the data catalog against torchvision 0.14 on photographs.

Usage: compare_transforms.py TRANSFORM_PROBE PHOTOS [KIND …]

The table is the catalog's: a transform without a case fails. Images of bytes are held against torchvision on
Pillow's images, floats against torchvision on tensors, both within 1/255; random transforms by what they make of
given draws, and by the distribution of what they draw (Kolmogorov-Smirnov or chi-square, significance 1e-4). Where
the nearest pixel is taken, or the corners of a perspective are solved in single precision, rounding may choose a
neighbour: there 99.5 % of the numbers must agree.
"""
import json
import math
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import torch
import torchvision.transforms as T
import torchvision.transforms.functional as F
from PIL import Image
from scipy import stats

warnings.simplefilter("ignore")
MODES = {"nearest": T.InterpolationMode.NEAREST, "bilinear": T.InterpolationMode.BILINEAR,
         "bicubic": T.InterpolationMode.BICUBIC}
DRAWS = 4000
SIGNIFICANCE = 1e-4
# Learned from texts and tables, not from images, or made from whole batches: tests name them.
ELSEWHERE = {"Tokenize", "Impute", "Mixup", "CutMix", "Lambda", "Collate", "Script"}


class Probe:
    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the probe died of {request.get('kind')} {request.get('params')}")
        return json.loads(line)


class Checks:
    def __init__(self, probe, images):
        self.probe, self.images = probe, images
        self.failures, self.count = [], {}

    def fail(self, kind, what):
        self.failures.append(f"{kind}: {what}")

    def done(self, kind):
        self.count[kind] = self.count.get(kind, 0) + 1

    def run(self, kind, image, **request):
        """Ours as Pillow's image or tensor."""
        if isinstance(image, Image.Image):
            array = np.asarray(image).reshape(image.height, image.width, -1)
            answer = self.probe.ask(kind=kind, element="uint8", shape=list(array.shape),
                                    values=array.flatten().tolist(), **request)
        else:
            answer = self.probe.ask(kind=kind, element="float32", shape=list(image.shape),
                                    values=image.flatten().tolist(), **request)
        if "error" in answer:
            return answer["error"]
        return np.array(answer["values"], dtype=float).reshape(answer["shape"])

    def agree(self, kind, image, expected, most=1.0, share=1.0, **request):
        self.done(kind)
        ours = self.run(kind, image, **request)
        if isinstance(expected, Image.Image):
            expected = np.asarray(expected).reshape(expected.height, expected.width, -1)
        wanted = np.asarray(expected, dtype=float)
        scale = 255.0 if isinstance(image, torch.Tensor) else 1.0
        what = f"{type(image).__name__} {request}"
        if isinstance(ours, str):
            return self.fail(kind, f"{what}: {ours}")
        if ours.shape != wanted.shape:
            return self.fail(kind, f"{what}: shape {ours.shape}, torchvision {wanted.shape}")
        distance = np.abs(ours - wanted) * scale
        near = (distance <= most + 1e-3).mean()
        if not near >= share:
            self.fail(kind, f"{what}: {near:.5f} agree, greatest difference {distance.max():.3f}/255")

    def both(self, kind, function, params, **options):
        """Bytes against Pillow's path, floats against the tensors'."""
        for image in self.images:
            for form in (image, F.to_tensor(image)):
                self.agree(kind, form, function(form), params=params, **options)

    def bytes_only(self, kind, function, params, **options):
        for image in self.images:
            self.agree(kind, image, function(image), params=params, **options)
        refused = self.run(kind, F.to_tensor(self.images[0]), params=params)
        if not isinstance(refused, str):
            self.fail(kind, "takes images of floats")

    def draws(self, kind, params, shape=(3, 40, 60), element="float32", count=DRAWS):
        answer = self.probe.ask(kind=kind, params=params, element=element, shape=list(shape), sampling=count)
        if "error" in answer:
            self.fail(kind, answer["error"])
            return []
        return answer["draws"]

    def uniform(self, kind, what, values, low, high):
        self.done(kind)
        values = np.array(values)
        p = stats.kstest(values, "uniform", args=(low, high - low)).pvalue if len(values) else 0
        if p < SIGNIFICANCE:
            self.fail(kind, f"{what} is not uniform in {low} … {high}: p = {p:.2g}")

    def equally(self, kind, what, values, outcomes):
        self.done(kind)
        values = list(values)
        counts = [values.count(outcome) for outcome in outcomes]
        p = stats.chisquare(counts).pvalue if values and sum(counts) == len(values) else 0
        if p < SIGNIFICANCE:
            self.fail(kind, f"{what} is not equally one of {list(outcomes)[:8]} …: {counts[:8]}, p = {p:.2g}")

    def probability(self, kind, draws, p):
        self.done(kind)
        acted = sum(1 for draw in draws if draw)
        if stats.binomtest(acted, max(len(draws), 1), p).pvalue < SIGNIFICANCE:
            self.fail(kind, f"acts in {acted} of {len(draws)}, p is {p}")

    def same_as(self, kind, what, ours, theirs):
        """Two samples of one distribution."""
        self.done(kind)
        p = stats.ks_2samp(ours, theirs).pvalue if len(ours) else 0
        if p < SIGNIFICANCE:
            self.fail(kind, f"{what} is not distributed as torchvision's: p = {p:.2g}")


ROUNDED = {"share": 0.995}  # see above


def to_tensor(c):
    for image in c.images:
        c.agree("ToTensor", image, F.to_tensor(image), most=0, params={})


def normalize(c):
    mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
    for image in c.images:
        tensor = F.to_tensor(image)
        c.agree("Normalize", tensor, F.normalize(tensor, mean, std), most=0.01, params={"mean": mean, "std": std})
    fitted(c, "Normalize", {}, lambda x: (x - x.mean((0, 2, 3), keepdims=True)) / x.std((0, 2, 3), keepdims=True))


def fitted(c, kind, params, function):
    c.done(kind)
    samples = np.stack([F.to_tensor(image.resize((16, 12))).numpy() for image in c.images])
    answer = c.probe.ask(kind=kind, params=params, element="float32", shape=list(samples.shape[1:]),
                         fit=[sample.flatten().tolist() for sample in samples])
    if "error" in answer:
        return c.fail(kind, answer["error"])
    distance = np.abs(np.array(answer["values"]).reshape(samples.shape) - function(samples.astype(float))).max()
    if distance > 1e-5:
        c.fail(kind, f"fitted: greatest difference {distance}")


def standardize(c):
    fitted(c, "Standardize", {},
           lambda x: (x - x.mean((0, 2, 3), keepdims=True)) / x.std((0, 2, 3), keepdims=True))


def min_max(c):
    def scaled(x):
        low, high = x.min((0, 2, 3), keepdims=True), x.max((0, 2, 3), keepdims=True)
        return -1 + (x - low) / (high - low) * 3
    fitted(c, "MinMax", {"feature_range": [-1, 2]}, scaled)


def one_hot(c):
    for label in (0, 4):
        c.done("OneHot")
        answer = c.probe.ask(kind="OneHot", params={}, element="int64", shape=[], values=[label], classes=5)
        if answer.get("values") != torch.nn.functional.one_hot(torch.tensor(label), 5).float().tolist():
            c.fail("OneHot", f"label {label}: {answer}")


def resize(c):
    for mode, tv_mode in MODES.items():
        for size in ([20, 31], [64, 64], [300, 45], 24, 250):
            c.both("Resize", lambda i: F.resize(i, size, tv_mode), {"size": size, "interpolation": mode},
                   **(ROUNDED if mode == "nearest" else {}))
    c.both("Resize", lambda i: F.resize(i, 30, max_size=36), {"size": 30, "max_size": 36})
    for image in c.images:
        tensor = F.to_tensor(image)
        for mode in ("bilinear", "bicubic"):
            c.agree("Resize", tensor, F.resize(tensor, [17, 23], MODES[mode], antialias=True),
                    params={"size": [17, 23], "interpolation": mode, "antialias": True})


def center_crop(c):
    for size in ([20, 31], [7, 7], [200, 40]):
        c.both("CenterCrop", lambda i: F.center_crop(i, size), {"size": size}, most=0)


def pad(c):
    for mode in ("constant", "edge", "reflect", "symmetric"):
        for padding in ([3], [5, 2], [1, 2, 3, 4]):
            c.both("Pad", lambda i: F.pad(i, padding, padding_mode=mode), {"padding": padding, "padding_mode": mode},
                   most=0)
    for image in c.images:
        c.agree("Pad", image, F.pad(image, 2, (10, 20, 30)), most=0, params={"padding": 2, "fill": [10, 20, 30]})


def random_crop(c):
    for top, left in ((0, 0), (8, 3), (4, 8)):
        c.both("RandomCrop", lambda i: F.crop(F.pad(i, 4), top, left, 32, 32), {"size": 32, "padding": 4}, most=0,
               draws=[top - 4, left - 4])
    draws = c.draws("RandomCrop", {"size": [30, 50], "padding": 4})
    c.equally("RandomCrop", "top", [d[0] for d in draws], range(-4, 15))
    c.equally("RandomCrop", "left", [d[1] for d in draws], range(-4, 15))


def random_resized_crop(c):
    for i, j, h, w in ((0, 0, 20, 31), (3, 5, 9, 7), (1, 1, 31, 31)):
        for mode in ("bilinear", "bicubic"):
            c.both("RandomResizedCrop", lambda p: F.resized_crop(p, i, j, h, w, [24, 28], MODES[mode]),
                   {"size": [24, 28], "interpolation": mode}, draws=[i, j, h, w])
    ours = c.draws("RandomResizedCrop", {"size": 8})
    torch.manual_seed(5)
    empty = torch.empty(3, 40, 60)
    theirs = [T.RandomResizedCrop.get_params(empty, [0.08, 1.0], [3 / 4, 4 / 3]) for _ in range(DRAWS)]
    for place, name in enumerate(("top", "left", "height", "width")):
        c.same_as("RandomResizedCrop", name, [d[place] for d in ours], [t[place] for t in theirs])


def occasional(kind, function, params, **options):
    def case(c):
        c.both(kind, function, {**params, "p": 1}, **options)
        c.both(kind, lambda i: i, {**params, "p": 0}, most=0)
        c.probability(kind, c.draws(kind, {**params, "p": 0.3}), 0.3)
    return case


def occasional_bytes(kind, function, params):
    def case(c):
        c.bytes_only(kind, function, {**params, "p": 1})
        c.probability(kind, c.draws(kind, {**params, "p": 0.3}, shape=(40, 60, 3), element="uint8"), 0.3)
    return case


def rotation(c):
    for angle in (-77.3, -11, 7.5, 33, 140):
        for mode in ("nearest", "bilinear"):
            for expand in (False, True):
                c.both("RandomRotation", lambda i: rotated(i, angle, MODES[mode], expand, None),
                       {"degrees": [angle, angle], "interpolation": mode, "expand": expand}, **ROUNDED)
        c.both("RandomRotation", lambda i: rotated(i, angle, MODES["bilinear"], False, [10, 12]),
               {"degrees": [angle, angle], "interpolation": "bilinear", "center": [10, 12]}, **ROUNDED)
        for image in c.images:
            c.agree("RandomRotation", image, F.rotate(image, angle, MODES["bicubic"], fill=[9, 8, 7]),
                    params={"degrees": [angle, angle], "interpolation": "bicubic", "fill": [9, 8, 7]}, **ROUNDED)
    c.uniform("RandomRotation", "angle", [d[0] for d in c.draws("RandomRotation", {"degrees": 25})], -25, 25)


def fills(image):
    return [0.0, 0.0, 0.0] if isinstance(image, torch.Tensor) else 0


def rotated(image, angle, mode, expand, center):
    return F.rotate(image, angle, mode, expand, center, fills(image))


def affine(c):
    for angle, x, y, scale, shear in ((20, 3, -5, 1.0, [0.0, 0.0]), (-35, 0, 0, 0.7, [10.0, -5.0]),
                                      (5, -4, 2, 1.4, [0.0, 20.0])):
        for mode in ("nearest", "bilinear"):
            c.both("RandomAffine", lambda i: F.affine(i, angle, [x, y], scale, shear, MODES[mode], fills(i)),
                   {"degrees": 0, "interpolation": mode}, draws=[angle, x, y, scale, *shear], **ROUNDED)
    params = {"degrees": [-10, 30], "translate": [0.1, 0.2], "scale": [0.8, 1.3], "shear": [-5, 5, -8, 2]}
    draws = c.draws("RandomAffine", params)
    for place, (low, high) in ((0, (-10, 30)), (3, (0.8, 1.3)), (4, (-5, 5)), (5, (-8, 2))):
        c.uniform("RandomAffine", f"number {place}", [d[place] for d in draws], low, high)
    torch.manual_seed(5)
    theirs = [T.RandomAffine.get_params([-10.0, 30.0], [0.1, 0.2], [0.8, 1.3], [-5.0, 5.0, -8.0, 2.0], [60, 40])
              for _ in range(DRAWS)]
    c.same_as("RandomAffine", "x", [d[1] for d in draws], [t[1][0] for t in theirs])
    c.same_as("RandomAffine", "y", [d[2] for d in draws], [t[1][1] for t in theirs])


def perspective(c):
    for image in c.images:
        w, h = image.size
        start = [[0, 0], [w - 1, 0], [w - 1, h - 1], [0, h - 1]]
        end = [[3, 2], [w - 5, 4], [w - 2, h - 6], [1, h - 3]]
        for mode in ("nearest", "bilinear"):
            for form in (image, F.to_tensor(image)):
                c.agree("RandomPerspective", form, F.perspective(form, start, end, MODES[mode], fills(form)),
                        params={"p": 1, "interpolation": mode}, draws=[n for point in end for n in point], **ROUNDED)
    draws = c.draws("RandomPerspective", {"p": 1, "distortion_scale": 0.5})
    for place, (low, high) in enumerate(((0, 15), (0, 10), (44, 59), (0, 10), (44, 59), (29, 39), (0, 15), (29, 39))):
        c.equally("RandomPerspective", f"number {place}", [d[place] for d in draws], range(low, high + 1))
    c.probability("RandomPerspective", c.draws("RandomPerspective", {"p": 0.4}), 0.4)


JITTER = ("brightness", "contrast", "saturation", "hue")
ADJUST = (F.adjust_brightness, F.adjust_contrast, F.adjust_saturation, F.adjust_hue)


def color_jitter(c):
    for which, factors in enumerate(((0.0, 0.4, 1.7), (0.0, 0.5, 1.6), (0.0, 0.3, 1.9), (-0.5, -0.13, 0.2))):
        for factor in factors:
            c.both("ColorJitter", lambda i: ADJUST[which](i, factor), {JITTER[which]: [factor, factor]})
    factors = (1.2, 0.8, 1.3, 0.1)
    for order in ((0, 1, 2, 3), (3, 1, 0, 2)):
        def all_of(image):
            for which in order:
                image = ADJUST[which](image, factors[which])
            return image
        c.both("ColorJitter", all_of, {"brightness": 0.5, "contrast": 0.5, "saturation": 0.5, "hue": 0.3},
               draws=[*order, *factors])
    draws = c.draws("ColorJitter", {"brightness": 0.4, "contrast": [0.5, 0.9], "saturation": 1, "hue": 0.2})
    for place, (low, high) in enumerate(((0.6, 1.4), (0.5, 0.9), (0, 2), (-0.2, 0.2))):
        c.uniform("ColorJitter", JITTER[place], [d[4 + place] for d in draws], low, high)
    orders = [tuple(d[:4]) for d in draws]
    c.equally("ColorJitter", "order", orders, sorted(set(orders)))
    if len(set(orders)) != 24:
        c.fail("ColorJitter", f"{len(set(orders))} orders of 24")


def grayscale(c):
    for channels in (1, 3):
        c.both("Grayscale", lambda i: F.rgb_to_grayscale(i, channels) if isinstance(i, torch.Tensor)
               else F.to_grayscale(i, channels), {"num_output_channels": channels})


def gray_three(image):
    return F.rgb_to_grayscale(image, 3) if isinstance(image, torch.Tensor) else F.to_grayscale(image, 3)


def gaussian_blur(c):
    for kernel, sigma in (([3, 3], 0.8), ([5, 9], 2.0), ([7, 1], 0.1)):
        c.both("GaussianBlur", lambda i: F.gaussian_blur(i, kernel, [sigma, sigma]),
               {"kernel_size": kernel, "sigma": sigma})
    c.uniform("GaussianBlur", "sigma", [d[0] for d in c.draws("GaussianBlur", {"kernel_size": 3})], 0.1, 2.0)


def erasing(c):
    for image in c.images:
        tensor = F.to_tensor(image)
        value = [0.1, 0.5, 0.9]
        c.agree("RandomErasing", tensor, F.erase(tensor, 4, 6, 10, 13, torch.tensor(value)[:, None, None]), most=0.01,
                params={"p": 1, "value": value}, draws=[4, 6, 10, 13, 1])
    ours = [d for d in c.draws("RandomErasing", {"p": 1}) if d]
    torch.manual_seed(5)
    image = torch.zeros(3, 40, 60)
    theirs = [T.RandomErasing.get_params(image, (0.02, 0.33), (0.3, 3.3), [0.0]) for _ in range(DRAWS)]
    theirs = [t for t in theirs if (t[2], t[3]) != (40, 60)]
    for place, name in enumerate(("top", "left", "height", "width")):
        c.same_as("RandomErasing", name, [d[place] for d in ours], [t[place] for t in theirs])
    noise = c.run("RandomErasing", torch.zeros(3, 64, 64), params={"p": 1, "value": None}, draws=[0, 0, 60, 60, 77])
    p = stats.kstest(noise[:, :60, :60].flatten(), "norm").pvalue
    c.done("RandomErasing")
    if p < SIGNIFICANCE:
        c.fail("RandomErasing", f"the noise is not normal: p = {p:.2g}")
    c.probability("RandomErasing", c.draws("RandomErasing", {"p": 0.35, "scale": [0.1, 0.1], "ratio": [1, 1]}), 0.35)


def rand_augment(c):
    names = ["Identity", "ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate", "Brightness", "Color", "Contrast",
             "Sharpness", "Posterize", "Solarize", "AutoContrast", "Equalize"]
    from torchvision.transforms.autoaugment import _apply_op
    for image in c.images:
        space = T.RandAugment()._augmentation_space(31, (image.height, image.width))
        if list(space) != names:
            c.fail("RandAugment", f"torchvision's operations are {list(space)}")
        for number, name in enumerate(names):
            magnitudes, signed = space[name]
            for level in (5, 9, 30):
                for sign in ((1, -1) if signed else (1,)):
                    magnitude = float(magnitudes[level]) * sign if magnitudes.ndim else 0.0
                    c.agree("RandAugment", image, _apply_op(image, name, magnitude, MODES["nearest"], None), params={},
                            draws=[number, magnitude], **ROUNDED)
    draws = c.draws("RandAugment", {"num_ops": 2, "magnitude": 9}, shape=(40, 60, 3), element="uint8")
    c.equally("RandAugment", "first operation", [d[0] for d in draws], range(14))
    c.equally("RandAugment", "second operation", [d[2] for d in draws], range(14))
    space = T.RandAugment()._augmentation_space(31, (40, 60))
    for number, name in enumerate(names):
        magnitudes, signed = space[name]
        wanted = round(float(magnitudes[9]) if magnitudes.ndim else 0.0, 3)
        drawn = [round(d[1], 3) for d in draws if d[0] == number]
        c.equally("RandAugment", f"magnitude of {name}", drawn, sorted({wanted, -wanted}) if signed else [wanted])


CASES = {
    "ToTensor": to_tensor, "Normalize": normalize, "Standardize": standardize, "MinMax": min_max, "OneHot": one_hot,
    "Resize": resize, "CenterCrop": center_crop, "Pad": pad, "RandomCrop": random_crop,
    "RandomResizedCrop": random_resized_crop, "RandomRotation": rotation, "RandomAffine": affine,
    "RandomPerspective": perspective, "ColorJitter": color_jitter, "Grayscale": grayscale,
    "GaussianBlur": gaussian_blur, "RandomErasing": erasing, "RandAugment": rand_augment,
    "RandomHorizontalFlip": occasional("RandomHorizontalFlip", F.hflip, {}, most=0),
    "RandomVerticalFlip": occasional("RandomVerticalFlip", F.vflip, {}, most=0),
    "RandomGrayscale": occasional("RandomGrayscale", gray_three, {}),
    "RandomAutocontrast": occasional("RandomAutocontrast", F.autocontrast, {}),
    "RandomInvert": occasional("RandomInvert", F.invert, {}),
    "RandomAdjustSharpness": occasional("RandomAdjustSharpness", lambda i: F.adjust_sharpness(i, 1.8),
                                        {"sharpness_factor": 1.8}),
    "RandomSolarize": occasional("RandomSolarize", lambda i: F.solarize(i, 0.6),
                                 {"threshold": 0.6}),
    "RandomPosterize": occasional_bytes("RandomPosterize", lambda i: F.posterize(i, 3), {"bits": 3}),
    "RandomEqualize": occasional_bytes("RandomEqualize", F.equalize, {}),
}
# Parameters of ours that torchvision has not, or has under no such default.
OURS = {"when"}
NOT_OURS = {"inplace"}
OTHER_DEFAULTS = {("Normalize", "mean"), ("Normalize", "std")}


def same_default(ours, theirs):
    if hasattr(theirs, "value"):
        theirs = theirs.value
    if isinstance(theirs, (tuple, list)):
        theirs = list(theirs)
    if isinstance(ours, list) and not isinstance(theirs, list):
        return ours == [theirs] or all(entry == theirs for entry in ours)
    return np.allclose(ours, theirs) if isinstance(ours, list) else ours == theirs or str(ours) == str(theirs)


def compare_parameters(c, kind):
    """Names and defaults are torchvision's."""
    import inspect
    reference = getattr(T, kind["kind"], None)
    if reference is None:
        return
    theirs = inspect.signature(reference.__init__).parameters
    for name, value in kind["params"].items():
        if name in OURS or (kind["kind"], name) in OTHER_DEFAULTS:
            continue
        if name not in theirs:
            c.fail(kind["kind"], f"torchvision has no parameter {name}")
        elif theirs[name].default is not inspect.Parameter.empty and not same_default(value, theirs[name].default):
            c.fail(kind["kind"], f"{name} is {value}, torchvision's default is {theirs[name].default}")
    for name, parameter in theirs.items():
        optional = parameter.default is not inspect.Parameter.empty
        if name != "self" and name not in NOT_OURS and optional and name not in kind["params"] \
                and (kind["kind"], name) not in OTHER_DEFAULTS:
            c.fail(kind["kind"], f"lacks torchvision's parameter {name}")


def main(probe_path, photos, wanted):
    images = [Image.open(file).convert("RGB") for file in sorted(pathlib.Path(photos).glob("*.png"))]
    assert len(images) >= 4, "photographs are missing"
    c = Checks(Probe(probe_path), images)
    kinds = [kind for kind in c.probe.ask(catalog=True)["kinds"] if not wanted or kind["kind"] in wanted]
    for kind in kinds:
        name = kind["kind"]
        if name in ELSEWHERE:
            tests = pathlib.Path(__file__).parent.parent / "engine"
            if not any(f'"{name}"' in file.read_text() for file in tests.rglob("tst_*.cpp")):
                c.fail(name, "no test names it")
            continue
        if name not in CASES:
            c.fail(name, "has no case")
            continue
        compare_parameters(c, kind)
        before = len(c.failures)
        CASES[name](c)
        print(f"{name}: {c.count.get(name, 0)} comparisons, {len(c.failures) - before} failed")
    for failure in c.failures[:60]:
        print(failure)
    return 1 if c.failures or not kinds else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
