"""Compares what libtaffrail.so shows with the list kept beside this file:  exported_symbols.py LIBRARY [--write]

Weak symbols (inline functions, templates) depend on the optimiser and are left out; vtables and typeinfos of exported classes are in.
"""

import subprocess
import sys
from pathlib import Path

# What code compiled with -finstrument-functions calls.
HOOKS = {"__cyg_profile_func_enter", "__cyg_profile_func_exit"}
LIST = Path(__file__).with_name("exported_symbols.txt")


def of_nm(output: str):
    """(symbols of the library, symbols that are not ours) out of `nm -DC --defined-only`."""
    ours, foreign = set(), set()
    for line in output.splitlines():
        _, kind, name = line.split(" ", 2)
        owner = name.removeprefix("vtable for ").removeprefix("typeinfo for ").removeprefix("typeinfo name for ")
        if name in HOOKS:
            ours.add(name)
        elif not owner.startswith("taffrail::"):
            foreign.add(name)
        elif kind not in "WwVu" or name != owner:
            ours.add(name)
    return ours, foreign


def differences(ours, foreign, listed):
    return [f"not in the list: {name}" for name in sorted(ours - listed)] + [f"not in the library any more: {name}" for name in sorted(listed - ours)] + [
        f"of somebody else: {name}" for name in sorted(foreign)]


def test_of_the_test():
    sample = "0 T taffrail::init(int)\n0 W taffrail::inlined()\n0 V vtable for taffrail::Run\n0 T ZSTD_compress\n"
    ours, foreign = of_nm(sample)
    assert ours == {"taffrail::init(int)", "vtable for taffrail::Run"} and foreign == {"ZSTD_compress"}
    assert differences({"a", "b"}, set(), {"a"}) == ["not in the list: b"]
    assert differences({"a"}, set(), {"a", "b"}) == ["not in the library any more: b"]
    assert differences({"a"}, {"z"}, {"a"}) == ["of somebody else: z"]
    assert not differences({"a"}, set(), {"a"})


def main() -> int:
    test_of_the_test()
    output = subprocess.run(["nm", "-DC", "--defined-only", sys.argv[1]], check=True, capture_output=True, text=True).stdout
    ours, foreign = of_nm(output)
    if "--write" in sys.argv:
        LIST.write_text("".join(f"{name}\n" for name in sorted(ours)))
    wrong = differences(ours, foreign, set(LIST.read_text().splitlines()))
    print("\n".join(wrong) or f"{len(ours)} symbols, all listed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
