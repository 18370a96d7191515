"""Virtual environments with the real peers, one per family, cached outside the repository.

A family is installed once; its stamp file holds the requirements, and a change of them installs it anew.
"""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

FAMILIES = {
    "tests": ["pytest==9.2.0", "numpy==2.4.6"],
    "parquet": ["pytest==9.2.0", "pyarrow==26.0.1", "duckdb==2.0.0", "pandas==3.1.1"],
    # ClickHouse in one library of several hundred megabytes: only the full run asks for it.
    "clickhouse": ["pytest==9.2.0", "pyarrow==26.0.1", "duckdb==2.0.0", "pandas==3.1.1", "chdb==4.4.0"],
    "media": ["pytest==9.2.0", "pillow==13.0.0", "soundfile==0.14.0", "trimesh==5.2.0", "imageio==2.38.1", "av==18.1.0", "ml_dtypes==0.6.0", "psutil==7.2.2", "numpy==2.4.6"],
    "tensorboard": ["pytest==9.2.0", "tensorboard==2.21.0", "tensorboard-data-server==0.7.2", "tensorboardX==2.6.5", "requests==2.34.2", "pillow==13.0.0", "numpy==2.4.6"],
    "profile": ["pytest==9.2.0", "perfetto==0.59.1", "snakeviz==2.2.2", "psutil==7.2.2"],
    # The plugin that analysed traces of PyTorch, which it does not need itself.
    "torch_tb_profiler": ["pytest==9.2.0", "torch-tb-profiler==0.4.3", "tensorboard==2.21.0", "pandas==3.1.1", "numpy==2.4.6"],
    "wandb": ["pytest==9.2.0", "wandb==0.31.0", "numpy==2.4.6", "pillow==13.0.0"],
    "mlflow": ["pytest==9.2.0", "mlflow-skinny==3.17.2", "alembic", "sqlalchemy", "Flask", "flask-cors", "graphene", "cryptography", "aiohttp", "huey", "numpy==2.4.6", "pandas==3.1.1",
               "pillow==13.0.0"],
    "aim": ["pytest==9.2.0", "aim==3.29.1", "setuptools<81"],
    "comet": ["pytest==9.2.0", "comet_ml==3.58.8"],
    "neptune": ["pytest==9.2.0", "neptune-scale==0.30.0"],
    "server": ["pytest==9.2.0", "schemathesis==4.32.0", "requests==2.34.2", "numpy==2.4.6"],
    "lightning": ["pytest==9.2.0", "numpy==2.4.6", "filelock", "typing-extensions", "sympy", "networkx", "jinja2", "fsspec", "packaging", "pyyaml", "tqdm", "psutil",
                  "lightning-utilities", "aiohttp", "setuptools>=77", "scikit-learn==1.9.1", "scikit-image==0.26.0", "tensorboard==2.21.0"],
    "open3d": ["pytest==9.2.0", "numpy==2.4.6", "plotly", "dash", "configargparse", "nbformat", "ipywidgets"],
    # The trainers of others, beside a torch of their own: only the full run asks for it.
    "frameworks": ["pytest==9.2.0", "numpy==2.4.6", "filelock", "typing-extensions", "sympy", "networkx", "jinja2", "fsspec", "packaging", "pyyaml", "tqdm", "psutil",
                   "setuptools>=77", "transformers==5.22.0", "keras==3.15.0"],
    # 274 MB to fetch and 1.2 GB on disk, with a torch beside it: only the full run asks for it.
    "tensorflow": ["pytest==9.2.0", "tensorflow-cpu==2.21.0", "pyarrow==26.0.1", "filelock", "typing-extensions", "sympy", "networkx", "jinja2", "fsspec", "setuptools>=77"],
    "trackio": ["pytest==9.2.0", "trackio==0.43.0", "numpy==2.4.6"],
}
FULL_ONLY = {"clickhouse", "frameworks", "tensorflow"}
# torch asks for 4 GB of CUDA libraries that a CPU test never calls: it is installed without them, and cuda_stubs.py makes
# empty stand-ins for the names its loader insists on. MLflow's server asks for scikit-learn, matplotlib, pyarrow and docker, which tracking never calls.
WITHOUT_DEPENDENCIES = {
    "mlflow": ["mlflow==3.17.2"],
    "lightning": ["torch==2.15.0", "nvidia-cuda-runtime==13.2.*", "nvidia-cuda-cupti==13.2.*", "lightning==2.6.6", "pytorch-lightning==2.6.6", "torchmetrics==1.9.0"],
    # Of what Open3D asks for, its import needs the above.
    "open3d": ["open3d-cpu==0.20.0"],
    "frameworks": ["torch==2.15.0", "nvidia-cuda-runtime==13.2.*", "nvidia-cuda-cupti==13.2.*", "accelerate==1.15.0"],
    "tensorflow": ["torch==2.15.0", "nvidia-cuda-runtime==13.2.*", "nvidia-cuda-cupti==13.2.*"],
}


def cache_folder() -> Path:
    return Path(os.environ.get("TAFFRAIL_CACHE", Path.home() / ".cache" / "taffrail")) / "venv"


def interpreter(family: str) -> Path:
    return cache_folder() / family / "bin" / "python"


def wanted(family: str) -> str:
    return "\n".join(FAMILIES[family] + WITHOUT_DEPENDENCIES.get(family, []))


def installed(family: str) -> bool:
    stamp = cache_folder() / family / "requirements.txt"
    return interpreter(family).exists() and stamp.exists() and stamp.read_text() == wanted(family)


def python_of(family: str) -> Path:
    """The interpreter of the family's environment, installed first when needed; by one of those who ask at once."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    with (cache_folder() / f"{family}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not installed(family):
            install(family)
    return interpreter(family)


def install(family: str) -> None:
    folder, python = cache_folder() / family, interpreter(family)
    bare = WITHOUT_DEPENDENCIES.get(family, [])
    print(f"installing the peers '{family}' into {folder}", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *FAMILIES[family]], check=True)
    if bare:
        subprocess.run([*pip, "--no-deps", *bare], check=True)
    if any(name.startswith("torch==") for name in bare):
        site = next((folder / "lib").glob("python3*/site-packages"))
        stubs = Path(__file__).with_name("cuda_stubs.py")
        subprocess.run([sys.executable, stubs, site / "torch" / "lib", folder / "stubs"], check=True)
    (folder / "requirements.txt").write_text(wanted(family))


def environment_of(family: str) -> dict:
    """Variables a family's programs need."""
    variables = {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    stubs = cache_folder() / family / "stubs"
    if stubs.exists():
        variables["LD_LIBRARY_PATH"] = f"{stubs}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    return variables


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and with it what installs
    for name in sys.argv[1:] or FAMILIES:
        print(python_of(name))
