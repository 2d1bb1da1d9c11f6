"""Generalisation in length: longer and shorter than ever seen, and lengths between."""
