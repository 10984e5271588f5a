/** What a trial may use of its host. Reaching a limit is the agent's result, not a fault of the host. */

/** Standard output and error of one run together; it is ended when it writes more. */
export const OUTPUT_LIMIT_BYTES = 256 * 1024 * 1024;

/** What one trial may have on disk: the checkouts, what is installed into them, and what the agent writes. */
export const SANDBOX_LIMIT_BYTES = 8 * 1024 * 1024 * 1024;

/** How often the size of the output is looked at: so much more than the limit may be written. */
export const OUTPUT_POLL_MS = 250;

/** Processes and threads of one trial, where the host can limit them. */
export const MAX_PROCESSES = 4_096;
