"""Rows of a benchmark: joined with their targets, judged, printed."""

import math


def measured(number) -> bool:
    return isinstance(number, (int, float)) and not isinstance(number, bool) and math.isfinite(number)


def judge(row: dict, target: dict) -> dict:
    """A target is {"at_most": x} or {"at_least": x}, on the ratio when there is a peer, else on the value.

    What was not measured is missed, and so is a 0: nothing that is measured costs nothing, so a 0, or less, is a measurement of the wrong
    thing. Targets of what may be 0 (events lost, memory grown) say so with "may_be_zero".
    """
    number = row.get("ratio") if target.get("of") == "ratio" else row.get("value")
    text = f"≤ {target['at_most']:g}" if "at_most" in target else f"≥ {target['at_least']:g}"
    reason = row.get("reason")
    if not measured(number):
        met, reason = False, reason or "not measured"
    elif number <= 0 and not target.get("may_be_zero"):
        met, reason = False, reason or f"{'0' if number == 0 else 'less than 0'} is no measurement"
    else:
        met = number <= target["at_most"] if "at_most" in target else number >= target["at_least"]
        met = met and all(check(row) for check in target.get("also", []))
    return {**row, "target": text + (" ×" if target.get("of") == "ratio" else ""), "met": met, "reason": reason}


def finish_rows(rows: list, targets: dict) -> list:
    """Every target has a row; a row that was not measured is missed, with a reason."""
    found = {row["id"]: row for row in rows}
    finished = []
    for name, target in targets.items():
        row = {"id": name, "value": None, "unit": "", "peer": None, "peer_value": None, "ratio": None, "reason": None}
        row.update(found.pop(name, {"reason": "not measured"}))
        finished.append(judge(row, target))
    finished += [{"target": "", "met": None, **row} for row in found.values()]
    return finished


def print_table(rows: list) -> None:
    def number(value):
        if value is None:
            return "–"
        return f"{value:,.4g}" if abs(value) < 1e5 else f"{value:,.0f}"

    print(f"{'id':38} {'value':>12} {'unit':8} {'peer':>24} {'ratio':>9} {'target':>10}  met")
    for row in rows:
        peer = f"{row['peer']} {number(row['peer_value'])}" if row.get("peer") else ""
        met = {True: "yes", False: "NO", None: "–"}[row["met"]]
        note = f"  ({row['reason']})" if row.get("reason") else ""
        if row.get("spread"):
            note += "  ours " + "–".join(map(number, row["spread"])) + (f", peer {'–'.join(map(number, row['peer_spread']))}" if row.get("peer_spread") else "")
        print(f"{row['id']:38} {number(row.get('value')):>12} {row.get('unit') or '':8} {peer:>24} "
              f"{number(row.get('ratio')):>9} {row['target']:>10}  {met}{note}")
