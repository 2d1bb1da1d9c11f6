"""Generalisation to values between those seen."""
