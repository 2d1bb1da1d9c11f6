"""How fast it is, as ratios to a plain way of doing the same, measured in the same run.

    pytest tests/performance -m slow

No test here fails because of a time, since a shared machine would decide: each prints its figure beside the aim and records it in
``extra_info`` (``--benchmark-json=FILE`` keeps it). Ours and the plain way alternate round by round, and the least time of each
counts. Run it without ``-n`` on a machine that is otherwise idle; the load at the start stands with the figures.
"""
