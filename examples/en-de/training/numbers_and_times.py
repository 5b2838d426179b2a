"""Pairs that a few rules make: numbers, times, dates, prices, units, codes, signs. prep.py adds them to the text."""

import random
import re


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
    kind = dice.randrange(8)
    if kind in (0, 5):
        half, mark, bare = dice.random() < 0.5, dice.choice("::."), minute == 0 and dice.random() < 0.7
        name = dice.choice((" {}.m.", " {}.m.", " {}.m.", " {}m", "{}m")).format("p" if half else "a")
        return (f"{hour}{name}" if bare else f"{hour}{mark}{minute:02}{name}",
                f"{hour % 12 + 12 * half} Uhr" if bare else f"{hour % 12 + 12 * half}:{minute:02} Uhr")  # fmt: skip
    if kind in (6, 7):
        part, of_day, hours = dice.choice((("in the morning", "morgens", range(5, 12)),
                                           ("in the afternoon", "nachmittags", range(1, 6)),
                                           ("in the evening", "abends", range(5, 12)),
                                           ("at night", "nachts", (1, 2, 3, 11))))  # fmt: skip
        hour = dice.choice(hours)
        if dice.random() < 0.3:
            hour_words = dice.choice((english(hour), f"{english(hour)} o'clock", str(hour), f"{hour} o'clock"))
            return f"{hour_words} {part}", f"{hour if hour_words[0].isdigit() else german(hour, False)} Uhr {of_day}"
        return f"{hour}:{minute:02} {part}", f"{hour}:{minute:02} Uhr {of_day}"
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
      ("It's already {}.", "Es ist schon {}."),
      ("The train to {city} leaves at {}.", "Der Zug nach {city} fährt um {} ab."),
      ("The last bus goes at {}.", "Der letzte Bus fährt um {}."),
      ("The bus arrives at {}.", "Der Bus kommt um {} an."),
      ("I get up at {}.", "Ich stehe um {} auf."), ("Let's meet at {}.", "Treffen wir uns um {}."),
      ("The shop closes at {}.", "Das Geschäft schließt um {}."), ("Can you come at {}?", "Können Sie um {} kommen?"),
      ("The film starts at {}.", "Der Film beginnt um {}."), ("She goes to bed at {}.", "Sie geht um {} ins Bett."),
      ("A table for two at {}, please.", "Einen Tisch für zwei Personen um {}, bitte."),
      ("Please wake me at {}.", "Bitte wecken Sie mich um {}."), ("We have breakfast at {}.", "Wir frühstücken um {}."),
      ("He starts work at {} and finishes at {}.", "Er fängt um {} mit der Arbeit an und hört um {} auf."),
      ("She leaves home at {} and takes the bus.", "Sie geht um {} aus dem Haus und nimmt den Bus."),
      ("At {} we have lunch, at {} we go on.", "Um {} essen wir zu Mittag, um {} geht es weiter."),
      ("Open from {} to {}", "Geöffnet von {} bis {}"), ("from {} to {}", "von {} bis {}"),
      ("Breakfast is served from {} to {}.", "Frühstück gibt es von {} bis {}."),
      ("I'll pick you up at {}, okay?", "Ich hole dich um {} ab, okay?"),
      ("The doctor can see you at {} on {day}.", "Der Arzt hat am {tag} um {} Zeit für Sie."),
      ("Our flight to {city} departs at {} and lands at {}.", "Unser Flug nach {city} startet um {} und landet um {}."),
      ("The museum is open until {}.", "Das Museum ist bis {} geöffnet."),
      ("Call me before {}.", "Ruf mich vor {} an."),
      ("We will be there by {}.", "Wir werden bis {} dort sein."),
      ("My appointment is at {}.", "Mein Termin ist um {}.")]  # fmt: skip
WHAT_TIME = [("What time is it in {city}?", "Wie spät ist es in {city}?"),
             ("What time is it there now?", "Wie spät ist es dort jetzt?"),
             ("Do you know what time it is?", "Weißt du, wie spät es ist?"),
             ("Could you tell me what time it is?", "Können Sie mir sagen, wie spät es ist?"),
             ("What time does the {thing} start?", "Um wie viel Uhr beginnt {der}?"),
             ("What time does the {thing} end?", "Um wie viel Uhr endet {der}?"),
             ("What time did the {thing} begin?", "Um wie viel Uhr hat {der} begonnen?"),
             ("When does the {thing} begin?", "Wann beginnt {der}?"),
             ("What time do you get up on {day}s?", "Um wie viel Uhr stehst du {tags} auf?"),
             ("What time do you close on {day}?", "Um wie viel Uhr schließen Sie am {tag}?"),
             ("What time shall we meet on {day}?", "Um wie viel Uhr treffen wir uns am {tag}?"),
             ("What time will you be home on {day}?", "Um wie viel Uhr bist du am {tag} zu Hause?")]  # fmt: skip
THINGS = [("film", "der Film"), ("concert", "das Konzert"), ("lesson", "der Unterricht"), ("match", "das Spiel"),
          ("party", "die Party"), ("show", "die Vorstellung"), ("course", "der Kurs"),
          ("tour", "die Führung")]  # fmt: skip
CITIES = [words(f"London Paris Berlin Hamburg Boston Chicago {tokyo} Madrid Oslo Dresden Stuttgart Toronto Sydney")
          for tokyo in ("Tokyo", "Tokio")]  # fmt: skip
DATE = [("on {}", "am {}"), ("My birthday is on {}.", "Mein Geburtstag ist am {}."),
        ("We are leaving on {}.", "Wir reisen am {} ab."), ("She was born on {}.", "Sie wurde am {} geboren."),
        ("The meeting is on {}.", "Die Besprechung ist am {}."),
        ("I would like a room from {}.", "Ich hätte gern ein Zimmer ab dem {}.")]  # fmt: skip
WHEN = [("on {day}", "am {tag}"), ("on {day} morning", "am {tag}morgen"), ("on {day} afternoon", "am {tag}nachmittag"),
        ("on {day} evening", "am {tag}abend"), ("on {day}s", "{tags}"), ("every {day}", "jeden {tag}"),
        ("next {day}", "nächsten {tag}"), ("this {day}", "diesen {tag}"), ("in {month}", "im {monat}"),
        ("at the end of {month}", "Ende {monat}"), ("at the beginning of {month}", "Anfang {monat}")]  # fmt: skip
PLAN = [("{}", "{}"), ("I have an appointment {}.", "Ich habe {} einen Termin."),
        ("We are closed {}.", "Wir haben {} geschlossen."), ("Are you free {}?", "Hast du {} Zeit?"),
        ("The course takes place {}.", "Der Kurs findet {} statt."), ("Do you work {}?", "Arbeiten Sie {}?"),
        ("He has no time {}.", "Er hat {} keine Zeit."), ("Can we meet {}?", "Können wir uns {} treffen?")]  # fmt: skip
YEAR = [("in {}", "im Jahr {}"), ("She was born in {} in {city}.", "Sie wurde {} in {city} geboren."),
        ("The house was built in {}.", "Das Haus wurde {} gebaut."), ("He died in {}.", "Er starb {}."),
        ("In {} they moved to {city}.", "Im Jahr {} zogen sie nach {city}."), ("since {}", "seit {}"),
        ("The company was founded in {}.", "Die Firma wurde {} gegründet."),
        ("from {} to {}", "von {} bis {}"), ("I have worked here since {}.", "Ich arbeite seit {} hier.")]  # fmt: skip
ORDER = [("the {} floor", "der {} Stock"), ("Our office is on the {} floor.", "Unser Büro ist im {} Stock."),
         ("Today is her {} birthday.", "Heute ist ihr {} Geburtstag."), ("in the {} century", "im {} Jahrhundert"),
         ("This is my {} visit to {city}.", "Das ist mein {} Besuch in {city}."),
         ("It is the {} door on the left.", "Es ist die {} Tür links.")]  # fmt: skip
CODE = [("{}", "{}"), ("Room {}", "Zimmer {}"), ("You can reach me at {}.", "Sie erreichen mich unter {}."),
        ("Please call {}.", "Bitte rufen Sie {} an."), ("Your code is {}.", "Ihr Code lautet {}."),
        ("Our train leaves from platform {}.", "Unser Zug fährt von Gleis {} ab."), ("See page {}.", "Siehe Seite {}."),
        ("Version {} is available.", "Version {} ist verfügbar."), ("Take bus {}.", "Nehmen Sie den Bus {}."),
        ("Flight {} has been cancelled.", "Flug {} wurde gestrichen."), ("Gate {}", "Flugsteig {}"),
        ("I live at number {}.", "Ich wohne in Nummer {}."), ("Order no. {}", "Bestellnr. {}")]  # fmt: skip
PRICE = [("That costs {} euros.", "Das kostet {} Euro."), ("It's {} dollars.", "Es sind {} Dollar."),
         ("The ticket costs {} euros.", "Die Fahrkarte kostet {} Euro."),
         ("He owes me {} pounds.", "Er schuldet mir {} Pfund."),
         ("That's {} euros altogether.", "Das macht zusammen {} Euro.")]  # fmt: skip
SUM = [("{}", "{}"), ("The book costs {}.", "Das Buch kostet {}."), ("I paid {} for it.", "Ich habe {} dafür bezahlt."),
       ("The total is {}.", "Die Gesamtsumme beträgt {}."), ("A kilo costs {}.", "Ein Kilo kostet {}."),
       ("You owe me {}.", "Du schuldest mir {}."), ("That's {}, please.", "Das macht {}, bitte."),
       ("The room is {} a night.", "Das Zimmer kostet {} pro Nacht."), ("Tickets from {}", "Karten ab {}"),
       ("It used to cost {}, now it costs {}.", "Früher kostete es {}, jetzt kostet es {}."),
       ("I only have {} left.", "Ich habe nur noch {}."), ("Price: {}", "Preis: {}")]  # fmt: skip
SHARE = [("{}", "{}"), ("Prices have risen by {}.", "Die Preise sind um {} gestiegen."), ("{} off", "{} Rabatt"),
         ("About {} of the students passed.", "Etwa {} der Schüler haben bestanden."),
         ("The battery is at {}.", "Der Akku ist bei {}."), ("I am {} sure.", "Ich bin zu {} sicher.")]  # fmt: skip
DEGREES = [("{}", "{}"), ("It is {} outside.", "Draußen sind es {}."), ("Water boils at {}.", "Wasser kocht bei {}."),
           ("The temperature rose to {}.", "Die Temperatur stieg auf {}."), ("Wash at {}.", "Bei {} waschen."),
           ("Preheat the oven to {}.", "Den Ofen auf {} vorheizen.")]  # fmt: skip
LENGTH = [("{}", "{}"), ("The hotel is {} away.", "Das Hotel ist {} entfernt."),
          ("We walked {}.", "Wir sind {} gelaufen."),
          ("It is {} from here to the station.", "Es sind {} von hier zum Bahnhof."),
          ("The bridge is {} long.", "Die Brücke ist {} lang."),
          ("Drive straight on for {}.", "Fahren Sie {} geradeaus."),
          ("Follow this road for {}.", "Folgen Sie dieser Straße {}."), ("after {}", "nach {}"),
          ("Keep going for {}, then turn right.", "Gehen Sie {} weiter und biegen Sie dann rechts ab."),
          ("It is only {} to the beach.", "Bis zum Strand sind es nur {}.")]  # fmt: skip
AMOUNT = [("{}", "{}"), ("I need {}.", "Ich brauche {}."), ("Add {} of water.", "Geben Sie {} Wasser hinzu."),
          ("I bought {} of milk.", "Ich habe {} Milch gekauft."), ("That makes {}.", "Das ergibt {}.")]  # fmt: skip
WEIGHT = [("{}", "{}"), ("The parcel weighs {}.", "Das Paket wiegt {}."),
          ("I have lost {}.", "Ich habe {} abgenommen."),
          ("We need {} of flour.", "Wir brauchen {} Mehl."),
          ("{} of potatoes, please.", "{} Kartoffeln, bitte.")]  # fmt: skip
UNITS = [  # Patterns, and English and German units.
    (SHARE, [("%", " %"), (" %", " %"), (" per cent", " Prozent"), (" percent", " Prozent")]),
    (DEGREES, [("°C", " °C"), (" °C", " °C"), (" degrees", " Grad"), ("°", "°"),
               (" degrees Celsius", " Grad Celsius")]),
    (LENGTH, [(" km", " km"), (" m", " m"), ("km", " km"), ("m", " m"), (" kilometres", " Kilometer"), (" cm", " cm"),
              (" meters", " Meter"), (" metres", " Meter"), (" miles", " Meilen"), (" feet", " Fuß"), (" mm", " mm")]),
    (AMOUNT, [(" l", " l"), (" litres", " Liter"), (" liters", " Liter"), ("l", " l"), (" ml", " ml")]),
    (WEIGHT, [(" kg", " kg"), (" g", " g"), ("kg", " kg"), (" kilos", " Kilo"), (" kilograms", " Kilogramm"),
              (" grams", " Gramm"), (" pounds", " Pfund")]),
    ([("{}", "{}"), ("The limit is {}.", "Die Höchstgeschwindigkeit beträgt {}."),
      ("He drove at {}.", "Er fuhr mit {}.")], [(" km/h", " km/h"), (" kilometres per hour", " Kilometer pro Stunde")]),
    ([("{}", "{}"), ("The film lasts {}.", "Der Film dauert {}."), ("It took {}.", "Es hat {} gedauert."),
      ("I'll be back in {}.", "Ich bin in {} zurück.")],
     [(" h", " h"), (" min", " min"), (" hours", " Stunden"), (" minutes", " Minuten"), (" seconds", " Sekunden")]),
    ([("{}", "{}"), ("The file has {}.", "Die Datei hat {}."), ("There are {} free.", "Es sind {} frei.")],
     [(" MB", " MB"), (" GB", " GB"), ("GB", " GB")]),
]  # fmt: skip
COUNT = [("I am {} years old.", "Ich bin {} Jahre alt."), ("She is {} years old.", "Sie ist {} Jahre alt."),
         ("He is {} years old.", "Er ist {} Jahre alt."), ("There are {} people here.", "Hier sind {} Leute."),
         ("It is {} kilometers from here.", "Es sind {} Kilometer von hier."),
         ("I need {} minutes.", "Ich brauche {} Minuten."), ("We have {} days.", "Wir haben {} Tage."),
         ("{} students passed the exam.", "{} Schüler haben die Prüfung bestanden.")]  # fmt: skip


def quantity(dice: random.Random) -> tuple[str, str]:
    """A number with a unit or a currency, alone or in a sentence."""
    n = dice.choice((dice.randint(2, 20), dice.randint(2, 99), 10 * dice.randint(1, 50)))
    number = (str(n), str(n))
    if dice.random() < 0.35:
        number = f"{n}.{dice.randint(1, 9)}", None
        number = number[0], number[0].replace(".", ",")
    if dice.random() < 0.4:
        cents = dice.choice((None, None, 50, 99, dice.randint(1, 99)))
        one, other = (str(n), str(n)) if cents is None else (f"{n}.{cents:02}", f"{n},{cents:02}")
        mark = dice.choice("€€€$$£")
        one = dice.choice((f"{mark}{one}", f"{mark}{one}", f"{one} {mark}", f"{one}{mark}"))
        return filled(dice, SUM, one, f"{other} {mark}")
    patterns, units = dice.choice(UNITS)
    unit, einheit = dice.choice(units)
    if dice.random() < 0.25 and unit[:1] == " " and len(unit) > 3 and unit.islower():
        number = english(n), german(n, False)
    return filled(dice, patterns, number[0] + unit, number[1] + einheit)


def ordinal(n: int) -> str:
    return str(n) + {1: "st", 2: "nd", 3: "rd"}.get(n % 10 if n // 10 != 1 else 0, "th")


def code(dice: random.Random) -> str:
    """What is copied: numbers of phones, rooms and orders, versions, sums."""
    a, b = dice.randint(1, 99), dice.randint(1, 99)
    digits = str(dice.randint(10**5, 10**9))
    return dice.choice((str(a), digits, f"{digits[:3]} {digits[3:]}", f"0{digits[:2]} {digits[2:]}", f"+49 {digits}",
                        f"{a}{dice.choice('ABCDab')}", f"{dice.choice('ABCDEF')}{b}",
                        f"{''.join(dice.sample('ABDEHKLRSUX', 2))} {a}{b}", f"{a % 10}.{b}", f"{a % 10}.{b}.{a}",
                        f"{a} + {b} = {a + b}", f"{a} x {b} = {a * b}", f"{a + b} - {b} = {a}", f"{a}/{b}",
                        f"{a}-{a + b}", f"#{digits}", f"{a} x {b} cm", f"{a} & {b}"))  # fmt: skip


def filled(dice: random.Random, patterns: list, one: str, other: str, then: tuple | None = None) -> tuple[str, str]:
    """A pattern with a value in both languages, and with then at its second place."""
    pair = dice.choice(patterns)
    city, thing, day, month = dice.randrange(len(CITIES[0])), dice.choice(THINGS), dice.randrange(7), dice.randrange(12)
    pair = [text.replace("{}", value, 1).replace("{}", following)
            for text, value, following in zip(pair, (one, other), then or (one, other))]  # fmt: skip
    pair = (pair[0].format(city=CITIES[0][city], thing=thing[0], day=DAYS[day], month=MONTHS[month]),
            pair[1].format(city=CITIES[1][city], der=thing[1], tag=TAGE[day], tags=f"{TAGE[day].lower()}s",
                           monat=MONATE[month]))  # fmt: skip
    pair = [re.sub(r"\.\.$", ".", text) for text in pair]  # After "a.m."
    return tuple(text[0].upper() + text[1:] for text in pair) if pair[1][-1] in ".?" else tuple(pair)


def made_pairs(dice: random.Random, count: int = 5000) -> list[tuple[str, str]]:
    pairs = [(english(n), german(n)) for n in range(201)]
    pairs += [filled(dice, WHAT_TIME, "", "") for _ in range(count // 10)]
    for _ in range(count):
        pairs.append(filled(dice, AT, *clock(dice), clock(dice)))
        pairs += [quantity(dice), quantity(dice)]
        day, month, weekday = dice.randint(1, 31), dice.randrange(12), dice.randrange(7)
        date = dice.choice((f"{MONTHS[month]} {day}", f"{MONTHS[month]} {ordinal(day)}", f"{day} {MONTHS[month]}"))
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
        if dice.random() < 0.5:
            pairs.append(filled(dice, CODE, *2 * [code(dice)]))
            pairs.append(filled(dice, PLAN, *dice.choice(WHEN)))
            years = sorted(str(dice.randint(1700, 2035)) for _ in "12")
            pairs.append(filled(dice, YEAR, *2 * years[:1], 2 * years[1:]))
            pairs.append(filled(dice, ORDER, ordinal(day), f"{day}."))
        if dice.random() < 0.3:
            big = dice.randint(1000, 999999)
            pairs.append(filled(dice, COUNT[3:5], f"{big:,}", f"{big:,}".replace(",", ".")))
    return pairs
