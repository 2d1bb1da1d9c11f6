"""Long evaluations show how far they are on a terminal, and nothing in a log."""

import sys

import pytest

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")

SLOW = """
@says(code_size="64")
def slow(images):
    time.sleep(0.6 if len(images) == 30 else 0)
    return images
"""

# A new terminal has no columns, and in none of them nothing is shown.
TERMINAL = """
import fcntl, os, pty, struct, sys, termios
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    os.execv(sys.executable, [sys.executable, "-m", "pytest", *sys.argv[1:]])
try:
    while text := os.read(terminal, 4096):
        sys.stdout.buffer.write(text)
except OSError:
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.fixture
def slow(project, monkeypatch):
    models = project.path / "models.py"
    models.write_text(models.read_text() + SLOW)
    monkeypatch.setenv("PYTHONPATH", str(project.path))
    monkeypatch.setenv("TERM", "xterm")
    options = [
        "--genbench-model=models:slow",
        "--genbench-gates=gates.toml",
        "-p",
        "no:cacheprovider",
        "-k",
        "brightness-3",
    ]

    def run(*args, terminal):
        head = [sys.executable, "-c", TERMINAL] if terminal else [sys.executable, "-m", "pytest"]
        result = project.run(*head, *options, *args, stdin=b"")
        assert result.ret == 0
        return result.stdout.str()

    return run


def test_a_terminal_shows_a_bar_and_a_log_does_not(slow):
    bar = "brightness-3, reconstruction"
    shown = slow(terminal=True)
    assert bar in shown
    assert "30/30" in shown
    assert "images/s" in shown
    assert "30/30" not in slow("-q", terminal=True)
    assert "30/30" not in slow(terminal=False)
