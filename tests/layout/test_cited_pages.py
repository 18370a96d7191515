"""Pages that sources and documents cite are there."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CITED = re.compile(r"\bdocs/[\w./-]*\.md\b")
LINKED = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


def listed(*patterns):
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in done.stdout.split("\n") if name and (ROOT / name).is_file()]


def test_finding_t20_sources_cite_pages_that_exist():
    missing = [f"{path.relative_to(ROOT)} cites {page}"
               for path in listed("include/*.h", "src/*.h", "src/*.cpp", "tests/*.cpp", "examples/*.cpp", "scripts/*", "CMakeLists.txt")
               for page in CITED.findall(path.read_text(errors="replace")) if not (ROOT / page).exists()]
    assert not missing


def test_links_between_documents_lead_somewhere():
    missing = [f"{path.relative_to(ROOT)} links to {link}"
               for path in listed("*.md") for link in LINKED.findall(re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(), flags=re.S)) if not (path.parent / link).exists()]
    assert not missing
