"""Numbers of a text and its translation."""

import pytest

import latimer


def test_numbers_are_those_that_the_other_text_lacks():
    found = latimer.check_numbers("für 30 € in 1988", "for € 35 (19888)")
    assert found.missing == ("30", "1988")
    assert found.surplus == ("35", "19888")
    assert not found.ok


def test_numbers_agree_as_languages_write_them():
    assert latimer.check_numbers("1,234.5 at 9:00", "9 Uhr: 1.234,5").ok
    assert latimer.check_numbers("", "") == latimer.NumberCheck((), ())


def test_texts_must_be_texts():
    for texts in ((None, "1"), ("1", 1)):
        with pytest.raises(TypeError):
            latimer.check_numbers(*texts)
