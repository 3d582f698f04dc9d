/** The conversation in the store of sessions: when messages are stored there, and what happens if that fails. */
import { isSubagent } from '../../rules/agents/subagent.js';
import { behavesAs } from '../../run/agents/run-config.js';
import type { JournalPayloads } from '../../run/state/journal.js';
import type { RunState } from '../../run/state/run-state.js';
import { lostEvents, type Mark, markOf, messageNumber, unkeptAtMost } from '../../run/state/stored-line.js';
import type { RunMemory } from './memory.js';
import type { Ports } from './ports.js';

/** The part of a run that storing needs. Each line of work (`line.ts`) stores the run when it waits. */
export interface StoringRun {
  state: RunState;
  ports: Ports;
  memory: RunMemory;
  journal<T extends 'store_failed' | 'store_gap' | 'store_back' | 'warning'>(
    type: T,
    payload: JournalPayloads[T],
  ): void;
}

/** Wait after a failure before the store is tried again, in milliseconds. */
const KEEP_AGAIN_MS = 15_000;
/** Size at which the conversation is stored: about ten turns, or one large result. */
const DUE_BYTES = 48_000;
const DUE_RECORDS = 90;
/** Time between two writes of that size, in milliseconds: fast turns share one write. */
const KEEP_APART_MS = 10_000;
/** Size at which it is stored at once: the state holds few records that are not stored yet. */
const MOST_BYTES = 150_000;
const MOST_RECORDS = 200;
/** At the end, fewer records than this are written in one attempt, because `result()` waits for it. */
const FEW_RECORDS = 10;

/** True if something is not stored yet. At the end of a goal, it is tried even after a failure. */
export function hasUnkept({ state, memory }: StoringRun): boolean {
  return state.pinned?.keeps === true && !memory.keeping && unkeptAtMost(state) > 0;
}

/** True if the last write to the store failed. Messages that would be read back from it then stay in the state. */
export function storeIsAway({ state: { log } }: Pick<StoringRun, 'state'>): boolean {
  return log.keepFailedAt !== null;
}

/** True if it is time to store the conversation; `all`: store even a little. */
export function keepDue(run: StoringRun, all: () => boolean): boolean {
  if (!hasUnkept(run)) return false;
  const { state, ports } = run;
  const { keepFailedAt } = state.log;
  if (keepFailedAt !== null) return ports.now() - keepFailedAt >= KEEP_AGAIN_MS;
  return isUnlisted(state) || all() || isMuch(run);
}

/** True if the store does not list the conversation yet, or only under an agent's task. Usually the loading has listed it. */
function isUnlisted({ settings, log: { kept } }: RunState): boolean {
  return kept.id === 0 && kept.seq === 0 && !isSubagent(settings);
}

function isMuch({ state, memory, ports }: StoringRun): boolean {
  const records = unkeptAtMost(state);
  const { saidBytes, keptAt } = memory;
  if (records < DUE_RECORDS && saidBytes < DUE_BYTES) return false;
  if (!behavesAs(state.pinned, 2) || records >= MOST_RECORDS || saidBytes >= MOST_BYTES) return true;
  return ports.now() - Math.max(keptAt, state.startedAt) >= KEEP_APART_MS;
}

/**
 * Stores the messages and events since the last time in the store of sessions. If the store fails, the run continues: the
 * failure is reported once, and what is missing is written when the store works again.
 */
export async function keepSession(run: StoringRun): Promise<void> {
  const { state, ports, memory } = run;
  const { log } = state;
  const upTo = markOf(state);
  memory.keeping = true;
  memory.saidBytes = 0;
  const kept = await ports.keep(
    { after: log.kept, upTo },
    { once: log.keepFailedAt !== null || isTail(state) },
  );
  memory.keeping = false;
  const now = ports.now();
  memory.keptAt = now;
  if (kept.ok) {
    if (kept.value) notePutBack(run, kept.value.missing);
    return noteStored(run, upTo, now);
  }
  if (kept.failure.kind === 'cancelled') return;
  if (log.keepFailedAt === null && state.end === null)
    run.journal('store_failed', { what: 'conversation', why: kept.failure.message });
  log.keepFailedAt = now;
}

/** True for the little that follows the last answer, such as the end of a run that was kept open. */
function isTail(state: RunState): boolean {
  return state.end !== null && state.log.kept.id > 0 && unkeptAtMost(state) < FEW_RECORDS;
}

/** Notes that the store lost records. The run rewrites those that it still has; the others are reported as a gap. */
function notePutBack(run: StoringRun, missing: Mark): void {
  run.state.log.kept = missing;
  if (run.state.end === null) run.journal('warning', { text: PUT_BACK });
}

const PUT_BACK =
  'The store of conversations was put back to an earlier state. What the run still has of the time since is written to it again.';

function noteStored(run: StoringRun, upTo: Mark, now: number): void {
  const { log } = run.state;
  const failedAt = log.keepFailedAt;
  const lost = lostEvents(run.state);
  log.kept = upTo;
  log.keepFailedAt = null;
  log.unkept = log.unkept.filter(({ message }) => messageNumber(message) > upTo.id);
  // After `run_ended` no reader looks for events.
  if (run.state.end !== null) return;
  if (lost > 0) run.journal('store_gap', { messages: 0, events: lost });
  if (failedAt !== null) run.journal('store_back', { afterMs: now - failedAt });
}

/** Stores the run's end, which `result()` waits for. */
export async function keepEnd(run: StoringRun): Promise<void> {
  if (hasUnkept(run)) await keepSession(run);
}
