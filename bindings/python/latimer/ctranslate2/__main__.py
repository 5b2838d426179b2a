"""python -m latimer.ctranslate2: the folder that makes a program use Latimer.

    PYTHONPATH=$(python -m latimer.ctranslate2) program
"""

from .._c import FOLDER

if __name__ == "__main__":
    print(FOLDER / "dropin")
