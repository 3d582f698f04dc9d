/** What model calls are charged to. */

import type { Usage } from '../state/message.js';
import { NO_USAGE } from '../state/message.js';
import type { Counters } from './limits.js';
import { NO_COUNTERS } from './limits.js';

export interface Account {
  usage: Usage;
  counters: Counters;
}

export function emptyAccount(): Account {
  return { usage: NO_USAGE, counters: NO_COUNTERS };
}
