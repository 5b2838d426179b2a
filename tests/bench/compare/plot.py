"""SVG of ms per sentence against source length, both axes logarithmic."""

import math

import contestants

WIDTH, HEIGHT = 760, 470
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 50, 60
# Latimer in full colour, each peer its own; those of f32 are dashed.
COLOURS = {"latimer": "#c2410c", "ctranslate2": "#1d4ed8", "onnxruntime": "#15803d",
           "transformers": "#6b7280"}


class Scale:
    def __init__(self, low: float, high: float, first: float, last: float):
        self.low, self.high, self.first, self.last = map(float, (low, high, first, last))

    def __call__(self, value: float) -> float:
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.first + share * (self.last - self.first)


def decades(values: list[float]) -> tuple[float, float]:
    """The smallest 1, 2, 5 x 10^n that hold all."""
    ticks = [m * 10.0**e for e in range(-4, 7) for m in (1, 2, 5)]
    low = max(t for t in ticks if t <= min(values))
    return low, min(t for t in ticks if t >= max(values) and t > low)


def spread_labels(wanted: dict[str, float], gap: float) -> dict[str, float]:
    """Moves labels down so that none covers another."""
    placed, last = {}, -math.inf
    for name, y in sorted(wanted.items(), key=lambda item: item[1]):
        last = max(y, last + gap)
        placed[name] = last
    return placed


def text(x, y, content, anchor="start", **attributes) -> str:
    more = "".join(f' {k.replace("_", "-")}="{v}"' for k, v in attributes.items())
    return f'<text x="{x:.0f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{content}</text>'


def grid(x: Scale, y: Scale, lengths: list[int]) -> list[str]:
    parts = []
    for length in lengths:
        parts.append(f'<path d="M{x(length):.1f} {TOP}V{HEIGHT - BOTTOM}" class="grid"/>')
        parts.append(text(x(length), HEIGHT - BOTTOM + 18, length, "middle"))
    for exponent in range(-4, 7):
        for digit in (1, 2, 5):
            value = digit * 10.0**exponent
            if y.low * 0.999 <= value <= y.high * 1.001:
                parts.append(f'<path d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}" class="grid"/>')
                parts.append(text(LEFT - 8, y(value) + 4, f"{value:g}", "end"))
    return parts


def lengths_svg(lines: dict[str, dict[int, float]], title: str) -> str:
    """`lines`: contestant -> source length -> ms per sentence."""
    lengths = sorted({n for line in lines.values() for n in line})
    x = Scale(lengths[0], lengths[-1], LEFT, WIDTH - RIGHT)
    low, high = decades([ms for line in lines.values() for ms in line.values()])
    y = Scale(low, high, HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12" fill="#374151">',
        "<style>.grid{stroke:#e5e7eb;fill:none}.line{fill:none;stroke-width:2}</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text(LEFT, 24, title, font_size=14, font_weight="bold"), *grid(x, y, lengths),
        text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 18, "source tokens, and as many target tokens",
             "middle"),
        text(LEFT, TOP - 10, "ms per sentence"),
    ]
    ends = {}
    for name, line in lines.items():
        engine, weights = name.split("-")
        points = " ".join(f"{x(n):.1f},{y(ms):.1f}" for n, ms in sorted(line.items()))
        dash = ' stroke-dasharray="5 4"' if weights == "f32" else ""
        parts.append(f'<polyline points="{points}" class="line" stroke="{COLOURS[engine]}"'
                     f'{dash}/>')
        ends[name] = y(line[max(line)])
    for name, at in spread_labels(ends, 16).items():
        parts.append(text(WIDTH - RIGHT + 8, at + 4, contestants.TITLES[name],
                          fill=COLOURS[name.split("-")[0]]))
    return "\n".join([*parts, "</svg>", ""])
