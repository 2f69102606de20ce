"""`pqexplore FILE`: a Parquet file at the terminal.

One command, several answers: what the file is, one node of its tree (`--at`), what is wrong with it (`--check`), the
explorer as a page (`--html`). Answers go to standard output, what went wrong as one line to standard error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from pqexplore.cli import asking
from pqexplore.engine.text import printable
from pqexplore.insight.terminal import line_room

if TYPE_CHECKING:  # a wrong argument is reported before the engine is loaded
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.finding import Finding
    from pqexplore.engine.format.encryption.keys import Decryption

DONE, FOUND, USAGE, UNREADABLE = 0, 1, 2, 3

EPILOG = """\
An ADDRESS is a path of names and indexes, such as row_groups/0/columns/4/pages/2/values/17; what lies below a node
is printed with it. KEY is a file with an AES key, or env:NAME for an environment variable: the key's 16, 24 or 32
bytes, or their hexadecimal digits.

pqexplore doctor FILE… says what is wrong, what it costs, and what to do; pqexplore doctor --help has its options.
pqexplore diff A B says what differs between two files; pqexplore diff --help has its options.
pqexplore what-if FILE says how large its columns are with other encodings and codecs; what-if --help has its options.
pqexplore rewrite FILE NEW writes it anew with other choices, and verifies it; rewrite --help has its options.
pqexplore sample NAME [PATH] writes a sample file; pqexplore sample --list names them.

Exit status: 0 done, 1 --check found errors (with --strict: or warnings), 2 usage, 3 a file could not be read or
written. Notes never change it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with `arguments` (those of the process by default); the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        if words[:1] == ["sample"]:
            return _sample(words[1:])
        if words[:1] == ["doctor"]:
            from pqexplore.cli import doctor

            return doctor.run(words[1:], _say, _unread)
        if words[:1] == ["diff"]:
            from pqexplore.cli import diff

            return diff.run(words[1:], _say, _unread, line_room())
        if words[:1] == ["what-if"]:
            from pqexplore.cli import what_if

            return what_if.run(words[1:], _say, _unread, line_room())
        if words[:1] == ["rewrite"]:
            from pqexplore.cli import rewrite

            return rewrite.run(words[1:], _say, _unread, line_room())
        return _explore(words)
    except BrokenPipeError:
        # The reader of the pipe has closed it: the interpreter must not flush into it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    import pqexplore

    parser = argparse.ArgumentParser(
        prog="pqexplore",
        description="See a Parquet file down to the last bit.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "file",
        nargs="+",
        metavar="FILE",
        help="a path or URL of a Parquet file, or - for standard input",
    )
    parser.add_argument(
        "--at", metavar="ADDRESS", help="print one node: facts, first bytes, what lies below"
    )
    parser.add_argument(
        "--view",
        metavar="LENS",
        help="what a lens of the explorer says of the file, or of the node --at: statistics, encoding, …",
    )
    parser.add_argument(
        "--children",
        type=int,
        default=40,
        metavar="N",
        help="how many nodes below --at prints (40)",
    )
    parser.add_argument(
        "--check", action="store_true", help="look at every byte, and print what is wrong"
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="with --check: exit status 1 for warnings, too, not for errors only",
    )
    asking.add_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON, a line for each FILE")
    parser.add_argument(
        "--html", metavar="PAGE", help="write the explorer as one self-contained page"
    )
    parser.add_argument(
        "--footer-key-file", metavar="KEY", help="the footer key of an encrypted file"
    )
    parser.add_argument(
        "--column-key",
        action="append",
        default=[],
        metavar="COLUMN=KEY",
        help="the key of a column, by its dotted path",
    )
    parser.add_argument(
        "--aad-prefix", metavar="TEXT", help="the AAD prefix, where the file does not store it"
    )
    parser.add_argument("--version", action="version", version=f"pqexplore {pqexplore.__version__}")
    return parser


def _explore(words: list[str]) -> int:
    parser = _parser()
    options = parser.parse_args(words)
    if options.html is not None and (len(options.file) > 1 or options.json or options.check):
        parser.error("--html takes one FILE, and neither --json nor --check")
    if options.check and options.at is not None:
        parser.error("--check looks everywhere; --at does not go with it")
    if options.strict and not options.check:
        parser.error("--strict goes with --check")
    if options.view is not None and options.check:
        parser.error("--view goes with --at, --json and --html")
    asking.check(parser, options)
    if options.children < 0:
        parser.error("--children is a number of nodes, 0 or more")
    status = DONE
    for position, path in enumerate(options.file):
        if position and not options.json:
            print()
        status = max(status, _one(path, options))
    return status


def _one(path: str, options: argparse.Namespace) -> int:
    """Prints the answer for one file. Returns the exit status."""
    from pqexplore.engine.errors import ParquetError, UsageError
    from pqexplore.engine.file.file import open as open_file
    from pqexplore.engine.file.local_file import STANDARD_INPUT

    try:
        if asking.is_many(path, options):
            asking.ask_many(path, options, _say, line_room())
            return DONE
        source = STANDARD_INPUT if path == "-" else path
        with open_file(source, decryption=_decryption(options)) as file:
            return _answer(file, options)
    except BrokenPipeError:
        raise
    except UsageError as error:
        return _fail(path, error, options, USAGE)
    except (ParquetError, OSError) as error:
        return _fail(path, error, options, UNREADABLE)


def _answer(file: ParquetFile, options: argparse.Namespace) -> int:
    if options.html is not None:
        return _write_page(file, options)
    if options.where is not None:
        asking.ask_one(file, options, _say, line_room())
        return DONE
    if options.check:
        findings = file.check()
        failing = ("error", "warning") if options.strict else ("error",)
        wrong = any(one.severity in failing for one in findings)
        _print_check(file, findings, options)
        return FOUND if wrong else DONE
    if options.view is not None:
        _print_view(file, options)
        return DONE
    if options.json:
        print(json.dumps(_document(file, options)))
        return DONE
    for line in _lines(file, options):
        _say(line)
    return DONE


def _say(line: str, stream: TextIO | None = None) -> None:
    """Print one line for people; all of them pass here, so that none has what a terminal obeys."""
    print(printable(line), file=stream)


def _document(file: ParquetFile, options: argparse.Namespace) -> dict[str, Any]:
    from pqexplore.insight import document, places

    if options.at is None:
        return document.file_document(file)
    node = document.node_document(places.resolve(file, options.at), options.children)
    return {"name": document.plain(file.name), "node": node}


def _lines(file: ParquetFile, options: argparse.Namespace) -> Iterator[str]:
    from pqexplore.insight import places, report

    if options.at is None:
        return report.file_report(file, line_room())
    return report.node_report(file, places.resolve(file, options.at), line_room(), options.children)


def _print_view(file: ParquetFile, options: argparse.Namespace) -> None:
    from pqexplore.insight import document, lenses, places, report

    node = places.resolve(file, options.at or "")
    answer = lenses.finish(lenses.answer_of(file, node, lenses.require(options.view, node)))
    if options.json:
        made = document.answer_document(answer)
        print(
            json.dumps({"name": document.plain(file.name), "address": node.address, "answer": made})
        )
        return
    _say(f"{file.name}: {node.address or 'the file'}, {options.view}")
    for line in report.answer_report(answer, line_room()):
        _say(line)


def _print_check(
    file: ParquetFile, findings: Sequence[Finding], options: argparse.Namespace
) -> None:
    from pqexplore.insight import document, report

    if options.json:
        made = [document.finding_document(one) for one in findings]
        print(json.dumps({"name": document.plain(file.name), "findings": made}))
        return
    count = (
        "nothing is wrong"
        if not findings
        else f"{len(findings):,} finding{'s' if len(findings) > 1 else ''}"
    )
    _say(f"{file.name}: {count}")
    for line in report.findings_report(findings, line_room()):
        _say(line)


def _write_page(file: ParquetFile, options: argparse.Namespace) -> int:
    from pqexplore.widget.explorer import explore

    where, engine = options.where or "", options.engine or "format"
    view = options.view
    page = explore(file, at=options.at or "", view=view, where=where, engine=engine).to_html()
    if options.html == "-":
        print(page)
        return DONE
    with open(options.html, "w", encoding="utf-8") as out:
        out.write(page)
    _say(f"wrote {options.html}, {len(page.encode()):,} bytes")
    return DONE


def _fail(path: str, error: Exception, options: argparse.Namespace, status: int) -> int:
    from pqexplore.engine.file.urls import masked
    from pqexplore.insight import document
    from pqexplore.insight.trouble import describe

    if options.json:
        print(json.dumps({"name": document.plain(masked(path)), "error": describe(error)}))
    _unread(path, error)
    return status


def _unread(path: str, error: Exception) -> None:
    """Says in one line that a file cannot be read."""
    from pqexplore.engine.file.urls import masked

    path = masked(path)
    text = (error.strerror if isinstance(error, OSError) else None) or str(error)
    _say(f"pqexplore: {text if text.startswith(path) else f'{path}: {text}'}", sys.stderr)


def _decryption(options: argparse.Namespace) -> Decryption | None:
    """The keys that the options name; None where there are none. UsageError without a word of what was read."""
    from pqexplore.engine.errors import UsageError
    from pqexplore.engine.format.encryption.keys import Decryption

    if options.footer_key_file is None and not options.column_key:
        return None
    keys = {}
    for given in options.column_key:
        column, equals, where = given.rpartition("=")
        if not equals or not column or not where:
            raise UsageError("--column-key is COLUMN=KEY, where KEY is a file or env:NAME")
        keys[column] = _key(where)
    footer_key = None if options.footer_key_file is None else _key(options.footer_key_file)
    return Decryption(footer_key=footer_key, column_keys=keys, aad_prefix=options.aad_prefix)


def _key(where: str) -> bytes:
    """A key from a file or an environment variable: its bytes, or their hexadecimal digits."""
    from pqexplore.engine.errors import ParquetError, UsageError
    from pqexplore.engine.file.local_file import read_small

    if where.startswith("env:"):
        text = os.environ.get(where[4:])
        if text is None:
            raise UsageError(f"the environment has no variable {where[4:]}")
        data = os.fsencode(text)
    else:
        try:
            data = read_small(where, 4096)
        except (ParquetError, OSError) as error:
            why = getattr(error, "strerror", None) or getattr(error, "message", None) or error
            raise UsageError(f"the key file {where}: {why}") from None
    digits = data.strip()
    if len(digits) in (32, 48, 64):
        try:
            return bytes.fromhex(digits.decode("ascii"))
        except ValueError:
            pass
    for key in (data, data.rstrip(b"\r\n")):
        if len(key) in (16, 24, 32):
            return key
    raise UsageError(
        f"{where} has {len(data)} bytes; a key has 16, 24 or 32, or twice as many hexadecimal digits"
    )


def _sample(words: list[str]) -> int:
    from pqexplore.engine.errors import ParquetError, UsageError
    from pqexplore.engine.writer.samples import SAMPLES, SICK, write_sample
    from pqexplore.insight.terminal import wrap

    parser = argparse.ArgumentParser(prog="pqexplore sample", description="Write a sample file.")
    parser.add_argument("name", nargs="?", metavar="NAME", help="which sample")
    parser.add_argument("path", nargs="?", metavar="PATH", help="where to; NAME.parquet by default")
    parser.add_argument("--list", action="store_true", help="name the samples")
    options = parser.parse_args(words)
    known = {**SAMPLES, **SICK}
    if options.list or options.name is None:
        for name, sample in known.items():
            for line in wrap(f"{name:<20} {sample.sentence}", line_room(), " " * 21):
                _say(line)
        return DONE if options.list else USAGE
    if options.name not in known:
        parser.error(f"there is no sample {options.name!r}; there are {', '.join(known)}")
    path = options.path or f"{options.name}.parquet"
    try:
        write_sample(options.name, path)
    except OSError as error:
        _say(f"pqexplore: {path}: {error.strerror or error}", sys.stderr)
        return UNREADABLE
    except (ParquetError, UsageError) as error:  # the sample needs an extra
        _say(f"pqexplore: sample {options.name}: {error}", sys.stderr)
        return UNREADABLE
    _say(f"wrote {path}, {os.path.getsize(path):,} bytes")
    return DONE
