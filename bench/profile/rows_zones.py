"""Zones beside the floor of the machine (two reads of the counter) and beside Tracy's client; the memory of a profiler over a day."""

import json
import os
import shutil
import subprocess

TARGETS = {
    "zone.cost_over_floor": {"at_most": 1.3},
    "zone.vs_tracy": {"at_most": 0.6, "of": "ratio"},
    "zone.off_ns": {"at_most": 2},
    "zone.lost": {"at_most": 0, "may_be_zero": True},
    "zone.rss_mb": {"at_most": 64},
    "simple.day_rss_mb": {"at_most": 1, "may_be_zero": True},
}
CRATE = "tracy-client-sys@0.30.1"
# As its users build it, without what would sample, announce itself or leave this machine. Never TRACY_ON_DEMAND: it records nothing then.
FLAGS = ["-O2", "-std=c++17", "-DTRACY_ENABLE", "-DTRACY_ONLY_LOCALHOST", "-DTRACY_NO_BROADCAST", "-DTRACY_NO_SAMPLING", "-DTRACY_NO_SYSTEM_TRACING"]


def tracy(context):
    """The program with Tracy's zones, built once and kept."""
    folder = context.cache / "tracy" / CRATE.replace("@", "-")
    program, source = folder / "tracy_bench", context.root / "bench" / "zones" / "tracy_bench.cpp"
    if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
        return program
    cargo = shutil.which("cargo")
    if cargo is None:
        raise RuntimeError("cargo is not installed, and Tracy's client comes as a crate")
    sources = folder / "crate" / "vendor" / "tracy-client-sys" / "tracy"
    if not sources.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for words in (["init", "--quiet", "--lib", "--name", "peer", "crate"], ["add", "--quiet", CRATE], ["vendor", "--quiet", "vendor"]):
            subprocess.run([cargo, *words], cwd=folder if words[0] == "init" else folder / "crate", check=True, capture_output=True, timeout=300)
    where = [f"-I{sources}", f"-I{sources.parent}"]
    include = folder / "include" / "tracy"
    if not include.exists():
        include.parent.mkdir(parents=True, exist_ok=True)
        include.symlink_to(sources / "tracy" if (sources / "tracy" / "Tracy.hpp").exists() else sources)
    subprocess.run(["g++", *FLAGS, *where, f"-I{include.parent}", "-o", program, source, sources / "TracyClient.cpp", "-lpthread", "-ldl"], check=True,
                   capture_output=True, timeout=600)
    return program


def run(context) -> list:
    context.build("zone_bench", "profiler_day_bench")
    rounds, zones = (5, 300_000) if context.quick else (15, 1_000_000)
    peer, reason = None, None
    try:
        peer = tracy(context)
    except Exception as error:  # noqa: BLE001 - any failure of the peer is a missed row with a reason
        reason = f"{error} {getattr(error, 'stderr', b'') or ''}"[-300:]
    ours, theirs, last = {name: [] for name in ("floor_ns", "zone_ns", "off_ns")}, [], {}
    for _ in range(rounds):  # in turn, so that what the machine does meanwhile meets both
        done = subprocess.run([context.built / "bench" / "zones" / "zone_bench", "1", str(zones)], check=True, capture_output=True, text=True, timeout=120)
        last = json.loads(done.stdout)
        for name, values in ours.items():
            values += last[name]
        if peer:
            done = subprocess.run([peer, str(zones)], check=True, capture_output=True, text=True, timeout=120, env={**os.environ, "TRACY_NO_EXIT": "0"})
            found = json.loads(done.stdout)
            if found["grown_mib"] < zones * 32 / 2**20:
                raise RuntimeError(f"Tracy recorded nothing: its memory grew by {found['grown_mib']} MiB")
            theirs.append(found["zone_ns"])
    zone, floor = context.median(ours["zone_ns"]), context.median(ours["floor_ns"])
    ratios = [one / two for one, two in zip(ours["zone_ns"], ours["floor_ns"])]
    against = {"id": "zone.vs_tracy", "value": zone, "unit": "ns", "peer": "tracy 0.14 client"}
    if theirs:
        against |= {"peer_value": context.median(theirs), "ratio": zone / context.median(theirs)}
    else:
        against["reason"] = reason
    return [
        {"id": "zone.cost_over_floor", "value": context.median(ratios), "unit": "times", "peer": "two reads of the counter", "peer_value": floor, "zone_ns": zone},
        against,
        {"id": "zone.off_ns", "value": context.median(ours["off_ns"]), "unit": "ns"},
        {"id": "zone.lost", "value": last["lost"], "unit": "zones", "zones_per_s_thread": last["zones_per_s_thread"]},
        {"id": "zone.rss_mb", "value": last["rss_mib"] * 2**20 / 1e6, "unit": "MB"},
        context.native("bench/zones/profiler_day_bench")["simple.day_rss_mb"],
    ]
