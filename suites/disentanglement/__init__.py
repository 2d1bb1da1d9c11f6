"""Disentanglement: what single units of a code stand for."""
