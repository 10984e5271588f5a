/** What every exit code of the CLI means. The error table uses the same numbers. */
export const EXIT = {
  done: 0,
  unexpected: 1,
  usage: 2,
  red: 3,
  unreachable: 4,
  incomplete: 5,
  wrongState: 6,
  waiting: 7,
  interrupted: 130,
} as const;
