"""An answer, written byte by byte."""
import json
import os
import sys

event = json.load(sys.stdin)
answer = {
    "hookSpecificOutput": {
        "hookEventName": event["hook_event_name"],
        "permissionDecision": "deny",
        "permissionDecisionReason": "in pieces",
    }
}
for byte in json.dumps(answer).encode():
    os.write(1, bytes([byte]))
