/** Decides each call of a reply, with the facts about the run that the decision needs. */

import { ownValue } from '../../../base/json/json.js';
import { reviewNote } from '../../../conversation/tool-notes.js';
import {
  decideToolCall,
  inputOf,
  runsBeside,
  type ToolCallDecision,
} from '../../../rules/tools/tool-call.js';
import { offeredTools } from '../../../run/agents/run-config.js';
import type { CallAnswer } from '../../../run/gates/gate.js';
import { type AssistantMessage, type ToolUseBlock, toolCallsOf } from '../../../run/messages/message.js';
import { confirmationReasons } from '../../../run/outputs/envelope.js';
import type { Batch } from '../../../run/position/position.js';
import { envelopeOf } from '../../../run/state/thread.js';
import { Comparisons, decidePermission } from '../../../run/tools/permission.js';
import { review, reviewsTool } from '../../beside/moments.js';
import type { Run } from '../../run/run.js';
import { answerTo, askAbout, isAskedAbout, runsUnasked } from './call-permission.js';
import { openReply, wasWrong } from './finish-call.js';

/** A decision that needs no person's answer. */
export type Settled = Exclude<ToolCallDecision, Asking>;
type Asking = Extract<ToolCallDecision, { kind: 'ask' | 'client' | 'question' }>;

export interface DecidedCall {
  call: ToolUseBlock;
  decision: Settled;
}

/**
 * Returns the next call of the batch with its decision; null if a question about it was overtaken, or is being asked. A call
 * that needs an answer is decided twice: without the answer, which says what to ask, then with it. After a restart the
 * answer may be there already (`answerTo`).
 */
export async function nextDecided(
  run: Run,
  batch: Batch,
  { call, reply }: { call: ToolUseBlock; reply: AssistantMessage },
): Promise<DecidedCall | null> {
  const given = answerTo(run, batch, call);
  const decided = decideCall(run, batch, { call, index: batch.next, said: given });
  // A person's answer decides; without one the call is reviewed.
  const decision = given ? decided : withReview(run, reply, call, decided);
  if (!decision) return null;
  if (!needsAnswer(decision)) return { call, decision };
  const isUnasked = await runsUnasked(run, { call, reply }, decision);
  if (isUnasked === null) return null;
  if (isUnasked && decision.kind === 'ask')
    return { call, decision: { kind: 'run', tool: decision.tool, note: decision.note, edited: null } };
  const answer = await askAbout(run, { batch, call, reply }, decision);
  if (answer === null) return null;
  // The gate would ask about a change that can't be made.
  if (answer.kind === 'fails')
    return { call, decision: { kind: 'end', ending: 'invalid', note: answer.why } };
  const settled = decideCall(run, batch, { call, index: batch.next, said: answer });
  if (needsAnswer(settled)) throw new Error(`the call ${call.id} has its answer and asks again`);
  return { call, decision: settled };
}

/** Returns the calls directly after the next one that run at the same time. */
export function callsBeside(run: Run, batch: Batch, { call, decision }: DecidedCall): DecidedCall[] {
  const beside: DecidedCall[] = [];
  if (decision.kind !== 'run') return beside;
  const group = [{ tool: decision.tool, input: inputOf(batch, call) }];
  for (const next of toolCallsOf(openReply(run, batch)).slice(batch.next + 1)) {
    if (group.length >= run.limits.parallelTools || isAskedAbout(run, next)) break;
    const index = batch.next + group.length;
    const decided = decideCall(run, batch, { call: next, index, said: null });
    if (decided.kind !== 'run' || reviewsTool(run, decided.tool)) break;
    const joining = { tool: decided.tool, input: next.input };
    if (!runsBeside(joining, group)) break;
    group.push(joining);
    beside.push({ call: next, decision: decided });
  }
  return beside;
}

function needsAnswer(decision: ToolCallDecision): decision is Asking {
  return decision.kind === 'ask' || decision.kind === 'client' || decision.kind === 'question';
}

/** Applies the reviewer's decision to a call that would run or be asked about. Null: the reviewer is being asked. */
function withReview(
  run: Run,
  reply: AssistantMessage,
  call: ToolUseBlock,
  decision: ToolCallDecision,
): ToolCallDecision | null {
  if (decision.kind !== 'run' && decision.kind !== 'ask') return decision;
  const reviewed = review(run, { kind: 'call', reply, call, tool: decision.tool });
  if (reviewed.kind === 'pending') return null;
  if (!reviewed.approved) {
    const note = reviewNote(run.words, reviewed.fixes);
    return { kind: 'end', ending: 'denied', note, word: 'noteNotAccepted' };
  }
  return asking(decision, reviewed.concerns);
}

/** Adds reasons to ask a person about the call. */
function asking(
  decision: Extract<ToolCallDecision, { kind: 'run' | 'ask' }>,
  more: readonly string[],
): ToolCallDecision {
  if (more.length === 0) return decision;
  const { tool, note } = decision;
  const concerns = decision.kind === 'ask' ? decision.concerns : [];
  return { kind: 'ask', tool, note, concerns: [...new Set([...concerns, ...more])] };
}

interface Deciding {
  call: ToolUseBlock;
  index: number;
  /** A person's answer about the call; null without one. */
  said: CallAnswer | null;
}

/** Decides a call without asking. While a message waits, only read-only calls run. */
export function decideCall(run: Run, batch: Batch, deciding: Deciding): ToolCallDecision {
  const decision = decideAlone(run, batch, deciding);
  if (!batch.readsOnly || !mayAct(decision)) return decision;
  return { kind: 'end', ending: 'skipped', note: run.words.noteSuperseded };
}

function mayAct(decision: ToolCallDecision): boolean {
  return needsAnswer(decision) || (decision.kind === 'run' && !decision.tool.policy.readOnly);
}

/**
 * Returns the names of calls that have not begun and do more than read. Null if none of the open calls is a read to run,
 * or a person is being asked about one of them.
 */
export function callsBesideReads(run: Run, batch: Batch): string[] | null {
  const calls = toolCallsOf(openReply(run, batch)).slice(batch.next);
  if (calls.some(call => isAskedAbout(run, call))) return null;
  const decided = calls.map((call, beyond) => {
    const decision = decideAlone(run, batch, { call, index: batch.next + beyond, said: null });
    return { name: call.name, kind: decision.kind, acts: mayAct(decision) };
  });
  if (!decided.some(({ kind, acts }) => kind === 'run' && !acts)) return null;
  return decided.flatMap(({ name, acts }) => (acts ? [name] : []));
}

function decideAlone(run: Run, batch: Batch, { call, index, said }: Deciding): ToolCallDecision {
  const { state, pinned, limits } = run;
  const reply = openReply(run, batch);
  const role = run.role(reply.role);
  const earlier = toolCallsOf(reply).slice(0, index);
  const { autoApprove, workspace } = state.settings;
  const given = { alwaysThisRun: state.people.allowedTools, autoApprove };
  const decision = decideToolCall({
    call,
    said,
    index,
    offered: batch.toolsOffered ? offeredTools(pinned, role) : [],
    // An unlisted tool may not be read-only, so read-only roles cannot call those.
    pinned: role.readOnly === true ? { ...pinned, fallbackServer: null } : pinned,
    before: earlier.filter(({ name }) => name === call.name).length,
    // A role may allow fewer calls a reply than the run does.
    limits: {
      ...limits,
      toolCallsPerTurn: Math.min(limits.toolCallsPerTurn, role.toolCallsPerTurn ?? Number.POSITIVE_INFINITY),
    },
    now: run.ports.now(),
    ledger: state.tools.ledger,
    permission: (tool, input) => {
      // Arguments that a person edited are compared by themselves.
      const comparisons = input === call.input ? comparisonsOf(reply) : new Comparisons();
      return decidePermission(tool, { input, workspace }, pinned.permissions, { ...given, comparisons });
    },
    words: run.words,
    stopped: state.people.stop !== null,
    badCalls: Math.max(
      0,
      (ownValue(run.line.tools.badCalls, call.name) ?? 0) - (wasWrong(run, batch, call.name) ? 1 : 0),
    ),
  });
  if (said || (decision.kind !== 'run' && decision.kind !== 'ask') || decision.tool.policy.readOnly)
    return decision;
  // If the reply itself wants confirmation, a person is asked about calls with effects, even if they are allowed.
  return asking(decision, confirmationReasons(envelopeOf(reply), run.words));
}

/** Caches the comparisons of a reply while its calls are decided. */
const compared = new WeakMap<AssistantMessage, Comparisons>();

function comparisonsOf(reply: AssistantMessage): Comparisons {
  const comparisons = compared.get(reply) ?? new Comparisons();
  compared.set(reply, comparisons);
  return comparisons;
}
