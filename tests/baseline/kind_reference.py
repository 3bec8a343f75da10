"""What PyTorch makes of a network kind, and how random parameters and inputs for it are drawn."""
import inspect
import random
from dataclasses import dataclass, field
from typing import Callable, Optional

import torch
from torch import nn

# Arguments of PyTorch's constructors that are no settings of a layer, or are deprecated there.
NO_SETTINGS = {"self", "args", "kwargs", "device", "dtype", "size_average", "reduce", "return_indices", "inplace",
               "min_value", "max_value"}
REQUIRED = "(required)"


@dataclass
class Input:
    """A tensor for a port; whole numbers go in as indices below `classes` (0: not known)."""
    tensor: torch.Tensor
    port: str = "input"
    classes: int = 0

    def json(self):
        index = not self.tensor.is_floating_point()
        return {"port": self.port, "shape": list(self.tensor.shape), "index": index, "classes": self.classes,
                "values": self.tensor.flatten().tolist()}


class Draw:
    """Random values of one case: `params` from the catalog's ParamSpecs, numbers and tensors on request."""

    def __init__(self, specs, seed, defaults=False):
        self.rng = random.Random(seed)
        self.generator = torch.Generator().manual_seed(seed % 2**31)
        self.specs = {spec["name"]: spec for spec in specs}
        self.batch = self.int(2, 4)
        self.params = {}
        for name, spec in self.specs.items():
            written = not spec["inferred"] and not defaults and self.rng.random() < 0.6
            if spec["required"] or written:
                self.params[name] = self.value(spec)

    def int(self, low, high):
        return self.rng.randint(low, high)

    def pick(self, *values):
        return self.rng.choice(values)

    def chance(self, share):
        return self.rng.random() < share

    def floats(self, *shape):
        return torch.randn(*shape, generator=self.generator)

    def indices(self, classes, *shape):
        return torch.randint(0, classes, shape, generator=self.generator)

    def extents(self, count, low=1, high=7):
        return [self.int(low, high) for _ in range(count)]

    def set(self, name, value):
        """Writes a parameter, as when a person does; nothing when it was left out and stands at its default."""
        if name in self.params:
            self.params[name] = value

    def get(self, name):
        """The parameter's value, its default when it was not written."""
        return self.params.get(name, self.specs[name]["default"])

    def axis(self, name, axis):
        """Entry of an int-or-list parameter."""
        value = self.get(name)
        if isinstance(value, list):
            return value[axis] if len(value) > 1 else value[0]
        return value

    def whole(self, spec):
        low = max(spec.get("minimum", spec.get("above", -2) + 1 if "above" in spec else -2), -2)
        return int(min(low + self.int(0, 3), spec.get("maximum", low + 3)))

    def real(self, spec):
        low = spec.get("minimum", spec.get("above", -2.0))
        high = min(spec.get("maximum", spec.get("below", low + 3)), low + 3)
        return round(low + (high - low) * (0.05 + 0.9 * self.rng.random()), 3)

    def value(self, spec):
        kind = spec["type"]
        if spec["nullable"] and self.chance(0.3):
            return None
        if kind == "bool":
            return self.chance(0.5)
        if kind == "choice":
            return self.pick(*spec["choices"])
        if kind == "int":
            return self.whole(spec)
        if kind == "real":
            return self.real(spec)
        size = spec.get("list_size", 0) or self.int(1, 3)
        if kind == "int or list":
            if "choices" in spec and self.chance(0.3):
                return self.pick(*spec["choices"])
            return self.whole(spec) if self.chance(0.5) else [self.whole(spec) for _ in range(size)]
        if kind == "list of int":
            return [self.whole(spec) for _ in range(size)]
        if kind == "list of real":
            return [self.real(spec) for _ in range(size)]
        return None  # texts, paths and what a node checks itself: the reference's `case` writes them


@dataclass
class Reference:
    """One kind. `case(draw)` gives its inputs and may change draw.params until all fit each other."""
    case: Callable
    # All settings, inferred ones too, to a module or function of the inputs' tensors; None: torch.nn's class.
    make: Optional[Callable] = None
    # (params, input tensors) to what the shape rule infers, such as in_channels.
    inferred: Callable = lambda params, inputs: {}
    # (module, input tensors, outputs) to the multiply-accumulates of one sample.
    macs: Callable = lambda module, inputs, outputs: 0
    # (draw) to more that must be refused: (what, params, inputs).
    wrong: Callable = lambda draw: ()
    # Ranks that the first input may have; others must be refused. None: any.
    ranks: Optional[set] = None
    # Class indices may enter where numbers do.
    takes_index: bool = False
    # Constructor arguments that differ from PyTorch's on purpose.
    ours: set = field(default_factory=set)
    # Of outputs and gradients, relative to the largest number.
    tolerance: float = 1e-5


def class_of(kind):
    return getattr(nn, kind, None)


def torch_defaults(kind):
    """{name: default} of the constructor in torch.nn, {} when there is none of this name."""
    if class_of(kind) is None:
        return {}
    parameters = inspect.signature(class_of(kind).__init__).parameters
    defaults = {name: p.default for name, p in parameters.items()
                if name not in NO_SETTINGS and not name.startswith("_")}
    return {name: REQUIRED if value is inspect.Parameter.empty else list(value) if isinstance(value, tuple) else value
            for name, value in defaults.items()}


class Function(nn.Module):
    """A function as a module without state."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


class ByPort(nn.Module):
    """A module whose `compute` takes the tensors of the connected ports by name: for ports that may stay free."""

    def connect(self, inputs):
        self.ports = [i.port for i in inputs]

    def forward(self, *tensors):
        return self.compute(**dict(zip(self.ports, tensors)))


def build(kind, reference, params, inputs):
    """The module of a case, made from PyTorch's own generator state."""
    settings = {**reference.inferred(params, [i.tensor for i in inputs]), **params}
    made = reference.make(settings) if reference.make else class_of(kind)(**settings)
    if isinstance(made, ByPort):
        made.connect(inputs)
    return made if isinstance(made, nn.Module) else Function(made)
