/** The conversation in the store of sessions: when what was said goes there, and what follows where it does not. */
import { isSubagent } from '../../rules/agents/subagent.js';
import type { JournalPayloads } from '../../run/state/journal.js';
import { lostRecords, type Mark, markOf, messageNumber, unkeptAtMost } from '../../run/state/kept.js';
import type { RunState } from '../../run/state/run-state.js';
import type { RunMemory } from './memory.js';
import type { Ports } from './ports.js';

/** What is needed of a run: it keeps itself when it waits. */
export interface Keeper {
  state: RunState;
  ports: Ports;
  memory: RunMemory;
  journal<T extends 'store_failed' | 'store_gap' | 'store_back' | 'warning'>(
    type: T,
    payload: JournalPayloads[T],
  ): void;
}

/** A store that fails is left alone for so long. */
const KEEP_AGAIN_MS = 15_000;
/** It is time to keep what was said when there is so much of it: some ten turns, or one large result. */
const DUE_BYTES = 48_000;
const DUE_RECORDS = 90;

/** Whether anything is not kept yet: at the end of a goal, that is tried whatever failed before. */
export function hasUnkept({ state, memory }: Keeper): boolean {
  return state.pinned?.keeps === true && !memory.keeping && unkeptAtMost(state) > 0;
}

/** Whether the store did not take what was said last. What would be read again from there stays shown meanwhile. */
export function storeIsAway({ state: { log } }: Pick<Keeper, 'state'>): boolean {
  return log.keepFailedAt !== null;
}

/** Whether it is time to keep what was said; `all`: however little it is. */
export function keepDue(run: Keeper, all: () => boolean): boolean {
  if (!hasUnkept(run)) return false;
  const { state, memory, ports } = run;
  const { keepFailedAt } = state.log;
  if (keepFailedAt !== null) return ports.now() - keepFailedAt >= KEEP_AGAIN_MS;
  // The first words of a conversation begin it: so that it is listed, by its own name and not by that of an agent's task.
  const isNew = state.log.kept.id === 0 && !isSubagent(state.settings);
  return isNew || unkeptAtMost(state) >= DUE_RECORDS || memory.saidBytes >= DUE_BYTES || all();
}

/**
 * Keeps what was said, and did, since the last time in the store of sessions. A store that fails costs nothing but that:
 * it is said once, and what it lacks goes there when it takes it again.
 */
export async function keepSession(run: Keeper): Promise<void> {
  const { state, ports, memory } = run;
  const { log } = state;
  const upTo = markOf(state);
  memory.keeping = true;
  memory.saidBytes = 0;
  // The last write has little to say, unless it is the first: that of a sub-agent has all of it.
  const isRest = state.end !== null && log.kept.id > 0;
  const kept = await ports.keep({ after: log.kept, upTo }, { once: log.keepFailedAt !== null || isRest });
  memory.keeping = false;
  const now = ports.now();
  if (kept.ok) {
    if (kept.value) notePutBack(run, kept.value.missing);
    return noteKept(run, upTo, now);
  }
  if (kept.failure.kind === 'cancelled') return;
  if (log.keepFailedAt === null && state.end === null)
    run.journal('store_failed', { what: 'conversation', why: kept.failure.message });
  log.keepFailedAt = now;
}

/** The run has no more than this of what the store lost: what is gone from it is told as a gap. */
function notePutBack(run: Keeper, missing: Mark): void {
  run.state.log.kept = missing;
  if (run.state.end === null) run.journal('warning', { text: PUT_BACK });
}

const PUT_BACK =
  'The store of conversations was put back to an earlier state. What the run still has of the time since is written to it again.';

function noteKept(run: Keeper, upTo: Mark, now: number): void {
  const { log } = run.state;
  const failedAt = log.keepFailedAt;
  const lost = lostRecords(run.state);
  log.kept = upTo;
  log.keepFailedAt = null;
  log.unkept = log.unkept.filter(({ message }) => messageNumber(message) > upTo.id);
  // Behind its end, nobody would look for it.
  if (run.state.end !== null) return;
  if (lost.events + lost.steps > 0) run.journal('store_gap', { messages: 0, ...lost });
  if (failedAt !== null) run.journal('store_back', { afterMs: now - failedAt });
}

/** How the run ended, and that nothing follows: mostly in one try, for who waits for the result waits for this. */
export async function keepEnd(run: Keeper): Promise<void> {
  if (hasUnkept(run)) await keepSession(run);
}
