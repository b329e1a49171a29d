#!/usr/bin/env python3
"""Checks a proof that `placet audit prove` wrote, without Placet and without the log.

  check_proof.py --key audit.pub 1234.tlog-proof              a record is in the log (C2SP tlog-proof)
  check_proof.py --key audit.pub --old march.checkpoint FILE   the log has only grown (C2SP tlog-witness)
  check_proof.py --key audit.pub --note week.coverage          the key of the log signed a statement

Prints what is proved and ends with 0, or says what is wrong and ends with 1. Needs Python 3.9 and `cryptography`.
The tree is that of RFC 6962; how its proofs are checked is written down in RFC 9162, section 2.1.
"""

import argparse
import base64
import hashlib
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


class Wrong(Exception):
    pass


def need(truth, what):
    if not truth:
        raise Wrong(what)


def b64(text):
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise Wrong(f"`{text[:40]}` is not base64") from None


def number(text):
    need(text.isascii() and text.isdigit() and str(int(text)) == text, f"`{text[:40]}` is not a number")
    return int(text)


def leaf_hash(record):
    return hashlib.sha256(b"\x00" + record).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def read_key(line):
    """A verifier key of a signed note: name, key id, and the kind of key (1: Ed25519) before the key itself."""
    name, key_id, encoded = line.strip().split("+", 2)
    key = b64(encoded)
    need(len(key) == 33 and key[0] == 1, "the key is not an Ed25519 key")
    expected = hashlib.sha256(name.encode() + b"\n" + key).digest()[:4]
    need(key_id == expected.hex(), "the key does not belong to its name")
    return name, expected, Ed25519PublicKey.from_public_bytes(key[1:])


def open_note(note, key):
    """The text of a signed note, if `key` has signed it. Lines by other keys, such as witnesses', are passed over."""
    name, key_id, public = key
    text, blank, signatures = note.rpartition("\n\n")
    need(blank and signatures.endswith("\n"), "this is not a signed note")
    text += "\n"
    for line in signatures.splitlines():
        need(line.startswith("\u2014 "), "this is not a line of a signature")
        signer, _, signature = line[2:].partition(" ")
        signature = b64(signature)
        if signer == name and signature[:4] == key_id:
            try:
                public.verify(signature[4:], text.encode())
            except InvalidSignature:
                raise Wrong("the signature does not fit") from None
            return text
    raise Wrong("the key of the log has not signed this")


def open_checkpoint(note, key):
    lines = open_note(note, key).split("\n")
    need(len(lines) == 4 and lines[3] == "", "this is not a checkpoint")
    need(lines[0] == key[0], "this is a checkpoint of another log")
    root = b64(lines[2])
    need(len(root) == 32, "the root is not a hash")
    return number(lines[1]), root


def hashes(lines):
    path = [b64(line) for line in lines]
    need(all(len(each) == 32 for each in path), "a hash does not have 32 bytes")
    return path


def root_by_inclusion(index, size, leaf, path):
    """RFC 9162, section 2.1.3.2."""
    need(index < size, "the record is beyond the end of the log")
    at, last, root = index, size - 1, leaf
    for each in path:
        need(last > 0, "the proof is too long")
        if at & 1 or at == last:
            root = node_hash(each, root)
            while not at & 1 and at > 0:
                at, last = at >> 1, last >> 1
        else:
            root = node_hash(root, each)
        at, last = at >> 1, last >> 1
    need(last == 0, "the proof is too short")
    return root


def roots_by_consistency(old, new, old_root, path):
    """RFC 9162, section 2.1.4.2."""
    need(0 < old <= new, "the old log is larger than the new one")
    if old == new:
        need(not path, "the proof is too long")
        return old_root, old_root
    if old & (old - 1) == 0:
        path = [old_root] + path
    need(path, "the proof is too short")
    at, last = old - 1, new - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    of_old = of_new = path[0]
    for each in path[1:]:
        need(last > 0, "the proof is too long")
        if at & 1 or at == last:
            of_old, of_new = node_hash(each, of_old), node_hash(each, of_new)
            while not at & 1 and at > 0:
                at, last = at >> 1, last >> 1
        else:
            of_new = node_hash(of_new, each)
        at, last = at >> 1, last >> 1
    need(last == 0, "the proof is too short")
    return of_old, of_new


def check_inclusion(text, key):
    head, blank, checkpoint = text.partition("\n\n")
    lines = head.split("\n")
    need(blank and lines.pop(0) == "c2sp.org/tlog-proof@v1", "this is not a proof of inclusion")
    need(lines and lines[0].startswith("extra "), "the record is not in the proof")
    record = b64(lines.pop(0)[len("extra "):])
    need(lines and lines[0].startswith("index "), "the index is missing")
    index = number(lines.pop(0)[len("index "):])
    size, root = open_checkpoint(checkpoint, key)
    need(root_by_inclusion(index, size, leaf_hash(record), hashes(lines)) == root, "the record is not in the log")
    return f"record {index} ({len(record)} bytes) is in the log `{key[0]}` of {size} records", record


def check_consistency(text, old_note, key):
    head, blank, checkpoint = text.partition("\n\n")
    lines = head.split("\n")
    need(blank and lines[0].startswith("old "), "this is not a proof of consistency")
    old, old_root = open_checkpoint(old_note, key)
    need(number(lines.pop(0)[len("old "):]) == old, "the proof is about another old checkpoint")
    new, new_root = open_checkpoint(checkpoint, key)
    found = roots_by_consistency(old, new, old_root, hashes(lines))
    need(found == (old_root, new_root), "the new log does not begin with the old one")
    return f"the log `{key[0]}` of {new} records begins with the log of {old}"


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description="Check a proof of a Placet audit log.")
    parser.add_argument("proof")
    parser.add_argument("--key", required=True, help="the public key of the log: audit.pub")
    parser.add_argument("--old", help="the older checkpoint, for a proof that the log has only grown")
    parser.add_argument("--note", action="store_true", help="check the signature of a statement, and print it")
    parser.add_argument("--record", help="write the bytes of the proved record here")
    given = parser.parse_args()
    try:
        key = read_key(read(given.key))
        if given.note:
            said, record = open_note(read(given.proof), key).rstrip("\n"), None
        elif given.old:
            said, record = check_consistency(read(given.proof), read(given.old), key), None
        else:
            said, record = check_inclusion(read(given.proof), key)
    except (Wrong, OSError, UnicodeDecodeError, ValueError) as error:
        print(f"does not hold: {error}", file=sys.stderr)
        return 1
    if given.record and record is not None:
        with open(given.record, "wb") as file:
            file.write(record)
    print(said)
    return 0


if __name__ == "__main__":
    sys.exit(main())
