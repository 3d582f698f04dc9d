/** Makes a conversation ready for a call, by the transforms of its role in their order. */

import { preview } from '../../base/text/preview.js';
import { fitMessage } from '../../conversation/fit-message.js';
import { replaceInThread } from '../../conversation/handover.js';
import { isRecall } from '../../conversation/tool-result.js';
import { applyChange, type ContextChange, readChange } from '../../conversation/transform.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { transformsOf } from '../../run/limits/decide.js';
import type { UserMessage } from '../../run/messages/message.js';
import { taskOf } from '../../run/position/position.js';
import type { Thread } from '../../run/state/thread.js';
import { forgetResults } from '../../run/tools/ledger.js';
import type { Run } from '../run/run.js';
import { compact, compactionDue } from './compact.js';
import { contextBudget, thinIfItPays, trimToFit } from './fit-thread.js';
import { pinCall } from './pin-call.js';

interface Asked {
  role: PinnedRole;
  thread: Thread;
  model: string;
  toolsOffered: boolean;
}

const NO_LISTS = {};

/** False: something came or changed meanwhile, which the loop looks at first. Null: it is ready at once. */
export function makeReady(run: Run, asked: Asked): Promise<boolean> | null {
  const names = transformsOf(run.pinned.context ?? NO_LISTS, asked.role.name);
  return next(run, asked, { names, functions: 0 });
}

/** `functions`: how many of the program's were passed. `noSummary`: why a conversation that must be shortened has none. */
interface Rest {
  names: readonly string[];
  functions: number;
  noSummary?: string;
}

function next(run: Run, asked: Asked, { names, functions, ...reason }: Rest): Promise<boolean> | null {
  const { role, thread, model } = asked;
  const [name = 'trim', ...others] = names;
  switch (name) {
    case 'trim': {
      const { epoch } = thread;
      const why = reason.noSummary === undefined ? '' : `: ${reason.noSummary}`;
      trimToFit(run, thread, contextBudget(run, role, model), `context window${why}`);
      // What was trimmed is what they saw.
      if (epoch !== thread.epoch && functions > 0) note(asked, functions);
      return null;
    }
    case 'thin':
      // Who has no tools judges by what is shown: nothing that the model can take is left out.
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

/** How many have seen the thread as it is. */
function doneOf({ role, thread: { seen, epoch, messages } }: Asked): number {
  const isSame = seen?.role === role.name && seen.epoch === epoch && seen.upTo === messages.length;
  return isSame ? seen.done : 0;
}

function note({ role, thread }: Asked, done: number): void {
  thread.seen = { role: role.name, epoch: thread.epoch, upTo: thread.messages.length, done };
}

/**
 * Asks the program. What fails leaves the thread to the transforms after it. `interrupted`: nothing came of it; `heard`:
 * something came meanwhile.
 */
async function transform(run: Run, asked: Asked, name: string): Promise<'quiet' | 'heard' | 'interrupted'> {
  const { state, ports } = run;
  const { role, thread, model } = asked;
  const call = pinCall(run, asked);
  const check = run.memory.offered.offer(state, ports, call);
  const before = state.log.journal.lastSeq;
  const called = await ports.transform({
    ...{ transform: name, callId: call.callId, role: role.name, model, check },
    ...{ goal: state.goal.number, tokens: thread.tokens, context: state.settings.context ?? {} },
  });
  const isQuiet = state.log.journal.lastSeq === before;
  if (!called.ok && called.failure.kind === 'cancelled') return 'interrupted';
  // A worker of other code may say anything.
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
  { thread }: Asked,
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
