#!/usr/bin/env bash
# Takes a pull request's records into the checked-out base branch, and none of its code. Writes the
# output `only=yes` if the pull request changes nothing but records.
set -euo pipefail
git fetch --no-tags origin "refs/pull/$NUMBER/head"
# A file, no pipe: grep stops at the first line that it finds, and what writes into the pipe fails then.
git diff --name-only "$BASE...$HEAD" > "$RUNNER_TEMP/files"
if grep -qvE '^results/[a-z0-9-]+\.json\.gz$' "$RUNNER_TEMP/files"; then
  echo "::notice::This changes more than results/NAME.json.gz: the tests verify its records."
  exit 0
fi
rm -rf results
git checkout "$HEAD" -- results
git diff --name-only --diff-filter=d "$BASE...$HEAD" > "$RUNNER_TEMP/changed"
echo "only=yes" >> "$GITHUB_OUTPUT"
