"""The self-test: the same seed gives the same exam, and its answers are what the engine finds in its files."""

import io
import re

import pytest

import pqexplore
from pqexplore import UsageError
from pqexplore.course import exam
from pqexplore.course.exercise import CHAPTERS
from pqexplore.course.question import makers
from pqexplore.format import decode_variant

SEEDS = (1, 2, 3)


@pytest.fixture(scope="module", params=SEEDS)
def sitting(request, tmp_path_factory):
    return exam(request.param, tmp_path_factory.mktemp("exams") / "mine")


def numbers(text):
    return [int(one.replace(",", "")) for one in re.findall(r"-?\d[\d,]*", text)]


class Student:
    """Finds answers in the files alone, by the engine and with pyarrow; it does not know how they were made."""

    def __init__(self, sitting):
        self.sitting = sitting

    def file(self, number):
        return pqexplore.open(self.sitting.folder / f"question-{number:02}.parquet")

    def pages(self, number):
        return [page for page in self.file(number).row_groups[0].columns[0].pages if page.is_data]

    def files(self, number):
        folder = self.sitting.folder / f"question-{number:02}"
        return {path.name: pqexplore.open(path) for path in sorted(folder.glob("*.parquet"))}

    def names(self, number):
        return [leaf.name for leaf in self.file(number).schema.leaves]

    def answer(self, number, text):
        return getattr(self, f"answer_{number}")(text)

    def answer_1(self, text):
        return len(self.file(1).node("footer").span)

    def answer_2(self, text):
        groups = self.file(2).row_groups
        return len(groups), groups[-1].num_rows

    def answer_3(self, text):
        (page,) = self.pages(3)
        return page.body.section("values").data[0]

    def answer_4(self, text):
        number, data = numbers(text)[0], []
        while number > 127:
            data.append(number % 128 + 128)
            number //= 128
        return bytes([*data, number])

    def answer_5(self, text):
        data = bytes.fromhex(re.search(r"header ((?:[0-9a-f]{2} ?)+) \(", text)[1])
        number = sum((byte & 127) << 7 * place for place, byte in enumerate(data))
        return ("bit-packed", 8 * (number // 2)) if number % 2 else ("rle", number // 2)

    def answer_6(self, text):
        (block,) = (step for step in self.pages(6)[0].trace() if step.kind == "block")
        return block.facts["min_delta"]

    def answer_7(self, text):
        row = numbers(text)[-2]
        steps = [step for step in self.pages(7)[0].trace() if step.kind == "value"]
        facts = next(step.facts for step in steps if step.first == row)
        return facts["prefix_length"], facts["suffix_length"]

    def answer_8(self, text):
        (leaf,) = self.file(8).schema.leaves
        return leaf.max_definition_level, leaf.max_repetition_level

    def answer_9(self, text):
        (page,) = self.pages(9)
        starts = [at for at, level in enumerate(page.repetition_levels) if level == 0]
        return page.definition_levels[starts[int(re.search(r"row (\d+)", text)[1])]]

    def answer_10(self, text):
        plan = pqexplore.ask(self.file(10), re.search(r"`(id = \d+)`", text)[1])
        return {row["row_group"] for row in plan.row_groups.to_pylist() if row["kept"]}

    def answer_11(self, text):
        low, high = map(int, re.search(r"BETWEEN (\d+) AND (\d+)", text).groups())
        return [
            at
            for at, page in enumerate(self.pages(11))
            if page.values[0].as_py() <= high and page.values[-1].as_py() >= low
        ]

    def answer_12(self, text):
        data = bytes.fromhex(re.search(r"bytes ((?:[0-9a-f]{2} ?)+) \(", text)[1])
        return decode_variant(b"\x01\x00\x00", data)

    def answer_13(self, text):
        found = set()
        for name in self.names(13):
            try:
                self.file(13).read([name])
                found.add(name)
            except pqexplore.EncryptedFileError:
                pass
        return found

    def answer_14(self, text):
        schemas = {name: file.read().schema for name, file in self.files(14).items()}
        kinds = [(name, field.name, field.type) for name, one in schemas.items() for field in one]
        (odd,) = (one for one in kinds if sum((name, kind) == one[1:] for _, name, kind in kinds) == 1)
        return odd[:2]

    def answer_15(self, text):
        condition = re.search(r"`(id = \d+)`", text)[1]
        return {
            name
            for name, file in self.files(15).items()
            if any(row["kept"] for row in pqexplore.ask(file, condition).row_groups.to_pylist())
        }

    def answer_16(self, text):
        file = self.file(16)
        kept = {}
        for name in self.names(16):
            rows = pqexplore.ask(file, f"{name} = 500").row_groups.to_pylist()
            kept[name] = sum(row["kept"] for row in rows)
        (name,) = (name for name, count in kept.items() if count == 1)
        return name

    def answer_17(self, text):
        columns = self.file(17).row_groups[0].columns
        return max(columns, key=lambda chunk: chunk.metadata.total_compressed_size).leaf.path[0]

    def answer_18(self, text):
        condition = re.search(r"`(id BETWEEN [^`]+)`", text)[1]
        data = io.BytesIO()
        pqexplore.write(self.file(18).read().sort_by("id"), data, pqexplore.WriteOptions(row_group_rows=100))
        rows = pqexplore.ask(data.getvalue(), condition).row_groups.to_pylist()
        return [row["row_group"] for row in rows if row["kept"]]

    def answer_19(self, text):
        row = int(re.search(r"row (\d+)", text)[1])
        price = self.file(19).read()["price"]
        return int(price[row].as_py().scaleb(price.type.scale))

    def answer_20(self, text):
        finding = next(one for one in self.file(20).check() if one.rule == "crc-mismatch")
        chunks = self.file(20).row_groups[0].columns
        pages = {page.address: page for chunk in chunks for page in chunk.pages}
        page = pages[finding.address]
        return page.chunk.leaf.name, page.index


def test_the_answers_are_in_the_files(sitting):
    student = Student(sitting)
    said = {
        number: sitting.check(number, student.answer(number, text)).right
        for number, text in enumerate(sitting.questions, 1)
    }
    assert said == dict.fromkeys(range(1, 21), True)
    assert sitting.sentence == "20 of 20 right, 0 not answered."


@pytest.mark.parametrize("answer", [True, "no", b"", -1, [], {"no"}, ("no", -1), object(), 1e300])
def test_wrong_answers(sitting, answer):
    assert not any(sitting.check(number, answer) for number in range(1, 21))


def test_the_result_names_chapters(tmp_path):
    sitting = exam(4, tmp_path / "exam")
    assert sitting.sentence == "0 of 20 right, 20 not answered."
    sitting.check(1, -1)
    sitting.check(8, "x")
    assert sitting.check(2, None).right is None
    assert sitting.sentence == (
        "0 of 20 right, 18 not answered. Read again: 01 What is in a Parquet file?, 03 Nesting and levels."
    )
    assert repr(sitting).count("✘") == 2
    assert max(map(len, repr(sitting).splitlines())) <= 110


def test_every_chapter_is_asked_and_there_are_twenty():
    assert len(makers()) == 20
    assert {chapter for chapter, _ in makers()} == set(CHAPTERS)


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*.parquet")}


def test_a_seed_gives_the_same_exam(tmp_path):
    one, two, other = (exam(seed, tmp_path / name) for seed, name in ((5, "a"), (5, "b"), (6, "c")))
    assert one.questions == two.questions != other.questions
    assert bytes_of(one.folder) == bytes_of(two.folder) != bytes_of(other.folder)


def test_a_folder_that_is_not_its_own(tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="holds no exam"):
        exam(1, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert exam(1).questions == exam(1).questions
    assert [path.name for path in tmp_path.iterdir()] == ["exam-1"]


@pytest.mark.parametrize("number", [0, 21, True, "1", None])
def test_a_question_that_is_not_there(sitting, number):
    with pytest.raises(UsageError, match="numbers 1 to 20"):
        sitting.check(number, 1)


@pytest.mark.parametrize("seed", ["a", 1.5, True])
def test_a_seed_that_is_no_number(seed, tmp_path):
    with pytest.raises(UsageError, match="whole number"):
        exam(seed, tmp_path / "exam")
