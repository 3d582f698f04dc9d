/** What model calls are charged to. */

import { NO_USAGE, type Usage } from '../state/message.js';
import { type Counters, NO_COUNTERS } from './limits.js';

export interface Account {
  usage: Usage;
  counters: Counters;
}

export function emptyAccount(): Account {
  return { usage: NO_USAGE, counters: NO_COUNTERS };
}
