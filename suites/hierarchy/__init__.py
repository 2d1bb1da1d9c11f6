"""Hierarchical disentanglement: variables that exist only where others have taken a value."""
