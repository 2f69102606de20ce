"""`%pqexplore` in a real kernel: every verb, and no key in the history, the outputs or the state of the widgets."""

import base64

import nbformat
import pytest
from nbclient import NotebookClient

from pqexplore.cli.verbs import VERBS
from pqexplore.engine.writer.samples import write_sample

LINES = {
    # the line, and what is shown of it
    "head p.parquet -n 1": "<table>",
    "cat p.parquet --rows 1:2": "<table>",
    "schema p.parquet": "optional int32 up",
    "stats p.parquet --column up": "statistics",
    "pages p.parquet --column up": "pages",
    "dictionary p.parquet": "dictionary",
    "levels p.parquet --column up": "levels",
    "bloom p.parquet": "0 have a Bloom filter",
    "variant v.parquet": "Variants in row group 0",
    "check p.parquet": "p.parquet: ",
    "doctor p.parquet": "No problems found (footer, all",
    "ask p.parquet 'up > 3'": "p.parquet: up &gt; 3",
    "diff p.parquet v.parquet": "v.parquet is 95 % smaller than p.parquet",
    "what-if p.parquet --seconds 60": "4 columns take",
    "rewrite p.parquet new.parquet": "wrote new.parquet",
    "salvage p.parquet": "can be written",
    "lake lake": "No problems found",
    "index lake": "UsageError: lake",
    "sample deltas d.parquet": "wrote d.parquet",
    "view nowhere": "UsageError: view serves a browser of its own",
    "mcp lake": "UsageError: mcp serves a client that starts it as a process",
    "completion bash": "complete -o bashdefault",
    "explain page": "unit of compression",
}
"""A line for each verb."""


KEYS = {"footer": b"0123456789012345", "secret": b"1234567890123450"}
"""Of the sample `encrypted-columns`; in the environment of the kernel as hexadecimal digits."""

SETUP = """\
%load_ext pqexplore
import os, pqexplore
key, column = (bytes.fromhex(os.environ[name]) for name in ("K_footer", "K_secret"))
held = pqexplore.Decryption(footer_key=key, column_keys={"secret": column})"""

ENCRYPTED = {
    # keys that are given in several ways, and what is shown
    "head e.parquet --decryption held": "<table>",
    "head e.parquet --footer-key-file key --column-key secret=var:column": "<table>",
    "head e.parquet --footer-key-file env:K_footer --column-key secret=env:K_secret": "<table>",
    "diff e.parquet e.parquet --decryption held": "same schema and layout",
    "doctor e.parquet --footer-key-file held": "the variable held holds no key, but a Decryption",
    "doctor e.parquet --footer-key-file var:nothing": "there is no variable of that name",
    "doctor e.parquet --footer-key-file column": "e.parquet",
    "doctor e.parquet --decryption key": "--decryption is the name of a variable with",
    "doctor e.parquet --kms key": "--kms is the name of a variable with",
}
"""Lines about an encrypted file."""

EXPLORER = "%pqexplore e.parquet --decryption held"

HISTORY = "[*get_ipython().history_manager.get_range(raw=False, output=True)], Out, held"


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    """What a kernel shows that has run all lines: the outputs by line, and the notebook as JSON."""
    folder = tmp_path_factory.mktemp("kernel")
    (folder / "lake").mkdir()
    for path, name in {
        "p.parquet": "page-index",
        "v.parquet": "variant",
        "e.parquet": "encrypted-columns",
        "lake/d.parquet": "deltas",
    }.items():
        write_sample(name, folder / path)
    lines = [f"%pqexplore {line}" for line in (*LINES, *ENCRYPTED)]
    cells = [nbformat.v4.new_code_cell(one) for one in (SETUP, *lines, EXPLORER, HISTORY)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IPYTHONDIR", str(folder / "ipython"))
        for name, secret in KEYS.items():
            patch.setenv(f"K_{name}", secret.hex())
        NotebookClient(
            notebook,
            timeout=60,
            kernel_name="python3",
            allow_errors=True,
            resources={"metadata": {"path": str(folder)}},
            store_widget_state=True,
        ).execute()
    outputs = {cell.source.removeprefix("%pqexplore "): cell.outputs for cell in cells}
    return outputs, nbformat.writes(notebook)


def text(outputs):
    """What outputs show, as one text: the HTML if there is some."""
    parts = []
    for one in outputs:
        if one.output_type in ("stream", "error"):
            parts.append(one.text if one.output_type == "stream" else one.evalue)
        else:
            parts.append(one.data.get("text/html", one.data.get("text/plain", "")))
    return "\n".join(parts)


def test_each_verb_has_a_line():
    assert [line.split()[0] for line in LINES] == list(VERBS)


@pytest.mark.parametrize("line", [*LINES, *ENCRYPTED])
def test_a_line_in_a_kernel(kernel, line):
    outputs, _ = kernel
    assert {**LINES, **ENCRYPTED}[line] in text(outputs[line])
    assert len([one for one in outputs[line] if text([one]).strip()]) == 1  # nothing is shown twice


def test_keys_are_nowhere(kernel):
    outputs, saved = kernel
    assert "widgets" in saved  # the state of the explorer is in it
    assert "--decryption held" in text(outputs[HISTORY])
    for secret in KEYS.values():
        for form in (secret.decode(), secret.hex(), base64.b64encode(secret).decode()):
            assert form not in saved
