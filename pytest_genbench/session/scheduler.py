"""An xdist scheduler that keeps the tests of a split together. Imported only where xdist is in use."""

from __future__ import annotations

from typing import Any

from xdist.scheduler import LoadScopeScheduling


class SplitScheduling(LoadScopeScheduling):  # type: ignore[misc]
    """Give each worker whole splits, so that what is made for a split (a loaded or trained model) is made once.

    Differs from its base in what happens when a worker crashes. There the test that crashed it is run again, and crashes the next
    worker; and a replacement that is given a single test waits for ever, since a worker starts a test only when it knows the next
    one or that there is none.
    """

    def _split_scope(self, nodeid: str) -> str:
        """Group by parametrisation, which for marked tests is the split's slug; other tests stand alone."""
        name, bracket, parameters = nodeid.partition("[")
        return parameters if bracket else name

    def remove_node(self, node: Any) -> str | None:
        """Take a worker out; give its unfinished tests to others, but not the one that it crashed in, which is returned."""
        units = self.assigned_work.pop(node)
        crashed: str | None = next(
            (nodeid for unit in units.values() for nodeid, done in unit.items() if not done), None
        )
        if crashed is None:
            return None
        units[self._split_scope(crashed)][crashed] = True
        self.workqueue.update({scope: unit for scope, unit in units.items() if not all(unit.values())})
        for other in self.assigned_work:
            self._reschedule(other)
        return crashed

    def _reschedule(self, node: Any) -> None:
        """Keep a worker two tests ahead; when nothing is left, tell it so."""
        if node.shutting_down:
            return
        while self.workqueue and self._pending_of(self.assigned_work[node]) < 2:
            self._assign_work_unit(node)
        if not self.workqueue:
            node.shutdown()
