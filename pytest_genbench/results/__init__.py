"""Results documents: what a run found, as JSON that can be reviewed, compared and merged."""
