#!/usr/bin/env bash
# Replays the changed records and prints the leaderboard to the summary of the job.
set -euo pipefail
changed=()
while IFS= read -r file; do changed+=(--only "$file"); done < "$RUNNER_TEMP/changed"
cargo run --release --locked -p cli -- leaderboard results/ "${changed[@]}" | tee "$RUNNER_TEMP/table"
{
  echo '```'
  cat "$RUNNER_TEMP/table"
  echo '```'
  echo 'Every score follows from the recorded answers. Nothing shows who wrote them.'
} >> "$GITHUB_STEP_SUMMARY"
