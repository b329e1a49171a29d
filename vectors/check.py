"""Reads the good vectors with other people's code: cbor2 for CBOR, cryptography for Ed25519.

Exit code 0 if every good vector is deterministic CBOR in COSE_Sign1 envelopes whose signatures hold, and every bad one either is not, or is bad
for another reason than its bytes.
"""

import base64
import hashlib
import json
import pathlib
import sys

import cbor2
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def decode_text(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def canonical(value):
    return cbor2.dumps(value, canonical=True)


def check_link(link, parent):
    tag = cbor2.loads(link)
    assert isinstance(tag, cbor2.CBORTag) and tag.tag == 18, "not COSE_Sign1"
    protected, unprotected, payload, signature = tag.value
    assert cbor2.loads(protected) == {1: -8, 16: "placet/warrant"}, "not the header of a warrant"
    assert unprotected == {}, "something is not protected"
    body = cbor2.loads(payload)
    assert canonical(body) == payload, "the payload is not deterministic"
    assert canonical(tag) == link, "the envelope is not deterministic"
    assert body[1] == 1 and len(body[2]) == 16
    assert body.get(8) == (hashlib.sha256(parent).digest() if parent else None), "another parent"
    message = cbor2.dumps(["Signature1", protected, b"", payload])
    Ed25519PublicKey.from_public_bytes(body[3]).verify(signature, message)
    return body


def check_chain(text):
    chain = decode_text(text)
    links = cbor2.loads(chain)
    assert canonical(links) == chain, "the chain is not deterministic"
    bodies, parent = [], None
    for link in links:
        body = check_link(link, parent)
        if bodies:
            assert body[3] == bodies[-1][4], "not issued by the holder before"
            assert body[7] <= bodies[-1][7], "outlives the link before"
        bodies.append(body)
        parent = link
    return bodies


def main():
    good = bad = 0
    for file in sorted(pathlib.Path(__file__).parent.glob("*.json")):
        vector = json.loads(file.read_text())
        if "refused" in vector:
            bad += 1
            continue
        bodies = check_chain(vector["warrant"])
        assert len(bodies) == len(vector["links"]), file.name
        for body, link in zip(bodies, vector["links"]):
            assert body[2].hex() == link["id"], file.name
            assert decode_text(link["issuer"].removeprefix("placet_pk_1_")) == body[3], file.name
            assert len(body[11]) == len(link["capabilities"]), file.name
            tools = [capability.get(2) for capability in body[11]]
            assert tools == [capability.get("tool") for capability in link["capabilities"]], file.name
        # One bit of the signature, and somebody else's library refuses too.
        broken = bytearray(decode_text(vector["warrant"]))
        broken[-1] ^= 1
        try:
            check_chain(base64.urlsafe_b64encode(bytes(broken)).decode().rstrip("="))
        except InvalidSignature:
            pass
        else:
            sys.exit(f"{file.name}: a broken signature holds")
        good += 1
    assert good >= 5 and bad >= 20, (good, bad)
    print(f"{good} good vectors hold by other people's code; {bad} bad ones are for readers of the format")


if __name__ == "__main__":
    main()
