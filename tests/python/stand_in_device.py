"""A device for tests where there is none: what it is told is done later, when tick() says so or somebody waits, and it counts who waited. Tensors, events and
streams have the words of torch; jax_array() has those of JAX, cupy_array() those of CuPy."""

import ctypes
import struct
import sys
from types import ModuleType, SimpleNamespace


class Device:
    def __init__(self):
        self.told = self.done = self.waits = 0
        self.broken = False
        self.work = {}  # by when it is done

    def tell(self, work=None):
        self.told += 1
        if work is not None:
            self.work[self.told] = work
        return self.told

    def tick(self, count=1):
        self.get_on(min(self.done + count, self.told))

    def get_on(self, until):
        while self.done < until:
            self.done += 1
            self.work.pop(self.done, lambda: None)()

    def wait(self, until):
        if self.broken:
            raise RuntimeError("the device is gone")
        self.waits += self.done < until
        self.get_on(until)

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

    def cupy_array(self, number):
        return CupyArray(self, number, self.tell())

    def as_cupy(self):
        """A module to stand in sys.modules as cupy."""
        device, module = self, ModuleType("cupy")

        class Event:
            def __init__(self, disable_timing):
                assert disable_timing and device.is_current, "an event belongs to the device it is made on"

            def record(self, stream):
                assert stream == "its stream"
                self.at = device.tell()

            @property
            def done(self):
                return device.done >= self.at

            def synchronize(self):
                device.wait(self.at)

        class Pinned(bytearray):
            @property
            def ptr(self):
                return ctypes.addressof((ctypes.c_char * len(self)).from_buffer(self))

        module.cuda = SimpleNamespace(Event=Event, alloc_pinned_memory=Pinned, get_current_stream=lambda: "its stream" if device.is_current else "of another device")
        return module

    is_current = False

    def __enter__(self):
        self.is_current = True

    def __exit__(self, *_):
        self.is_current = False

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

    def __float__(self):
        if self.numel() != 1:
            raise TypeError("only tensors of one element are numbers")
        return float(self.item())

    def to(self, where, non_blocking):
        assert where == "cpu" and non_blocking
        at = self.owner.tell()

        def item():
            assert self.owner.done >= at, "the copy is read before it is there"
            return self._number

        return SimpleNamespace(item=item)


class CupyArray:
    """As cupy.ndarray, of one double."""

    shape = ()

    def __init__(self, device, number, at):
        self.device, self._number, self.at = device, number, at
        self.dtype = __import__("numpy").dtype("f8")
        self.data = SimpleNamespace(copy_to_host_async=self._copy)

    def _copy(self, pointer, size, stream):
        assert size == 8 and stream == "its stream"
        self.device.tell(lambda: ctypes.memmove(pointer, struct.pack("d", self._number), size))

    def item(self):
        self.device.wait(self.device.told)
        return self._number

    __float__ = item


CupyArray.__module__ = "cupy"


def install():
    """The device behind what `import torch` gives now; returns it."""
    device = Device()
    sys.modules["torch"] = device.as_torch()
    return device
