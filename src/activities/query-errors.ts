/** gRPC codes of failures that pass: a worker is being replaced, or a server is busy or away. */
const PASSING_CODES: ReadonlySet<number> = new Set([
  4, // deadline exceeded: no worker has answered yet
  5, // not found
  8, // resource exhausted
  9, // failed precondition: the workflow task is being retried
  14, // unavailable
]);

/**
 * True when asking again may help. Looks at gRPC codes along the causes, and at the client's own error
 * for "not found". A query that the workflow's code refused is not among them.
 */
export function isPassingQueryError(error: unknown): boolean {
  let at: unknown = error;
  for (let depth = 0; depth < 5 && at instanceof Error; depth++) {
    if (at.name === 'WorkflowNotFoundError') return true;
    if ('code' in at && typeof at.code === 'number') return PASSING_CODES.has(at.code);
    at = at.cause;
  }
  return false;
}
