"""Signatures of Python callables in terms of HCL."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable
from typing import Any, Union

_PRIMITIVES = {str: "string", bool: "bool", int: "number", float: "number"}
_UNIONS = (Union, getattr(types, "UnionType", Union))

# A type, whether only whole numbers are accepted, and whether null is.
_Described = tuple[str, bool, bool]


def describe(function: Callable[..., Any]) -> tuple[list[tuple[str, _Described]], int, bool, _Described]:
    """Return the parameters, how many are required, whether the last one takes the rest, and the result."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError:  # A callable without a signature, such as some builtins, takes anything.
        return [("arguments", _describe(Any))], 0, True, _describe(Any)
    target = function if inspect.isroutine(function) or isinstance(function, type) else type(function).__call__
    try:
        hints = typing.get_type_hints(target)
    except (NameError, TypeError):  # An annotation that exists for type checkers only.
        hints = {}
    listed, required, has_rest = [], 0, False
    for parameter in parameters:
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD):
            if parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty:
                raise TypeError(f"the parameter {parameter.name} needs a keyword, which HCL does not have")
            continue
        listed.append((parameter.name, _describe(hints.get(parameter.name, Any))))
        has_rest = parameter.kind is parameter.VAR_POSITIONAL
        required += not has_rest and parameter.default is parameter.empty
    return listed, required, has_rest, _describe(hints.get("return", Any))


def _describe(annotation: Any) -> _Described:
    arguments = typing.get_args(annotation)
    if typing.get_origin(annotation) in _UNIONS and type(None) in arguments:
        known = [argument for argument in arguments if argument is not type(None)]
        described, whole, _ = _describe(known[0]) if len(known) == 1 else _describe(Any)
        return described, whole, True
    return _type(annotation), annotation is int, annotation in (Any, type(None), object)


def _type(annotation: Any) -> str:
    if annotation in _PRIMITIVES:
        return _PRIMITIVES[annotation]
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is list and arguments[0] in _PRIMITIVES:
        return f"list({_PRIMITIVES[arguments[0]]})"
    if origin is dict and arguments[0] is str and arguments[1] in _PRIMITIVES:
        return f"map({_PRIMITIVES[arguments[1]]})"
    return "any"
