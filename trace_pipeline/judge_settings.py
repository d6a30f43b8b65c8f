"""Settings of the scorers that cost: the judge, the local model, and what labels are counted."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, field_validator

from trace_pipeline.setting_types import Names, empty_is_none, web_address

REDACTED = ("email", "phone", "card", "iban", "key")
"""What can be redacted by name."""


def _endpoint(value: str) -> str:
    return web_address(value, credentials="the environment variable TRACE_JUDGE_API_KEY")


def _hook(value: str) -> str:
    if value and not re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", value):
        raise ValueError("package.module:function is wanted")
    return value


def _local_folder(value: str) -> str:
    if value and not value.startswith("/"):
        raise ValueError(
            "the absolute path of a folder on this machine is wanted; nothing is downloaded, "
            "so a name of the Hugging Face hub is none"
        )
    return value


def _local_file(value: str) -> str:
    if value and not value.startswith("/"):
        raise ValueError("the absolute path of a file on this machine is wanted")
    return value


OptionalCount = Annotated[int | None, BeforeValidator(empty_is_none)]
OptionalNumber = Annotated[float | None, BeforeValidator(empty_is_none)]


class JudgeSettings(BaseModel):
    """The language model that judges: where it is, how it is asked, what it may cost, what it may see."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    endpoint: Annotated[str, AfterValidator(_endpoint)] = Field(
        "",
        description="base address of an OpenAI-compatible endpoint, such as http://127.0.0.1:8000/v1; "
        "empty = the Airflow connection trace_judge",
    )
    model: str = Field("", max_length=200, description="model to ask; empty = none, so no judge")
    answering_model: str = Field(
        "", max_length=200, description="model that the endpoint names in its answers; empty = `model`"
    )
    structured_output: Literal["json_schema", "json_object", "none"] = Field(
        "json_schema", description="how the endpoint is told the form of the answer"
    )
    temperature: OptionalNumber = Field(
        0.0, ge=0.0, le=2.0, description="0: the likeliest answer; unset = the model's own, none is sent"
    )
    seed: OptionalCount = Field(1, ge=0, description="sent along for endpoints that know it; unset = none")
    context_tokens: int = Field(
        16_000, ge=2_000, le=2_000_000, description="tokens of one call's prompt; more documents are split"
    )
    answer_tokens: int = Field(4_000, ge=100, le=200_000, description="tokens of one answer at most")
    timeout_seconds: float = Field(60.0, gt=0, le=3_600, description="longest wait for one whole answer")
    attempts: int = Field(4, ge=1, le=10, description="calls for one answer at most, the first included")
    concurrency: int = Field(4, ge=1, le=64, description="calls at a time of one task")
    calls_per_night: OptionalCount = Field(2_000, ge=0, description="calls a night; unset = no limit")
    tokens_per_night: OptionalCount = Field(None, ge=0, description="tokens a night; unset = no limit")
    money_per_night: OptionalNumber = Field(
        None, ge=0, description="money a night, in the unit of the prices; unset = no limit"
    )
    price_per_million_input_tokens: float = Field(0.0, ge=0, description="price of 1,000,000 tokens sent")
    price_per_million_output_tokens: float = Field(
        0.0, ge=0, description="price of 1,000,000 tokens answered"
    )
    sampling_rate: float = Field(
        0.1, gt=0, le=1, description="share of logs that the scorer judge asks about, budget permitting"
    )
    sampling_segment: str = Field(
        "tenant", max_length=200, description="segment whose values all get some judged logs; empty = none"
    )
    sampling_least: int = Field(
        20, ge=0, le=10_000, description="logs judged of each such value, if it has so many"
    )
    doubt_low: float = Field(0.15, ge=0, le=1, description="lexical probability from which hybrid asks")
    doubt_high: float = Field(0.85, ge=0, le=1, description="lexical probability up to which hybrid asks")
    settle_refusals: bool = Field(True, description="answers that only refuse are settled without a call")
    store_explanations: bool = Field(True, description="keep the judge's explanations; else keys alone")
    redact: Names = Field(REDACTED, description="what is replaced before a call")
    redaction_hook: Annotated[str, AfterValidator(_hook)] = Field(
        "", description="your own package.module:function that finds more to replace"
    )
    anchor: bool = Field(True, description="ask about the frozen anchor set each night, to see it change")
    anchor_file: Annotated[str, AfterValidator(_local_file)] = Field(
        "", description="your own anchors, JSON lines; empty = the shipped set"
    )

    @field_validator("redact")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            if name not in REDACTED:
                raise ValueError(f"{name!r} is not known; choose from {', '.join(REDACTED)}")
        return value


class NliSettings(BaseModel):
    """The local cross-encoder of the scorer `nli`."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    model_folder: Annotated[str, AfterValidator(_local_folder)] = Field(
        "", description="local folder with model.onnx, tokenizer.json and config.json; empty = no nli"
    )
    threshold: float = Field(0.5, ge=0, le=1, description="entailment from which a sentence is supported")
    sentence_pairs: int = Field(
        5, ge=1, le=100, description="document sentences that a response sentence is held against"
    )
    batch_pairs: int = Field(8, ge=1, le=1_024, description="pairs a run of the model takes at a time")
    max_tokens: int = Field(512, ge=16, le=8_192, description="tokens of a pair; longer ones are cut")
    threads: int = Field(1, ge=1, le=64, description="threads of one task's model")
