"""Names that the exporter and the engine of ONNX Runtime share; without torch."""


def cache_names(count: int, prefix: str = "") -> list[str]:
    return [f"{prefix}{kind}.{i}" for i in range(count) for kind in ("keys", "values")]
