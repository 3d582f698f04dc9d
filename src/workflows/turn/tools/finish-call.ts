/** The end of a tool call, however it ends: its one result, and everything that records calls. */

import { jsonBytes, ownValue } from '../../../base/json/json.js';
import { preview } from '../../../base/text/preview.js';
import { BOUNDS } from '../../../conversation/state-bounds.js';
import { answerResult, eventTextOf, resultText, toolResult } from '../../../conversation/tool-result.js';
import { isSubagent } from '../../../rules/agents/subagent.js';
import { holdsParts } from '../../../rules/outputs/content-parts.js';
import type { CallReply } from '../../../run/gates/gate.js';
import { lostResult } from '../../../run/gates/gate.js';
import {
  type AssistantMessage,
  type ToolResultBlock,
  type ToolUseBlock,
  toolCallsOf,
  writtenCall,
} from '../../../run/messages/message.js';
import type { Batch, Turns } from '../../../run/position/position.js';
import { here, levels, taskAt } from '../../../run/state/cursor.js';
import type { CallEnded } from '../../../run/state/journal.js';
import { replyOf } from '../../../run/state/thread.js';
import { recordCall } from '../../../run/tools/ledger.js';
import { serverOf, type ToolDefinition } from '../../../run/tools/tool.js';
import { effectLine, mayHaveActed, withEffects } from '../../../run/tools/tool-use.js';
import { ASK_PERSON } from '../../../run/tools/workflow-tools.js';
import { afterResult } from '../../beside/moments.js';
import type { Run } from '../../run/run.js';
import { giveRoundBack } from '../../say/notes.js';
import { answerTo, closeApprovals, closeCallGates, isWithClient } from './call-permission.js';
import { callLine } from './tool-request.js';

export interface CallEnd {
  batch: Batch;
  reply: AssistantMessage;
  call: ToolUseBlock;
  callId: string;
  result: ToolResultBlock;
  /** The arguments it ran with. */
  input: Record<string, unknown>;
  /** The tool, if the worker or the client ran it; null if the call did not run. */
  ran: ToolDefinition | null;
  /** `RunMemory.changes` when the call began; absent if it did not run here. */
  changes?: number;
}

/** Counts effects for checks, which are repeated only after a change. A sub-agent also lists them for its caller. */
export function noteEffects({ state }: Run, lines: readonly string[]): void {
  state.goal.checks.effects += lines.length;
  if (isSubagent(state.settings)) state.tools.effects = withEffects(state.tools.effects, lines);
}

/** Notes a call that may have changed something. Returns false for any other call. */
export function noteEffect(
  run: Run,
  ran: ToolDefinition,
  { input, result }: Pick<CallEnd, 'input' | 'result'>,
): boolean {
  if (ran.policy.readOnly || !mayHaveActed(result.ending)) return false;
  noteEffects(run, [effectLine(callLine(ran, input), result)]);
  return true;
}

/** Adds a person's answer to the goal. A reply that only asks then costs no round. */
export function noteAnswer(
  run: Run,
  { reply, call }: Pick<CallEnd, 'reply' | 'call'>,
  answer: CallReply,
): void {
  if (answer.kind !== 'question' || answer.text === null) return;
  const { question } = call.input;
  run.wish(answer.text, typeof question === 'string' ? question : undefined);
  const calls = toolCallsOf(reply);
  const asksOnly = calls.every(({ name }) => name === ASK_PERSON);
  if (asksOnly && call === calls.at(-1)) giveRoundBack(here(run.cursor));
}

/** Appends the result of the next open call, and notes it in ledger, counters and journal. */
export function finishCall(run: Run, given: CallEnd): void {
  const end = { ...given, result: reasonOnce(run, given) };
  const { batch, call, result, input, ran } = end;
  const { state, ports } = run;
  const thread = state.threads[batch.thread];
  if (!thread) throw new Error(`no thread ${batch.thread}`);
  // A second wrong call of the same reply was written before the model could read the first error.
  if (result.ending === 'invalid' && !wasWrong(run, batch, call.name)) countBadCall(run, call.name);
  const messageId = run.nextId('m');
  run.append(thread, { id: messageId, at: ports.now(), kind: 'tool_result', content: [result] });
  batch.next += 1;
  state.goal.counters = { ...state.goal.counters, toolCalls: state.goal.counters.toolCalls + 1 };
  remember(run, end, messageId);
  const tool = ran ?? run.pinned.tools.find(({ name }) => name === call.name) ?? null;
  if (ran) noteEffect(run, ran, { input, result });
  // Edited arguments are not needed after the call.
  delete batch.edited[call.id];
  tell(run, end, { messageId, tool });
}

/** Says why calls of one reply were skipped in the first result, and refers to it in the others. */
function reasonOnce(run: Run, { batch, call, result }: CallEnd): ToolResultBlock {
  const { ending, note } = result;
  if (ending !== 'skipped' || !resultsSoFar(run, batch).some(earlier => earlier.note === note)) return result;
  return toolResult(call, ending, { note: run.words.noteAsAbove }, run.words);
}

/** True if a call of the tool in the same reply has already ended as wrong. */
export function wasWrong(run: Run, batch: Batch, name: string): boolean {
  return resultsSoFar(run, batch).some(({ toolName, ending }) => toolName === name && ending === 'invalid');
}

function resultsSoFar({ state }: Run, { thread, next }: Batch): ToolResultBlock[] {
  const { messages = [] } = state.threads[thread] ?? {};
  const results = next === 0 ? [] : messages.slice(-next);
  return results.flatMap(message => (message.kind === 'tool_result' ? message.content : []));
}

function countBadCall(run: Run, name: string): void {
  const { tools } = run.line;
  const counted = { ...tools.badCalls, [name]: (ownValue(tools.badCalls, name) ?? 0) + 1 };
  // A model can invent any number of names; only names of tools are looked up again.
  if (jsonBytes(counted) <= run.line.roomFor(BOUNDS['tools.badCalls'])) tools.badCalls = counted;
}

/** Records a call that has run in the ledger, except for a read that overlapped a change. */
function remember(run: Run, { call, result, input, ran, changes }: CallEnd, messageId: string): void {
  const { state, memory, ports } = run;
  if (!ran) return;
  // A client's tool may change things as well, so earlier reads are not reused.
  if (!ran.policy.readOnly) memory.changes += 1;
  else if (changes !== undefined && changes !== memory.changes) return;
  recordCall(state.tools.ledger, {
    call: { ...call, input },
    result,
    messageId,
    policy: ran.policy,
    workspace: state.settings.workspace,
    now: ports.now(),
  });
}

/** Adds the result to the journal. */
function tell(
  run: Run,
  { batch, call, callId, result, input, changes }: CallEnd,
  { messageId, tool }: { messageId: string; tool: ToolDefinition | null },
): void {
  const { ending, isError, durationMs, app } = result;
  // For a call that started, `tool_call_started` has the arguments.
  const isUntold = changes === undefined || input !== call.input;
  afterResult(run, { callId, result, tool, input });
  run.journal('tool_call_ended', {
    callId,
    taskId: taskAt(run.cursor),
    turn: batch.turn,
    messageId,
    tool: call.name,
    ending,
    isError,
    durationMs,
    ...eventTextOf(resultText(result)),
    ...(batch.planned && { role: openReply(run, batch).role }),
    ...(isUntold && { arguments: preview(writtenCall(call).arguments) }),
    ...(app && { app }),
    ...changedBy(run, callId),
    ...(holdsParts(result.content) && { parts: { server: tool ? serverOf(tool) : null } }),
  });
}

/** Returns the files that changed while the command ran, once, for the event of its end. */
export function changedBy({ memory }: Run, callId: string): Pick<CallEnded, 'files'> {
  const files = memory.changedBy.get(callId);
  memory.changedBy.delete(callId);
  return files ? { files } : {};
}

export function openReply(run: Run, batch: Batch): AssistantMessage {
  const reply = replyOf(run.state, batch);
  if (!reply) throw new Error(`the reply ${batch.messageId} of an open batch is gone`);
  return reply;
}

export function endBatch(run: Run, reply: AssistantMessage): void {
  here(run.cursor).turns.batch = null;
  closeCallGates(run, toolCallsOf(reply));
}

/** Closes the calls of an open batch that have not begun. */
export function skipOpenCalls(run: Run, batch: Batch, end: BatchEnd): void {
  closeCalls(run, here(run.cursor).turns, batch, end);
}

/** Closes them for a user's message. A reply costs no round if none of its calls ran. Returns the calls' names. */
export function supersedeCalls(run: Run, batch: Batch): string[] {
  const at = here(run.cursor);
  const { next } = batch;
  const end = { ending: 'skipped', note: run.words.noteSuperseded, why: 'a message of the user' } as const;
  const { names, given } = closeCalls(run, at.turns, batch, end);
  // The round of a role without tools is counted when its calls are closed.
  if (next === 0 && given === 0 && batch.toolsOffered) giveRoundBack(at);
  return names;
}

/** Closes all open batches, also those under a consultation: for ends that the loop does not see (ST8). */
export function closeOpenCalls(run: Run, end: BatchEnd = cancelled(run)): void {
  for (const { turns } of levels(run.cursor)) {
    if (turns.batch) closeCalls(run, turns, turns.batch, end);
  }
}

export interface BatchEnd {
  ending: 'skipped' | 'cancelled';
  note: string;
  /** The reason, for a person who has an open gate about one of the calls. */
  why: string;
}

export function cancelled({ words }: Run): BatchEnd {
  return { ending: 'cancelled', note: words.noteRunCancelled, why: 'the run was cancelled' };
}

/** Closes the batch's open calls. `given` counts those that a person or a client has answered. */
function closeCalls(
  run: Run,
  turns: Turns,
  batch: Batch,
  { ending, note, why }: BatchEnd,
): { names: string[]; given: number } {
  const reply = openReply(run, batch);
  const open = toolCallsOf(reply).slice(batch.next);
  let answered = 0;
  closeApprovals(run, reply, why);
  for (const call of open) {
    const taken = answerTo(run, batch, call) ?? (isWithClient(run, call) ? lostResult('cancelled') : null);
    const tool = run.pinned.tools.find(({ name }) => name === call.name) ?? null;
    const given = taken !== null && taken.kind !== 'approval' ? taken : null;
    // A call that the client received may have run, and a person's answer counts: both get their result.
    const ran = given && tool;
    const result =
      ran && given
        ? answerResult(call, ran, given, run.words)
        : toolResult(call, ending, { note }, run.words);
    const callId = run.nextId('c');
    if (given) {
      answered += 1;
      noteAnswer(run, { reply, call }, given);
    }
    finishCall(run, { batch, reply, call, callId, result, input: call.input, ran });
  }
  closeCallGates(run, toolCallsOf(reply), why);
  turns.batch = null;
  return { names: open.map(call => call.name), given: answered };
}
