"""What people type besides clean sentences: variants of sentence pairs, which train.py adds to the text."""

import random
import re

END = ".!?…"
Pair = tuple[str, str]


def variant(english: str, german: str, kind: float) -> Pair:
    """Without marks, in lower case, in capitals; most often, the pair as it is."""
    if kind < 0.08:
        return english.rstrip(END), german.rstrip(END)
    if kind < 0.13:
        return english.lower(), german
    if kind < 0.19:
        return english.lower().rstrip(END), german.rstrip(END)
    if kind < 0.23:
        return english.upper(), german.upper()
    if kind < 0.26:
        return re.sub(r"[,;:](?= )", "", english.lower()).rstrip(END), german.rstrip(END)
    return english, german


def joined(pairs: list[Pair], dice: random.Random) -> Pair:
    """Two to four neighbours as one line."""
    at, count = dice.randrange(len(pairs)), dice.choice((2, 2, 2, 3, 3, 4))
    english, german = zip(*pairs[at : at + count])
    return " ".join(english), " ".join(german)


def varied(pairs: list[Pair], seed: int) -> list[Pair]:
    """The pairs, with variants of 26 % of them, and lines of joined sentences, 10 % of their number."""
    dice = random.Random(seed)
    pairs = [pair for pair in pairs if all(pair)]
    made = [variant(*pair, dice.random()) for pair in pairs]
    found = pairs + [new for new, pair in zip(made, pairs) if new != pair and all(new)]
    ended = [pair for pair in pairs if pair[0][-1] in END and pair[1][-1] in END]
    return found + [joined(ended, dice) for _ in range(int(0.1 * len(ended)))]
