"""A change of any rule must change the fingerprint, or old and new values would share a trend line."""

import hashlib
import json

import pytest

from trace_core import Document, Log, get_scorer


def log(
    question: str, response: str, *documents: str, truth: str | None = None, language: str | None = None
) -> Log:
    """A log named after its question."""
    segments = {"language": language} if language else {}
    return Log(question, question, tuple(map(Document, documents)), response, truth, segments)


TOWER = "The tower was built in 1889. It is tall."
TABLE = "# Stock\n- 3 red\n- 4 blue\n\n| a | b |\n|---|---|\n| 1 | 2 |"
LOGS = [
    log("When was it built?", "In 1889.", TOWER, "Roses need water."),
    log("Who built it?", "Zebras did. I don't know.", "Eiffel's company built the tower.", truth="Eiffel"),
    log("How many?", "There are 3 red and 9 blue.", TABLE),
    log("Warum ist es zu?", "Weil es stürmt.", "Wegen des Sturms ist der Turm geschlossen.", language="de"),
    log("¿Dónde está?", "Los documentos no mencionan el lugar.", "La torre está en París."),
    log("タワーは？", "1958年に完成しました。", "東京タワーは1958年に完成しました。高いです。"),
    log("ส่งคืนได้ไหม", "ส่งคืนได้ภายในสามสิบวัน", "สินค้าส่งคืนได้ภายในสามสิบวันหลังซื้อ"),
    log("टावर कब बना?", "टावर 1889 में बना।", "यह टावर १८८९ में बना था।"),
    log("Is it open?", "Yes, it is."),
    log("What?", "Done: 100 %.", ""),
    log("Why?", "Paris.", "Paris."),
    log("Does it include lunch?", "The price does not include lunch.", "Breakfast costs 9 euros."),
    log("À quelle heure ?", "Cette information n'est pas disponible.", "La tour est ouverte."),
]

#: scorer -> its fingerprint and a digest of all values over LOGS. When values changed on purpose, raise the
#: version in the rules of the changed module, replace both, and say "score values change" in the changelog.
#: When only the fingerprint changed, as with a new version of a package, replace it.
EXPECTED = {
    "heuristic": ("29f69569f713867c", "b3bc58c3dc17876d"),
    "lexical": ("7675626b13950713", "088dca5dbcade70c"),
}


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_values_change_only_together_with_the_fingerprint(name: str) -> None:
    """Over a small corpus that touches every rule."""
    scorer = get_scorer(name)
    values = [{**e.to_json(), "fingerprint": ""} for e in scorer.score_many(LOGS)]
    text = json.dumps(values, sort_keys=True, ensure_ascii=True)
    assert (scorer.fingerprint, hashlib.sha256(text.encode()).hexdigest()[:16]) == EXPECTED[name]
