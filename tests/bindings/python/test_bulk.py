"""examples/bulk on Spark in local mode, with two workers."""

import functools
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest
from conftest import ROOT

pyspark = pytest.importorskip("pyspark")
pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
if shutil.which("java") is None:
    pytest.skip("no Java", allow_module_level=True)

BULK = ROOT / "examples" / "bulk"
sys.path.insert(0, str(BULK))
import translate_parquet  # noqa: E402


@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession

    paths = [str(BULK), str(pathlib.Path(__file__).parent)]
    paths += os.environ.get("PYTHONPATH", "").split(os.pathsep)
    session = (
        SparkSession.builder.master("local[2,4]")  # Four attempts a part.
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executorEnv.PYTHONPATH", os.pathsep.join(paths))
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "16")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture
def corpus(lines, tmp_path):
    """A Parquet file with a null, and the path that a result may have."""
    texts = [*lines, None, ""]
    frame = pandas.DataFrame({"id": range(len(texts)), "text": texts})
    frame.to_parquet(tmp_path / "in.parquet")
    return str(tmp_path / "in.parquet"), str(tmp_path / "out.parquet")


@pytest.fixture
def expected(translator, lines):
    texts = [t.text for t in translator.translate(lines)]
    return [*texts, None, translator.translate("").text]


def written(path):
    frame = pandas.read_parquet(path).sort_values("id")
    assert list(frame["id"]) == list(range(len(frame)))
    return [None if pandas.isna(text) else text for text in frame["translation"]]


def test_a_parquet_file_becomes_one_with_translations(
    spark, model, corpus, expected
):
    source, target = corpus
    frame = spark.read.parquet(source).repartition(4)
    translate_parquet.translate(frame, model, "text", "translation").write.parquet(
        target
    )
    assert written(target) == expected


def die_once(batches, marker, **arguments):
    """Translates; the first worker that comes here is killed half-way."""
    first = True
    for batch in translate_parquet.translate_batches(batches, **arguments):
        yield batch
        if first:
            first = False
            try:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)


def test_the_part_of_a_killed_worker_is_done_again(
    spark, model, corpus, expected, tmp_path
):
    source, target = corpus
    marker = str(tmp_path / "killed")
    frame = spark.read.parquet(source).repartition(4)
    work = functools.partial(
        die_once, marker=marker, model=model, column="text", to="translation"
    )
    frame.mapInPandas(work, "id long, text string, translation string").write.parquet(
        target
    )
    assert os.path.exists(marker)
    assert written(target) == expected


def test_spark_submit_runs_it_as_the_page_says(
    model, corpus, expected, tmp_path
):
    source, target = corpus
    submit = pathlib.Path(sys.executable).parent / "spark-submit"
    if not submit.exists():
        submit = pathlib.Path(pyspark.__file__).parent / "bin" / "spark-submit"
    done = subprocess.run(
        [
            submit, "--master", "local[2]", BULK / "translate_parquet.py",
            model, source, target, "--column", "text", "--to", "translation",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert written(target) == expected


def test_columns_are_checked(spark, model, corpus):
    frame = spark.read.parquet(corpus[0])
    with pytest.raises(SystemExit, match="no column 'none'; there are 'id'"):
        translate_parquet.translate(frame, model, "none", "translation")
    with pytest.raises(SystemExit, match="a column 'id' already"):
        translate_parquet.translate(frame, model, "text", "id")


def mappings(batches, **arguments):
    """Which file each worker has mapped, in place of its translations."""
    for batch in translate_parquet.translate_batches(batches, **arguments):
        with open("/proc/self/maps", encoding="utf-8") as maps:
            files = {
                " ".join(line.split()[3:5])  # Device and inode.
                for line in maps
                if line.rstrip().endswith(".ltm")
            }
        batch["translation"] = f"{os.getpid()} {' '.join(files)}"
        yield batch


def test_the_workers_of_a_machine_map_one_file(spark, model, corpus):
    spark.sparkContext.addFile(model)
    frame = spark.read.parquet(corpus[0]).repartition(4)
    work = functools.partial(
        mappings, model=os.path.basename(model), column="text", to="translation"
    )
    rows = frame.mapInPandas(
        work, "id long, text string, translation string"
    ).collect()
    workers, files = zip(
        *(row["translation"].split(" ", 1) for row in rows), strict=True
    )
    assert len(set(workers)) > 1
    assert len(set(files)) == 1
