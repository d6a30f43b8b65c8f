"""Every reason code of the project, each with one plain sentence.

A code is stored, counted and filtered by; the sentence is what a person reads. Codes are stable names.
"""

from collections.abc import Mapping
from typing import Final

#: Why a row could not be read at all (it goes to quarantine).
QUARANTINE_REASONS: Final[Mapping[str, str]] = {
    "not_an_object": "The row is not an object with named fields.",
    "invalid_json": "The line is not valid JSON.",
    "invalid_encoding": "A text holds a NUL character, half of a surrogate pair or bytes that are not UTF-8.",
    "missing_log_id": "The log has no usable identifier.",
    "duplicate_log_id": "Another row of the same input has this identifier.",
    "invalid_logged_at": "The time of the log cannot be read as a point in time.",
    "missing_question": "The log has no question.",
    "question_not_text": "The question is not a text.",
    "missing_response": "The log has no response.",
    "response_not_text": "The response is not a text.",
    "documents_missing": "The log has no list of retrieved documents (an empty list would be readable).",
    "documents_not_a_list": "The retrieved documents are not a list.",
    "document_without_text": "A retrieved document is neither a text nor an object with a text field.",
    "ground_truth_not_text": "The ground truth is not a text.",
    "segments_not_an_object": "The segments are not an object of names and values.",
    "text_too_large": "The texts of the log are larger than the limit.",
    "too_many_documents": "The log has more retrieved documents than the limit.",
}

#: Why a readable log was not scored.
SKIP_REASONS: Final[Mapping[str, str]] = {
    "empty_response": "The response is empty, so there is nothing to score.",
    "too_much_to_compare": "Response and documents hold more sentences and words than can be compared.",
}

#: Why a scorer gave up on a log.
FAILURE_REASONS: Final[Mapping[str, str]] = {
    "scorer_error": "The scorer stopped with an error on this log.",
    "judge_unavailable": "The judge could not be reached, or was too busy or too slow, after all attempts.",
    "judge_invalid_answer": "The judge's answers had not the form asked for, or were about other sentences.",
    "judge_truncated": "The judge's answer was cut off at the limit of its length.",
    "judge_refused": "The judge declined to judge this log.",
    "judge_other_model": "Another model than the configured one answered, so its verdict was not taken.",
    "judge_misconfigured": "The judge's endpoint rejects the key, the model or the request as such.",
    "judge_prompt_too_long": "One sentence alone is longer than what the judge may be sent.",
}

#: Why a log was left out on purpose.
SAMPLING_REASONS: Final[Mapping[str, str]] = {
    "sampling": "The log was not drawn into the sample that the judge is asked about.",
    "budget": "The log was drawn, but the night's budget was spent; a later night asks about it.",
}

#: Why a row of a file, or the file, could not be imported; beside the reasons of the quarantine.
IMPORT_REASONS: Final[Mapping[str, str]] = {
    "empty_file": "The file holds nothing.",
    "not_a_log_file": "The file is neither JSON, JSON lines, CSV nor Parquet.",
    "damaged_file": "The file ends early or is damaged.",
    "missing_header": "The first line of the CSV file does not name its columns.",
    "wrong_number_of_columns": "The row has another number of columns than the header.",
    "unequal_columns": "The columns of the file have different lengths.",
    "unknown_format": "The row has the fields of no known format.",
    "missing_logged_at": "The row has no time.",
    "documents_hold_no_text": "The retrieved documents hold ids or scores, but no text.",
    "provider_error": "The provider reported an error instead of an answer.",
    "trace_out_of_window": "A span came after its trace had been put together.",
}

#: Why one metric of a scored log has no value.
UNDEFINED_REASONS: Final[Mapping[str, str]] = {
    "no_documents": "Nothing was retrieved, so a share of the documents cannot be taken.",
    "no_document_sentence": "The retrieved documents hold no sentence.",
    "no_relevant_sentence": "No retrieved sentence is relevant, so completeness has nothing to count.",
    "no_response_sentence": "The response holds no sentence that could be supported.",
    "no_words_in_question": "The question holds no word that could be looked for in the documents.",
    "no_words_in_response": "The response holds no word that could be looked for in the documents.",
    "sizes_unknown": "The annotation does not hold the sentence sizes this unit needs.",
    "no_metric_defined": "None of the four metrics is defined, so they have no mean.",
    "empty_response": SKIP_REASONS["empty_response"],
}

#: Every code with its sentence.
REASONS: Final[Mapping[str, str]] = {
    **QUARANTINE_REASONS,
    **SKIP_REASONS,
    **FAILURE_REASONS,
    **SAMPLING_REASONS,
    **IMPORT_REASONS,
    **UNDEFINED_REASONS,
}


def describe(code: str) -> str:
    """The plain sentence of a reason code; an unknown code describes itself."""
    return REASONS.get(code, code)
