"""Minimal Debian roots of their own: made once, kept as a tarball, entered with nothing of the machine but what is named.

Of the machine come its package sources (apt mirrors, npm registry and the certificates they are trusted by), the folders a caller
mounts, and the network. Needs root, or sudo that asks for no password.
"""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

SUITE = "bookworm"
DEVICES = ["null", "zero", "full", "random", "urandom"]


class NoRoot(RuntimeError):
    """This machine lets us make no root; says what to do."""


def as_root() -> list[str]:
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ["sudo", "-n"]
    raise NoRoot("a Debian root of its own needs root, or sudo without a password: run as root, or leave the stage out with --only")


def run(*command, **options) -> subprocess.CompletedProcess:
    return subprocess.run([*as_root(), *map(str, command)], stdin=subprocess.DEVNULL, **options)


def check_machine() -> None:
    """Says in words what is missing before anything is made."""
    as_root()
    if not any(Path(folder, "debootstrap").exists() for folder in ("/usr/sbin", "/usr/bin", "/sbin")):
        raise NoRoot("debootstrap is not installed: ./scripts/dependencies.sh package")
    if run("unshare", "--mount", "--pid", "--fork", "true", capture_output=True).returncode != 0:
        raise NoRoot("this machine allows no mounts of one's own (unshare --mount): in a container, start it with --privileged or --cap-add SYS_ADMIN")


def apt_sources() -> list[str]:
    """Debian's archives as this machine reaches them; the public ones where it says nothing."""
    asked = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(SUITE) $(ORIGIN) $(CODENAME)", "Created-By: Packages"], capture_output=True, text=True).stdout
    found = {}
    for line in asked.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] == "Debian" and words[3].startswith(SUITE):
            found[words[3]] = words[0]
    if SUITE not in found:
        found = {SUITE: "http://deb.debian.org/debian/", f"{SUITE}-security": "http://deb.debian.org/debian-security/"}
    return [f"deb {uri} {name} main" for name, uri in found.items()]


def registry() -> dict[str, str]:
    """How npm reaches its packages from this machine."""
    known = {name: os.environ[name] for name in os.environ if name.lower() in ("http_proxy", "https_proxy", "no_proxy", "npm_config_registry")}
    asked = subprocess.run(["npm", "config", "get", "registry"], capture_output=True, text=True) if shutil.which("npm") else None
    if asked and asked.returncode == 0 and asked.stdout.startswith("http"):
        known["npm_config_registry"] = asked.stdout.strip()
    return known


def bare_root(cache: Path) -> Path:
    """A tarball of Debian as debootstrap leaves it."""
    tarball = cache / f"{SUITE}.tar"
    if tarball.exists():
        return tarball
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / f"{SUITE}.part"
    run("rm", "-rf", folder, check=True)
    mirror = apt_sources()[0].split()[1]
    print(f"making a minimal Debian root from {mirror}", flush=True)
    run("debootstrap", "--variant=minbase", SUITE, folder, mirror, check=True, stdout=subprocess.DEVNULL)
    sources = "\n".join(apt_sources()) + "\n"
    subprocess.run([*as_root(), "tee", folder / "etc/apt/sources.list"], input=sources, text=True, check=True, stdout=subprocess.DEVNULL)
    part = cache / f"{SUITE}.tar.part"
    run("tar", "-C", folder, "--exclude=./var/cache/apt/archives/*.deb", "-cf", part, ".", check=True)
    run("rm", "-rf", folder, check=True)
    part.rename(tarball)
    return tarball


def unpack(tarball: Path, folder: Path) -> None:
    remove(folder)
    folder.mkdir(parents=True)
    run("tar", "-C", folder, "-xf", tarball, check=True)


def remove(folder: Path) -> None:
    run("rm", "-rf", "--one-file-system", folder, check=True)


def command_in(folder: Path, script: str, *, mounts: dict[str, Path], environment: dict[str, str] | None = None, read_only: bool = False) -> list[str]:
    """The command that runs a shell script inside: its own mounts and processes, which all end with it."""
    inside = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "TERM": os.environ.get("TERM", "dumb"),
              **registry(), **(environment or {})}
    if Path("/etc/resolv.conf").is_file():  # debootstrap left one to mount it over
        mounts = {**mounts, "/etc/resolv.conf": Path("/etc/resolv.conf").resolve()}
    certificates = os.environ.get("SSL_CERT_FILE", "")
    if certificates and Path(certificates).exists():
        mounts = {**mounts, "/run/certificates.crt": Path(certificates)}
        inside["SSL_CERT_FILE"] = "/run/certificates.crt"
    at = shlex.quote(str(folder))
    lines = ["set -e", f"mount --make-rprivate /; mount --bind {at} {at}"]
    if read_only:
        lines.append(f"mount -o remount,ro,bind {at}")
    lines += [f"mount -t proc proc {at}/proc", f"mount -t tmpfs -o mode=755 tmpfs {at}/dev; mkdir {at}/dev/shm {at}/dev/pts",
              f"mount -t devpts -o newinstance,ptmxmode=0666 devpts {at}/dev/pts; ln -s pts/ptmx {at}/dev/ptmx"]
    lines += [f"touch {at}/dev/{name}; mount --bind /dev/{name} {at}/dev/{name}" for name in DEVICES]
    lines += [f"mount -t tmpfs tmpfs {at}{name}" for name in ("/dev/shm", "/run", "/tmp")]
    for place, outside in mounts.items():
        quoted = shlex.quote(str(outside))
        if outside.is_file() and place.startswith("/run/"):
            lines.append(f"touch {at}{place}")
        lines.append(f"mount --bind {quoted} {at}{place}")
    variables = " ".join(f"{name}={shlex.quote(value)}" for name, value in inside.items())
    lines.append(f"exec chroot {at} /usr/bin/env -i {variables} /bin/bash -euo pipefail -c {shlex.quote(script)}")
    return [*as_root(), "unshare", "--mount", "--pid", "--fork", "--kill-child", "/bin/sh", "-c", "\n".join(lines)]


def enter(folder: Path, script: str, **options) -> int:
    return subprocess.run(command_in(folder, script, **options), stdin=subprocess.DEVNULL, timeout=3600).returncode
