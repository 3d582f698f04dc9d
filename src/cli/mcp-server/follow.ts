/** Following a run for a while: what happened, until something calls for the caller. */

import { cutToBytes } from '../../client/cut-to-bytes.js';
import type { JournalEvent, RunSnapshot } from '../../client/index.js';
import { noColors } from '../../shared/output.js';
import { eventText } from '../print/event-lines.js';
import type { RunHandle } from './kept-client.js';

/** One answer of `watch_run` holds so much: what is read by a model has to be short. */
const MOST_EVENTS = 200;
const MOST_BYTES = 24_000;
const EVENT_BYTES = 2_000;

export interface ToldEvent {
  seq: number;
  at: string;
  type: string;
  text: string;
}

export interface Followed {
  events: ToldEvent[];
  cursor: number;
  more: boolean;
  /** About the watching itself: no worker answers, a call is tried again. */
  notices: string[];
}

export interface FollowOptions {
  since: number;
  /** Ends the following: the time is over, or nobody waits any more. */
  signal: AbortSignal;
  onEvent(event: ToldEvent): void;
  /** Asked where something may call for the caller, with the look that was taken for it: true ends the following. */
  isDue(look: RunSnapshot): Promise<boolean>;
}

/** Events after which the run may wait for somebody. */
const MAY_WAIT: ReadonlySet<JournalEvent['type']> = new Set(['gate_opened', 'goal_ended', 'paused']);

/** What tells a reader nothing that the next event does not. */
const LEFT_OUT: ReadonlySet<JournalEvent['type']> = new Set(['model_call_started']);

/** Resolves at the run's end, when it is due, when there is enough to tell, or when the signal aborts. */
export async function follow(run: RunHandle, options: FollowOptions): Promise<Followed> {
  const { since, signal, onEvent, isDue } = options;
  const told: Followed = { events: [], cursor: since, more: false, notices: [] };
  let look: RunSnapshot | null = null;
  let bytes = 0;
  for await (const item of run.events({ since, signal, children: false })) {
    if (item.type === 'notice') told.notices.push(item.text);
    if (item.type === 'retry') told.notices.push(`${item.activityType} is tried again: ${item.message}`);
    if (!('seq' in item) || LEFT_OUT.has(item.type)) continue;
    const event = toldEvent(item);
    bytes += Buffer.byteLength(event.text);
    if (told.events.length > 0 && (told.events.length >= MOST_EVENTS || bytes > MOST_BYTES)) {
      told.more = true;
      break;
    }
    told.events.push(event);
    told.cursor = event.seq;
    onEvent(event);
    if (!MAY_WAIT.has(item.type)) continue;
    // A look that was taken after this event tells of it too.
    if (look === null || (look.lastEventSeq ?? 0) < event.seq) look = await run.show();
    if (waits(look) && (await isDue(look))) break;
  }
  return told;
}

/** True where it does nothing before somebody does something, or before it ends by itself. */
function waits({ phase, gates }: RunSnapshot): boolean {
  return gates.length > 0 || phase === 'idle' || phase === 'paused';
}

function toldEvent(event: JournalEvent): ToldEvent {
  const text = cutToBytes(eventText(event, noColors).join('\n'), EVENT_BYTES);
  return { seq: event.seq, at: new Date(event.at).toISOString(), type: event.type, text };
}
