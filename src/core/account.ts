/** What model calls are charged to. */
import type { Counters } from './limits.js';
import { NO_COUNTERS } from './limits.js';
import type { Usage } from './message.js';
import { NO_USAGE } from './message.js';

export interface Account {
  usage: Usage;
  counters: Counters;
}

export function emptyAccount(): Account {
  return { usage: NO_USAGE, counters: NO_COUNTERS };
}
