/** Freezes what modules export, and what is in it: a run that changes something of all runs throws then. */
export function freezeAll(modules: readonly object[]): void {
  const seen = new Set<unknown>();
  for (const module of modules) for (const value of Object.values(module)) freeze(value, seen);
}

function freeze(value: unknown, seen: Set<unknown>): void {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
  seen.add(value);
  if (typeof value === 'object') for (const member of Object.values(value)) freeze(member, seen);
  Object.freeze(value);
}
