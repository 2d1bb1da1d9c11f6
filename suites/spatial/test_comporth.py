"""CompOrth, spatial: known words at a place in the image where nothing was ever shown (Bianchi et al. 2024, section 3.2).

For each of the shifts (x, y), a model is trained on all words at all other shifts: 48 splits in the ``published`` preset. Good
β-VAEs score above 0.90 on every one.
"""

import pytest


@pytest.mark.genbench(benchmark="comporth", family="spatial")
def test_word_at_a_place_never_seen(split, genbench):
    genbench.passes()
