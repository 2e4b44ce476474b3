#!/bin/sh
# SPDX-License-Identifier: MIT
# A search for flags as an array of Slurm.  FILE lies where all machines see it.
#
#   job=$(FILE=run.db sbatch --parsable --export=ALL --array=1-16 slurm.sh)
#   sbatch --dependency=afterok:$job --wrap "carrierscope advise run.db --merge run.db.parts/part*.db"
#
# A task that failed or was ended goes on with what it has: sbatch --array=3,7 with SHARES=16.
#SBATCH --job-name=carrierscope-advise
#SBATCH --cpus-per-task=2
#SBATCH --mem-per-cpu=1G
#SBATCH --time=01:00:00
#SBATCH --requeue
set -eu
file=${FILE:?the recording}
shares=${SHARES:-${SLURM_ARRAY_TASK_COUNT:?run by sbatch --array=1-N}}
mkdir -p "$file.parts"
exec "${CARRIERSCOPE:-carrierscope}" advise "$file" --shard "$SLURM_ARRAY_TASK_ID/$shares" --jobs "${SLURM_CPUS_PER_TASK:-1}" \
	--memory "$((${SLURM_MEM_PER_CPU:-1024} * ${SLURM_CPUS_PER_TASK:-1}))" -o "$file.parts/part$SLURM_ARRAY_TASK_ID.db"
