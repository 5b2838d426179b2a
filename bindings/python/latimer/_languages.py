"""Languages as people type them: codes of two or three letters, with a region
or a script, and English or own names."""

from __future__ import annotations

import difflib
import re

# Code as Mozilla and OPUS-MT have it: three-letter codes, English names, and
# the language's own name.
_NAMES = {
    "af": "afr Afrikaans",
    "ar": "ara Arabic العربية",
    "az": "aze azj Azerbaijani Azeri Azərbaycanca",
    "be": "bel Belarusian Беларуская",
    "bg": "bul Bulgarian Български",
    "bn": "ben Bengali Bangla বাংলা",
    "bs": "bos Bosnian Bosanski",
    "ca": "cat Catalan Valencian Català",
    "cs": "ces cze Czech Čeština",
    "cy": "cym wel Welsh Cymraeg",
    "da": "dan Danish Dansk",
    "de": "deu ger German Deutsch",
    "el": "ell gre Greek Ελληνικά",
    "en": "eng English",
    "eo": "epo Esperanto",
    "es": "spa Spanish Castilian Español",
    "et": "est ekk Estonian Eesti",
    "eu": "eus baq Basque Euskara",
    "fa": "fas per pes Persian Farsi فارسی",
    "fi": "fin Finnish Suomi",
    "fr": "fra fre French Français",
    "ga": "gle Irish Gaeilge",
    "gl": "glg Galician Galego",
    "gu": "guj Gujarati ગુજરાતી",
    "ha": "hau Hausa",
    "he": "heb iw Hebrew עברית",
    "hi": "hin Hindi हिन्दी",
    "hr": "hrv Croatian Hrvatski",
    "ht": "hat Haitian Kreyòl",
    "hu": "hun Hungarian Magyar",
    "hy": "hye arm Armenian Հայերեն",
    "id": "ind Indonesian",
    "is": "isl ice Icelandic Íslenska",
    "it": "ita Italian Italiano",
    "ja": "jpn Japanese 日本語",
    "ka": "kat geo Georgian ქართული",
    "kn": "kan Kannada ಕನ್ನಡ",
    "ko": "kor Korean 한국어",
    "lt": "lit Lithuanian Lietuvių",
    "lv": "lav lvs Latvian Latviešu",
    "mk": "mkd mac Macedonian Македонски",
    "ml": "mal Malayalam മലയാളം",
    "mr": "mar Marathi मराठी",
    "ms": "msa may zsm Malay Melayu",
    "mt": "mlt Maltese Malti",
    "nb": "nob Bokmål Bokmal",
    "nl": "nld dut Dutch Flemish Nederlands",
    "nn": "nno Nynorsk",
    "no": "nor Norwegian Norsk",
    "pa": "pan Punjabi Panjabi ਪੰਜਾਬੀ",
    "pl": "pol Polish Polski",
    "pt": "por Portuguese Português",
    "ro": "ron rum Romanian Moldovan Română",
    "ru": "rus Russian Русский",
    "sk": "slk slo Slovak Slovenčina",
    "sl": "slv Slovenian Slovene Slovenščina",
    "sq": "sqi alb Albanian Shqip",
    "sr": "srp Serbian Српски",
    "sv": "swe Swedish Svenska",
    "sw": "swa swh Swahili Kiswahili",
    "ta": "tam Tamil தமிழ்",
    "te": "tel Telugu తెలుగు",
    "th": "tha Thai ไทย",
    "tl": "tgl fil Tagalog Filipino",
    "tr": "tur Turkish Türkçe",
    "uk": "ukr Ukrainian Українська",
    "ur": "urd Urdu اردو",
    "vi": "vie Vietnamese Việt",
    "xh": "xho Xhosa isiXhosa",
    "yo": "yor Yoruba Yorùbá",
    "zh": "zho chi cmn Chinese Mandarin 中文",
}
_TRADITIONAL = "zh_hant"
_BY_NAME = {
    name.casefold(): code
    for code, names in _NAMES.items()
    for name in (code, *names.split())
}
_CODE = re.compile(r"[a-z]{2,3}(_[a-z0-9]+)*")


def code(typed: str) -> str:
    """The code of a language: "pt" of pt-BR, Portuguese and por.

    Raises:
        ValueError: this names no language; says which names are near.
    """
    text = typed.strip().casefold().replace("-", "_")
    if text in ("traditional chinese", "chinese (traditional)", "繁體中文"):
        return _TRADITIONAL
    language, _, rest = text.partition("_")
    if found := _BY_NAME.get(language if _CODE.fullmatch(text) else text):
        parts = rest.split("_")
        if found == "zh" and {"hant", "tw", "hk", "mo"} & {*parts}:
            return _TRADITIONAL
        return found
    if _CODE.fullmatch(text):
        return text  # A catalog may have it.
    near = difflib.get_close_matches(text, _BY_NAME, 3, 0.7)
    hint = f"; near it: {', '.join(near)}" if near else ""
    raise ValueError(
        f"{typed}: no language has this name{hint}; give a code, such as pt, "
        "pt-BR or zh-Hant, or an English name."
    )


def pair(typed: str) -> tuple[str, str] | None:
    """Source and target of "en-pt", "pt-BR:de" or "English-German"; None if it
    is something else, such as the name of a model."""
    for separator in (":", ">", "_to_", "-"):
        head, found, tail = typed.partition(separator)
        while found:
            if _is_language(head) and _is_language(tail):
                return code(head), code(tail)
            if separator != "-":
                break
            more, found, tail = tail.partition(separator)
            head = f"{head}-{more}"
    return None


def name(of: str) -> str:
    """The English name of a code, or the code."""
    if of == _TRADITIONAL:
        return "Traditional Chinese"
    words = _NAMES.get(of, "").split()
    return next((word for word in words if word[0].isupper()), of)


def _is_language(text: str) -> bool:
    text = text.casefold().replace("-", "_")
    first, _, region = text.partition("_")
    if not region:
        return first in _BY_NAME or bool(re.fullmatch("[a-z]{2,3}", first))
    return first in _BY_NAME and bool(
        re.fullmatch("[a-z]{2}|[a-z]{4}|[0-9]{3}", region)
    )
