"""Every line below has a mistake that a type checker must find (tests/python/test_types.py). It is not run."""

import taffrail

run = taffrail.init()
taffrail.init(projct="x")
taffrail.Imag([1])
run.log({1: 2.0})
run.log({"a": 1.0}, step="3")
run.logg({})
run.scalar(5)
taffrail.guard(3)
taffrail.read().run("n").read(5)
taffrail.profile.AdvancedProfiler().begin()
load: int = taffrail.profile(lambda: 5)()("x")
