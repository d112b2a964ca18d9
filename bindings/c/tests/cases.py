#!/usr/bin/env python3
"""Runs the recorded cases of the engine's tests through the C interface: cases.py LIBRARY"""

import ctypes
import json
import sys
from ctypes import POINTER, Structure, byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint32, c_void_p
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from recorded import cases, deviations, expected, type_text


class Text(Structure):
    _fields_ = [("data", c_void_p), ("length", c_size_t)]

    @classmethod
    def of(cls, text):
        data = text.encode()
        made = cls(ctypes.cast(c_char_p(data), c_void_p), len(data))
        made.keeps = data
        return made

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.data else ""


class Value(Structure):
    _fields_ = [("words", c_void_p * 2)]


class Options(Structure):
    _fields_ = [
        ("dialect", Text),
        ("functions", c_void_p),
        ("function_count", c_size_t),
        ("timeout", c_double),
        ("is_trusted", c_bool),
        ("undefined_is_unknown", c_bool),
    ]


class Diagnostic(Structure):
    _fields_ = [
        ("is_error", c_bool),
        ("code", Text),
        ("title", Text),
        ("detail", Text),
        ("filename", Text),
        ("line", c_uint32),
        ("column", c_uint32),
        ("start", c_uint32),
        ("end", c_uint32),
        ("fix_count", c_size_t),
    ]


KINDS = ["none", "null", "bool", "number", "string", "tuple", "list", "set", "object", "map", "unknown", "marked"]
ERROR = POINTER(c_void_p)
HANDLE = c_void_p

# The functions that are used, with their results and parameters.
INTERFACE = {
    "engine_new": (HANDLE, POINTER(Options), ERROR),
    "engine_compile": (HANDLE, HANDLE, Text, ERROR),
    "program_scope": (HANDLE, HANDLE, ERROR),
    "program_free": (None, HANDLE),
    "session_new": (HANDLE, HANDLE, ERROR),
    "session_run": (Value, HANDLE, HANDLE, HANDLE, ERROR),
    "session_free": (None, HANDLE),
    "scope_set_value": (c_bool, HANDLE, Text, Value, ERROR),
    "scope_set_unknown": (c_bool, HANDLE, Text, ERROR),
    "scope_mark": (c_bool, HANDLE, Text, Text, ERROR),
    "scope_slot": (c_size_t, HANDLE, Text),
    "scope_free": (None, HANDLE),
    "value_kind": (c_int, Value),
    "value_bool": (c_bool, Value, POINTER(c_bool)),
    "value_text": (c_bool, Value, POINTER(Text)),
    "value_length": (c_size_t, Value),
    "value_at": (Value, Value, c_size_t),
    "value_key": (Text, Value, c_size_t),
    "value_reveal": (Value, Value),
    "value_mark": (Text, Value, c_size_t),
    "value_type": (HANDLE, Value),
    "value_json": (HANDLE, Value, ERROR),
    "string_text": (Text, HANDLE),
    "string_free": (None, HANDLE),
    "error_diagnostic": (c_bool, HANDLE, c_size_t, POINTER(Diagnostic)),
    "error_message": (Text, HANDLE),
    "error_free": (None, HANDLE),
}


class Inexpressible(Exception):
    """A value that this driver does not build."""


class Failed(Exception):
    """An error of the library, with the titles and places of its diagnostics."""


class Library:
    def __init__(self, path):
        loaded = ctypes.CDLL(path)
        for name, (result, *parameters) in INTERFACE.items():
            function = getattr(loaded, f"hclvm_{name}")
            function.restype, function.argtypes = result, parameters
            setattr(self, name, self._throwing(function) if parameters[-1] is ERROR else function)

    def _throwing(self, function):
        def call(*arguments):
            error = c_void_p()
            result = function(*arguments, byref(error))
            if error:
                problems = list(self._problems(error))
                message = str(self.error_message(error))
                self.error_free(error)
                raise Failed(problems or message)
            return result

        return call

    def _problems(self, error):
        found, at = Diagnostic(), 0
        while self.error_diagnostic(error, at, byref(found)):
            yield [str(found.title), found.line, found.column, found.start, found.end]
            at += 1

    def string(self, handle):
        text = str(self.string_text(handle))
        self.string_free(handle)
        return text


class Driver:
    def __init__(self, library):
        self.library = library
        self.engine = library.engine_new(byref(Options(dialect=Text.of("standard"))))
        # One with the conversions that build values.
        self.builder = library.engine_new(byref(Options(dialect=Text.of("default"))))

    def answer(self, case):
        """Return the errors and the value of a case, in the form of `recorded`."""
        library, handles = self.library, []
        try:
            program = library.engine_compile(self.engine, Text.of(case["src"]))
            handles.append((library.program_free, program))
            scope = library.program_scope(program)
            handles.append((library.scope_free, scope))
            for name, value in case.get("scope", {}).items():
                self.set(scope, name, value)
            session = library.session_new(self.engine)
            handles.append((library.session_free, session))
            return [], self.returned(library.session_run(session, program, scope))
        except Failed as failed:
            return failed.args[0], None
        finally:
            for free, handle in reversed(handles):
                free(handle)

    def set(self, scope, name, value):
        library = self.library
        if library.scope_slot(scope, Text.of(name)) == ctypes.c_size_t(-1).value:
            return
        if "marked" in value:
            self.set(scope, name, value["marked"])
            for mark in value["marks"]:
                self.mark(scope, name, mark)
        elif value == {"unknown": "dynamic"}:
            library.scope_set_unknown(scope, Text.of(name))
        else:
            program = library.engine_compile(self.builder, Text.of(source(value)))
            empty = library.program_scope(program)
            session = library.session_new(self.builder)
            library.scope_set_value(scope, Text.of(name), library.session_run(session, program, empty))
            library.session_free(session)
            library.scope_free(empty)
            library.program_free(program)

    def mark(self, scope, name, mark):
        try:
            self.library.scope_mark(scope, Text.of(name), Text.of(mark))
        except Failed as failed:
            # The name of a `for` expression alone is no variable.
            if failed.args[0] != f'there is no variable "{name}" that a program reads':
                raise

    def returned(self, value):
        library = self.library
        kind = KINDS[library.value_kind(value)]
        if kind == "marked":
            marks, at = [], 0
            while library.value_mark(value, at).data:
                marks.append(str(library.value_mark(value, at)))
                at += 1
            return {"marks": sorted(marks), "marked": self.returned(library.value_reveal(value))}
        if kind == "bool":
            to = c_bool()
            assert library.value_bool(value, byref(to))
            return {"bool": to.value}
        if kind == "string":
            to = Text()
            assert library.value_text(value, byref(to))
            return {"string": str(to)}
        if kind == "number":
            return {"number": library.string(library.value_json(value))}
        type = library.string(library.value_type(value))
        if kind in ("null", "unknown"):
            return {kind: type}
        parts = [library.value_at(value, at) for at in range(library.value_length(value))]
        if kind in ("object", "map"):
            names = [str(library.value_key(value, at)) for at in range(len(parts))]
            entries = {name: self.returned(part) for name, part in zip(names, parts)}
            return {"object" if kind == "object" else type: entries}
        listed = [self.returned(part) for part in parts]
        return listed if kind == "tuple" else {type: listed}


def source(value):
    """Return an expression with a recorded value."""
    (kind, content), *_ = value.items()
    if kind == "bool":
        return json.dumps(content)
    if kind == "number":
        return f"tonumber({quoted(content)})"
    if kind == "string":
        return quoted(content)
    if kind == "null" and content in ("string", "number", "bool", "dynamic"):
        return "null" if content == "dynamic" else f"to{content}(null)"
    if kind == "tuple":
        return f"[{', '.join(map(source, content))}]"
    if kind in ("list", "set") and content:
        return f"to{kind}([{', '.join(map(source, content))}])"
    if kind == "object" or (kind == "map" and content):
        entries = "{" + ", ".join(f"{quoted(name)} = {source(inner)}" for name, inner in content.items()) + "}"
        return entries if kind == "object" else f"tomap({entries})"
    raise Inexpressible


def quoted(text):
    if any(ord(c) < 32 and c not in "\n\r\t" for c in text) or "\x7f" in text:
        raise Inexpressible
    return json.dumps(text, ensure_ascii=False).replace("${", "$${").replace("%{", "%%{")


def wanted(case):
    """Return what is recorded, as far as the C interface returns it: a value, or the errors."""
    errors, value = expected(case)
    # A place has no line and column of its end here.
    errors = [[error[0], *error[1:4], *error[6:7]] for error in errors]
    return errors, None if errors else value


def main(path):
    driver, different, count, left_out = Driver(Library(path)), [], 0, 0
    for case in cases():
        try:
            # The C interface compiles no templates.
            if case["kind"] == "template":
                raise Inexpressible
            answer = driver.answer(case)
        except Inexpressible:
            left_out += 1
            continue
        count += 1
        if json.dumps(answer) != json.dumps(wanted(case)):
            different.append((case["id"], case["src"], answer, wanted(case)))
    unexpected = [found for found in different if found[0] not in deviations()]
    for found in unexpected[:10]:
        print(*found, sep="\n  ", file=sys.stderr)
    print(f"{count} recorded cases through C, {left_out} left out, {len(unexpected)} different", file=sys.stderr)
    return 1 if unexpected or (count < 750 and count + left_out > 0) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
