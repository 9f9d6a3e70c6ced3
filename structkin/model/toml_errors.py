"""What is wrong with a text that is not TOML, said to engineers who never wrote TOML.

A parser stops at the first character that does not fit. Most such places have a cause that is easy to see and to mend:
a decimal comma, a unit without quotes, a bracket that is open since the line above.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass

from structkin.model.flaw import MOST, Flaw, decimal_comma, short
from structkin.model.units import unit

#: What a mistake is, and what to write instead.
Cause = tuple[str, str]

_HIDDEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|(?<!\w)\'[^\'\n]*\'|#[^\n]*', re.DOTALL
)
_HEADER = re.compile(r"\s*\[+[A-Za-z_][\w.-]*\]+\s*(#.*)?")
_OPEN_QUOTE = re.compile(r"Expected \"('+)\"|Unterminated string")
_BRACKETS = re.compile(r"[\[\]{}\n]|\Z")
_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_PAIR = re.compile(rf"({_NUMBER})\s*,\s*({_NUMBER})")
_COMMA = re.compile(r"([+-]?(?<!\d)\d+),(\d+(?:[eE][+-]?\d+)?)")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:(?:,\d{3})+\.\d*|(?:,\d{3}){2,}|(?:['_ ]\d{3})+(?:\.\d*)?)(?![\d.])")

#: Quotes of word processors.
QUOTES = "“”„‟«»‹›‘’‚‛′″´`"
_DASHES = "‐‑‒–—−"
_CLOSES = {"[": "]", "{": "}"}


def syntax_flaws(text: str) -> list[Flaw]:
    r"""Return what is wrong with a text that `tomllib` cannot read: its first errors, each with its line and cause.

    >>> for flaw in syntax_flaws("A = [0; 0]\nmass = 0,6"):
    ...     print(flaw)
    line 1: a list has a ';': A = [0; 0]; separate by commas
    line 2: a decimal comma: mass = 0,6; write a decimal point: 0.6
    """
    flaws: list[Flaw] = []
    rest, passed = text.replace("\r\n", "\n"), 0
    if "\r" in rest:
        flaws.append(Flaw("lines end in CR alone, as on old Macs", "save the file with line ends LF or CRLF"))
        rest = rest.replace("\r", "\n")
    while len(flaws) < MOST:
        try:
            tomllib.loads(rest)
            break
        except tomllib.TOMLDecodeError as error:
            place = _find(rest, str(error))
        except (RecursionError, ValueError):
            break  # `parse_data` says this
        flaws.append(place.flaw(passed))
        if _other_format(place):
            break
        # What follows is read in a table of its own, whose keys do not meet the names of other sections.
        passed += place.last - 1
        rest = f'["line {passed + 1}"]\n' + "\n".join(rest.split("\n")[place.last :])
    return flaws


@dataclass(frozen=True)
class _Place:
    """Where the parser stopped, and `what` it said.

    `raw` is the line of this `number`; `before` and `rest` are its parts before and after the place, in which quoted
    text and comments are blotted out. `open` is the innermost bracket that is open there, if any, `opened` the number
    of its line, and `opening` that line; `last` is the number of the last line of the statement. Numbers count from 1.
    """

    what: str
    number: int
    raw: str
    before: str
    rest: str
    open: str
    opened: int
    opening: str
    last: int

    @property
    def wants_key(self) -> bool:
        """Return whether a key is expected here, and no value."""
        return self.open != "[" and "=" not in re.split(r"[{,]", self.before)[-1 if self.open else 0]

    @property
    def words(self) -> str:
        """The rest of the value or key, as it is written."""
        found = re.match(r"[^,=\]}#;]*", self.raw[len(self.before) :])
        return found[0].strip() if found else ""

    def flaw(self, passed: int) -> Flaw:
        """Return what is wrong and what to write; `passed` lines are before this text."""
        for rule in _RULES:
            if (cause := rule(self)) is not None:
                message, hint = cause
                break
        else:
            rule, message = _other_format, self.what[:1].lower() + self.what[1:]
            hint = "write text in quotes, a list in [ ], a table in { } on one line"
        began_before = rule in (_unclosed, _unclosed_before)
        number, shown = (self.opened, self.opening) if began_before else (self.number, self.excerpt)
        return Flaw(f"line {passed + number}: {message}: {short(shown.strip())}", hint)

    @property
    def excerpt(self) -> str:
        """The line, or of a long one the part about the place."""
        first = max(0, len(self.before) - 30) if len(self.raw) > 60 else 0
        return f"...{self.raw[first:]}" if first else self.raw


def _find(text: str, said: str) -> _Place:
    text = text.rstrip()
    lines = text.split("\n")
    match = re.search(r"line (\d+), column (\d+)", said)
    number, column = (int(match[1]), int(match[2]) - 1) if match else (len(lines), len(lines[-1]))
    if number > len(lines):
        number, column = len(lines), len(lines[-1])
    if (quote := _OPEN_QUOTE.match(said)) and (opened := text.rfind(quote[1] or '"""')) >= 0:
        # The parser looked for another one up to the end of the text.
        before = text[:opened].split("\n")
        number, column = len(before), len(before[-1])
    start = sum(len(line) + 1 for line in lines[: number - 1])
    hidden = _HIDDEN.sub(_blotted, text)
    stack: list[tuple[str, int]] = []
    here: list[tuple[str, int]] | None = None
    line, last = 1, 0
    for mark in _BRACKETS.finditer(hidden):
        if here is None and mark.start() >= start + column:
            here = list(stack)
        if mark[0] in ("", "\n"):
            if here is not None and not stack:
                last = line
                break
            line += 1
        elif mark[0] in _CLOSES:
            stack.append((mark[0], line))
        elif stack:
            stack.pop()
    if here and here[-1][1] == number and _HEADER.fullmatch(lines[number - 1]):
        here.pop()  # of the section that a list swallowed
    outer, inner = (here[0], here[-1]) if here else (("", number), ("", number))
    shown = hidden[start : start + len(lines[number - 1])]
    return _Place(
        what=said.split(" (at ", maxsplit=1)[0],
        number=number,
        raw=lines[number - 1],
        before=shown[:column],
        rest=shown[column:].strip(" \t\r"),
        open=inner[0],
        opened=inner[1],
        opening=lines[inner[1] - 1],
        last=last or max(outer[1], number - 1),
    )


def _blotted(match: re.Match[str]) -> str:
    """Return as many characters, on as many lines, that mean nothing."""
    text = match[0]
    return re.sub(r"[^\n]", " ", text) if text[0] == "#" else text[0] + re.sub(r"[^\n]", "x", text[1:-1]) + text[-1]


# --- the rules, from the most certain to the least; each returns None where it does not hold ------------------------


def _other_format(e: _Place) -> Cause | None:
    if e.number == 1 and not e.before.strip() and e.rest[:1] in ("{", "<"):
        if e.rest[0] == "{":
            return "this is JSON, not TOML", "name the file .json"
        return "this is XML, not TOML", "a mechanism is a .toml or .json file"
    if e.raw.startswith("```"):
        return "``` marks code in a page of Markdown", "delete the line"
    if re.match(r"(import|from)\s+\w", e.raw):
        return "this is Python, not TOML", "run it with python; a mechanism is a .toml or .json file"
    if "=" not in e.raw and e.raw.count(";") > 1:
        return "this is a table of a spreadsheet, not TOML", 'a driver or load reads one by csv = "data.csv"'
    return None


def _open_quote(e: _Place) -> Cause | None:
    if _OPEN_QUOTE.match(e.what) and (mark := re.match(r"'+|\"+", e.raw[len(e.before) :])):
        return f"the quote {mark[0]} is not closed", f"write {mark[0]} at the end of the text too"
    return None


def _twice(e: _Place) -> Cause | None:
    if re.search("overwrite|declare|mutate", e.what):
        return "a key or section is given twice", "delete one of them"
    return None


def _comment(e: _Place) -> Cause | None:
    start = re.match(r"//|/\*|;|%|--|!", e.rest)
    if start and (not e.before.strip() or (start[0] != ";" and start[0] != "--")):
        return f"a comment does not begin with {start[0]}", "write # before it"
    return None


def _decimal_comma(e: _Place) -> Cause | None:
    """A value with a comma, outside a list."""
    shown, reached = e.before + e.rest, len(e.before.rstrip())
    for match in re.finditer(r"=\s*", shown):
        if grouped := _GROUPED.match(shown, match.end()):
            if grouped.end() >= reached:
                return "a number with separators", "write " + re.sub(r"[^-+.0-9]", "", grouped[0])
        elif (comma := _COMMA.match(shown, match.end())) and comma.end() >= reached:
            return "a decimal comma", decimal_comma(comma[0])
        elif (both := _PAIR.match(shown, match.end())) and both.end() >= reached:
            return "two numbers without brackets", f"write [{both[1]}, {both[2]}]"
    return None


def _comma(e: _Place) -> Cause | None:
    if e.rest[:1] != "," or e.open:
        return None
    value = e.raw.partition("=")[2].strip()
    if e.rest == ",":
        return "a comma at the end of a line", "delete it"
    if re.match(r",\s*[\w.\"'-]+\s*=", e.rest):
        return "two keys on one line", "write each on a line of its own, without the comma, or all in { }"
    return "a list needs brackets", f"write [{value}]"


def _unit(e: _Place) -> Cause | None:
    """A number and its unit, without quotes."""
    number = re.search(rf"(?:^|[\s=\[,{{])({_NUMBER})\s*$", e.before)
    after_list = e.before.rstrip().endswith("]")
    if not (number or after_list) or not re.match(r"[A-Za-zµμ°]", e.rest):
        return None
    try:
        unit(e.words)
    except Flaw:
        return None
    if number is None:
        return "the unit stands behind the list", f'write it with each number: ["1 {e.words}", "2 {e.words}"]'
    return "a number with a unit needs quotes", f'write "{number[1]} {e.words}"'


def _strange_character(e: _Place) -> Cause | None:
    """A character that only texts in quotes may have: TOML itself is written in ASCII."""
    shown = e.before + e.rest
    quote = next((char for char in shown if char in QUOTES), "")
    at = e.rest[:1]
    if quote and (at in QUOTES or "character" in e.what or "=" in e.what):
        text = re.search(rf"[{QUOTES}]([^{QUOTES}]+)[{QUOTES}]", e.raw)
        return f"{quote} is not a straight quote", f'write "{text[1] if text else "text"}"'
    if at.isascii():
        return None
    name = unicodedata.name(at, "").lower()
    if at in _DASHES:
        return f"'{at}' is not the minus sign of the keyboard", "write -"
    if unicodedata.category(at) in ("Zs", "Cf", "Zl", "Zp"):
        return f"there is an invisible character: {name}", "write a space, or delete it"
    plain = unicodedata.normalize("NFKC", at)
    if plain.isascii() and not at.isalpha():
        return f"'{at}' is a {name}", f"write {plain}"
    if not at.isalpha():
        return f"'{at}' ({name}) may only stand in quotes", "delete it, or write text in quotes"
    return None


def _unquoted_key(e: _Place) -> Cause | None:
    """A name on the left that is no bare key: letters A to Z, digits, - and _."""
    if not e.wants_key:
        return None
    start = max(e.before.rfind("{"), e.before.rfind(",")) + 1 if e.open else 0
    key, equals, _ = e.raw[start:].partition("=")
    key = key.strip()
    is_bare = re.fullmatch(r"[\w.-]*", key, re.ASCII) is not None
    if not equals or is_bare or key[0] in "[\"'{" or re.search(r"[:\]{}]", key):
        return None
    return f"the name {short(key)} needs quotes", f'write "{key}" = ...'


def _equals(e: _Place) -> Cause | None:
    """What other languages have between key and value."""
    if e.rest[:1] == ":":
        if not re.search(r"[^:=\s]", e.rest):
            return "a section is not written with a colon", f"write [{e.before.strip()}]"
        return "a ':' between key and value", "write ="
    if re.match(r"=", e.rest) and re.search(r"=\s*$", e.before):
        return "two equals signs", "write one"
    if e.wants_key and "'='" in e.what and "=" not in e.rest and re.match(r"[\[{\"'\d+-]", e.rest):
        return "there is no '=' between key and value", f"write {e.before.strip()} = ..."
    if not e.rest and re.search(r"=\s*$", e.before):
        return "the value is missing", f"write it behind the =, or delete {e.before.split('=')[0].strip()}"
    return None


def _number(e: _Place) -> Cause | None:
    if re.match(r"\.\d", e.rest) and re.search(r"\d$", e.before):
        return "a number has two decimal points", "write one"
    if re.match(r"[+-]?\.\d", e.rest):
        digits = re.match(rf"{_NUMBER}", e.rest)
        return "a number begins with its decimal point", f"write {digits[0].replace('.', '0.', 1)}" if digits else ""
    ends = re.search(rf"(?:^|[\s=\[,])({_NUMBER})(\s*)$", e.before)
    if ends is None:
        return None
    if re.match(r"\.(?!\d)", e.rest):
        return "a number ends with its decimal point", f"write {ends[1]}.0"
    if re.fullmatch("[+-]?0", ends[1]) and not ends[2] and (digits := re.match(r"[\d.]+", e.rest)):
        if re.search(r"\d,0$", e.before):
            number = re.split(r"[^0-9,+-]", e.before)[-1] + e.rest[: len(re.split(r"[^0-9.]", e.rest)[0])]
            if hint := decimal_comma(number):
                return "a comma in a number" if "." in number else "a decimal comma", hint
        return "a number begins with a zero", "write " + re.sub(r"^0+(?=\d)", "", digits[0])
    return None


def _semicolon(e: _Place) -> Cause | None:
    if e.rest[:1] != ";":
        return None
    if not e.open:
        return "a ';' at the end of a line", "delete it"
    numbers = _COMMA.findall(e.raw)
    if numbers and not re.search(r"\d\.\d", e.raw):
        return "decimal commas", f"write [{', '.join(f'{a}.{b}' for a, b in numbers)}]"
    return f"a {'list' if e.open == '[' else 'table'} has a ';'", "separate by commas"


def _formula(e: _Place) -> Cause | None:
    said = "a formula where a number is expected", 'write its value; a law is a formula in quotes: law = "30*t"'
    # From every digit of a long number the search would begin anew.
    if re.search(rf"{_NUMBER}\s*$", e.before[-40:]) and re.match(r"[*/+^-]", e.rest):
        return said
    return said if re.match(r"[A-Za-z_]\w*\s*[(*/+^]|\([^,()]*\)\s*[*/+^-]", e.rest) and not e.wants_key else None


def _brackets(e: _Place) -> Cause | None:
    at = e.rest[:1]
    if at == "(":
        return "TOML has no round brackets", "write a list in [ ], a table in { }"
    if e.open == "{" and "'='" in e.what and re.search(rf"\{{\s*{_NUMBER}\s*(,|$)", e.before + e.rest[:1]):
        return "a list in the brackets of a table", "write a list in [ ]"
    if e.open and (at in ")]}>" and at) and at != _CLOSES[e.open]:
        return f"'{e.open}' is closed by '{at}'", f"write {_CLOSES[e.open]}"
    if not e.open and at and at in "]})":
        return f"'{at}' closes nothing", "delete it"
    if "declaration" in e.what and "Expected" in e.what:
        name = e.raw.split("#")[0].strip().strip("[]")
        if "]" in e.rest:
            return f"the name {name} needs quotes", f'write ["{name}"]'
        return "the bracket of a section is not closed", f"write [{name}]"
    if re.match(r"\s*\[", e.before) and not e.open and "=" in e.rest:
        return "a key in brackets", "brackets are for sections: write the key without them"
    return None


def _word(e: _Place) -> Cause | None:
    """Text without quotes."""
    if e.wants_key or "value" not in e.what or not (word := re.match(r"[^\W\d][\w-]*", e.rest)):
        return None
    if word[0].lower() in ("true", "false"):
        return f"{word[0]} is written with small letters", f"write {word[0].lower()}"
    if word[0].lower() in ("none", "null", "nil", "nan", "inf", "na"):
        return f"there is no value '{word[0]}'", "delete the key: what is not given has its default"
    return "text without quotes", f'write "{e.words}"'


def _half_quoted(e: _Place) -> Cause | None:
    """Text with one quote of two: the other is missing before it, or behind it."""
    start, at = max(e.before.rfind(mark) for mark in "=[,{\"'") + 1, len(e.before)
    ended = re.search(r"([\"'])([^\"',]+),[^\"']*\1$", e.raw[:at])
    if ended and re.match(r"\w", e.raw[at:]):
        return f"a quote is missing after {short(ended[2])}", f'write "{ended[2]}"'
    begun = re.match(r"([^\"',=\[\]{}#]*[^\"',=\[\]{}#\s])[\"']\s*([,\]}#]|$)", e.raw[start:].lstrip())
    return (f"a quote is missing before {short(begun[1])}", f'write "{begun[1]}"') if begun else None


def _missing_comma(e: _Place) -> Cause | None:
    starts = r"[\"'\[{\d+-]" if e.open == "[" else r"[\w\"']"
    is_statement = re.match(r"\[+[^\d\[\]\"',][^,]*\]\s*$|[^\[\]{}]*=", e.rest) and not e.before.strip()
    if e.open and re.match(starts, e.rest) and not is_statement and re.search(r"[\w\]}\"']\s*$", e.before or "]"):
        word = re.split(r"[\s,=\]}]", e.raw[len(e.before) :].strip())[0]
        return "a comma is missing", f"write it before {short(word)}"
    return None


def _table_of_lines(e: _Place) -> Cause | None:
    if e.open == "{" and "Invalid initial character" in e.what:
        if e.rest[:1] == "}":
            return "a comma before }", "delete it"
        if not e.rest:
            return "a table in { } goes on in the next line", "write it on one line, or as a section of its own"
    return None


def _unclosed_before(e: _Place) -> Cause | None:
    """A list that goes on into the next section."""
    return _unclosed(e) if e.open == "[" and e.opened < e.number and _HEADER.fullmatch(e.raw) else None


def _unclosed(e: _Place) -> Cause | None:
    if e.open:
        return f"the bracket {e.open} is not closed", f"write {_CLOSES[e.open]} at its end"
    if re.search("character|[Uu]nterminated", e.what) and re.search(r"[\"']", e.before):
        return "the quote is not closed", 'write " at the end of the text'
    return None


def _backslash(e: _Place) -> Cause | None:
    if "'\\'" in e.what or "hex" in e.what:
        return "a backslash in quotes is an escape", "write / instead, also in paths of Windows"
    return None


_RULES = (
    _other_format,
    _open_quote,
    _twice,
    _unclosed_before,
    _backslash,
    _comment,
    _half_quoted,
    _decimal_comma,
    _unit,
    _strange_character,
    _equals,
    _unquoted_key,
    _number,
    _comma,
    _semicolon,
    _formula,
    _brackets,
    _word,
    _table_of_lines,
    _missing_comma,
    _unclosed,
)
