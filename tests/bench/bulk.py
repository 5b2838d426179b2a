#!/usr/bin/env python3
"""Sentences per second of examples/bulk with 1, 2 ... Spark workers.

    python3 tests/bench/bulk.py en-de.ltm examples/en-de/data/test.en

needs the packages latimer, pyspark, pandas and pyarrow, and Java.
"""

import argparse
import os
import pathlib
import sys
import time

import pandas
from pyspark.sql import SparkSession

import latimer

BULK = pathlib.Path(__file__).parents[2] / "examples" / "bulk"
sys.path.insert(0, str(BULK))
import translate_parquet  # noqa: E402


def spark_seconds(workers, model, path, runs):
    """The best time of a job in which all workers are already there."""
    os.environ["PYTHONPATH"] = os.pathsep.join([str(BULK), *sys.path])
    spark = (
        SparkSession.builder.master(f"local[{workers}]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    best = float("inf")
    for _ in range(1 + runs):
        frame = spark.read.parquet(path).repartition(4 * workers)
        job = translate_parquet.translate(frame, model, "text", "translation")
        begin = time.perf_counter()
        job.write.mode("overwrite").parquet(path + ".out")
        best = min(best, time.perf_counter() - begin)
    spark.stop()
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("text", help="a sentence on each line")
    parser.add_argument("--times", type=int, default=20, help="copies of it")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--work", default="/tmp/latimer-bulk.parquet")
    arguments = parser.parse_args()
    model = os.path.abspath(arguments.model)
    with open(arguments.text, encoding="utf-8") as file:
        lines = file.read().splitlines() * arguments.times
    pandas.DataFrame({"text": lines}).to_parquet(arguments.work)

    translator = latimer.Translator(model)
    alone = float("inf")
    for _ in range(arguments.runs):
        begin = time.perf_counter()
        for _ in translator.translate(lines):
            pass
        alone = min(alone, time.perf_counter() - begin)
    print("| | sentences/s |\n| --- | --- |")
    print(f"| one process without Spark | {len(lines) / alone:.0f} |")
    for workers in range(1, arguments.workers + 1):
        seconds = spark_seconds(workers, model, arguments.work, arguments.runs)
        print(f"| Spark, workers: {workers} | {len(lines) / seconds:.0f} |")


if __name__ == "__main__":
    main()
