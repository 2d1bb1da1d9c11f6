"""CompOrth, compositional: a known letter at a known position, but never before there (Bianchi et al. 2024, section 3.2).

For each of two letters and five positions, counted from the left, a model is trained on all words but those with that letter at
that position, and must then read exactly those: 10 splits. Reconstructions are read by a frozen judge; recognition models name the
letters themselves. People find this trivial; the published β-VAEs put the other letter in place of the one they never saw there.
"""

import pytest


@pytest.mark.genbench(benchmark="comporth", family="compositional")
def test_letter_at_a_position_where_it_was_never_seen(split, genbench):
    genbench.passes()
