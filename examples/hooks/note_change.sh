#!/bin/sh
# Tells the model which file it changed, next to the result.
path=$(sed -n 's/.*"file_path":"\([^"]*\)".*/\1/p')
case $path in
  *.md) printf '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"a text was changed: run the spelling check"}}' ;;
esac
