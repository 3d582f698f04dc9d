/**
 * Shares work among those who ask for it at the same time. Everyone gets a result of work that began after they asked, so no
 * result is older than its question: at most one piece of work per key runs, and at most one waits.
 */
export function shareWork<T>(work: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  const waiting = new Map<string, Promise<T>>();
  const begin = (key: string): Promise<T> => {
    waiting.delete(key);
    const now = work(key).finally(() => running.delete(key));
    running.set(key, now);
    return now;
  };
  return key => {
    const before = running.get(key);
    if (!before) return begin(key);
    const next =
      waiting.get(key) ??
      before.then(
        () => begin(key),
        () => begin(key),
      );
    waiting.set(key, next);
    return next;
  };
}
