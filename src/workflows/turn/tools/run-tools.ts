/** The tool calls of one reply, in order (T12), some in parallel: every call gets exactly one result. */

import type { CallToolResult } from '../../../activities/types.js';
import { ownValue } from '../../../base/json/json.js';
import { headChars } from '../../../base/text/large-text.js';
import { preview } from '../../../base/text/preview.js';
import { fill, type Words } from '../../../base/words/words.js';
import { failedNote } from '../../../conversation/tool-notes.js';
import { answerResult, isRecall, toolResult } from '../../../conversation/tool-result.js';
import { inputOf } from '../../../rules/tools/tool-call.js';
import { type CallFailure, FAILURE } from '../../../run/limits/failure.js';
import type { AssistantMessage, ToolResultBlock, ToolUseBlock } from '../../../run/messages/message.js';
import { toolCallsOf, writtenCall } from '../../../run/messages/message.js';
import type { Batch } from '../../../run/position/position.js';
import { taskAt } from '../../../run/state/cursor.js';
import { isHeld } from '../../../run/state/run-state.js';
import { batchAction, waitingSteers } from '../../../run/steering/inbox.js';
import { toolEnding, toolFailureDecision } from '../../../run/tools/effect.js';
import type { LedgerEntry } from '../../../run/tools/ledger.js';
import { isRepeatable, type ToolDefinition, toolAttempts } from '../../../run/tools/tool.js';
import { sessionLoss, type ToolSession } from '../../../run/tools/tool-session.js';
import { beforeTool, callBegins, callEnded } from '../../beside/moments.js';
import { noteChange } from '../../changes/reload-tools.js';
import { hasUnkept, keepSession, storeIsAway } from '../../run/keep-session.js';
import { noteStoreFailed } from '../../run/keep-text.js';
import type { Called } from '../../run/ports.js';
import type { Run } from '../../run/run.js';
import { closeCallGates, openBatchGates } from './call-permission.js';
import { callsBeside, type DecidedCall, decideCall, nextDecided } from './decide-call.js';
import { endBatch, finishCall, noteAnswer, openReply } from './finish-call.js';
import { lostSession, noteSession, toolCallOptions, toolRequest } from './tool-request.js';
import { callWorkflow, runWorkflowTool } from './workflow-tools.js';

/** Limit of a failure's message in a result. */
const FAILURE_CHARS = 2_000;

/**
 * Runs the next open calls of the batch, in parallel if allowed, and ends the batch after the last. A call stays open if a stop
 * or a message overtook a question about it: the loop then decides anew.
 */
export async function runNextCalls(run: Run, batch: Batch): Promise<void> {
  const reply = openReply(run, batch);
  const calls = toolCallsOf(reply);
  const call = calls[batch.next];
  if (!call) return endBatch(run, reply);
  if (batch.next === 0 && !run.pinned.review.actions) {
    // The calls of a role without tools are closed even in a held run.
    const wasHeld = isHeld(run.state);
    const decide = (each: ToolUseBlock, index: number) => ({
      call: each,
      decision: decideCall(run, batch, { call: each, index, said: null }),
    });
    await openBatchGates(run, reply, () => calls.map(decide));
    // Comparing files for these gates takes time, in which the run may have been paused.
    if (!wasHeld && isHeld(run.state)) return;
  }
  const first = await nextDecided(run, batch, { call, reply });
  if (!first) return;
  const started = [first, ...callsBeside(run, batch, first)].map(decided =>
    startCall(run, { batch, reply, ...decided }),
  );
  run.line.tools.inFlight = started.map(({ callId }, index) => ({ callId, index: batch.next + index }));
  const results = await Promise.all(started.map(each => resultOf(run, each)));
  run.line.tools.inFlight = [];
  for (const [index, each] of started.entries()) endCall(run, each, results[index]);
  if (batch.next >= calls.length) endBatch(run, reply);
}

interface Started extends DecidedCall {
  batch: Batch;
  reply: AssistantMessage;
  callId: string;
  changes: number;
}

function startCall(run: Run, decided: Omit<Started, 'callId' | 'changes'>): Started {
  const { batch, call, decision } = decided;
  closeCallGates(run, [call]);
  if (decision.kind === 'run' && decision.edited) batch.edited[call.id] = decision.edited;
  const callId = run.nextId('c');
  run.journal('tool_call_started', {
    callId,
    taskId: taskAt(run.cursor),
    turn: batch.turn,
    tool: call.name,
    toolUseId: call.id,
    ...argumentsForEvent(batch, call),
  });
  callBegins(run, callId);
  return { ...decided, callId, changes: run.memory.changes };
}

/** Edited arguments appear in full, because no other event has them. */
function argumentsForEvent(batch: Batch, call: ToolUseBlock): { arguments: string; edited?: true } {
  const edited = ownValue(batch.edited, call.id);
  if (edited) return { arguments: JSON.stringify(edited), edited: true };
  return { arguments: preview(writtenCall(call).arguments) };
}

function endCall(run: Run, { decision, ...started }: Started, result: ToolResultBlock | undefined): void {
  if (!result) throw new Error(`the call ${started.call.id} has no result`);
  const ran = decision.kind === 'run' || decision.kind === 'given' ? decision.tool : null;
  if (decision.kind === 'given') noteAnswer(run, started, decision.answer);
  finishCall(run, { ...started, result, input: inputOf(started.batch, started.call), ran });
}

function resultOf(run: Run, started: Started): ToolResultBlock | Promise<ToolResultBlock> {
  const { call, decision } = started;
  switch (decision.kind) {
    case 'end':
      return toolResult(call, decision.ending, { note: decision.note, word: decision.word }, run.words);
    case 'reuse':
      return reusedResult(run, started, decision.entry);
    case 'given':
      return answerResult(call, decision.tool, decision.answer, run.words);
    case 'run':
      return runCall(run, started, decision.tool, decision.note);
  }
}

async function runCall(
  run: Run,
  started: Started,
  tool: ToolDefinition,
  note: string | null,
): Promise<ToolResultBlock> {
  const { call } = started;
  const given = inputOf(started.batch, call);
  for (const begin of beforeTool(run, tool, given)) {
    const waiting = begin();
    if (!waiting) continue;
    await waiting;
    const why = await waitWhileHeld(run, started.reply);
    if (why === 'stop')
      return failedResult(run.words, call, tool, {
        kind: 'cancelled',
        type: FAILURE.tool.notSent,
        message: '',
      });
    if (why === 'message') return toolResult(call, 'skipped', { note: run.words.noteSuperseded }, run.words);
  }
  if (isRecall(tool) && hasUnkept(run)) await keepSession(run);
  return callUntilResult(run, { ...started, tool, note }, starterOf(run, started, tool));
}

/**
 * Waits while the run is held: the call is not sent yet. Returns what happened meanwhile if the call must therefore not
 * be sent; null if it may be.
 */
async function waitWhileHeld(run: Run, { role }: AssistantMessage): Promise<'stop' | 'message' | null> {
  const { state, ports } = run;
  const why = () => {
    if (state.people.stop !== null) return 'stop';
    if (!run.behaves(4)) return null;
    return batchAction(waitingSteers(state.people.inbox, role)) === 'skip_rest' ? 'message' : null;
  };
  const mayGoOn = () => why() !== null || !isHeld(state) || !run.behaves(4);
  if (!mayGoOn()) await ports.wait(mayGoOn, null, 'the run to be resumed');
  ports.throwIfCancelled();
  return why();
}

/** Makes a call, with retries if they are safe, and returns its result, even for a failure. */
export async function callUntilResult(
  run: Run,
  {
    call,
    callId,
    tool,
    note,
  }: { call: ToolUseBlock; callId: string; tool: ToolDefinition; note: string | null },
  { start, session }: Starter,
): Promise<ToolResultBlock> {
  const idempotent = isRepeatable(tool.policy);
  const begun = run.ports.now();
  for (let rescheduled = 0; ; rescheduled++) {
    const called = await start(rescheduled > 0);
    callEnded(run, callId);
    if (called.ok) {
      const { ending, session: opened, toolsChangedAt, storeFault, appFault, ...outcome } = called.value;
      if (storeFault !== undefined) noteStoreFailed(run, call.name, storeFault);
      if (appFault !== undefined)
        run.warnOnce(`app ${tool.name}`, `The app of ${tool.name} cannot be shown: ${appFault}.`);
      noteChange(run, toolsChangedAt);
      if (outcome.files) run.memory.changedBy.set(callId, outcome.files);
      noteSession(run, tool, { ending, opened });
      const cut = storeFault !== undefined && run.words.noteNoStore;
      const unkept = isRecall(tool) && storeIsAway(run) && run.words.noteUnkept;
      const notes = [note, outcome.note, cut, unkept].filter(Boolean).join('\n');
      return toolResult(call, ending, { ...outcome, note: notes }, run.words);
    }
    const { failure } = called;
    if (failure.type === FAILURE.storeFailed) noteStoreFailed(run, call.name, failure.message);
    const loss = session && sessionLoss(failure);
    if (loss) return lostSession(run, call, tool, loss);
    const stopped = run.state.people.stop !== null;
    const far = { idempotent, rescheduled, stopped };
    if (toolFailureDecision(failure, far) === 'end')
      return { ...failedResult(run.words, call, tool, failure), durationMs: run.ports.now() - begun };
  }
}

interface Starter {
  /**
   * Makes the call once: by an activity for a worker's tools, in the workflow for the run's own. `again`: the first attempt was
   * not begun, or was lost, so any worker may take it.
   */
  start: (again: boolean) => Promise<Called<CallToolResult>>;
  session: ToolSession | null;
}

function starterOf(run: Run, { reply, batch, call, callId }: Started, tool: ToolDefinition): Starter {
  const { role } = reply;
  const given = inputOf(batch, call);
  const own = { role, callId, toolUseId: call.id, input: given };
  if (tool.origin.type === 'workflow') {
    const options = toolCallOptions(tool, given);
    return { start: () => runWorkflowTool(run, tool, { ...own, options }), session: null };
  }
  if (tool.origin.type === 'child_workflow')
    return { start: () => callWorkflow(run, tool, own), session: null };
  const { input, options, session } = toolRequest(run, tool, { callId, toolUseId: call.id, given });
  const start = (again: boolean) => {
    const anywhere = again ? { ...options, anyWorker: true } : options;
    return run.call({ kind: 'tool', role }, anywhere, () => run.ports.callTool(input, anywhere));
  };
  return { start, session };
}

/** Returns the content of the earlier call under the new call's id, with a note. */
function reusedResult(
  run: Run,
  started: Started,
  entry: LedgerEntry,
): ToolResultBlock | Promise<ToolResultBlock> {
  const { call } = started;
  const earlier = Object.values(run.state.threads)
    .flatMap(thread => thread.messages)
    .find(message => message.id === entry.messageId);
  const { content = [], note = '', app } = earlier?.kind === 'tool_result' ? earlier.content[0] : {};
  const recall = run.pinned.tools.find(isRecall);
  // A note that names the message's id means that a part is left out.
  const isShown = earlier !== undefined && !note.includes(`"${entry.messageId}"`);
  if (recall && !isShown) return recalledResult(run, started, { recall, id: entry.messageId });
  // A result without content has its text in the note, such as a person's answer.
  const noteText = content.length === 0 ? note : '';
  return toolResult(
    call,
    'reused',
    { note: [run.words.noteReusedHow, noteText].join('\n').trim(), content, app },
    run.words,
  );
}

/** Reads the earlier result from the store if the thread no longer shows it; the tool is not called. */
async function recalledResult(
  run: Run,
  { call, callId, reply }: Started,
  { recall, id }: { recall: ToolDefinition; id: string },
): Promise<ToolResultBlock> {
  if (hasUnkept(run)) await keepSession(run);
  const { input, options } = toolRequest(run, recall, { callId, toolUseId: call.id, given: { id } });
  const called = await run.call({ kind: 'tool', role: reply.role }, options, () =>
    run.ports.callTool(input, options),
  );
  const { words } = run;
  if (!called.ok || called.value.isError)
    return toolResult(call, 'reused', { note: fill(words.noteReusedRecall, { id }) }, words);
  const { note, content } = called.value;
  return toolResult(call, 'reused', { note: [words.noteReusedHow, note].join('\n'), content }, words);
}

/** Returns the failure as content, not as a note: its message may quote the tool's server. */
function failedResult(
  words: Words,
  call: ToolUseBlock,
  tool: ToolDefinition,
  failure: CallFailure,
): ToolResultBlock {
  const ending = toolEnding(failure, isRepeatable(tool.policy));
  const note = failedNote(words, ending, failure, toolAttempts(tool.policy));
  const why = headChars(failure.message, FAILURE_CHARS);
  return toolResult(call, ending, { note, content: why === '' ? [] : [{ type: 'text', text: why }] }, words);
}
