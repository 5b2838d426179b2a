"""Pairs that a few rules make: numbers, clock times, dates, prices, ages. prep.py adds them to the text."""

import random


def words(text: str) -> list[str]:
    return text.split()


ONES = words("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen")
ONES += words("seventeen eighteen nineteen")
TENS = words("_ _ twenty thirty forty fifty sixty seventy eighty ninety")
EINER = words("null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn")
EINER += words("sechzehn siebzehn achtzehn neunzehn")
ZEHNER = words("_ _ zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
MONTHS = words("January February March April May June July August September October November December")
MONATE = words("Januar Februar März April Mai Juni Juli August September Oktober November Dezember")
DAYS = words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
TAGE = words("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag")


def english(n: int) -> str:
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10] + (f"-{ONES[n % 10]}" if n % 10 else "")
    unit, name = (1000, "thousand") if n >= 1000 else (100, "hundred")
    rest = n % unit
    joint = " and " if rest and rest < 100 else " "
    return f"{english(n // unit)} {name}" + (joint + english(rest) if rest else "")


def german(n: int, last: bool = True) -> str:
    """last: "eins", as at the end of a number; otherwise "ein"."""
    if n < 20:
        return EINER[n] if n != 1 or last else "ein"
    if n < 100:
        return (german(n % 10, False) + "und" if n % 10 else "") + ZEHNER[n // 10]
    unit, name = (1000, "tausend") if n >= 1000 else (100, "hundert")
    return german(n // unit, False) + name + (german(n % unit, last) if n % unit else "")


def clock(dice: random.Random) -> tuple[str, str]:
    """A time of day after "at", and after "um"."""
    hour, minute = dice.randint(1, 12), dice.choice((0, 0, 15, 30, 45, dice.randint(1, 59)))
    following = hour % 12 + 1
    kind = dice.randrange(5)
    if kind == 0:
        half = dice.random() < 0.5
        return f"{hour}:{minute:02} {'p' if half else 'a'}.m.", f"{hour % 12 + 12 * half}:{minute:02} Uhr"
    if kind == 1:
        hour = dice.randint(0, 23)
        return f"{hour}:{minute:02}", f"{hour}:{minute:02} Uhr"
    if kind == 2:
        word = dice.random() < 0.5
        return (f"{english(hour)} o'clock" if word else f"{hour} o'clock",
                f"{german(hour, False)} Uhr" if word else f"{hour} Uhr")  # fmt: skip
    if kind == 3:
        return dice.choice(((f"half past {english(hour)}", f"halb {german(following)}"),
                            (f"a quarter past {english(hour)}", f"Viertel nach {german(hour)}"),
                            (f"a quarter to {english(following)}", f"Viertel vor {german(following)}")))  # fmt: skip
    minute = dice.choice((5, 10, 20))
    return dice.choice(((f"{english(minute)} past {english(hour)}", f"{german(minute)} nach {german(hour)}"),
                        (f"{english(minute)} to {english(following)}",
                         f"{german(minute)} vor {german(following)}")))  # fmt: skip


AT = [("at {}", "um {}"), ("It's {}.", "Es ist {}."), ("It is {}.", "Es ist {}."),
      ("The train leaves at {}.", "Der Zug fährt um {} ab."), ("The bus arrives at {}.", "Der Bus kommt um {} an."),
      ("I get up at {}.", "Ich stehe um {} auf."), ("Let's meet at {}.", "Treffen wir uns um {}."),
      ("The shop closes at {}.", "Das Geschäft schließt um {}."), ("Can you come at {}?", "Können Sie um {} kommen?"),
      ("The film starts at {}.", "Der Film beginnt um {}."),
      ("A table for two at {}, please.", "Einen Tisch für zwei Personen um {}, bitte."),
      ("Please wake me at {}.", "Bitte wecken Sie mich um {}."),
      ("My appointment is at {}.", "Mein Termin ist um {}.")]  # fmt: skip
DATE = [("on {}", "am {}"), ("My birthday is on {}.", "Mein Geburtstag ist am {}."),
        ("We are leaving on {}.", "Wir reisen am {} ab."), ("She was born on {}.", "Sie wurde am {} geboren."),
        ("The meeting is on {}.", "Die Besprechung ist am {}."),
        ("I would like a room from {}.", "Ich hätte gern ein Zimmer ab dem {}.")]  # fmt: skip
PRICE = [("That costs {} euros.", "Das kostet {} Euro."), ("It's {} dollars.", "Es sind {} Dollar."),
         ("The ticket costs {} euros.", "Die Fahrkarte kostet {} Euro."),
         ("That's {} euros altogether.", "Das macht zusammen {} Euro.")]  # fmt: skip
COUNT = [("I am {} years old.", "Ich bin {} Jahre alt."), ("She is {} years old.", "Sie ist {} Jahre alt."),
         ("He is {} years old.", "Er ist {} Jahre alt."), ("There are {} people here.", "Hier sind {} Leute."),
         ("It is {} kilometers from here.", "Es sind {} Kilometer von hier."),
         ("I need {} minutes.", "Ich brauche {} Minuten."), ("We have {} days.", "Wir haben {} Tage."),
         ("{} students passed the exam.", "{} Schüler haben die Prüfung bestanden.")]  # fmt: skip


def filled(dice: random.Random, patterns: list, one: str, other: str) -> tuple[str, str]:
    first, second = dice.choice(patterns)
    pair = first.format(one), second.format(other)
    return tuple(text[0].upper() + text[1:] if text[-1] in ".?" else text for text in pair)


def made_pairs(dice: random.Random, count: int = 5000) -> list[tuple[str, str]]:
    pairs = [(english(n), german(n)) for n in range(201)]
    for _ in range(count):
        pairs.append(filled(dice, AT, *clock(dice)))
        day, month, weekday = dice.randint(1, 31), dice.randrange(12), dice.randrange(7)
        ending = {1: "st", 2: "nd", 3: "rd"}.get(day % 10 if day // 10 != 1 else 0, "th")
        date = dice.choice((f"{MONTHS[month]} {day}", f"{MONTHS[month]} {day}{ending}", f"{day} {MONTHS[month]}"))
        german_date = f"{day}. {MONATE[month]}"
        if dice.random() < 0.3:
            year = dice.randint(1900, 2035)
            date, german_date = f"{MONTHS[month]} {day}, {year}", f"{german_date} {year}"
        elif dice.random() < 0.3:
            date, german_date = f"{DAYS[weekday]}, {date}", f"{TAGE[weekday]}, dem {german_date}"
        pairs.append(filled(dice, DATE[:5] if "dem" in german_date else DATE, date, german_date))
        n = dice.choice((dice.randint(2, 99), dice.randint(2, 9999)))
        number = (english(n), german(n)) if dice.random() < 0.5 else (str(n), str(n))
        pairs.append(filled(dice, COUNT, *number))
        cents = dice.choice((0, 50, 95, dice.randint(1, 99)))
        price = (f"{n}.{cents:02}", f"{n},{cents:02}") if cents else number
        pairs.append(filled(dice, PRICE, *price))
        if dice.random() < 0.3:
            big = dice.randint(1000, 999999)
            pairs.append(filled(dice, COUNT[3:5], f"{big:,}", f"{big:,}".replace(",", ".")))
    return pairs
