"""Generalisation suites: one folder for each kind of generalisation, one file for each benchmark that tests it."""
