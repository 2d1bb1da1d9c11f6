"""Reference models: networks that give baselines, each file readable on its own."""
