#!/bin/bash
# An array job: sbatch --array=1-8 docs/scale/slurm.sh http://node:8000/v1 my-model
# Then, once it is over: api-bank merge records/part-*.json --out records/whole.json
#SBATCH --job-name=api-bank
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --mem=1G
#SBATCH --time=04:00:00
#SBATCH --output=records/part-%a.log
set -euo pipefail

endpoint=$1
model=$2
parts=${SLURM_ARRAY_TASK_COUNT:?start this with sbatch --array=1-N}
part=$SLURM_ARRAY_TASK_ID
out=records/part-$part.json
mkdir -p records

if [ -s "$out" ] || [ -s "$out.partial" ]; then
    # Requeued: request only the missing samples.
    api-bank run --resume "$out" --endpoint "$endpoint"
else
    api-bank run --endpoint "$endpoint" --model "$model" --shard "$part/$parts" --out "$out"
fi
