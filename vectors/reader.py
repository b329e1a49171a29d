"""A second reader of the warrant format, written from docs/warrant-format.md alone.

It shares no code with Placet: CBOR, constraints and chains are read here, and only the curve, the hash and the time zones come from
libraries (cryptography, hashlib, zoneinfo). It reads every vector in this folder and says where it disagrees. Exit code 0 if it never does.

A bad warrant must be refused, and for one reason only: whatever can be checked after a first fault is checked too, so a vector that is
bad for two reasons is a disagreement as well. With the name of a folder, only the calls in it are read.
"""

import base64
import binascii
import hashlib
import ipaddress
import json
import math
import pathlib
import re
import struct
import sys
import zoneinfo
from datetime import datetime, timedelta, timezone
from fractions import Fraction

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

YES, NO, MISMATCH = "yes", "no", "mismatch"


class Refused(Exception):
    """What was read is not in the format."""


def refuse_unless(truth, why):
    if not truth:
        raise Refused(why)


# CBOR. The reader is lenient, so that what follows a fault can still be looked at; what was read is encoded again and compared.


class Pairs(list):
    """A map as it stood: pairs in their order."""


class Tag:
    def __init__(self, number, value):
        self.number, self.value = number, value


def decode(data):
    value, at = decode_at(data, 0, 0)
    refuse_unless(at == len(data), "something follows the end")
    return value


def decode_at(data, at, depth):
    refuse_unless(depth <= 64, "nested too deeply")
    refuse_unless(at < len(data), "ends too early")
    first = data[at]
    major, info = first >> 5, first & 31
    at += 1
    if info < 24:
        number = info
    elif info < 28:
        width = 1 << (info - 24)
        refuse_unless(at + width <= len(data), "ends too early")
        number = int.from_bytes(data[at : at + width], "big")
        at += width
    else:
        refuse_unless(info == 31 and major in (4, 5), "a head that is not known")
        number = None
    if major == 0:
        return number, at
    if major == 1:
        return -1 - number, at
    if major in (2, 3):
        refuse_unless(at + number <= len(data), "ends too early")
        part = data[at : at + number]
        if major == 2:
            return bytes(part), at + number
        try:
            return part.decode("utf-8"), at + number
        except UnicodeDecodeError:
            raise Refused("text that is not UTF-8") from None
    if major == 4:
        items = []
        while number is None or len(items) < number:
            if number is None and data[at : at + 1] == b"\xff":
                return items, at + 1
            item, at = decode_at(data, at, depth + 1)
            items.append(item)
        return items, at
    if major == 5:
        pairs = Pairs()
        while number is None or len(pairs) < number:
            if number is None and data[at : at + 1] == b"\xff":
                return pairs, at + 1
            key, at = decode_at(data, at, depth + 1)
            value, at = decode_at(data, at, depth + 1)
            pairs.append((key, value))
        return pairs, at
    if major == 6:
        value, at = decode_at(data, at, depth + 1)
        return Tag(number, value), at
    if info in (20, 21):
        return info == 21, at
    if info == 22:
        return None, at
    formats = {25: ">e", 26: ">f", 27: ">d"}
    refuse_unless(info in formats, "a simple value that is not known")
    width = 1 << (info - 24)
    value = struct.unpack(formats[info], data[at - width : at])[0]
    refuse_unless(math.isfinite(value), "no number")
    return value, at


def head(major, number):
    if number < 24:
        return bytes([major << 5 | number])
    for info, width in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if number < 1 << (8 * width):
            return bytes([major << 5 | info]) + number.to_bytes(width, "big")
    raise Refused("a number beyond 64 bits")


def encode(value):
    if value is None:
        return b"\xf6"
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, float):
        if value.is_integer() and -(2**63) <= value < 2**64:
            return encode(int(value))
        for code, info in ((">e", b"\xf9"), (">f", b"\xfa"), (">d", b"\xfb")):
            try:
                packed = struct.pack(code, value)
            except OverflowError:
                continue
            if struct.unpack(code, packed)[0] == value:
                return info + packed
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        raw = value.encode("utf-8")
        return head(3, len(raw)) + raw
    if isinstance(value, Tag):
        return head(6, value.number) + encode(value.value)
    if isinstance(value, Pairs):
        pairs = sorted((encode(key), encode(item)) for key, item in value)
        return head(5, len(pairs)) + b"".join(key + item for key, item in pairs)
    return head(4, len(value)) + b"".join(encode(item) for item in value)


def is_int(value, least=0, most=2**64 - 1):
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def is_text(value, least=0):
    return isinstance(value, str) and len(value.encode()) >= least


def is_bytes(value, length):
    return isinstance(value, bytes) and len(value) == length


def is_list(value, length=None):
    return isinstance(value, list) and not isinstance(value, Pairs) and (length is None or len(value) == length)


# Values.


def as_json(value, depth=0):
    """A value from CBOR as JSON: lists, dicts, text, numbers, true, false, null."""
    refuse_unless(depth <= 40, "values nested too deeply")
    if isinstance(value, Pairs):
        keys = [key for key, _ in value]
        refuse_unless(all(isinstance(key, str) for key in keys), "a key that is no text")
        refuse_unless(len(set(keys)) == len(keys), "a key twice")
        return {key: as_json(item, depth + 1) for key, item in value}
    refuse_unless(not isinstance(value, (bytes, Tag)), "no value of JSON")
    return [as_json(item, depth + 1) for item in value] if isinstance(value, list) else value


def kind(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        return "number"
    return {str: "text", list: "list", dict: "object"}[type(value)]


def equal(a, b):
    if kind(a) != kind(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if kind(a) == "number":
        return Fraction(a) == Fraction(b)
    return a == b


def canonical(value):
    """RFC 8785, with integers of 64 bits in full."""
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
    return "{" + ",".join(f"{quoted(key)}:{canonical(value[key])}" for key in keys) + "}"


def quoted(text):
    short = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
    letters = (short.get(letter) or (f"\\u{ord(letter):04x}" if letter < " " else letter) for letter in text)
    return '"' + "".join(letters) + '"'


def number_text(value):
    if isinstance(value, int) or (value.is_integer() and -(2**63) <= value < 2**64):
        return str(int(value))
    digits, exponent = repr(abs(value)), 0
    if "e" in digits:
        digits, power = digits.split("e")
        exponent = int(power)
    whole, _, fraction = digits.partition(".")
    fraction = "" if fraction == "0" else fraction
    exponent -= len(fraction)
    digits = (whole + fraction).lstrip("0")
    stripped = digits.rstrip("0")
    exponent += len(digits) - len(stripped)
    digits, sign = stripped, "-" if value < 0 else ""
    point = len(digits) + exponent
    if exponent >= 0 and point <= 21:
        return sign + digits + "0" * exponent
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{sign}{mantissa}e{'+' if point > 0 else '-'}{abs(point - 1)}"


# Constraints: each is read into a function from a value to yes, no or mismatch.


class Budget:
    def __init__(self):
        self.patterns = 64
        self.nodes = 0


def read_constraint(wire, budget, depth=1):
    refuse_unless(depth <= 16, "constraints nested too deeply")
    refuse_unless(is_list(wire) and wire and is_int(wire[0], 0, 17), "no constraint")
    operator, operands = wire[0], wire[1:]
    lengths = {0: 0, 9: 0, 6: 2, 14: 2}
    refuse_unless(len(operands) == lengths.get(operator, 1), "a constraint of the wrong length")
    budget.nodes += 1
    refuse_unless(budget.nodes <= 1024, "too many constraints in one")
    operand = operands[0] if operands else None
    if operator in (15, 16):
        refuse_unless(is_list(operand) and operand, "nothing to combine")
        members = [read_constraint(member, budget, depth + 1) for member in operand]
        return all_of(members) if operator == 15 else any_of(members)
    if operator == 17:
        inner = read_constraint(operand, budget, depth + 1)
        return lambda value: {YES: NO, NO: YES, MISMATCH: MISMATCH}[inner(value)]
    if operator in (2, 3, 12):
        refuse_unless(is_list(operand) and 1 <= len(operand) <= 1024, "no list of values")
        values = [checked_value(value) for value in operand]
        return {2: one_of, 3: not_one_of, 12: subset}[operator](values)
    if operator in (1, 11):
        value = checked_value(operand)
        refuse_unless(operator == 1 or value != "", "every text contains the empty one")
        return exact(value) if operator == 1 else contains(value)
    if operator in (4, 5, 7, 8, 10, 13):
        refuse_unless(isinstance(operand, str) and len(operand.encode()) <= 4096, "no text, or too long")
    if operator == 5:
        budget.patterns -= 1
        refuse_unless(budget.patterns >= 0, "too many patterns")
    makers = {4: glob, 5: regex, 7: under, 8: url, 10: cidr, 13: argv}
    if operator in makers:
        return makers[operator](operand)
    if operator == 6:
        return number_range(*operands)
    if operator == 14:
        return length(*operands)
    return url_safe if operator == 9 else lambda value: YES


def of(truth):
    return YES if truth else NO


def checked_value(wire):
    value = as_json(wire)
    refuse_unless(len(canonical(value).encode()) <= 4096, "a value that is too long")
    return value


def all_of(members):
    def check(value):
        answers = [member(value) for member in members]
        return MISMATCH if MISMATCH in answers else of(NO not in answers)

    return check


def any_of(members):
    def check(value):
        answers = [member(value) for member in members]
        return YES if YES in answers else MISMATCH if MISMATCH in answers else NO

    return check


def exact(own):
    return lambda value: of(equal(own, value)) if kind(own) == kind(value) else MISMATCH


def one_of(values):
    kinds = {kind(own) for own in values}
    return lambda value: of(any(equal(own, value) for own in values)) if kind(value) in kinds else MISMATCH


def not_one_of(values):
    is_one = one_of(values)
    return lambda value: {YES: NO, NO: YES, MISMATCH: MISMATCH}[is_one(value)]


def subset(values):
    is_one = one_of(values)

    def check(value):
        if not isinstance(value, list):
            return MISMATCH
        answers = [is_one(element) for element in value]
        return MISMATCH if MISMATCH in answers else of(NO not in answers)

    return check


def contains(own):
    def check(value):
        if isinstance(value, str):
            return of(own in value) if isinstance(own, str) else MISMATCH
        return of(any(equal(own, element) for element in value)) if isinstance(value, list) else MISMATCH

    return check


def number_range(low, high):
    for bound in (low, high):
        if bound is not None:
            refuse_unless(is_list(bound, 2) and kind(as_json(bound[0])) == "number" and isinstance(bound[1], bool), "no bound")
    refuse_unless(low is not None or high is not None, "no bounds")
    if low is not None and high is not None:
        order = Fraction(high[0]) - Fraction(low[0])
        refuse_unless(order > 0 or (order == 0 and low[1] and high[1]), "no number is in the range")

    def check(value):
        if kind(value) != "number":
            return MISMATCH
        number = Fraction(value)
        above = low is None or number > Fraction(low[0]) or (number == Fraction(low[0]) and low[1])
        below = high is None or number < Fraction(high[0]) or (number == Fraction(high[0]) and high[1])
        return of(above and below)

    return check


def length(least, most):
    refuse_unless(is_int(least) and (most is None or (is_int(most) and least <= most)), "no lengths")

    def check(value):
        if kind(value) not in ("text", "list", "object"):
            return MISMATCH
        return of(least <= len(value) and (most is None or len(value) <= most))

    return check


# Paths.


def carelessly(text):
    before = None
    while before != text:
        before, text = text, re.sub("%([0-7][0-9A-Fa-f])", lambda found: chr(int(found[1], 16)), text)
    return text.replace("\\", "/")


def is_dots(segment):
    return segment.split(";")[0].rstrip(" ") in (".", "..")


def glob(shape):
    places, fixed, at = [], "", 0
    plain = ""
    wild = False
    while at < len(shape):
        letter = shape[at]
        if letter == "*":
            end = at
            while end < len(shape) and shape[end] == "*":
                end += 1
            whole_name = (at == 0 or shape[at - 1] == "/") and (end == len(shape) or shape[end] == "/")
            # A slash that is escaped is no slash of the shape as written.
            if at >= 2 and shape[at - 2 : at] == "\\/":
                whole_name = False
            places.append("[\\s\\S]*" if end - at > 1 else r"[^/\\]+" if whole_name else r"[^/\\]*")
            wild, at = True, end
            continue
        refuse_unless(letter not in "[]{}", "a glob with brackets")
        if letter == "?":
            places.append(r"[^/\\]")
            wild, at = True, at + 1
            continue
        if letter == "\\":
            at += 1
            refuse_unless(at < len(shape), "a glob that ends in a backslash")
            letter = shape[at]
        places.append(re.escape(letter))
        plain += "" if wild else letter
        at += 1
    refuse_unless(len(places) <= 255, "a glob that is too long")
    fixed = plain[: plain.rfind("/") + 1]
    pattern = re.compile("".join(places))
    begins_as_name = fixed == "" and (shape[:1] == "?" or (shape[:1] == "*" and shape[:2] != "**"))
    begins_as_name = begins_as_name and plain == ""

    def check(value):
        if not isinstance(value, str):
            return MISMATCH
        if begins_as_name and re.match(r"~|[A-Za-z]:", value):
            return MISMATCH
        free = value[max(len(fixed) - 1, 0) :] if value.startswith(fixed) else value
        free = carelessly(free)
        doubled = any(free[max(at.start() - 1, 0) : at.start()] != ":" for at in re.finditer("(?=//)", free))
        if "\0" in free or "\x1a" in free or doubled or any(is_dots(part) for part in free.split("/")):
            return MISMATCH
        return of(pattern.fullmatch(value))

    return check


def normal(path):
    parts = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def without_alias(path):
    parts = path[1:].split("/")
    while True:
        if parts[:1] == ["private"] and parts[1:2] and parts[1] in ("etc", "tmp", "var"):
            parts = parts[1:]
        elif parts[:3] == ["System", "Volumes", "Data"]:
            parts = parts[3:]
        elif len(parts) >= 3 and parts[0] == "proc" and parts[2] == "root":
            parts = parts[3:]
        elif parts[:2] == ["var", "run"]:
            return "/" + "/".join(parts[1:])
        else:
            return "/" + "/".join(parts)


def under(directory):
    refuse_unless(directory.startswith("/") and normal(directory) == directory, "no path in its one spelling")
    refuse_unless(not re.search("[\0\x1a]", directory), "a path with a control character")
    refuse_unless(without_alias(directory) == directory, "another name of a path")

    def inside(path):
        return directory == "/" or path == directory or path.startswith(directory + "/")

    def check(value):
        if not isinstance(value, str) or not value.startswith("/") or re.search("[\0\x1a]", value):
            return MISMATCH
        if value.startswith("//") and not value.startswith("///"):
            return MISMATCH
        path = normal(value)
        parts = path[1:].split("/")
        of_process = parts[0] == "proc" and len(parts) >= 3 and parts[2] in ("cwd", "fd", "map_files", "task")
        if directory != "/" and (parts[:2] == ["dev", "fd"] or of_process):
            return MISMATCH
        if inside(without_alias(path)) != inside(path):
            return MISMATCH
        careless = carelessly(value)
        plain_dots = [part for part in value.split("/") if part in (".", "..")]
        if len([part for part in careless.split("/") if is_dots(part)]) > len(plain_dots):
            return MISMATCH
        if re.search("[\0\x1a]", careless) or inside(normal(careless)) != inside(path):
            return MISMATCH
        return of(inside(path))

    return check


def regex(source):
    refuse_unless(len(source.encode()) <= 1024, "a pattern that is too long")
    try:
        pattern = re.compile(source)
    except re.error:
        raise Refused("a pattern that cannot be read") from None
    return lambda value: of(pattern.fullmatch(value)) if isinstance(value, str) else MISMATCH


# Addresses.

USUAL = {"http": 80, "ws": 80, "https": 443, "wss": 443, "ftp": 21, "ssh": 22, "sftp": 22}
LABEL = re.compile(r"[A-Za-z0-9_-]{1,63}")


def is_name(text):
    return len(text) <= 253 and all(LABEL.fullmatch(label) for label in text.split("."))


def read_v6(text):
    try:
        return None if "%" in text else ipaddress.IPv6Address(text)
    except ValueError:
        return None


def read_v4(text):
    parts = text.split(".")
    proper = len(parts) == 4 and all(re.fullmatch(r"0|[1-9][0-9]{0,2}", part) and int(part) < 256 for part in parts)
    return ipaddress.IPv4Address(text) if proper else None


def read_port(text):
    return int(text) if re.fullmatch(r"[1-9][0-9]{0,4}", text) and int(text) < 65536 else None


class Plain:
    """The parts of a plain address."""


def plain_address(text):
    if any(is_control(letter) or letter.isspace() or letter == "\\" for letter in text):
        return None
    found = re.fullmatch(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^?#]*)(?:[?#].*)?", text)
    if not found or "@" in found[2]:
        return None
    address = Plain()
    address.scheme, authority, address.path = found[1].lower(), found[2], found[3]
    bracketed = re.fullmatch(r"\[([^\]]*)\](.*)", authority)
    if bracketed:
        address.host, port = read_v6(bracketed[1]), bracketed[2]
        if address.host is None:
            return None
    else:
        name, colon, port = authority.partition(":")
        port = colon + port
        name = name[:-1] if name.endswith(".") else name
        if not is_name(name):
            return None
        address.host = name.lower()
    address.port = None
    if port:
        address.port = read_port(port[1:]) if port.startswith(":") else None
        if address.port is None:
            return None
    return address


def is_odd_path(path):
    if re.search(r"""[^\x21-\x7e]|[`"<>^{}|]|%(2f|5c|00|25)""", path, re.I):
        return True
    return any(re.fullmatch(r"(\.|%2e){1,2}", segment.split(";")[0], re.I) for segment in path.split("/"))


def ends_in_number(host):
    return re.fullmatch(r"[0-9]+|0x[0-9a-f]*", host.rsplit(".", 1)[-1]) is not None


def url(shape):
    found = re.fullmatch(r"([A-Za-z0-9+]+)://([^/]*)(/.*)?", shape)
    refuse_unless(found and not re.search(r"[?#@\\]", shape.split("://", 1)[1]), "no shape of addresses")
    scheme, authority, path = found[1].lower(), found[2].lower(), found[3]
    own = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(?::(.*))?", authority)
    refuse_unless(own, "no proper host")
    host, port = own[1], own[2]
    if port not in (None, "*"):
        port = read_port(port)
        refuse_unless(port is not None, "no proper port")
    if host != "*" and host.startswith("*."):
        refuse_unless(is_name(host[2:]), "no proper host")
    elif host != "*":
        address = plain_address(f"http://{host}/")
        refuse_unless(address is not None and address.port is None and not is_odd_host(address.host), "no proper host")
        host = address.host
    path_shape = glob(path) if path else None

    def check(value):
        address = plain_address(value) if isinstance(value, str) else None
        if address is None or is_odd_host(address.host):
            return MISMATCH
        if host == "*" and is_encoded(address.host):
            return MISMATCH
        if path_shape:
            if is_odd_path(address.path):
                return MISMATCH
            if re.search(r"%(2[de]|3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])", address.path, re.I):
                return MISMATCH
            if path_shape(address.path or "/") == MISMATCH:
                return MISMATCH
        if host == "*":
            same = True
        elif isinstance(host, str) and host.startswith("*."):
            same = isinstance(address.host, str) and address.host.endswith(host[1:]) and len(address.host) > len(host) - 1
        else:
            same = address.host == host
        usual = USUAL.get(address.scheme)
        if port == "*":
            door = True
        elif port is None:
            door = address.port is None or address.port == usual
        else:
            door = (address.port or usual) == port
        way = path_shape is None or path_shape(address.path or "/") == YES
        return of(address.scheme == scheme and same and door and way)

    return check


def is_odd_host(host):
    if isinstance(host, str):
        return ends_in_number(host) and read_v4(host) is None
    return host in ipaddress.IPv6Network("::ffff:0:0/96")


def is_encoded(host):
    return isinstance(host, str) and any(label.startswith("xn--") for label in host.split("."))


SPECIAL_V4 = [
    ipaddress.IPv4Network(block)
    for block in (
        "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24"
        " 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24"
        " 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32"
    ).split()
]
SPECIAL_V6 = [
    ipaddress.IPv6Network(block) for block in "2001::/23 2001:db8::/32 2620:4f:8000::/48 3fff::/20".split()
]
INTERNAL = (
    "alt arpa example invalid local localhost onion test"
    " cluster consul containers corp default docker domain fritz.box home host.docker internal intra intranet ip kube-system"
    " kubernetes lan localdomain mail metadata.goog metadata.packet.net metadata.platformequinix.com metadata.tencentyun.com"
    " metadata.cloud.ibm.com nomad pod podman private router svc ts.net workgroup"
    " 1u.ms backname.io lacolhost.com local-ip.co local-ip.sh localho.st localtest.me lvh.me nip.io plex.direct rbndr.us"
    " sslip.io traefik.me vcap.me xip.io"
).split()


def embedded(address):
    """The IPv4 addresses in an IPv6 one."""
    number = int(address)
    last = ipaddress.IPv4Address(number & 0xFFFFFFFF)
    if address in ipaddress.IPv6Network("::ffff:0:0/96") or address in ipaddress.IPv6Network("64:ff9b::/96"):
        return [last]
    if address in ipaddress.IPv6Network("2002::/16"):
        return [ipaddress.IPv4Address(number >> 80 & 0xFFFFFFFF)]
    if address in ipaddress.IPv6Network("2001::/32"):
        return [ipaddress.IPv4Address(number >> 64 & 0xFFFFFFFF), ipaddress.IPv4Address(int(last) ^ 0xFFFFFFFF)]
    return []


def is_public(host):
    if isinstance(host, ipaddress.IPv6Address):
        inner = embedded(host)
        if inner:
            return all(is_public(address) for address in inner)
        return host in ipaddress.IPv6Network("2000::/3") and not any(host in block for block in SPECIAL_V6)
    if isinstance(host, ipaddress.IPv4Address):
        return not any(host in block for block in SPECIAL_V4)
    if ends_in_number(host):
        address = read_v4(host)
        return address is not None and is_public(address)
    internal = any(host == name or host.endswith("." + name) for name in INTERNAL)
    return "." in host and not is_encoded(host) and not internal


def url_safe(value):
    address = plain_address(value) if isinstance(value, str) else None
    if address is None:
        return MISMATCH
    return of(address.scheme in ("http", "https", "ws", "wss") and is_public(address.host))


def cidr(text):
    address, slash, bits = text.partition("/")
    own = read_v4(address) or read_v6(address)
    refuse_unless(own is not None and slash and re.fullmatch("0|[1-9][0-9]{0,2}", bits), "no range of addresses")
    try:
        network = ipaddress.ip_network(text)
    except ValueError:
        raise Refused("no range of addresses") from None
    refuse_unless(str(network.network_address) == address, "a range in another spelling")

    def check(value):
        if not isinstance(value, str):
            return MISMATCH
        inner = value[1:-1] if value.startswith("[") and value.endswith("]") else None
        address = read_v6(inner) if inner is not None else read_v4(value) or read_v6(value)
        if address is None:
            return MISMATCH
        old = embedded(address) if address.version == 6 else []
        if network.version == 4 and address.version == 6:
            if address in ipaddress.IPv6Network("::ffff:0:0/96"):
                return of(old[0] in network)
            if address in ipaddress.IPv6Network("64:ff9b:1::/48"):
                return MISMATCH
            number = int(address)
            site = number >> 32 & 0xFFFFFFFF in (0x5EFE, 0x2005EFE)
            if number > 1 and (number >> 32 in (0, 0xFFFF0000) or site):
                old = [*old, ipaddress.IPv4Address(number & 0xFFFFFFFF)]
            return MISMATCH if any(inner in network for inner in old) else NO
        return of(address.version == network.version and address in network)

    return check


# Commands.

RESERVED = (
    "case coproc do done elif else esac fi for foreach function if in nocorrect noglob repeat select then time until while"
).split()


def words_of(text):
    """The words of a plain command; None if it is none."""
    if len(text.encode()) > 65536 or any(is_control(letter) for letter in text):
        return None
    text = text.strip(" \t\n")
    words = []
    while text:
        found = re.match(r"""(?:[A-Za-z0-9_.,/:+@%=~-]+|'[^']*'|"[^"$`\\!]*")+""", text)
        if not found or text[found.end() : found.end() + 1] not in ("", " ", "\t"):
            return None
        written = found[0]
        if not words and (re.match(r"[A-Za-z_][A-Za-z0-9_]*\+?=", written) or written in RESERVED):
            return None
        word = ""
        for run in re.findall(r"""[A-Za-z0-9_.,/:+@%=~-]+|'[^']*'|"[^"]*\"""", written):
            if run[0] in "'\"":
                if run[0] == "'" and run[-2] == "\\":
                    return None
                word += run[1:-1]
                continue
            if word == "" and run.startswith("="):
                return None
            if re.search(r"(?<![A-Za-z0-9_.-])~", run):
                return None
            word += run
        words.append(word)
        text = text[found.end() :].lstrip(" \t")
    return words or None


def is_control(letter):
    return (letter < " " and letter not in "\n\t") or "\x7f" <= letter <= "\x9f"


def argv(shape):
    places, flags, any_flag_after, further = [], [], None, False
    parts = re.split(r"[ \t\n\r\f]+", shape.strip(" \t\n\r\f"))
    refuse_unless(shape.strip() and len(parts) <= 256, "no shape of a command")
    for part in parts:
        refuse_unless(part.startswith("-") or not further, "goes on after `..`")
        if part == "..":
            further = True
        elif part == "-*":
            any_flag_after = len(places) if any_flag_after is None else any_flag_after
        elif part.startswith("-") and len(part) > 1:
            name, equals, value = part.partition("=")
            refuse_unless(not equals or value == "*", "fixes a value")
            refuse_unless(name != "--" and not re.search(r"[*|?]", name), "no flag")
            refuse_unless(not equals or name.startswith("--") or len(name) == 2, "no flag of one letter")
            flags.append((name, bool(equals), len(places)))
        elif part == "*":
            places.append(None)
        else:
            choices = part.split("|")
            for choice in choices:
                refuse_unless(choice and not choice.startswith("-"), "no word")
                refuse_unless(not re.search(r"""[*?$`"'\\;&<>()]""", choice), "no word")
            places.append(choices)
        refuse_unless(places, "does not begin with a program")
    refuse_unless(places[0] is not None, "does not name its program")

    def takes(word, taken):
        for name, valued, after in flags:
            if after > taken:
                continue
            if not valued and name == word or valued and name.startswith("--") and word.startswith(name + "="):
                return 1
            if valued and not name.startswith("--") and name == word:
                return 2
        return 1 if any_flag_after is not None and any_flag_after <= taken else 0

    def permits(words):
        taken, at, over = 0, 0, False
        while at < len(words):
            word = words[at]
            at += 1
            if not over and taken > 0 and word == "--":
                over = True
            elif word.startswith("-") and len(word) > 1:
                count = takes(word, taken)
                if count == 0 or (count == 2 and (at >= len(words) or words[at].startswith("-"))):
                    return False
                if over and (count == 2 or not further or taken < len(places)):
                    return False
                at += count - 1
            elif taken < len(places):
                if places[taken] is not None and word not in places[taken]:
                    return False
                taken += 1
            elif not further:
                return False
        return taken == len(places)

    def check(value):
        if isinstance(value, list):
            if not all(isinstance(word, str) for word in value):
                return MISMATCH
            shells = ("bash", "sh", "/bin/bash", "/bin/sh")
            if len(value) == 3 and value[0] in shells and value[1] in ("-c", "-lc"):
                return check(value[2])
            return of(not any(is_control(letter) for word in value for letter in word) and permits(value))
        words = words_of(value) if isinstance(value, str) else None
        return MISMATCH if words is None else of(permits(words))

    return check


# Keys, signatures and envelopes.

P = 2**255 - 19
D = -121665 * pow(121666, P - 2, P) % P


def point(raw):
    """The point with these bytes, if they are its one spelling."""
    sign, y = raw[31] >> 7, int.from_bytes(raw, "little") & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    return (P - x if x % 2 != sign else x), y


def doubled(at):
    x, y = at
    product = D * x * x * y * y % P
    return (
        2 * x * y * pow(1 + product, P - 2, P) % P,
        (y * y + x * x) * pow(1 - product, P - 2, P) % P,
    )


def is_small(raw):
    at = point(raw)
    if at is None:
        return False
    for _ in range(3):
        at = doubled(at)
    return at == (0, 1)


def is_key(raw):
    return is_bytes(raw, 32) and point(raw) is not None and not is_small(raw)


def holds(key, signature, message):
    if is_small(signature[:32]):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def text_bytes(text):
    text = text.strip()
    if not re.fullmatch("[A-Za-z0-9_-]*", text):
        raise Refused("no base64url")
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error:
        raise Refused("no base64url") from None
    refuse_unless(base64.urlsafe_b64encode(raw).rstrip(b"=").decode() == text, "base64url with bits that belong to nothing")
    return raw


def public_key(text):
    refuse_unless(text.startswith("placet_pk_1_"), "no public key")
    raw = text_bytes(text.removeprefix("placet_pk_1_"))
    refuse_unless(is_key(raw), "no public key")
    return raw


def open_envelope(raw, typ, problems, form):
    """Payload, signature and what was signed; None if there is no telling."""
    try:
        envelope = decode(raw)
    except Refused as error:
        problems.append(f"{form}: {error}")
        return None
    inner = envelope.value if isinstance(envelope, Tag) else envelope
    if not is_list(inner, 4) or not (isinstance(inner[0], bytes) and isinstance(inner[2], bytes) and is_bytes(inner[3], 64)):
        problems.append(f"{form}: no COSE_Sign1")
        return None
    if not isinstance(envelope, Tag) or envelope.number != 18:
        problems.append(f"{form}: no tag")
    if encode(envelope) != raw:
        problems.append(f"{form}: not deterministic")
    protected, unprotected, payload, signature = inner
    if protected != encode(Pairs([(1, -8), (16, typ)])):
        problems.append(f"{form}: another header")
    if unprotected != Pairs():
        problems.append(f"{form}: something is not protected")
    return payload, signature, encode(["Signature1", protected, b"", payload])


def fields_of(wire, known, form, problems):
    """The fields of a map, with what is wrong about its keys put down."""
    if not isinstance(wire, Pairs):
        problems.append(f"{form}: no map")
        return {}
    fields = {}
    for key, value in wire:
        if key not in known or isinstance(key, bool):
            problems.append(f"{form}: a field that is not known")
        elif key in fields:
            problems.append(f"{form}: a field twice")
        else:
            fields[key] = value
    return fields


FIRST, LAST = -62_167_219_200_000, 253_402_207_200_000


def is_instant(value):
    return is_int(value, FIRST, LAST)


# Links and chains.


def read_scope(fields, form, problems):
    budget = Budget()
    scope = {"capabilities": [], "effects": None, "limits": {}, "posture": {}}
    parts = (
        (11, "capabilities", lambda value: read_list(value, lambda item: read_capability(item, budget))),
        (12, "effects", lambda value: read_list(value, lambda item: read_reach(item, budget))),
        (13, "limits", read_limits),
        (14, "posture", read_posture),
    )
    for key, name, read in parts:
        if key in fields:
            try:
                scope[name] = read(fields[key])
            except Refused as error:
                problems.append(f"{form}: {error}")
    return scope


def read_list(value, read):
    refuse_unless(is_list(value) and 1 <= len(value) <= 256, "no list, or too long")
    return [read(item) for item in value]


def strict_fields(wire, known):
    problems = []
    fields = fields_of(wire, known, "", problems)
    refuse_unless(not problems, "; ".join(problems))
    return fields


def read_capability(wire, budget):
    fields = strict_fields(wire, (1, 2, 3, 4, 5))
    refuse_unless(is_int(fields.get(1), 0, 1), "a tier that is not known")
    if 5 in fields:
        refuse_unless(fields.keys() == {1, 5}, "both a tool and effects")
        return {"tier": fields[1], "effects": read_list(fields[5], lambda item: read_reach(item, budget))}
    refuse_unless(fields.keys() == {1, 2, 3, 4}, "neither a tool nor effects")
    tool = fields[2]
    proper = is_text(tool, 1) and len(tool.encode()) <= 256
    refuse_unless(proper and all(letter.isalnum() or letter in "_-./:" for letter in tool), "no name of a tool")
    refuse_unless(isinstance(fields[3], Pairs) and len(fields[3]) <= 256, "no arguments, or too many")
    refuse_unless(isinstance(fields[4], bool), "does not say whether it is open")
    arguments = {}
    for name, argument in fields[3]:
        refuse_unless(isinstance(name, str) and name not in arguments, "no name of an argument")
        refuse_unless(is_list(argument, 2) and isinstance(argument[0], bool), "no argument")
        budget.nodes = 0
        arguments[name] = (argument[0], read_constraint(argument[1], budget))
    return {"tier": fields[1], "tool": tool, "arguments": arguments, "open": fields[4]}


def read_reach(wire, budget):
    refuse_unless(is_list(wire, 2) and is_int(wire[0], 0, 10) and is_list(wire[1]), "no reach")
    targets = []
    for target in wire[1]:
        refuse_unless(is_list(target, 2) and is_int(target[0], 0, 3), "no target")
        budget.nodes = 0
        constraint = read_constraint(target[1], budget)
        refuse_unless(target[0] != 0 or target[1] == [0], "a constraint about nothing")
        targets.append((target[0], constraint))
    return wire[0], targets


def read_limits(wire):
    fields = strict_fields(wire, (1, 2, 3, 4, 5))
    refuse_unless(fields, "limits that should be absent")
    refuse_unless(1 not in fields or is_int(fields[1]), "no number of calls")
    if 2 in fields:
        rate = fields[2]
        refuse_unless(is_list(rate, 2) and is_int(rate[0]) and is_int(rate[1], 1), "no rate")
    if 3 in fields:
        budgets = fields[3]
        refuse_unless(isinstance(budgets, Pairs) and budgets, "no budgets")
        names = [name for name, _ in budgets]
        refuse_unless(all(isinstance(name, str) for name in names) and len(set(names)) == len(names), "no budgets")
        refuse_unless(all(is_int(most) for _, most in budgets), "no sum")
    if 4 in fields:
        hours = fields[4]
        refuse_unless(is_list(hours, 2) and isinstance(hours[0], str) and is_list(hours[1]), "no hours")
        refuse_unless(is_zone(hours[0]) and 1 <= len(hours[1]) <= 32, "no zone or no spans")
        for span in hours[1]:
            refuse_unless(is_list(span, 3) and is_int(span[0], 1, 127), "no span")
            refuse_unless(is_int(span[1]) and is_int(span[2], 0, 1440) and span[1] < span[2], "no span")
    refuse_unless(5 not in fields or is_int(fields[5], 0, 100), "no risk")
    return fields


def is_zone(name):
    fixed = re.fullmatch(r"[+-]([0-9]{2}):([0-9]{2})", name)
    if fixed:
        return int(fixed[1]) * 60 + int(fixed[2]) <= 14 * 60
    return name == "UTC" or name in zoneinfo.available_timezones()


def read_posture(wire):
    fields = strict_fields(wire, (1, 2, 3))
    refuse_unless(fields and all(is_int(level, 1, 2) for level in fields.values()), "no posture, or one that should be absent")
    return fields


def read_link(raw, number, problems):
    form = f"form of link {number}"
    if len(raw) > 65536:
        problems.append(f"{form}: too long")
    opened = open_envelope(raw, "placet/warrant", problems, form)
    if opened is None:
        return None
    payload, signature, message = opened
    try:
        wire = decode(payload)
    except Refused as error:
        problems.append(f"{form}: {error}")
        return None
    if encode(wire) != payload:
        problems.append(f"{form}: not deterministic")
    fields = fields_of(wire, range(1, 15), form, problems)

    def must(truth, why):
        if not truth:
            problems.append(f"{form}: {why}")

    must(is_int(fields.get(1), 1, 1), "the version is not known")
    must(is_bytes(fields.get(2), 16), "no id")
    must(is_key(fields.get(3)), "no issuer")
    if 4 in fields:
        must(is_key(fields[4]), "no holder")
    if 5 in fields:
        must(is_list(fields[5], 2) and all(is_text(part, 1) for part in fields[5]), "no session")
    must((4 in fields) != (5 in fields), "not exactly one holder")
    must(is_instant(fields.get(6)) and is_instant(fields.get(7)), "no times")
    if is_instant(fields.get(6)) and is_instant(fields.get(7)):
        must(0 < fields[7] - fields[6] <= 90 * 86_400_000, "lives for no time or too long")
    if 8 in fields:
        must(is_bytes(fields[8], 32), "no parent")
    must(is_int(fields.get(9), 0, 1), "the purpose is not known")
    if 10 in fields:
        must(is_int(fields[10]), "no depth")
    must(11 in fields, "no capabilities")
    if is_key(fields.get(3)) and not holds(fields[3], signature, message):
        problems.append(f"the signature of link {number}")
    scope = read_scope(fields, form, problems)
    return {"fields": fields, "scope": scope, "digest": hashlib.sha256(raw).digest()}


def read_chain(raw, roots, at, revoked=()):
    """The links of a chain, and what is wrong about it: one entry for each reason."""
    problems = []
    try:
        chain = decode(raw)
    except Refused as error:
        return [], [f"form of the chain: {error}"]
    if len(raw) > 262144:
        problems.append("form of the chain: too long")
    if not is_list(chain) or not all(isinstance(link, bytes) for link in chain):
        return [], [*problems, "form of the chain: no list of links"]
    if not 1 <= len(chain) <= 16:
        problems.append("form of the chain: not 1 to 16 links")
    if encode(chain) != raw:
        problems.append("form of the chain: not deterministic")
    links = [read_link(link, number + 1, problems) for number, link in enumerate(chain)]
    before = None
    for number, link in enumerate(links):
        if link is None:
            before = None
            continue
        fields = link["fields"]
        if number == 0:
            if is_key(fields.get(3)) and fields[3] not in roots:
                problems.append("the root")
            if 8 in fields:
                problems.append("a parent of the first link")
        elif before is not None:
            if before["fields"].get(4) is None or before["fields"].get(4) != fields.get(3):
                problems.append(f"the issuer of link {number + 1}")
            if fields.get(8) != before["digest"]:
                problems.append("a parent")
            if is_instant(fields.get(7)) and fields[7] > before["fields"].get(7, LAST):
                problems.append("a link outlives the one before")
        if is_int(fields.get(10)) and len(links) - number - 1 > fields[10]:
            problems.append("too deep")
        if is_instant(fields.get(6)) and at < fields[6]:
            problems.append("not yet")
        if is_instant(fields.get(7)) and at >= fields[7] and fields[7] > fields.get(6, FIRST):
            problems.append("expired")
        for ids, keys in revoked:
            if fields.get(2) in ids or fields.get(3) in keys or fields.get(4) in keys:
                problems.append("revoked")
        before = link
    return links, sorted(set(problems))


def permits(link, tool, args):
    """What the capabilities of a link say to a call: 0 always, 1 gated, None outside."""
    tiers = []
    for capability in link["scope"]["capabilities"]:
        if capability.get("tool") != tool:
            continue
        arguments = capability["arguments"]
        named = all(
            constraint(args[name]) == YES if name in args else optional
            for name, (optional, constraint) in arguments.items()
        )
        if named and (capability["open"] or args.keys() <= arguments.keys()):
            tiers.append(capability["tier"])
    return min(tiers, default=None)


# Proofs, lists and approvals.


def call_digest(call):
    subject = {
        "agent": call.get("agent", ""),
        "args": call.get("args", {}),
        "cwd": call.get("cwd"),
        "host": call.get("host", ""),
        "session": call.get("session", ""),
        "tool": call["tool"],
    }
    return hashlib.sha256(b"placet call digest 1\0" + canonical(subject).encode()).digest()


def read_signed(text, typ, known, size):
    raw = text_bytes(text)
    refuse_unless(len(raw) <= size, "too long")
    problems = []
    opened = open_envelope(raw, typ, problems, "form")
    refuse_unless(not problems and opened, "; ".join(problems))
    payload, signature, message = opened
    wire = decode(payload)
    refuse_unless(encode(wire) == payload, "not deterministic")
    fields = strict_fields(wire, known)
    refuse_unless(fields.keys() == set(known) and is_int(fields[1], 1, 1), "a field is missing, or another version")
    return fields, signature, message


def check_proof(text, link, call, at, used):
    fields, signature, message = read_signed(text, "placet/proof", range(1, 6), 512)
    refuse_unless(is_bytes(fields[2], 32) and fields[2] == link["digest"], "another warrant")
    refuse_unless(is_bytes(fields[3], 32) and fields[3] == call_digest(call), "another call")
    refuse_unless(is_instant(fields[4]) and abs(at - fields[4]) <= 60_000, "another time")
    refuse_unless(is_bytes(fields[5], 16) and fields[5] not in used, "used before")
    refuse_unless(holds(link["fields"][4], signature, message), "the signature")


def read_revocations(text, roots):
    fields, signature, message = read_signed(text, "placet/revocations", range(1, 7), 4 * 1024 * 1024)
    refuse_unless(is_key(fields[2]) and fields[2] in roots, "no root")
    refuse_unless(is_int(fields[3]) and is_instant(fields[4]), "no number or no time")
    refuse_unless(is_list(fields[5]) and all(is_bytes(one, 16) for one in fields[5]), "no ids")
    refuse_unless(is_list(fields[6]) and all(is_key(one) for one in fields[6]), "no keys")
    for names in (fields[5], fields[6]):
        refuse_unless(all(a < b for a, b in zip(names, names[1:])), "not sorted")
    refuse_unless(holds(fields[2], signature, message), "the signature")
    return fields


def check_approval(text, keys, call, at):
    fields, signature, message = read_signed(text, "placet/approval", range(1, 9), 4096)
    refuse_unless(is_bytes(fields[2], 16) and is_text(fields[5], 1), "no id or no approver")
    refuse_unless(is_key(fields[3]) and fields[3] in keys, "no key that may approve")
    refuse_unless(fields[6] is None or is_bytes(fields[6], 16), "no grant")
    refuse_unless(is_bytes(fields[4], 32) and fields[4] == call_digest(call), "another call")
    refuse_unless(is_instant(fields[7]) and is_instant(fields[8]) and fields[7] <= at < fields[8], "another time")
    refuse_unless(holds(fields[3], signature, message), "the signature")


class Rate:
    def __init__(self, begins, count, stretch):
        self.begins, self.count = begins, count
        self.step = -(-stretch // 10)
        self.before = -(-stretch // self.step)
        self.counted = {}

    def allows(self, at):
        current = max(at - self.begins, 0) // self.step
        used = sum(self.counted.get(step, 0) for step in range(current - self.before, current + 1))
        if used + 1 > self.count:
            return False
        self.counted[current] = self.counted.get(current, 0) + 1
        return True


# The vectors.


def milliseconds(text):
    since = datetime.fromisoformat(text.replace("Z", "+00:00")) - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return since // timedelta(milliseconds=1)


def warrants(folder, disagree):
    count = 0
    for file in sorted(folder.glob("*.json")):
        vector = json.loads(file.read_text())
        roots, at, raw = roots_of(vector), milliseconds(vector["at"]), text_bytes(vector["warrant"])
        links, problems = read_chain(raw, roots, at)
        if "refused" in vector:
            if len(problems) != 1:
                disagree(f"{file.name}: bad for {len(problems)} reasons: {problems}")
        elif problems:
            disagree(f"{file.name}: {problems}")
        else:
            for link, shown in zip(links, vector["links"], strict=True):
                if link["digest"].hex() != shown["digest"] or link["fields"][2].hex() != shown["id"]:
                    disagree(f"{file.name}: another digest or id")
            for size in range(len(raw)):
                if not read_chain(raw[:size], roots, at)[1]:
                    disagree(f"{file.name}: holds when cut to {size} bytes")
        count += 1
    return count


def roots_of(vector):
    return {public_key(root) for root in vector["roots"]}


def calls(folder, disagree):
    count = 0
    for file in sorted((folder / "calls").glob("*.json")):
        vector = json.loads(file.read_text())
        for case in vector["cases"]:
            links, problems = read_chain(text_bytes(case["warrant"]), roots_of(vector), milliseconds(vector["at"]))
            if problems:
                disagree(f"{file.name}: {case['about']}: {problems}")
                continue
            for row in case["values"]:
                value = json.loads(row["value"])
                yes = permits(links[-1], "is", {"value": value}) is not None
                no = permits(links[-1], "is_not", {"value": value}) is not None
                answer = {(True, False): YES, (False, True): NO, (False, False): MISMATCH}.get((yes, no), "both")
                if answer != row["answer"]:
                    disagree(f"{file.name}: {case['about']}: {row['value']} is {answer}, not {row['answer']}")
                count += 1
    return count


def signed(folder, disagree):
    count = 0

    def settle(name, case, check):
        nonlocal count
        count += 1
        try:
            check()
        except Refused as error:
            if case["good"]:
                disagree(f"{name}: {case['about']}: {error}")
        else:
            if not case["good"]:
                disagree(f"{name}: {case['about']}: it counts")

    proofs = json.loads((folder / "signed/proofs.json").read_text())
    links, _ = read_chain(text_bytes(proofs["warrant"]), roots_of(proofs), milliseconds(proofs["at"]))
    for case in proofs["cases"]:
        used = [bytes.fromhex(nonce) for nonce in case["used"]]
        call, at = json.loads(case["call"]), milliseconds(proofs["at"])
        settle("proofs", case, lambda: check_proof(case["proof"], links[-1], call, at, used))
        if "digest" in case and call_digest(call).hex() != case["digest"]:
            disagree(f"proofs: {case['about']}: another digest")

    lists = json.loads((folder / "signed/revocations.json").read_text())
    for case in lists["cases"]:

        def check(case=case):
            newest, revoked = {}, []
            for text in case["lists"]:
                fields = read_revocations(text, roots_of(lists))
                own = newest.get(fields[2])
                refuse_unless(own is None or own[3] <= fields[3], "older than one that is known")
                refuse_unless(own is None or own[3] < fields[3] or own == fields, "two with one number")
                newest[fields[2]] = fields
            revoked = [(set(fields[5]), set(fields[6])) for fields in newest.values()]
            _, problems = read_chain(text_bytes(lists["warrant"]), roots_of(lists), milliseconds(lists["at"]), revoked)
            refuse_unless(not problems, "; ".join(problems))

        settle("revocations", case, check)

    approvals = json.loads((folder / "signed/approvals.json").read_text())
    for case in approvals["cases"]:
        call, at = json.loads(case["call"]), milliseconds(case["at"])
        settle("approvals", case, lambda: check_approval(case["approval"], roots_of(approvals), call, at))

    for case in json.loads((folder / "signed/rates.json").read_text())["cases"]:
        rate = Rate(case["begins"], *case["rate"])
        for at, allowed in case["calls"]:
            count += 1
            if rate.allows(at) != allowed:
                disagree(f"rates: {case['about']}: at {at}")
    return count


def main():
    found = []
    if len(sys.argv) > 1:
        count = calls(pathlib.Path(sys.argv[1]), found.append)
        if found:
            sys.exit("\n".join([*found[:40], f"{len(found)} disagreements"]))
        print(f"{count} calls are read alike")
        return
    folder = pathlib.Path(__file__).parent
    counts = [part(folder, found.append) for part in (warrants, calls, signed)]
    for line in found:
        print(line)
    if found:
        sys.exit(f"{len(found)} disagreements")
    print(f"{counts[0]} warrants, {counts[1]} calls and {counts[2]} proofs, lists, approvals and rates are read alike")


if __name__ == "__main__":
    main()
