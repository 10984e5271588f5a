/** `--label name=value` for each of them. */
export function flagPairs(
  flag: string,
  values: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => [flag, `${name}=${value}`]);
}

/** What every container of a trial is held to: no root, no way to more rights, a base that stays as it is. */
export function securityFlags(): readonly string[] {
  return [
    '--cap-drop',
    'all',
    '--security-opt',
    'no-new-privileges',
    '--read-only',
    '--tmpfs',
    '/tmp:rw,nosuid,nodev,size=1g,mode=1777',
    // What the program says goes to its client; an engine's own log of it would only fill the disk.
    '--log-driver',
    'none',
  ];
}

export function resourceFlags(limits: {
  readonly memoryBytes: number;
  readonly cpus: string;
  readonly pidsLimit: number;
}): readonly string[] {
  const bytes = `${limits.memoryBytes}`;
  return [
    '--memory',
    bytes,
    // As much as the memory: no swap, which would turn a limit into a slow trial.
    '--memory-swap',
    bytes,
    '--cpus',
    limits.cpus,
    '--pids-limit',
    `${limits.pidsLimit}`,
  ];
}
