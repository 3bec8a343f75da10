"""Parameters and inputs that no kind may accept, made from its ParamSpecs and ports."""
import torch

from kind_reference import Input

FAR = 2**40  # beyond every whole number of a layer


def wrong_values(spec):
    """Values of another type, and out of range."""
    kind, entry = spec["type"], spec["type"].split(" of ")[-1]
    wrong = [{"a": 1}]
    if kind in ("int", "real", "bool", "choice"):
        wrong += [[[1], 2]]
    if kind != "text" and kind != "path" and kind != "int or text" and entry != "text":
        wrong += ["no such word"]
    if kind in ("int", "int or list", "bool", "choice", "int or text"):
        wrong += [1.5]
    if kind in ("int", "real", "int or list", "list of int", "list of real", "choice"):
        wrong += [True]
    if kind in ("bool", "choice", "text"):
        wrong += [1]
    if not spec["nullable"] and not spec["inferred"]:
        wrong += [None]
    if kind in ("int", "real", "int or list"):
        wrong += out_of_range(spec, whole=kind != "real")
    if kind in ("int or list", "list of int", "list of real"):
        wrong += [[], ["a"]]
        if spec.get("list_size"):
            wrong += [[1] * (spec["list_size"] + 1)]
    return wrong


def out_of_range(spec, whole):
    wrong = []
    if "minimum" in spec:
        wrong += [spec["minimum"] - 1, -FAR]
    if "above" in spec:
        wrong += [spec["above"], spec["above"] - 1]
    if "maximum" in spec:
        wrong += [spec["maximum"] + 1]
    if "below" in spec:
        wrong += [spec["below"]]
    return [int(value) for value in wrong] if whole else wrong


def wrong_params(kind, reference, params, inputs):
    for spec in kind["params"]:
        for value in wrong_values(spec) if spec["type"] != "any" else []:
            yield f"{spec['name']} = {value!r}", {**params, spec["name"]: value}, inputs
        if spec["required"]:
            yield f"no {spec['name']}", {n: v for n, v in params.items() if n != spec["name"]}, inputs
    yield "an unknown parameter", {**params, "no_such_parameter": 1}, inputs
    for name, value in reference.inferred(params, [i.tensor for i in inputs]).items():
        if isinstance(value, int) and name not in params:
            yield f"{name} that does not fit the input", {**params, name: value + 1}, inputs


def wrong_inputs(kind, reference, params, inputs):
    for port in kind["inputs"]:
        if not port["optional"]:
            yield f"nothing at {port['name']}", params, [i for i in inputs if i.port != port["name"]]
        if not port["variadic"] and any(i.port == port["name"] for i in inputs):
            yield f"two at {port['name']}", params, inputs + [i for i in inputs if i.port == port["name"]][:1]
    yield "an unknown port", params, inputs + [Input(inputs[0].tensor, "no_such_port")]
    if inputs[0].tensor.is_floating_point() and not reference.takes_index:
        index = Input(torch.zeros(inputs[0].tensor.shape, dtype=torch.long), inputs[0].port, 3)
        yield "class indices", params, [index] + inputs[1:]
    if reference.ranks is not None:
        for rank in set(range(1, 8)) - reference.ranks:
            yield f"rank {rank}", params, [Input(torch.ones([2] * rank), inputs[0].port)] + inputs[1:]


def refusals(kind, reference, params, inputs):
    yield from wrong_params(kind, reference, params, inputs)
    yield from wrong_inputs(kind, reference, params, inputs)
