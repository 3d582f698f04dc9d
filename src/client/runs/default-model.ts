/** Which model answers where nobody named one and nothing to answer with is set. */

/** Any of them set means that a real model is wanted. */
const ENDPOINT_VARIABLES: readonly string[] = ['OPENAI_API_KEY', 'OPENAI_BASE_URL'];

/** For whoever starts a run that the rehearsal model answers, unasked. */
export const REHEARSAL_NOTE =
  'No OPENAI_API_KEY and no OPENAI_BASE_URL is set: the built-in rehearsal model answers (rules, not intelligence).';

/**
 * The model to name for a new run: what the user named, else the rehearsal model on the local
 * stack while no key and no endpoint is set, else none, so that `steersman.yaml` decides. `isSet` looks up
 * an environment variable, `.env` included.
 */
export function defaultModelFor(given: {
  named: string | undefined;
  localStack: boolean;
  isSet: (variable: string) => boolean;
}): string | undefined {
  if (given.named !== undefined) return given.named;
  return given.localStack && !ENDPOINT_VARIABLES.some(given.isSet) ? 'rehearsal' : undefined;
}
