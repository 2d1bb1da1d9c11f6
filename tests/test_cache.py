"""Files that are there whole or not at all, locks, and what the operating system refuses."""

import errno
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_genbench.cache import explained, is_full, locked, replacing
from pytest_genbench.errors import CacheError


def test_a_file_is_replaced_when_the_block_ends(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("old")
    with replacing(file) as partial:
        partial.write_text("new")
        assert partial.suffix == ".txt"
        assert file.read_text() == "old"
    assert file.read_text() == "new"
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_is_left_alone_when_the_block_raises(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("old")

    def stopped():
        with replacing(file) as partial:
            partial.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_full_disk_is_one_line(tmp_path):
    with (
        pytest.raises(CacheError, match="The disk is full while keeping a model in ") as caught,
        explained("keeping a model", tmp_path),
    ):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert "\n" not in str(caught.value)


def test_a_refused_folder_is_one_line(tmp_path):
    with (
        pytest.raises(CacheError, match=r"Permission denied while training in .*writable"),
        explained("training", tmp_path),
    ):
        raise PermissionError(errno.EACCES, "Permission denied")


def test_a_full_disk_is_known_behind_other_errors():
    error = RuntimeError("unexpected pos 704 vs 598")
    error.__context__ = OSError(errno.ENOSPC, "full")
    assert is_full(error)
    assert not is_full(ValueError())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_torch_says_that_the_disk_is_full_when_it_writes_to_an_open_file():
    torch = pytest.importorskip("torch")
    with pytest.raises(OSError) as caught, open("/dev/full", "wb") as file:
        torch.save({"w": torch.zeros(1000)}, file)
    assert is_full(caught.value)


def test_a_lock_tells_how_long_it_was_waited_for(tmp_path):
    lock = tmp_path / "a.lock"
    with locked(lock) as waited:
        assert waited == 0
    holder = (
        "import sys, time\nfrom pathlib import Path\nfrom pytest_genbench.cache import locked\n"
        "with locked(Path(sys.argv[1])):\n    print('held', flush=True)\n    sys.stdin.read()\n    time.sleep(0.3)\n"
    )
    with subprocess.Popen([sys.executable, "-c", holder, lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        other.stdin.close()
        with locked(lock) as waited:
            assert waited > 0.1


def test_a_lock_is_free_when_its_process_was_killed(tmp_path):
    lock = tmp_path / "a.lock"
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom pytest_genbench.cache import locked\n"
        "with locked(Path(sys.argv[1])):\n    os._exit(9)\n"
    )
    assert subprocess.run([sys.executable, "-c", code, lock], check=False).returncode == 9
    with locked(lock) as waited:
        assert waited == 0
