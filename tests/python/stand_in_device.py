"""A device for tests where there is none: what it is told is done later, when tick() says so or somebody waits, and it counts who waited. Tensors, events and
streams have the words of torch; jax_array() has those of JAX."""

import sys
from types import ModuleType, SimpleNamespace


class Device:
    def __init__(self):
        self.told = self.done = self.waits = 0
        self.broken = False

    def tell(self):
        self.told += 1
        return self.told

    def tick(self, count=1):
        self.done = min(self.done + count, self.told)

    def wait(self, until):
        if self.broken:
            raise RuntimeError("the device is gone")
        self.waits += self.done < until
        self.done = max(self.done, until)

    def tensor(self, number):
        return Tensor(self, number, self.tell())

    def jax_array(self, number):
        at, deleted = self.tell(), []

        def item():
            if deleted:
                raise RuntimeError("Array has been deleted.")
            self.wait(at)
            return number

        def copy():
            assert not deleted
            return self.jax_array(number)

        made = SimpleNamespace(shape=(), copy_to_host_async=lambda: None, is_ready=lambda: self.done >= at, item=item, copy=copy, delete=lambda: deleted.append(True))
        made.addressable_data = lambda of: made
        return made

    def as_torch(self):
        """A module to stand in sys.modules as torch."""
        device, module = self, ModuleType("torch")

        class Event:
            def record(self, stream):
                assert stream == "stream of the tensor's device"
                self.at = device.tell()

            def query(self):
                if device.broken:
                    raise RuntimeError("the device is gone")
                return device.done >= self.at

            def synchronize(self):
                device.wait(self.at)

        module.cuda = SimpleNamespace(Event=Event, current_stream=lambda of: f"stream of the {of.name}")
        return module


class Tensor:
    """One number on the device; computed when the device has come to `at`."""

    def __init__(self, device, number, at):
        self.owner, self._number, self.at = device, number, at
        self.device, self.shape = SimpleNamespace(type="cuda", name="tensor's device"), ()

    def numel(self):
        return 1

    def is_complex(self):
        return False

    def detach(self):
        return self

    def item(self):
        self.owner.wait(self.owner.told)  # everything it was told, as real ones do
        return self._number

    def to(self, where, non_blocking):
        assert where == "cpu" and non_blocking
        at = self.owner.tell()

        def item():
            assert self.owner.done >= at, "the copy is read before it is there"
            return self._number

        return SimpleNamespace(item=item)


def install():
    """The device behind what `import torch` gives now; returns it."""
    device = Device()
    sys.modules["torch"] = device.as_torch()
    return device
