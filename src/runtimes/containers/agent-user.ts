/** The agent user of our images. */
export const AGENT_ID = 1001;

/**
 * Who runs in a container, as `uid:gid`. Files that it writes into a mounted folder must be ours to remove: they
 * are this user's; root gives the folders to the agent user first.
 */
export function hostUser(): string {
  const uid = process.getuid?.() ?? 0;
  return uid === 0 ? `${AGENT_ID}:${AGENT_ID}` : `${uid}:${process.getgid?.() ?? uid}`;
}
