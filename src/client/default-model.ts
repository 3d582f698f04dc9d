/** Which model answers where nobody named one and nothing to answer with is set. */

/** Any of them set means that a real model is wanted. */
const ENDPOINT_VARIABLES: readonly string[] = ['OPENAI_API_KEY', 'OPENAI_BASE_URL'];

/**
 * The model to name for a run of `npm start`: what the user named, else the rehearsal model on the local
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
