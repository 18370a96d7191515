"""What a refusal is about: the call, hook, option and number that Lightning names must stand in our words too."""
import re

# By code: where Lightning's message names something. A group is looked for in our message as it stands; True and False are written small there.
NAMED = {
    "E1": r"self\.log\((on_step)=False, (on_epoch)=False\)",
    "E2": r"inside `(\w+)`",
    "E4": r"self\.log\((\w+)=(True|False)\)` inside `(\w+)`",
    "E5": r"self\.log\(([^,]+), .*\)` was called, but (?:`\w+` values|nested dictionaries) cannot be logged",
    "E6": r"self\.log\(([^,]+), .*\)` was called, but the tensor must have a single element",
    "E7": r"with the key `([^`]+)` but it should not contain information about `(\w+)`",
    "E8": r"self\.log\(([^,]+), \.\.\.\)` twice in `(\w+)`",
    "E9": r"(reduce_fx)=\{(min),(max),(mean),(sum)\}.* Found: (\S*)$",
    "E10": r"the `torchmetrics\.(Metric)`",
    "E12": r"provide the (batch_size)",
    "E13": r"in a `(predict)` hook|(predict)",
    "E15": r"metric logged as '([^']+)'",
    "E16": r"(val_check_interval)` ?\((\d+)\) must be less than or equal to the number of the training batches \((\d+)\)|(val_check_interval)",
    "E17": r"increase the `(limit_\w+_batches)` argument",
}


def named_by(code, theirs):
    """The words of Lightning's message that ours must have; nothing when its form is not known."""
    found = re.search(NAMED.get(code, r"(?!)"), theirs, re.S)
    return [word.lower() if word in ("True", "False") else word for word in found.groups() if word] if found else None


def difference(code, ours, theirs):
    words = named_by(code, theirs)
    if words is None:
        return f"the form of this message is not known: {theirs!r}"
    lacking = [word for word in words if word not in ours]
    return f"does not name {lacking}: {ours!r} instead of {theirs!r}" if lacking else None
