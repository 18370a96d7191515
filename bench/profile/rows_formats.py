"""Traces read and written, a flame graph drawn; processor time of one core, rounds in turn."""

TARGETS = {
    "trace.write_mb_s": {"at_least": 300},
    "trace.read_mb_s": {"at_least": 200},
    "trace.read_rss_ratio": {"at_most": 1.5},
    "flame.svg_mib_s": {"at_least": 40},
}
WHAT = {"trace.write": "trace.write_mb_s", "trace.read": "trace.read_mb_s", "trace.rss": "trace.read_rss_ratio", "flame.svg": "flame.svg_mib_s"}


def run(context) -> list:
    context.build("formats_bench")
    size = "40" if context.quick else "200"
    found = {name: [] for name in TARGETS}
    for _ in range(3 if context.quick else 7):
        for what, name in WHAT.items():
            found[name].append(context.native("bench/profile/formats_bench", what, size)[name])
    return [{**rounds[0], "value": context.median([row["value"] for row in rounds])} for rounds in found.values()]
