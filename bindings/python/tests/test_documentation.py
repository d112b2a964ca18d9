import doctest
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hclvm

FOLDER = Path(__file__).resolve().parent.parent


def test_the_examples_of_the_functions_run():
    result = doctest.testmod(hclvm)
    assert result.attempted >= 8 and result.failed == 0


PAGES = {
    "python": FOLDER / "README.md",
    "bindings": FOLDER.parent / "README.md",
    "book": FOLDER.parents[1] / "docs" / "book" / "src" / "bindings.md",
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_the_examples_of_the_pages_run(page):
    examples = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert examples
    names = {}
    for example in examples:
        if "pyarrow" in example:
            pytest.importorskip("pyarrow")
        exec(compile(example, str(page), "exec"), names)


TYPED = """
import hclvm
program: hclvm.Program = hclvm.Engine(functions={"f": lambda x: x}).compile("a")
reveal_type(program.evaluate({"a": 1})[0].marks)
wrong: int = hclvm.format("a = 1")
"""


@pytest.mark.skipif(shutil.which("mypy", path=str(Path(sys.executable).parent)) is None, reason="mypy is not installed")
def test_the_types_are_those_of_the_stubs(tmp_path):
    file = tmp_path / "typed.py"
    file.write_text(TYPED)
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", str(file)], capture_output=True, text=True
    )
    assert 'Revealed type is "list[str]"' in checked.stdout.replace("builtins.", ""), checked.stdout + checked.stderr
    assert checked.stdout.count("error:") == 1 and "Incompatible types in assignment" in checked.stdout


def test_the_stubs_name_what_the_module_has():
    stubs = (Path(hclvm.__file__).parent / "_hclvm.pyi").read_text()
    classes = re.split(r"^class (\w+)", stubs, flags=re.MULTILINE)[1:]
    for name, body in zip(classes[::2], classes[1::2]):
        if name.startswith("_"):
            continue
        declared = set(re.findall(r"^    def (\w+)|^    (\w+):", body, re.MULTILINE))
        declared = {one or other for one, other in declared}
        real = getattr(hclvm, name)
        if issubclass(real, Exception):
            continue
        missing = {member for member in declared if not hasattr(real, member)}
        public = {member for member in vars(real) if not member.startswith("_")}
        assert not missing and public <= declared, (name, missing, public - declared)
