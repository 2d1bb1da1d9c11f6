"""Where the checks of a family of rules are filed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .view import View

Check = Callable[[Sequence[View], View, str], None]
"""Takes the three references, the odd image and the kind; raises Fault."""


class Checks:
    """The checks of one module, by rule."""

    def __init__(self) -> None:
        self.checks: dict[int, Check] = {}

    def __call__(self, *rules: int) -> Callable[[Check], Check]:
        """Make a decorator that files a function as the check of some rules."""

        def file(check: Check) -> Check:
            self.checks |= dict.fromkeys(rules, check)
            return check

        return file
