import type { RunEvent } from '../../client/watch/run-event.js';
import type { JournalEvent } from '../../core/state/journal.js';

/**
 * The machine-readable line of a durable event, as `--json` prints it: that of a sub-agent has its place as `child`.
 * Null for all else.
 */
export function jsonEvent(item: RunEvent): (JournalEvent & { child?: string }) | null {
  if (item.type === 'journal') return item.event;
  if (item.type !== 'child' || item.event.type !== 'journal') return null;
  return { child: item.child, ...item.event.event };
}
