"""Models of a Hub, fetched by huggingface_hub with its cache and settings."""

from __future__ import annotations

import errno
import json
import pathlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from ._errors import DownloadError

# What latimer-convert reads of a folder, beside its weights.
FILES = (
    "config.json",
    "generation_config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "tokenizer.json",
    "vocab.json",
    "target_vocab.json",
    "merges.txt",
    "*.spm",
    "*.model",
    "model.SRC",
    "model.TGT",
    "metadata.json",
    "dict.SRC.json",
    "dict.TGT.json",
    "tokenization_small100.py",
    "*_vocabulary.json",
    "*_vocabulary.txt",
    "*.yml",
    "lex*.s2t.bin",
    "LICENSE",
    "LICENSE.txt",
    "LICENSE.md",
    "README.md",
)
# Its weights: the first of these that is there. An index names more files.
WEIGHTS = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
    "model.bin",
    "*.npz",
    "*.intgemm*.bin",
)


@dataclass
class Snapshot:
    """A revision of a model. Files are links into huggingface_hub's cache."""

    folder: pathlib.Path
    commit: str


def fetch(
    name: str, revision: str | None, check: Callable[[pathlib.Path], None]
) -> Snapshot:
    """Fetches what latimer-convert reads, unless it is there already.

    Args:
        name: OWNER/NAME, or NAME.
        revision: a branch, a tag or a commit; None: the main branch.
        check: called with the folder before the weights are fetched; raises
            if it is no use to fetch them.

    Raises:
        DownloadError: one sentence that says what is wrong and what to do.
    """
    try:
        import huggingface_hub as hub
        import huggingface_hub.constants
        import huggingface_hub.errors
    except ImportError as error:
        raise DownloadError(
            f"{name}: there is no such file or folder here, and models are "
            "fetched by name only if huggingface_hub is installed: pip "
            "install huggingface_hub."
        ) from error
    try:
        return _fetch(hub, name, revision, check)
    except (hub.errors.HFValidationError, OSError, RuntimeError) as error:
        raise DownloadError(_sentence(hub, name, revision, error)) from error
    except Exception as error:
        if not _is_http(error):
            raise
        raise DownloadError(_sentence(hub, name, revision, error)) from error


def _fetch(
    hub: Any,
    name: str,
    revision: str | None,
    check: Callable[[pathlib.Path], None],
) -> Snapshot:
    try:
        info = hub.HfApi().model_info(name, revision=revision)
    except Exception as error:
        # The network is off or down, or the Hub is.
        if not _is_absent(hub, error):
            raise
        config = hub.try_to_load_from_cache(
            name, "config.json", revision=revision
        )
        if not isinstance(config, str):
            raise
        folder = pathlib.Path(config).parent
        kept = [path.name for path in folder.iterdir()]
        if not any(_matches(kept, pattern) for pattern in WEIGHTS):
            raise  # A download that was interrupted.
        return Snapshot(folder, folder.name)
    there = [s.rfilename for s in info.siblings or () if "/" not in s.rfilename]

    def download(files: Sequence[str], commit: str | None) -> pathlib.Path:
        return pathlib.Path(
            hub.snapshot_download(
                name, revision=commit, allow_patterns=list(files)
            )
        )

    weights = next((w for w in (_matches(there, p) for p in WEIGHTS) if w), [])
    index = [file for file in weights if file.endswith(".index.json")]
    files = [f for pattern in FILES for f in _matches(there, pattern)]
    # With the branch, whose commit huggingface_hub notes for the next time.
    folder = download(files, revision)
    commit = folder.name
    # The check is for those of transformers, whose config.json says all.
    if weights and weights[0] in WEIGHTS[:4]:
        if not all((folder / file).exists() for file in weights):
            check(folder)
    if index:
        weights += _shards(download(index, commit) / index[0])
    if weights:
        download(weights, commit)
    return Snapshot(folder, commit)


def _matches(names: Sequence[str], pattern: str) -> list[str]:
    return [name for name in names if fnmatchcase(name, pattern)]


def _shards(index: pathlib.Path) -> list[str]:
    """The files that an index of weights names, as far as it is one."""
    try:
        files = json.loads(index.read_text("utf-8"))["weight_map"].values()
        return sorted({str(file) for file in files})
    except (ValueError, KeyError, AttributeError, TypeError):
        return []  # The converter says what is wrong with it.


def _is_http(error: BaseException) -> bool:
    """Whether it comes from huggingface_hub's HTTP client, which depends on
    its version."""
    return type(error).__module__.partition(".")[0] in (
        "huggingface_hub", "httpx", "httpx2", "httpcore", "requests", "urllib3",
    )


def _is_absent(hub: Any, error: Exception) -> bool:
    """Whether no Hub answered, or one that is in trouble itself."""
    if isinstance(error, hub.errors.HfHubHTTPError):
        return error.response is None or error.response.status_code >= 500
    if isinstance(error, hub.errors.HFValidationError):
        return False
    return isinstance(error, OSError) or _is_http(error)


def _sentence(
    hub: Any, name: str, revision: str | None, error: Exception
) -> str:
    errors, endpoint = hub.errors, hub.constants.ENDPOINT
    log_in = "log in with hf auth login, or set HF_TOKEN"
    if isinstance(error, errors.HFValidationError):
        return (
            f"{name}: there is no such file or folder, and no model has such "
            "a name; give a path, or OWNER/NAME."
        )
    if isinstance(error, errors.GatedRepoError):
        return (
            f"{name} is gated: accept its terms at {endpoint}/{name}, and "
            f"{log_in}."
        )
    if isinstance(error, errors.RepositoryNotFoundError):
        return (
            f"{name}: there is no such file or folder here, and no such model "
            f"at {endpoint}, or it is private; correct the name, or {log_in}."
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return (
            f"{name} has no revision {revision}; give a branch, a tag or a "
            "commit of it."
        )
    if isinstance(error, errors.OfflineModeIsEnabled):
        return (
            f"{name} is not on this machine, and HF_HUB_OFFLINE keeps it from "
            "being fetched; unset that once, with a network."
        )
    if isinstance(error, errors.HfHubHTTPError) and error.response is not None:
        return (
            f"{name}: {endpoint} answered with HTTP status "
            f"{error.response.status_code}; try again later."
        )
    if isinstance(error, OSError) and error.errno in (
        errno.ENOSPC, errno.EDQUOT, errno.EFBIG,
    ):
        return (
            f"{name} cannot be kept in {hub.constants.HF_HUB_CACHE} "
            f"({error.strerror}); make room, or name another folder in HF_HOME."
        )
    if isinstance(error, OSError) and error.errno in (
        errno.EACCES, errno.EPERM, errno.EROFS,
    ):
        return (
            f"{name} cannot be kept: {error.strerror}: {error.filename}; name "
            "another folder in HF_HOME."
        )
    if "Consistency check failed" in str(error):
        return (
            f"{name}: a file came with another size than {endpoint} had "
            "announced; try again."
        )
    why = type(error).__name__
    return (
        f"{name} could not be fetched from {endpoint} ({why}); check the "
        "network and try again; the download goes on where it ended."
    )
