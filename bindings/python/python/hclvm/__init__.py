"""HCL expressions and files, compiled to bytecode and evaluated.

>>> import hclvm
>>> hclvm.eval("a + 1", {"a": 1})
2
>>> hclvm.loads('port = 8000 + offset', {"offset": 80})
{'port': 8080}

Values become ``None``, ``bool``, ``int`` or ``float``, ``str``, ``list`` and ``dict``. A value that is not known is
an `Unknown`, a secret one a `Marked`.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from typing import Any, Optional, Union

from ._hclvm import (
    Batch,
    Decision,
    Diagnostic,
    Document,
    Engine,
    Fix,
    HclError,
    LimitError,
    Marked,
    Module,
    Policy,
    Program,
    Range,
    Scope,
    Unknown,
    Value,
)

__all__ = [
    "Batch",
    "Decision",
    "Diagnostic",
    "Document",
    "Engine",
    "Fix",
    "HclError",
    "LimitError",
    "Marked",
    "Module",
    "Policy",
    "Program",
    "Range",
    "Scope",
    "Unknown",
    "Value",
    "check",
    "eval",
    "format",
    "load",
    "load_folder",
    "loads",
    "why",
]

Variables = Optional[Mapping[str, Any]]


@functools.lru_cache(maxsize=None)
def _engine(dialect: str) -> Engine:
    return Engine(dialect)


def eval(text: str, values: Variables = None, *, dialect: str = "default") -> Any:
    """Evaluate an expression once. To evaluate it more often, keep the program of `Engine.compile`.

    >>> eval('"${upper(name)}!"', {"name": "ann"})
    'ANN!'
    """
    return _engine(dialect).eval(text, values)


def loads(
    text: str,
    values: Variables = None,
    *,
    evaluate: bool = True,
    dialect: str = "default",
    name: str = "<string>",
) -> dict[str, Any]:
    """Return the content of a file's text. Blocks are lists of dictionaries by their labels.

    >>> text = '''
    ... locals { base = 8000 }
    ... service "web" { port = local.base + offset }
    ... '''
    >>> loads(text, {"offset": 80})
    {'service': [{'web': {'port': 8080}}]}

    Without evaluation, expressions are texts:

    >>> loads(text, evaluate=False)["service"]
    [{'web': {'port': '${local.base + offset}'}}]
    """
    return _content(_engine(dialect).parse(text, name), values, evaluate)


def load(
    path: Union[str, os.PathLike[str]],
    values: Variables = None,
    *,
    evaluate: bool = True,
    dialect: str = "default",
) -> dict[str, Any]:
    """Return the content of a file, as `loads` does. A name that ends in `.json` is in the JSON syntax of HCL."""
    name = os.fspath(path)
    with open(name, encoding="utf-8-sig") as file:
        text = file.read()
    engine = _engine(dialect)
    parse = engine.parse_json if name.endswith(".json") else engine.parse
    return _content(parse(text, name), values, evaluate)


def load_folder(
    path: Union[str, os.PathLike[str]],
    values: Variables = None,
    *,
    evaluate: bool = True,
    dialect: str = "default",
    extension: str = ".hcl",
) -> dict[str, Any]:
    """Return the content of all files of a folder, as if they were one file."""
    return _content(_engine(dialect).parse_folder(path, extension), values, evaluate)


def _content(document: Document, values: Variables, evaluate: bool) -> dict[str, Any]:
    return document.module().evaluate(values) if evaluate else document.structure()


def check(text: str, samples: Variables = None, *, dialect: str = "default", name: str = "<string>") -> list[Diagnostic]:
    """Return the problems of a file's text, also syntax errors, without evaluating it.

    >>> [str(problem) for problem in check("a = lenght(b)")]  # doctest: +ELLIPSIS
    ['error[unknown-function]: Call to unknown function: ...']
    """
    try:
        return _engine(dialect).parse(text, name).check(samples)
    except HclError as error:
        return error.diagnostics


def format(text: str, name: str = "<string>") -> str:
    """Format a file's text.

    >>> format("a=1")
    'a = 1'
    """
    return _engine("default").format(text, name)


def why(text: str, values: Variables = None, *, dialect: str = "default") -> str:
    """Explain which conditions of an expression decide its result.

    >>> print(why("a > 1 && b", {"a": 0, "b": True}).splitlines()[0])
    false, because `a > 1` is false (a = 0)
    """
    return _engine(dialect).compile(text).why(values)
