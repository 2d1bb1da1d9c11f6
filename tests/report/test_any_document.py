"""Whatever a results document holds, there is a page of it, and nothing of it is markup."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_genbench.errors import DocumentError
from pytest_genbench.report.html import page
from pytest_genbench.report.several import history_page, models_page
from pytest_genbench.results.history import history
from pytest_genbench.results.io import from_json, to_json
from pytest_genbench.results.schema import Document

from ..plugin.toy import Toy
from ..results.documents import MARKUP, ODD_DOCUMENTS
from .test_html import Elements

KNOWN = {"toy": Toy()}


def check(text: str) -> None:
    """Nothing that was text is an element, each place in the page is there once, and each link leads to one."""
    parsed = Elements(text)
    assert "script" not in {tag for tag, _ in parsed.found}
    for tag, attributes in parsed.found:
        assert not [name for name in attributes if name.startswith("on")]
        assert tag != "img" or (attributes["src"] or "").startswith("data:image/png;base64,")
    ids = [attributes["id"] for _, attributes in parsed.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {attributes["href"] for tag, attributes in parsed.found if tag == "a"} <= {f"#{each}" for each in ids}


@given(ODD_DOCUMENTS, st.one_of(st.none(), ODD_DOCUMENTS))
@settings(max_examples=25)
def test_every_document_has_a_page(document: Document, baseline: Document | None) -> None:
    read = from_json(to_json(document), "a file")
    check(page(read, baseline=baseline, known=KNOWN))


@given(ODD_DOCUMENTS, ODD_DOCUMENTS)
@settings(max_examples=8)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_two_documents_have_a_page_unless_there_is_nothing_to_compare(one: Document, two: Document) -> None:
    try:
        text = models_page({"one": one, MARKUP: two}, known=KNOWN)
    except DocumentError as error:
        assert "with scores" in str(error)  # noqa: PT017
    else:
        check(text)


@given(st.lists(ODD_DOCUMENTS, min_size=1, max_size=3))
@settings(max_examples=8)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_folder_has_a_page(documents: list[Document]) -> None:
    check(history_page(history({f"{n}{MARKUP}": each for n, each in enumerate(documents)}), MARKUP))


@given(ODD_DOCUMENTS, st.integers(0, 99))
@settings(max_examples=8)
def test_the_order_of_cases_decides_nothing(document: Document, seed: int) -> None:
    cases = list(document.cases)
    random.Random(seed).shuffle(cases)
    assert page(replace(document, cases=tuple(cases)), known=KNOWN) == page(document, known=KNOWN)
