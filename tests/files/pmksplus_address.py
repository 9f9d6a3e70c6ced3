"""Writes addresses of PMKS+ for these tests; shares nothing with the reader."""

from check_joints import DIGITS


def digits(value):
    """Write a number in base 64, a negative one with a 0 in front."""
    text, rest = "", abs(value)
    while rest or not text:
        text, rest = DIGITS[rest % 64] + text, rest // 64
    return ("0" if value < 0 else "") + text


def thousandths(value):
    return digits(round(1000 * value))


def joint(name, x, y, bits=0, angle=0.0, more=""):
    """Write a joint; its bits: 1 slides, 2 driven, 4 on the ground, 8 welded, 16 traced, 32 of a cylinder."""
    id, _, shown = name.partition(":")
    return f"{DIGITS[bits]}{id},{shown or id},{thousandths(x)},{thousandths(y)},{thousandths(angle)}{more}"


def link(name, joints, flag="YR", parts=""):
    id, _, shown = name.partition(":")
    return f"{flag}{id},{shown or id},Fe,Fe,0,0,c5cae9,{','.join(joints)},,{parts}"


def body(joints, links, flags="0P", decimals="TY", integers="K,0", units="101", forces=(), more="N_"):
    return ".".join([flags, decimals, integers, units, *joints, "", *links, "", *forces, "", more])


def with_length(text):
    """Add the character that states the length."""
    return text + DIGITS[len(text) % 62]


def with_digest(text):
    """Add the length and, after a *, the 32-bit FNV-1a digest in six digits of base 62."""
    text = with_length(text)
    value = 0x811C9DC5
    for char in text:
        value ^= ord(char)
        value = (value + (value << 1) + (value << 4) + (value << 7) + (value << 8) + (value << 24)) & 0xFFFFFFFF
    places = [value // 62**place % 62 for place in range(5, -1, -1)]
    return f"{text}*{''.join(DIGITS[place] for place in places)}"


def packed(joints, links, flags="0P", rpm=20, decimals="TY"):
    """Write a whole address without a digest: joints as (name, x, y, bits, angle), links with their joints."""
    rows = [joint(name, x, y, bits, angle) for name, x, y, bits, angle in joints]
    bars = [link(name, own) for name, own in links.items()]
    return with_length(body(rows, bars, flags, decimals, f"{digits(rpm)},0", more="JA"))
