#!/usr/bin/env python3
"""Translates a column of a Parquet file, or folder of them, on Apache Spark.

Each Python worker of Spark opens the model once. The workers of a machine share
its pages, and each translates the rows that it is given side by side. Spark
does a part again whose worker has died.
"""

from __future__ import annotations

import argparse
import functools
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import latimer

if TYPE_CHECKING:
    import pandas
    from pyspark.sql import DataFrame


@functools.cache
def open_model(path: str, lanes: int | None) -> latimer.Translator:
    """The model of this worker, which Spark keeps for its next parts."""
    return latimer.Translator(path, lanes=lanes)


def translate_batches(
    batches: Iterable[pandas.DataFrame],
    model: str,
    column: str,
    to: str,
    lanes: int | None = None,
    options: latimer.TranslateOptions | None = None,
) -> Iterator[pandas.DataFrame]:
    """Adds the column `to` to each batch. A null stays null."""
    from pyspark import SparkFiles

    path = model if os.path.isabs(model) else SparkFiles.get(model)
    translator = open_model(path, lanes)
    for batch in batches:
        texts = batch[column]
        found = texts.notna()
        translations = translator.translate(texts[found], **(options or {}))
        batch[to] = None
        batch.loc[found, to] = [t.text for t in translations]
        yield batch


def translate(
    frame: DataFrame,
    model: str,
    column: str,
    to: str,
    lanes: int | None = None,
    options: latimer.TranslateOptions | None = None,
) -> DataFrame:
    """A data frame with the translations of a column in another, `to`.

    Args:
        model: an absolute path that each machine has, or the name of a file of
            SparkContext.addFile.
        options: those of latimer.Translator.translate.
    """
    from pyspark.sql.types import StringType, StructType

    if column not in frame.columns:
        raise SystemExit(
            f"There is no column {column!r}; there are "
            f"{', '.join(map(repr, frame.columns))}."
        )
    if to in frame.columns:
        raise SystemExit(f"There is a column {to!r} already; name another.")
    schema = StructType([*frame.schema.fields]).add(to, StringType())
    work = functools.partial(
        translate_batches, model=model, column=column, to=to, lanes=lanes,
        options=options,
    )
    return frame.mapInPandas(work, schema)


def main() -> None:
    from pyspark.sql import SparkSession

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="a file that latimer-convert wrote")
    parser.add_argument("input", help="Parquet file or folder")
    parser.add_argument("output", help="folder to write; must not exist")
    parser.add_argument("--column", default="text")
    parser.add_argument("--to", default="translation")
    parser.add_argument("--source-lang")
    parser.add_argument("--target-lang")
    parser.add_argument("--lanes", type=int)
    parser.add_argument(
        "--parts", type=int, default=0,
        help="parts that the work is cut into; 0: as Spark reads the input",
    )
    parser.add_argument(
        "--installed", action="store_true",
        help="each machine has the model under this path; it is not sent",
    )
    arguments = parser.parse_args()
    latimer.Translator(arguments.model, lanes=1)  # Complains before Spark.
    # Settings such as --master come from spark-submit, or its configuration.
    spark = SparkSession.builder.appName("latimer").getOrCreate()
    spark.sparkContext.addPyFile(__file__)
    model = os.path.abspath(arguments.model)
    if not arguments.installed:
        spark.sparkContext.addFile(model)
        model = os.path.basename(model)
    frame = spark.read.parquet(arguments.input)
    if arguments.parts > 0:
        frame = frame.repartition(arguments.parts)
    languages = {
        "source_lang": arguments.source_lang,
        "target_lang": arguments.target_lang,
    }
    options: latimer.TranslateOptions = {
        name: code for name, code in languages.items() if code  # type: ignore
    }
    translate(
        frame, model, arguments.column, arguments.to, arguments.lanes, options
    ).write.parquet(arguments.output)
    spark.stop()


if __name__ == "__main__":
    # As a module, which workers import and keep, with the model that it has
    # opened; what is in __main__ is sent to them anew with each part.
    from translate_parquet import main as main_of_module

    main_of_module()
