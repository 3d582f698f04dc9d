import { env } from '../shared/env.js';

/** Variables of Temporal's environment configuration, each of which says that the local stack is not meant. */
const REMOTE_VARIABLES = ['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE'];

/** True when nothing in the environment names a Temporal server. */
export function usesLocalStack(): boolean {
  return REMOTE_VARIABLES.every(name => env.lookup(name) === undefined);
}
