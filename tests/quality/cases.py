"""The lines that the measures translate, each made from a seed: what is put into a text, and where."""

from __future__ import annotations

import html
import random
import re
from pathlib import Path

from marks import Line

SYMBOLS = ["→", "✓", "★", "😀", "🎉", "👩‍👩‍👧", "🇧🇷", "☎", "1️⃣", "日本", "你好", "Привет", "हिन्दी", "ශ්‍රී", "שלום"]

# Short lines as menus, lists and prices have them. {} is a symbol.
SHORT = {
    "en": ["Step 1 {} step 2", "Page 3 {} page 14", "From 10 {} to 20", "Chapter 7 {} 12 pages",
           "2 items {} 3 boxes", "Room 5 {} floor 2", "The 4 houses {} the 6 trees"],
    "pt": ["Passo 1 {} passo 2", "Página 3 {} página 14", "De 10 {} até 20", "Capítulo 7 {} 12 páginas",
           "2 itens {} 3 caixas", "Quarto 5 {} andar 2", "As 4 casas {} as 6 árvores"],
}

# Lines that went wrong with published students or in reports of the field.
KEPT_EXAMPLES = {
    "en": ["2 items in your cart — total $45.90", "Mon–Fri 9:00–17:00", "Price: €1,299.00 (incl. VAT)",
           "Thank you for your order #10023.", "He met President Recep Tayyip Erdoğan.", "Step 1 → step 2",
           "Tom ☎ +49 30 123", "10 €, 20 ₽ and 30 ₹.", "Step 1 → step 2 → step 3", "Home → Products",
           "ශ්‍රී ලංකාව is an island.", "می‌خواهم is Persian.", "The word देव‍नागरी is Hindi.",
           "Press 1️⃣ or #️⃣ now.", "x ✓ y"],
    "pt": ["2 itens no carrinho — total R$ 45,90", "Seg–Sex 9:00–17:00", "Preço: 1.299,00 € (IVA incluído)",
           "e foi preso na Índia.", "Ele encontrou o presidente Recep Tayyip Erdoğan.", "Passo 1 → passo 2",
           "Início → Produtos", "A palavra देव‍नागरी é hindi.", "x ✓ y"],
}
PROTECTED_EXAMPLES = {
    "en": ["Dear {{ user.name }}, your house is big.", "{{ user.name }} has a book.",
           "Open http://localhost:8080/index.html?x=1 in your browser.",
           "Write to john.doe+tag@example.co.uk or see http://example.com/a_(b)?x=1&y=2#z."],
    "pt": ["Caro {{ user.name }}, a sua casa é grande.", "{{ user.name }} tem um livro.",
           "Abra http://localhost:8080/index.html?x=1 no seu navegador.",
           "Escreva para john.doe+tag@example.co.uk ou veja http://example.com/a_(b)?x=1&y=2#z."],
}

# Spans by kind, with a word that the models copy in their place.
SPANS = {
    "name": ("Tom", ["{name}", "{{ user.name }}", "%s", "%1$s", "${HOME}"]),
    "place": ("Wikipedia", ["https://example.com/a_b?x=1&y=2", "http://localhost:8080/index.html",
                            "www.example.org/docs", "v2.14.0-rc1", "/usr/local/lib/python3",
                            "C:\\Users\\me\\file.txt"]),
    "mail": ("Anna", ["john.doe+tag@example.co.uk", "info@example.org"]),
    "number": ("7", ["$1,299.00", "€45.90", "+49 30 1234567", "(555) 010-4477"]),
}
FRAMES = {
    "en": {"name": ["Dear {}, your house is big.", "Hello {}, you have a new message.", "{} has a book.",
                    "The file was sent to {} yesterday.", "Do you want to delete {} now?"],
           "place": ["Open {} in your browser.", "See {} for more information.", "We found an error in {} today.",
                     "The new version is {}."],
           "mail": ["Write to {}.", "Send your questions to {} before Monday.", "My friend {} will answer you.",
                    "The address is {}.", "This letter came from {}."],
           "number": ["The price is {} today.", "You have to pay {} before Monday.", "Call {} now.", "It costs {}."]},
    "pt": {"name": ["Caro {}, a sua casa é grande.", "Olá {}, você tem uma nova mensagem.", "{} tem um livro.",
                    "O arquivo foi enviado para {} ontem.", "Você quer excluir {} agora?"],
           "place": ["Abra {} no seu navegador.", "Veja {} para mais informações.", "Encontramos um erro em {} hoje.",
                     "A nova versão é {}."],
           "mail": ["Escreva para {}.", "Envie as suas perguntas para {} antes de segunda-feira.",
                    "O meu amigo {} vai responder.", "O endereço é {}.", "Esta carta veio de {}."],
           "number": ["O preço é {} hoje.", "Você tem que pagar {} antes de segunda-feira.", "Ligue para {} agora.",
                      "Custa {}."]},
}

NOTHING = ["---", "_____", "{}", "|||", "??????????", "* * *", "...", "!!! ???", "=====", "→ → →", "1.", "2024", "12:30",
           "10 – 20", "+49 30 123456", "3,14", "(1)", "50 %", "😀", "🎉🎉🎉", "— — —", "/", "<>", "\\", "1️⃣ 2️⃣"]

IDENTIFIERS = ["BE0768880101", "DE89370400440532013000", "1255837350318304", "4711-0815-2223334445", "A1B2C3D4E5",
               "978-3-16-148410-0", "XK-20931-77", "0049301234567", "INV2026000118", "ab12cd34ef56"]
IDENTIFIER_FRAMES = {
    "en": ["{}", "Your number is {}.", "Please give the number {} when you pay.", "The box {} has arrived."],
    "pt": ["{}", "O seu número é {}.", "Informe o número {} ao pagar.", "A caixa {} chegou."],
}


def gaps(line: str) -> list[int]:
    """Where a word ends and another begins, without punctuation between them."""
    return [match.start() for match in re.finditer(r"(?<=\w) (?=\w)", line)]


def inserted(line: str, span: str, draw: random.Random, reference: str | None) -> Line | None:
    """The span between two words, or at the end."""
    places = gaps(line)
    if not places:
        return None
    at = draw.choice(places)
    text = f"{line} {span}" if draw.random() < 0.25 else f"{line[:at]} {span}{line[at:]}"
    return Line(text, span, line, reference=reference)


def with_symbols(lines: list[str], references: list[str] | None, symbols: list[str]) -> list[Line]:
    draw = random.Random(1)
    rows = [inserted(line, draw.choice(symbols), draw, references[i] if references else None)
            for i, line in enumerate(lines)]
    return [row for row in rows if row]


def short(language: str, symbols: list[str]) -> list[Line]:
    return [Line(frame.format(symbol), symbol, frame.format("-"), "-") for frame in SHORT.get(language, [])
            for symbol in symbols]


def shared_name(line: str, reference: str) -> str | None:
    """A name that source and reference write alike, once each, not at the start."""
    for match in re.finditer(r"(?<=[\w,] )([A-Z][a-z]{3,})\b(?!-)", line):
        name = match.group()
        if line.count(name) == 1 and len(re.findall(rf"\b{name}\b", reference)) == 1 and reference.count(name) == 1:
            return name
    return None


def with_spans(language: str, lines: list[str], references: list[str] | None, most: int) -> list[Line]:
    """Spans in place of a name, between words, behind the line, and in short sentences; a quarter to a half each."""
    draw = random.Random(2)
    spans = [(kind, span) for kind, (_, some) in SPANS.items() for span in some]
    rows: list[Line] = []
    for i, line in enumerate(lines):
        if len(rows) >= most * 3 // 4:
            break
        kind, span = draw.choice(spans)
        reference = references[i] if references else None
        name = shared_name(line, reference) if reference and kind != "number" else None
        if name:
            rows.append(Line(line.replace(name, span), span, line, name, reference))
        elif draw.random() < 0.25 and (row := inserted(line, span, draw, reference)):
            rows.append(row)
    frames = [(frame, stand_in, span) for kind, (stand_in, some) in SPANS.items()
              for frame in FRAMES.get(language, {}).get(kind, []) for span in some]
    draw.shuffle(frames)
    return rows + [Line(frame.format(span), span, frame.format(stand_in), stand_in)
                   for frame, stand_in, span in frames[: most - len(rows)]]


def identifiers(language: str) -> list[Line]:
    return [Line(frame.format(each), each, frame.format("7"), "7")
            for frame in IDENTIFIER_FRAMES.get(language, ["{}"]) for each in IDENTIFIERS]


def tagged(lines: list[str]) -> list[tuple[str, str]]:
    """Each line as HTML, with up to two runs of words in tags, and its first name, which is one of them, or ""."""
    draw = random.Random(3)
    rows = []
    for line in lines:
        words = html.escape(line, quote=False).split(" ")
        names = [i for i, word in enumerate(words) if i > 0 and re.fullmatch("[A-Z][a-z]{3,}", word)
                 and line.count(word) == 1]
        free = set(range(len(words)))
        for tag in draw.sample(["b", "i", "em", 'a href="x"'], 2):
            if not free:
                break
            begin = names[0] if names and len(free) == len(words) else draw.choice(sorted(free))
            end = begin + 1
            while end - begin < 3 and end in free and begin not in names[:1]:
                end += 1
            words[begin] = f"<{tag}>{words[begin]}"
            words[end - 1] += f"</{tag.split()[0]}>"
            free -= set(range(begin, end))
        rows.append((f"<p>{' '.join(words)}</p>", line.split(" ")[names[0]] if names else ""))
    return rows


def paragraphs(folder: Path) -> list[str]:
    """Paragraphs of HTML pages with tags in them that mark words, and nothing that is not translated."""
    rows = []
    for page in sorted(path for path in folder.rglob("*.html") if path.is_file()):
        for text in re.findall(r"<p\b[^>]*>(.*?)</p>", page.read_text(encoding="utf-8", errors="ignore"), re.S | re.I):
            names = {name.lower() for name in re.findall(r"<\W?(\w*)", text)}
            text = re.sub(r"\s+", " ", text).strip()
            if names and names <= {"a", "b", "i", "em", "strong", "span", "cite", "u", "q"} and 40 < len(text) < 600:
                rows.append(f"<p>{text}</p>")
    random.Random(4).shuffle(rows)
    return rows
