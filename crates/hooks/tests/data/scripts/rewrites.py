"""A script as users write them: adds a flag to a command, and says so."""
import json
import sys

event = json.load(sys.stdin)
command = event["tool_input"]["command"]
print(
    json.dumps(
        {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "allow",
                "updatedInput": {"command": command + " --dry-run"},
                "additionalContext": "hooks add --dry-run here",
            }
        }
    )
)
