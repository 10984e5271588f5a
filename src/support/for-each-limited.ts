/**
 * Runs `visit` for every item, at most `limit` at a time, so that ten thousand files don't need ten
 * thousand open handles. The first error stops the rest and is thrown.
 */
export async function forEachLimited<T>(
  items: Iterable<T>,
  limit: number,
  visit: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  let failed = false;
  const lane = async (): Promise<void> => {
    for (let next = queue.next(); !failed && next.done !== true; next = queue.next()) {
      try {
        await visit(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, lane));
}
