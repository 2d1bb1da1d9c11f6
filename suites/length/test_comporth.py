"""CompOrth, length: words of a length that was never seen (Bianchi et al. 2024, section 3.2).

For each length from 1 to 5, a model is trained on words of all other lengths: 5 splits. Lengths 1 and 5 extrapolate (shorter,
longer), 2 to 4 lie between lengths that were seen. The published β-VAEs do well on short words and worst on five letters, of which
they reconstruct four.
"""

import pytest


@pytest.mark.genbench(benchmark="comporth", family="length")
def test_word_of_a_length_never_seen(split, genbench):
    genbench.passes()
