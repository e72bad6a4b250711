"""Sentences about values that pydantic refuses."""

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from mlfs.errors import and_more, count_of, nearest, validation_mistakes, validation_reason


class Bird(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    wings: int = 2

    @field_validator("name")
    @classmethod
    def _short(cls, name):
        if len(name) > 5:
            raise ValueError("use a shorter name")
        return name


def refused(**values):
    with pytest.raises(ValidationError) as caught:
        Bird(**values)
    return caught.value


def test_a_misspelt_key_is_named_before_the_missing_one():
    found = validation_mistakes(refused(nme="crow"))
    assert found == [(("nme",), "unknown key 'nme'"), (("name",), "key 'name' is missing")]


def test_the_caller_may_describe_an_unknown_key():
    error = refused(name="crow", wngs=3)
    found = validation_mistakes(error, lambda place: f"{place[0]}{nearest(place[0], ['wings'])}")
    assert found == [(("wngs",), "wngs; did you mean 'wings'?")]


def test_a_sentence_of_our_own_is_passed_on_and_others_name_key_and_value():
    assert validation_mistakes(refused(name="nightingale")) == [(("name",), "use a shorter name")]
    assert validation_reason(refused(name="nightingale")) == "use a shorter name"
    [(place, text)] = validation_mistakes(refused(name="crow", wings="many"))
    assert place == ("wings",)
    assert text.startswith("'wings': input should be a valid integer")
    assert text.endswith("(got 'many')")


def test_a_count_has_its_noun_in_the_right_form():
    assert [count_of(n, "cell") for n in (0, 1, 2)] == [
        "0 cells",
        "1 cell",
        "2 cells",
    ]
    assert [and_more(range(n)) for n in (1, 2, 3)] == [
        "",
        " (and 1 more mistake)",
        " (and 2 more mistakes)",
    ]
