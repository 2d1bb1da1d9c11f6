"""An xdist scheduler that keeps the tests of a split together. Imported only where xdist is in use."""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling


class SplitScheduling(LoadScopeScheduling):  # type: ignore[misc]
    """Give each worker whole splits, so that what is made for a split (a loaded or trained model) is made once."""

    def _split_scope(self, nodeid: str) -> str:
        """Group by parametrisation, which for marked tests is the split's slug; other tests stand alone."""
        name, bracket, parameters = nodeid.partition("[")
        return parameters if bracket else name
