#!/usr/bin/env python3
"""Compares `hclvm.loads(text, evaluate=False)` with python-hcl2: hcl2_compare.py FOLDER

Prints how many files both accept, in how many the structures are equal, where the others differ, and both times. Texts of
expressions are compared without white space, because python-hcl2 formats them.
"""

import collections
import sys
import time
from pathlib import Path

import hcl2
import hclvm
from hcl2.utils import SerializationOptions

# The form that is closest to values: texts without quotes, heredocs as texts, nothing added to blocks.
OPTIONS = SerializationOptions(
    with_comments=False,
    explicit_blocks=False,
    preserve_heredocs=False,
    preserve_scientific_notation=False,
    strip_string_quotes=True,
)


def timed(load, text):
    start = time.thread_time()
    try:
        return load(text), time.thread_time() - start
    except Exception:  # A file that only one of both accepts is not compared.
        return None, 0.0


def differences(ours, theirs, path=()):
    """Yield where two structures differ, with a kind of difference."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        names = {without_space(name.strip('"')): name for name in theirs}
        for name, value in ours.items():
            key = names.pop(without_space(name), None)
            if key is None:
                yield "a key differs", (*path, name), name, list(theirs)
            else:
                yield from differences(value, theirs[key], (*path, name))
        for name in names.values():
            yield "a key differs", (*path, name), list(ours), name
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for at, (one, other) in enumerate(zip(ours, theirs)):
            yield from differences(one, other, (*path, at))
    elif isinstance(ours, str) and isinstance(theirs, str):
        if without_space(ours) != without_space(theirs):
            yield text_difference(ours, theirs), path, ours, theirs
    elif ours != theirs or isinstance(ours, bool) != isinstance(theirs, bool):
        yield f"{type(ours).__name__} and {type(theirs).__name__}", path, ours, theirs


def text_difference(ours, theirs):
    if "\\" in theirs:
        return "escapes are not decoded"
    if "#" in ours or "//" in ours or "/*" in ours:
        return "comments within expressions"
    if "${" in ours or "%{" in ours or "${" in theirs:
        return "the text of an expression"
    return "a literal text"


def without_space(text):
    return "".join(text.split())


def main(folder):
    files = sorted(path for path in Path(folder).rglob("*") if path.suffix in (".hcl", ".tf", ".nomad", ".pkr"))
    counts, kinds, samples = collections.Counter(), collections.Counter(), {}
    ours_total = theirs_total = 0.0
    for file in files:
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        ours, our_time = timed(lambda text: hclvm.loads(text, evaluate=False), text)
        theirs, their_time = timed(lambda text: hcl2.loads(text, serialization_options=OPTIONS), text)
        counts[(ours is not None, theirs is not None)] += 1
        if ours is None or theirs is None:
            continue
        ours_total += our_time
        theirs_total += their_time
        found = {kind: (path, one, other) for kind, path, one, other in differences(ours, theirs)}
        counts["equal"] += not found
        for kind, sample in found.items():
            kinds[kind] += 1
            samples.setdefault(kind, (file.name, *sample))
    print(f"{len(files)} files; accepted by both {counts[True, True]}, by hclvm alone {counts[True, False]},")
    print(f"by python-hcl2 alone {counts[False, True]}; equal structures in {counts['equal']}")
    for kind, count in kinds.most_common():
        print(f"{count:5} files: {kind}; {str(samples[kind])[:300]}")
    print(f"seconds: hclvm {ours_total:.2f}, python-hcl2 {theirs_total:.2f}, {theirs_total / max(ours_total, 1e-9):.0f}x")


if __name__ == "__main__":
    main(sys.argv[1])
