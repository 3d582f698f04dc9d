/** What a run tells of itself, and how well that is kept. */
import type { Journal } from './journal.js';
import type { Trace } from './trace.js';
import { emptyTrace } from './trace.js';

export interface Log {
  journal: Journal;
  trace: Trace;
  /** The blob store did not take a text: the journal has it, and less is hoped of the store from then on. */
  storeFailed: boolean;
}

export function newLog(): Log {
  return { journal: { lastSeq: 0, events: [] }, trace: emptyTrace(), storeFailed: false };
}
