"""Which published models translate from one language to another.

The pairs of OPUS-MT that the Hub listed, of languages with a code of ISO 639-1
and many readers. The models of `_GROUPS` are for several languages.
"""

from __future__ import annotations

from dataclasses import dataclass

# Helsinki-NLP/opus-mt-SOURCE-TARGET, about 80 MB when converted.
_DIRECT = {
    "af": "de en eo es fi fr nl ru sv",
    "ar": "de el en eo es fr he it pl ru tr",
    "az": "en es tr",
    "be": "es",
    "bg": "de en eo es fi fr it ru sv tr uk",
    "bn": "en",
    "ca": "de en es fr it nl pt uk",
    "cs": "de en eo fi fr sv uk",
    "cy": "en",
    "da": "de en eo es fi fr no ru",
    "de": (
        "af ar bg ca cs da el en eo es et eu fi fr ha he hr ht hu is it lt "
        "ms mt nl no pl tl uk vi"
    ),
    "el": "ar eo fi fr sv",
    "en": (
        "af az ca cs cy da de el eo es et eu fi fr ga gl ha he hi ht hu hy "
        "id is it mk ml mr mt nl ro ru sk sq sv sw tl uk ur xh"
    ),
    "eo": "af bg cs da de el en es fi fr he hu it nl pl pt ro ru sv",
    "es": (
        "af ar bg ca cs da de el en eo et eu fi fr gl ha he hr ht id is it "
        "lt mk mt nl no pl ro ru sl tl uk vi xh yo"
    ),
    "et": "de en es fi fr ru sv",
    "eu": "de en es ru",
    "fi": (
        "af bg cs de el en eo es et fr ha he hr ht hu id is it lv mk mt nl "
        "no ro ru sk sl sq sv sw tr uk xh yo"
    ),
    "fr": (
        "af ar bg ca de el en eo es ha he hr ht hu id ms mt no pl ro ru sk "
        "sl sv tl uk vi xh yo"
    ),
    "ga": "en",
    "gl": "en es pt",
    "ha": "en es fi fr sv",
    "he": "ar de eo es fi fr it ru sv uk",
    "hi": "en ur",
    "hr": "es fi fr sv",
    "ht": "en es fi fr sv",
    "hu": "de en eo fi fr sv uk",
    "hy": "en ru",
    "id": "en es fi fr sv",
    "is": "de en eo es fi fr it sv",
    "it": "ar bg ca de en eo es fr is lt ms sv uk vi",
    "ja": "ar bg da de en es fi fr he hu it ms nl pl pt ru sv tr vi",
    "ka": "en ru",
    "ko": "de en es fi fr hu ru sv",
    "lt": "de eo es fr it pl ru sv tr",
    "lv": "en es fi fr ru sv",
    "mk": "en es fi fr",
    "ml": "en",
    "mr": "en",
    "ms": "de fr it",
    "mt": "en es fi fr sv",
    "nl": "af ca en eo es fi fr no sv uk",
    "no": "da de es fi fr nl pl ru sv uk",
    "pa": "en",
    "pl": "ar de en eo es fr lt no sv uk",
    "pt": "ca eo gl tl uk",
    "ro": "eo fi fr sv",
    "ru": "af ar bg da en eo es et eu fi fr he hy lt lv no sl sv uk vi",
    "sk": "en es fi fr sv",
    "sl": "es fi fr ru sv uk",
    "sq": "en es sv",
    "sv": (
        "af bg cs el en eo es et fi fr ha he hr ht hu id is lv mt nl no ro "
        "ru sk sl sq th uk xh yo"
    ),
    "th": "en fr",
    "tl": "de en es pt",
    "tr": "ar az en eo es fr lt sv uk",
    "uk": "bg ca cs de en es fi fr he hu it nl no pl pt ru sl sv tr",
    "ur": "en",
    "vi": "de en eo es fr it ru",
    "xh": "en es fr sv",
    "yo": "en es fi fr sv",
    "zh": "bg de en fi he it ms nl sv uk vi",
}

# Models of several languages, or larger ones: name after opus-mt-, and the
# code that chooses the target.
_GROUPS: dict[tuple[str, str], tuple[str, str | None]] = {
    ("en", "ar"): ("en-ar", "ara"),
    ("en", "be"): ("tc-big-en-zle", "bel"),
    ("en", "bg"): ("en-bg", "bul"),
    ("en", "hr"): ("en-zls", "hrv"),
    ("en", "ko"): ("tc-big-en-ko", None),
    ("en", "lt"): ("tc-big-en-lt", None),
    ("en", "lv"): ("tc-big-en-lv", None),
    ("en", "no"): ("en-gmq", "nob"),
    ("en", "pl"): ("en-zlw", "pol"),
    ("en", "pt"): ("tc-big-en-pt", "por"),
    ("en", "sl"): ("en-zls", "slv"),
    ("en", "tr"): ("tc-big-en-tr", None),
    ("en", "vi"): ("en-vi", "vie"),
    ("en", "zh"): ("en-zh", "cmn_Hans"),
    ("be", "en"): ("tc-big-zle-en", None),
    ("el", "en"): ("tc-big-el-en", None),
    ("he", "en"): ("tc-big-he-en", None),
    ("hr", "en"): ("tc-big-zls-en", None),
    ("lt", "en"): ("tc-big-lt-en", None),
    ("no", "en"): ("tc-big-gmq-en", None),
    ("pt", "en"): ("ROMANCE-en", None),
    ("ro", "en"): ("ROMANCE-en", None),
    ("sl", "en"): ("tc-big-zls-en", None),
}
_PIVOT = "en"
KNOWN = {*_DIRECT, *(pair[0] for pair in _GROUPS)}


@dataclass(frozen=True)
class Choice:
    """A published model for a pair of languages."""

    source: str
    target: str
    name: str
    target_lang: str | None
    """Of a model for several languages: the code to convert it for."""

    @property
    def megabytes(self) -> int:
        """About as many, as int8."""
        return 250 if "-tc-big-" in self.name else 80


def choose(source: str, target: str) -> list[Choice]:
    """One model, or two by way of English.

    Raises:
        ValueError: none is known.
    """
    if source == target:
        raise ValueError(f"{source} to {target}: these are the same language.")
    if direct := _find(source, target):
        return [direct]
    first, second = _find(source, _PIVOT), _find(_PIVOT, target)
    if first and second:
        return [first, second]
    raise ValueError(
        f"{source} to {target}: no model is known for that; give languages as "
        f"ISO 639-1 has them, from {' '.join(sorted(KNOWN))}, or a model's "
        "name."
    )


def sources(target: str) -> list[str]:
    """The languages that there are models for, into this one."""
    return sorted(
        source
        for source in KNOWN - {target}
        if _find(source, target)
        or (_find(source, _PIVOT) and _find(_PIVOT, target))
    )


def _find(source: str, target: str) -> Choice | None:
    pair, tag = f"{source}-{target}", None
    if found := _GROUPS.get((source, target)):
        pair, tag = found
    elif target not in _DIRECT.get(source, "").split():
        return None
    return Choice(source, target, f"Helsinki-NLP/opus-mt-{pair}", tag)
