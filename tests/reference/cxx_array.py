"""Tables that scripts here write as arrays of C++."""
import textwrap


def cxx_array(declaration, entries):
    """The array's definition, with many entries in a row."""
    rows = textwrap.fill(", ".join(entries), 120, break_on_hyphens=False)
    return f"// clang-format off\n{declaration}[] = {{\n{rows}\n}};\n// clang-format on\n"
