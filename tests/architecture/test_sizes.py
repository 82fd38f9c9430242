"""Bounds that keep the house readable: folders, files, signatures, names and first words."""

import ast
import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("templ_core", "workers", "schemas")
MODULES_MAX = 25
LINES_MAX = 700
ARGUMENTS_MAX = 8
METHODS_MAX = 25

_CYTHON_FUNCTION = re.compile(
    r"^[ \t]*(?:cp?def|def)\b[^\n]*?\b(\w+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)", re.MULTILINE
)
_BAD_BEGINNING = re.compile(r"(The same|Of|As)\b|\.\.\.")


def sources(*suffixes):
    return sorted(
        path
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.suffix in suffixes and "__pycache__" not in path.parts
    )


@cache
def parsed(*suffixes):
    return [(path.relative_to(ROOT), ast.parse(path.read_text())) for path in sources(*suffixes)]


def nodes(*types, suffixes=(".py",)):
    for path, tree in parsed(*suffixes):
        for node in ast.walk(tree):
            if isinstance(node, types):
                yield path, node


def listed(found):
    return "\n" + "\n".join(sorted(map(str, found)))


def test_no_folder_has_more_modules_than_one_can_overlook():
    modules = Counter(
        path.parent.relative_to(ROOT)
        for path in sources(".py", ".pyx")
        if path.name != "__init__.py"
    )
    large = [f"{folder}: {count}" for folder, count in modules.items() if count > MODULES_MAX]
    assert not large, listed(large)


def test_no_source_file_is_too_long():
    lines = {
        path.relative_to(ROOT): len(path.read_text().splitlines())
        for path in sources(".py", ".pyx", ".pxd", ".pyi")
    }
    long = [f"{path}: {count}" for path, count in lines.items() if count > LINES_MAX]
    assert not long, listed(long)


def test_no_class_has_too_many_methods():
    many = []
    for path, node in nodes(ast.ClassDef):
        own = [one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
        if len(own) > METHODS_MAX:
            many.append(f"{path}:{node.lineno} {node.name}: {len(own)}")
    assert not many, listed(many)


def is_command(function):
    """Whether a function is a click command, which has the arguments that its options give it."""
    return any("command" in ast.unparse(one).partition("(")[0] for one in function.decorator_list)


def test_no_python_function_takes_too_many_arguments():
    many = []
    for path, function in nodes(ast.FunctionDef, ast.AsyncFunctionDef, suffixes=(".py", ".pyi")):
        given = function.args
        count = len([*given.posonlyargs, *given.args, *given.kwonlyargs])
        if count > ARGUMENTS_MAX and not is_command(function):
            many.append(f"{path}:{function.lineno} {function.name}: {count}")
    assert not many, listed(many)


def test_no_compiled_function_takes_too_many_arguments():
    many = []
    for path in sources(".pyx", ".pxd"):
        text = re.sub(r"#[^\n]*", "", path.read_text())
        for function in _CYTHON_FUNCTION.finditer(text):
            name, arguments = function.groups()
            flat = re.sub(r"[(\[][^()\[\]]*[)\]]", "", arguments)
            names = {one.strip() for one in flat.split(",")} - {"", "*", "/", "self"}
            count = len(names)
            if count > ARGUMENTS_MAX:
                many.append(f"{path.relative_to(ROOT)} {name}: {count}")
    assert not many, listed(many)


def test_public_classes_have_names_of_their_own():
    places = defaultdict(set)
    for path, tree in parsed(".py"):
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].add(str(path))
    shared = [f"{name}: {', '.join(sorted(at))}" for name, at in places.items() if len(at) > 1]
    assert not shared, listed(shared)


def docstrings():
    """The docstrings of modules, classes and functions, and the texts below constants and fields."""
    for path, node in nodes(ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef):
        for statement in node.body:
            value = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield path, statement.lineno, value.value
    for path in sources(".pyx", ".pxd", ".pyi"):
        text = path.read_text()
        for found in re.finditer(r'^\s*r?"""(.*)', text, re.MULTILINE):
            line = text.count("\n", 0, found.start(1)) + 1
            yield path.relative_to(ROOT), line, found.group(1)


@pytest.mark.parametrize("package", PACKAGES)
def test_docstrings_stand_alone(package):
    odd = [
        f"{path}:{line} {text.partition(chr(10))[0]}"
        for path, line, text in docstrings()
        if path.parts[0] == package and _BAD_BEGINNING.match(text.strip())
    ]
    assert not odd, listed(odd)
