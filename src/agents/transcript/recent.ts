/** More than the messages or calls that run at the same time. */
const KEPT = 4096;

/** What was noted under an id not long ago, in constant memory: repeated ids follow each other closely. */
export class Recent<Value> {
  private readonly values = new Map<string, Value>();

  get(id: string): Value | undefined {
    return this.values.get(id);
  }

  set(id: string, value: Value): void {
    this.values.set(id, value);
    if (this.values.size <= KEPT) return;
    const [oldest] = this.values.keys();
    if (oldest !== undefined) this.values.delete(oldest);
  }

  /** @returns whether the id is new; a missing one always is */
  isNew(id: string | null, value: Value): boolean {
    if (id === null) return true;
    if (this.values.has(id)) return false;
    this.set(id, value);
    return true;
  }
}
