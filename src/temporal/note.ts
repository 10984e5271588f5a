/** Says one line to the person at the terminal (or to the log of a background process). */
export type Note = (text: string) => void;
