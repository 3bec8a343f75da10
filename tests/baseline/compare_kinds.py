"""Every kind of the network catalog against PyTorch, on random parameters that are drawn from the catalog.

Usage: compare_kinds.py KIND_PROBE ATHANOR_CLI [KIND …]

Of each kind at least 20 valid parameter sets must agree in shape, number of parameters, multiply-accumulates, names
and first values of the state, outputs, gradients and state after the step; the defaults must be PyTorch's; and
parameters and inputs that make no sense must give an error, with a cure where they do not fit each other. A kind
without a reference (kinds/) is a failure.
"""
import json
import pathlib
import subprocess
import sys
import warnings
import zlib

import torch

import kinds
from kind_reference import REQUIRED, Draw, build, torch_defaults
from kind_refusals import refusals

CASES = 24
# What these kinds compute is written by a person or drawn by one: tests in these folders must name each of them.
ELSEWHERE = {"Script": "engine/train/script", "Group": "engine"}
UNKNOWN = -2
warnings.simplefilter("ignore", UserWarning)


class Failures:
    def __init__(self):
        self.texts = []

    def add(self, kind, what, case):
        if len(self.texts) < 60:
            print(f"{kind}: {what}\n    {case}")
        self.texts.append(what)


def catalog(cli, wanted):
    listed = json.loads(subprocess.run([cli, "layers", "--json"], check=True, capture_output=True).stdout)
    network = [kind for kind in listed if kind["graph"] == "network" and kind["family"] != "Input"]
    return [kind for kind in network if not wanted or kind["kind"] in wanted]


def is_tested_elsewhere(kind):
    folder = pathlib.Path(__file__).parent.parent / ELSEWHERE.get(kind["family"], "no such folder")
    return any(f'"{kind["kind"]}"' in file.read_text() for file in folder.rglob("*.cpp"))


def ask(probe, requests):
    """The probe's answers; fewer than requests when it crashed on the one after the last."""
    text = "\n".join(json.dumps(request) for request in requests) + "\n"
    done = subprocess.run([probe], input=text, capture_output=True, text=True, timeout=240)
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode


def tensor_json(tensor):
    return {"shape": list(tensor.shape), "values": tensor.detach().flatten().tolist()}


def random_state(module, draw):
    """Values unlike the initial ones for parameters and buffers: scales and variances stay positive."""
    with torch.no_grad():
        for name, tensor in module.state_dict(keep_vars=True).items():
            if not tensor.is_floating_point():
                tensor.fill_(draw.int(1, 3))
            elif name.endswith("var"):
                tensor.copy_(draw.floats(*tensor.shape).abs() + 0.5)
            else:
                tensor.copy_(draw.floats(*tensor.shape) * 0.5)


class Case:
    """One valid set of parameters with its inputs, and what PyTorch makes of it."""

    def __init__(self, kind, reference, number):
        self.kind, self.reference = kind["kind"], reference
        self.seed = zlib.crc32(f"{self.kind} {number}".encode()) % 2**31
        self.draw = Draw(kind["params"], self.seed, defaults=number == 0)
        self.inputs = reference.case(self.draw)
        self.params = dict(self.draw.params)
        self.train = number % 3 != 2
        if number % 4 == 3:
            self.params.update(reference.inferred(self.params, [i.tensor for i in self.inputs]))
        torch.manual_seed(self.seed)
        self.module = build(self.kind, reference, self.params, self.inputs)
        self.initial = {name: tensor.clone() for name, tensor in self.module.state_dict().items()}
        random_state(self.module, self.draw)
        self.state = {name: tensor.clone() for name, tensor in self.module.state_dict().items()}

    def request(self, params=None, inputs=None):
        state = {name: tensor_json(tensor) for name, tensor in self.state.items()}
        return {"kind": self.kind, "params": self.params if params is None else params, "seed": self.seed,
                "train": self.train, "state": state,
                "inputs": [i.json() for i in (self.inputs if inputs is None else inputs)]}

    def text(self):
        return json.dumps(self.params) + " on " + ", ".join(str(list(i.tensor.shape)) for i in self.inputs)

    def run(self):
        """PyTorch's outputs, gradients of inputs and gradients of parameters (None where nothing flows)."""
        tensors = [i.tensor.clone().requires_grad_(i.tensor.is_floating_point()) for i in self.inputs]
        self.module.train(self.train)
        torch.manual_seed(self.seed + 1)
        outputs = self.module(*tensors)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        total = 0
        for port, output in enumerate(outputs):
            if output.requires_grad:
                place = torch.arange(output.numel(), dtype=torch.float64)
                total = total + (output * (place * 0.7 + 0.3 * port).cos().float().view(output.shape)).sum()
        if isinstance(total, torch.Tensor):
            total.backward()
        gradients = {name: parameter.grad for name, parameter in self.module.named_parameters()}
        return outputs, [t.grad for t in tensors], {n: g.to_dense() if g is not None and g.is_sparse else g
                                                    for n, g in gradients.items()}

    # --- comparison ---

    def compare(self, answer, fail):
        try:
            outputs, input_gradients, gradients = self.run()
        except (RuntimeError, ValueError, TypeError) as error:
            fail(f"PyTorch refuses what the reference draws: {error}")
            return
        if "error" in answer or answer["problems"]:
            fail("refused: " + str(answer.get("error", answer.get("problems"))))
            return
        self.compare_types(answer, outputs, fail)
        wanted = sum(p.numel() for p in self.module.parameters() if p.requires_grad)
        if answer["parameters"] != wanted:
            fail(f"{answer['parameters']} parameters instead of {wanted}")
        wanted = self.reference.macs(self.module, [i.tensor for i in self.inputs], outputs)
        if answer["macs"] != wanted:
            fail(f"{answer['macs']} multiply-accumulates instead of {wanted}")
        if answer["state_names"] != list(self.initial):
            fail(f"state names {answer['state_names']} instead of {list(self.initial)}")
        self.compare_named("initial", answer["initial"], self.initial, fail)
        self.compare_named("state", answer["state"], self.module.state_dict(), fail)
        self.compare_named("gradient", answer["gradients"], gradients, fail)
        self.compare_all("output", answer["outputs"], outputs, fail)
        self.compare_all("gradient of input", answer["input_gradients"], input_gradients, fail)

    def compare_types(self, answer, outputs, fail):
        if not answer["types"]:  # a loss
            return
        shapes = [[-1] + list(output.shape)[1:] for output in outputs]
        if answer["types"] != shapes:
            fail(f"the shape rule says {answer['types']} instead of {shapes}")
        for how in ("unknown", "blind"):
            if answer[how]["problems"]:
                fail(f"a problem although the extents are not known ({how}): {answer[how]['problems']}")
            for known, shape in zip(answer[how]["types"], shapes):
                if known is not None and (len(known) != len(shape)
                                          or any(a not in (b, UNKNOWN) for a, b in zip(known, shape))):
                    fail(f"from {how} extents the shape rule says {known}, which {shape} contradicts")

    def compare_all(self, what, ours, theirs, fail):
        if len(ours) != len(theirs):
            fail(f"{len(ours)} times {what} instead of {len(theirs)}")
        for number, (one, other) in enumerate(zip(ours, theirs)):
            self.compare_tensor(f"{what} {number}", one, other, fail)

    def compare_named(self, what, ours, theirs, fail):
        if set(ours) != set(theirs):
            fail(f"{what} of {sorted(ours)} instead of {sorted(theirs)}")
        for name in set(ours) & set(theirs):
            self.compare_tensor(f"{what} of {name}", ours[name], theirs[name], fail)

    def compare_tensor(self, what, ours, theirs, fail):
        if ours is None or theirs is None:
            present = ours["values"] if ours is not None else theirs.flatten().tolist() if theirs is not None else []
            if any(value != 0 for value in present):  # no gradient at all and one of zeros are one thing
                fail(f"{what} is missing on one side")
            return
        theirs = theirs.detach().double()
        if ours["shape"] != list(theirs.shape):
            fail(f"{what} has the shape {ours['shape']} instead of {list(theirs.shape)}")
            return
        ours = torch.tensor([float(v) for v in ours["values"]], dtype=torch.float64).view(theirs.shape)
        if ours.numel() and not torch.allclose(ours, theirs, rtol=0, equal_nan=True,
                                               atol=self.reference.tolerance * max(1e-3, theirs.abs().max().item())):
            fail(f"{what} differs by {(ours - theirs).abs().max().item():g} of {theirs.abs().max().item():g}")


def compare_defaults(kind, reference, fail):
    specs = {spec["name"]: spec for spec in kind["params"]}
    for name, default in torch_defaults(kind["kind"]).items():
        spec = specs.get(name)
        if name in reference.ours:
            continue
        if spec is None:
            fail(f"has no parameter {name}")
        elif default == REQUIRED and not spec["required"] and not spec["inferred"]:
            fail(f"{name} is not required")
        elif default != REQUIRED and spec["default"] != default:
            fail(f"{name} is {spec['default']!r} by default instead of {default!r}")


def check(probe, kind, reference, failures):
    name = kind["kind"]
    compare_defaults(kind, reference, lambda what: failures.add(name, what, "defaults"))
    cases = [Case(kind, reference, number) for number in range(CASES)]
    requests = [(case.request(), case, None) for case in cases]
    for case in cases[:3]:
        for what, params, inputs in refusals(kind, reference, case.params, case.inputs):
            requests.append((case.request(params, inputs), None, what))
    for what, params, inputs in reference.wrong(cases[0].draw):
        requests.append((cases[0].request(params, inputs), cases[0], what))
    answers, status = ask(probe, [request for request, _, _ in requests])
    if status != 0 or len(answers) != len(requests):
        brief = {k: v for k, v in requests[min(len(answers), len(requests) - 1)][0].items() if k != "state"}
        failures.add(name, f"the probe ended with {status}", json.dumps(brief)[:1000])
    for answer, (request, case, what) in zip(answers, requests):
        if what is None:
            case.compare(answer, lambda text, case=case: failures.add(name, text, case.text()))
        elif "error" not in answer and not answer["problems"]:
            failures.add(name, f"accepts {what}", json.dumps(request["params"]))
        elif case and any(text.endswith("()") for text in answer["problems"]):
            failures.add(name, f"does not say what to do about {what}", str(answer["problems"]))
    return len(cases), len(requests) - len(cases)


def main(probe, cli, *wanted):
    torch.set_num_threads(1)
    failures = Failures()
    references = kinds.references()
    listed = catalog(cli, wanted)
    assert wanted or len(listed) > 60, "the catalog is not complete"
    agreed = refused = 0
    for kind in listed:
        reference = references.get(kind["kind"])
        if reference is None and is_tested_elsewhere(kind):
            continue
        if reference is None:
            failures.add(kind["kind"], "has no reference in tests/baseline/kinds", "")
            continue
        valid, wrong = check(probe, kind, reference, failures)
        agreed, refused = agreed + valid, refused + wrong
    print(f"{len(listed)} kinds, {agreed} cases compared, {refused} refusals, {len(failures.texts)} failures")
    return 1 if failures.texts else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
