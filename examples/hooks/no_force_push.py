"""Refuses a push that rewrites history, and says what to do instead."""
import json
import shlex
import sys

event = json.load(sys.stdin)
words = shlex.split(event["tool_input"]["command"], comments=True)
if "--force" in words or "-f" in words:
    print(
        json.dumps(
            {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": "no force push here; use --force-with-lease",
                }
            }
        )
    )
