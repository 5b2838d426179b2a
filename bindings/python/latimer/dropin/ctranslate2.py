"""`import ctranslate2` finds this if its folder is in PYTHONPATH."""

import sys

import latimer.ctranslate2

sys.modules[__name__] = latimer.ctranslate2
