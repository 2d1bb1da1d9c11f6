"""The suite of clocks: what ``--genbench-suite=clocks`` runs."""
