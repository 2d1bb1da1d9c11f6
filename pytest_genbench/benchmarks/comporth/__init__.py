"""CompOrth: do models that read letters anywhere also read them where they never saw them?

Bianchi, Agrawal, Dehaene, Chemla and Lakretz 2024, arXiv 2412.10446.
"""

from .benchmark import CompOrth

__all__ = ["CompOrth"]
