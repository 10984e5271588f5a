/** Beside what the trial program writes: how many processes the kernel killed at the memory limit. */
export const OOM_FILE = 'oom-kills';

/**
 * The first process of a container. It collects orphans (a node there would leave them as zombies, which
 * count against the limit of processes), outlives a command that the kernel kills for lack of memory, and
 * says how often that happened; not every engine does.
 */
const FIRST_PROCESS = `exec 3<&0
"$@" <&3 3<&- &
child=$!
exec 3<&- </dev/null
trap 'kill -TERM "$child" 2>/dev/null' TERM INT HUP
wait "$child"; code=$?
while kill -0 "$child" 2>/dev/null; do wait "$child"; code=$?; done
cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control 2>/dev/null |
while read -r name count; do
  if [ "$name" = oom_kill ] && [ "$count" != 0 ]; then echo "$count" > "$LLMX_OUT/${OOM_FILE}"; fi
done
exit "$code"`;

export function withFirstProcess(
  argv: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  return ['sh', '-c', FIRST_PROCESS, 'sh', ...argv];
}

/** Where the first process of a container leaves what it has to say. */
export const OUT_VARIABLE = 'LLMX_OUT';
