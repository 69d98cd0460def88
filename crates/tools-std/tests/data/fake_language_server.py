"""A language server for tests. First argument: how it behaves; second: file for the messages that it gets."""

import json
import os
import sys

MODE, LOG = sys.argv[1], sys.argv[2]
IN, OUT = sys.stdin.buffer, sys.stdout.buffer
documents = {}
replies = {}
asked = 0


def read():
    length = None
    while True:
        line = IN.readline()
        if not line:
            sys.exit(0)
        line = line.strip()
        if not line:
            return json.loads(IN.read(length))
        name, value = line.split(b":")
        if name.lower() == b"content-length":
            length = int(value)


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    OUT.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    OUT.flush()


def at(uri, line, character):
    place = {"line": line, "character": character}
    return {"uri": uri, "range": {"start": place, "end": place}}


def log(message):
    with open(LOG, "a") as file:
        file.write(json.dumps(message) + "\n")


def progress(kind):
    send({"method": "$/progress", "params": {"token": 1, "value": {"kind": kind, "title": "Indexing"}}})


def answer(method, params):
    global asked
    asked += 1
    uri = params.get("textDocument", {}).get("uri")
    place = params.get("position", {})
    folder = uri.rsplit("/", 1)[0] if uri else None
    if MODE == "hang":
        while True:
            read()
    if MODE == "crash" or MODE == "crash_once" and not os.path.exists(LOG + ".crashed"):
        open(LOG + ".crashed", "w").close()
        sys.stderr.write("thread main panicked: boom\n")
        sys.stderr.flush()
        os._exit(3)
    if MODE == "slow":
        return None
    if MODE == "refuses":
        return {"error": {"code": -32603, "message": "no idea"}}
    if MODE == "modified" and asked == 1:
        return {"error": {"code": -32801, "message": "content modified"}}
    if MODE == "indexing" and asked == 1:
        progress("begin")
        return {"result": None}
    if MODE == "busy" and asked == 1:
        progress("begin")
        return {"result": at(uri, 1, 0)}
    if MODE == "late" and asked < 3:
        return {"result": []}
    if method == "textDocument/hover":
        if MODE == "asks":
            while len(replies) < 3:
                message = read()
                if "method" not in message:
                    replies[message["id"]] = message.get("result", message.get("error", {}).get("code"))
            return {"result": {"contents": json.dumps(replies, sort_keys=True)}}
        if MODE == "huge":
            return {"result": {"contents": "x" * 1_000_000}}
        text, version = documents.get(uri, ("closed", 0))
        shown = "version %s at %s:%s of %r" % (version, place["line"], place["character"], text)
        return {"result": {"contents": {"kind": "plaintext", "value": shown}}}
    if method == "textDocument/definition":
        if MODE == "secret":
            return {"result": [at(folder + "/secret/s.fake", 0, 0), at(folder + "/b.fake", 0, 1)]}
        if MODE == "odd":
            return {"result": [at("untitled:x", 0, 0), {"uri": 5}, at(folder + "/gone.fake", 7, 3), at(uri, 4000000000, 4000000000)]}
        return {"result": at(uri, place["line"], place["character"])}
    if method == "textDocument/references":
        return {"result": [at(uri, number, 0) for number in range(1000)]}
    if method == "textDocument/documentSymbol":
        return {"result": [{"name": "outer", "kind": 23, "range": {}, "selectionRange": at(uri, 1, 0)["range"], "children": [
            {"name": "inner\nx", "kind": 6, "detail": "fn()", "selectionRange": at(uri, 2, 0)["range"]}, {"kind": 1}]}]}
    if method == "workspace/symbol":
        root = documents and sorted(documents)[0].rsplit("/", 1)[0] or ""
        return {"result": [{"name": params["query"], "kind": 99, "containerName": "c", "location": at(root + "/a.fake", 0, 0)}]}
    if method == "textDocument/diagnostic":
        return {"result": {"kind": "full", "items": [{"range": at(uri, 0, 2)["range"], "severity": 2, "code": 7, "source": "fake", "message": "pulled\nsecond line"}]}}
    return {"result": None}


def publish(uri):
    text, version = documents[uri]
    items = [{"range": at(uri, 0, 0)["range"], "message": "bad: " + text.split("\n")[0]}] if "bad" in text else []
    send({"method": "textDocument/publishDiagnostics", "params": {"uri": uri, "version": version, "diagnostics": items}})


if MODE == "noise":
    OUT.write(b"Warning: this is no message\n")
    OUT.flush()
if MODE == "lies":
    OUT.write(b"Content-Length: 999999999999\r\n\r\n{}")
    OUT.flush()
if MODE == "dies":
    sys.stderr.write("missing component\n" * 10_000)
    sys.exit(1)
while True:
    message = read()
    log(message)
    method, params = message.get("method"), message.get("params")
    if MODE == "silent":
        continue
    if method == "initialize":
        capabilities = {name + "Provider": True for name in ["definition", "references", "hover", "documentSymbol", "workspaceSymbol", "callHierarchy"]}
        if MODE == "utf8":
            capabilities["positionEncoding"] = "utf-8"
        if MODE == "pull":
            capabilities["diagnosticProvider"] = {}
        if MODE == "bare":
            capabilities = {}
        send({"id": message["id"], "result": {"capabilities": capabilities}})
    elif method == "initialized":
        if MODE == "asks":
            send({"id": "c", "method": "workspace/configuration", "params": {"items": [{"section": "fake.part"}]}})
            send({"id": "e", "method": "workspace/applyEdit", "params": {"edit": {}}})
            send({"id": "u", "method": "fake/unknown"})
    elif method == "shutdown":
        send({"id": message["id"], "result": None})
    elif method == "exit":
        sys.exit(0)
    elif method == "textDocument/didOpen":
        document = params["textDocument"]
        documents[document["uri"]] = (document["text"], document["version"])
        publish(document["uri"])
    elif method == "textDocument/didChange":
        document = params["textDocument"]
        documents[document["uri"]] = (params["contentChanges"][0]["text"], document["version"])
        publish(document["uri"])
    elif method == "textDocument/didClose":
        documents.pop(params["textDocument"]["uri"], None)
    elif method is None:
        replies[message["id"]] = message.get("result", message.get("error", {}).get("code"))
    elif "id" in message:
        result = answer(method, params)
        if result is not None:
            send({"id": message["id"], **result})
        if MODE in ("indexing", "busy") and asked == 1:
            progress("end")
