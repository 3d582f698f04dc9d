/** Prepares a conversation for a call, by the transforms of its role in their order. */

import type { TransformInput } from '../../activities/types.js';
import { preview } from '../../base/text/preview.js';
import { fitMessage } from '../../conversation/fit-message.js';
import { replaceInThread } from '../../conversation/handover.js';
import { isRecall } from '../../conversation/tool-result.js';
import { type ContextChange, readChange } from '../../conversation/transform.js';
import type { UserMessage } from '../../run/messages/message.js';
import { taskOf } from '../../run/position/position.js';
import { forgetResults } from '../../run/tools/ledger.js';
import type { CallAhead, Feature } from '../../workflows/beside/feature.js';
import type { Run } from '../../workflows/run/run.js';
import { contextBudget, trimToFit } from '../../workflows/turn/fit-thread.js';
import { pinCall } from '../../workflows/turn/pin-call.js';
import { applyChange } from './change.js';
import { compact, compactionDue } from './compact.js';
import { transformsOf } from './pays.js';
import { thinIfItPays } from './thin.js';

export const context: Feature<Run> = { name: 'context', prepares: makeReady };

const NO_LISTS = {};

/** Runs the transforms. False: an event came meanwhile, which the loop handles first. Null: ready without waiting. */
function makeReady(run: Run, asked: CallAhead): Promise<boolean> | null {
  const names = transformsOf(run.pinned.context ?? NO_LISTS, asked.role.name);
  return next(run, asked, { names, functions: 0 });
}

/** `functions`: how many program transforms have run. `noSummary`: why a thread that must be shortened has no summary. */
interface TransformsLeft {
  names: readonly string[];
  functions: number;
  noSummary?: string;
}

function next(
  run: Run,
  asked: CallAhead,
  { names, functions, ...reason }: TransformsLeft,
): Promise<boolean> | null {
  const { role, thread, model } = asked;
  const [name = 'trim', ...others] = names;
  switch (name) {
    case 'trim': {
      const { epoch } = thread;
      const why = reason.noSummary === undefined ? '' : `: ${reason.noSummary}`;
      trimToFit(run, thread, contextBudget(run, role, model), `context window${why}`);
      // The trimmed thread counts as seen by the program's transforms.
      if (epoch !== thread.epoch && functions > 0) note(asked, functions);
      return null;
    }
    case 'thin':
      // A role without tools judges by what the thread shows, so nothing that fits the model is left out.
      if (asked.toolsOffered) thinIfItPays(run, role, thread, model);
      return next(run, asked, { ...reason, names: others, functions });
    case 'compact': {
      const due = compactionDue(run, asked);
      if (due && 'gone' in due) return compact(run, due).then(() => false);
      return next(run, asked, { ...due, names: others, functions });
    }
    default: {
      const rest = { ...reason, names: others, functions: functions + 1 };
      if (doneOf(asked) > functions) return next(run, asked, rest);
      return transform(run, asked, name).then(end => {
        if (end !== 'interrupted') note(asked, rest.functions);
        return end === 'quiet' ? (next(run, asked, rest) ?? true) : false;
      });
    }
  }
}

/** Returns how many program transforms have seen the thread as it is. */
function doneOf({ role, thread: { seen, epoch, messages } }: CallAhead): number {
  const isSame = seen?.role === role.name && seen.epoch === epoch && seen.upTo === messages.length;
  return isSame ? seen.done : 0;
}

function note({ role, thread }: CallAhead, done: number): void {
  thread.seen = { role: role.name, epoch: thread.epoch, upTo: thread.messages.length, done };
}

/**
 * Asks the program for a transform. A failure leaves the thread unchanged. `interrupted`: the call was cancelled;
 * `heard`: an event arrived during it.
 */
async function transform(
  run: Run,
  asked: CallAhead,
  name: string,
): Promise<'quiet' | 'heard' | 'interrupted'> {
  const { state, ports } = run;
  const { role, thread, model } = asked;
  const call = pinCall(run, asked);
  const check = run.memory.offered.offer(run, call);
  const before = state.log.journal.lastSeq;
  const input: TransformInput = {
    ...{ transform: name, callId: call.callId, role: role.name, model, check },
    ...{ goal: state.goal.number, tokens: thread.tokens, context: state.settings.context ?? {} },
  };
  const options = {
    ...{ summary: `transform ${name}`, timeoutMs: 20_000, attempts: 2 },
    interruptible: true,
  };
  const called = await ports.activity('steersmanTransform', input, options);
  const isQuiet = state.log.journal.lastSeq === before;
  if (!called.ok && called.failure.kind === 'cancelled') return 'interrupted';
  // A worker with other code may return anything.
  const read = called.ok ? readChange(called.value) : null;
  if (read?.ok) change(run, asked, { name, wanted: read.value });
  else {
    const why = read?.errors.join(' ') ?? (called.ok ? '' : called.failure.message || called.failure.kind);
    run.warnOnce(`transform ${name}`, `The transform ${name} changed nothing: ${preview(why, 300)}`);
  }
  return isQuiet ? 'quiet' : 'heard';
}

function change(
  run: Run,
  { thread }: CallAhead,
  { name, wanted }: { name: string; wanted: Required<ContextChange> },
): void {
  const { state, ports, words } = run;
  const recalls = run.pinned.tools.some(isRecall);
  const taskId = thread.branch?.taskId ?? taskOf(run.cursor.position);
  const say = (text: string): UserMessage =>
    fitMessage({
      ...{ id: run.nextId('m'), at: ports.now(), kind: 'user', purpose: 'context' },
      content: [{ type: 'text', text }],
    });
  const { messages, lost, ...counts } = applyChange(thread.messages, wanted, { taskId, recalls, words, say });
  const { leftOut, replaced, added, refused } = counts;
  if (leftOut + replaced + added + refused === 0) return;
  if (!recalls) forgetResults(state.tools.ledger, lost);
  if (leftOut + replaced + added > 0) replaceInThread(state, thread, messages, ports.now());
  thread.dropped += leftOut;
  run.journal('thread_transformed', { thread: thread.id, transform: name, ...counts });
}
