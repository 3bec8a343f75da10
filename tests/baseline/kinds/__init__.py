"""References of all network kinds: one file per family, each with a table KINDS = {kind: Reference}."""
import importlib
import pkgutil


def references():
    table = {}
    for module in pkgutil.iter_modules(__path__):
        for kind, reference in importlib.import_module(f"{__name__}.{module.name}").KINDS.items():
            assert kind not in table, f"{kind} has two references"
            table[kind] = reference
    return table
