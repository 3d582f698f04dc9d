/** Fails a simulation with the name of the invariant it broke. Cheaper than a test library's, by far. */
export function expectThat(holds: boolean, what: string | (() => string)): asserts holds {
  if (!holds) throw new Error(typeof what === 'string' ? what : what());
}
