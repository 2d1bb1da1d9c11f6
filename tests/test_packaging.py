"""What is shipped: every folder of code is listed, and the examples stay small."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
FOLDERS = {
    "pytest_genbench": "pytest_genbench",
    "pytest_genbench.suites": "suites",
    "pytest_genbench.reference_models": "reference_models",
    "pytest_genbench.reference_models.recorded": "examples/comporth",
}


def test_every_folder_of_the_package_is_listed():
    # Mapped folders rule out automatic discovery, and a folder that is not listed is missing from wheels only.
    found = set()
    for package, folder in FOLDERS.items():
        for path in [ROOT / folder, *(ROOT / folder).rglob("*")]:
            name = ".".join([package, *path.relative_to(ROOT / folder).parts])
            if path.is_dir() and (any(path.glob("*.py")) or name in SETUPTOOLS["package-data"]):
                found.add(name)
    assert found == set(SETUPTOOLS["packages"])
    assert SETUPTOOLS["package-dir"] == FOLDERS


def test_data_files_exist():
    for package, patterns in SETUPTOOLS["package-data"].items():
        root = max((name for name in FOLDERS if package.startswith(name)), key=len)
        folder = ROOT.joinpath(FOLDERS[root], *package.removeprefix(root).strip(".").split("."))
        for pattern in patterns:
            assert list(folder.glob(pattern)), (package, pattern)


def test_models_and_judges_stay_within_ten_megabytes():
    files = [*ROOT.glob("examples/**/*.onnx"), *ROOT.glob("pytest_genbench/**/*.onnx")]
    assert len(files) == 42
    assert sum(path.stat().st_size for path in files) < 10e6
