/** Tool calls that need a person: approvals, and tools that the client runs (T11). */

import { jsonBytes, ownValue, stringOr } from '../../../base/json/json.js';
import { FAILURE_BYTES, GATES_BYTES, LEAST_GATE_BYTES } from '../../../base/sizes/bounds.js';
import { sizeOfList } from '../../../base/sizes/sizes.js';
import { cutText } from '../../../base/text/fit.js';
import { stringsOf } from '../../../base/text/output-fields.js';
import { type EditCall, editsOf, isShownWhole } from '../../../rules/gates/edits-text.js';
import { approvalOf, argumentLine, clientToolText } from '../../../rules/gates/gate-text.js';
import {
  type ComparedFile,
  type EditFails,
  PATH,
  textUnder,
  wholeWrite,
} from '../../../rules/gates/whole-write.js';
import { isWorkspaceTool } from '../../../rules/tools/model-habits.js';
import type { ToolCallDecision } from '../../../rules/tools/tool-call.js';
import type { CallAnswer, Gate, GateAnswer } from '../../../run/gates/gate.js';
import { isRoomForGate, lostResult } from '../../../run/gates/gate.js';
import {
  type AssistantMessage,
  type ToolUseBlock,
  thoughtOf,
  toolCallsOf,
} from '../../../run/messages/message.js';
import type { Batch } from '../../../run/position/position.js';
import type { OpenGate } from '../../../run/state/people.js';
import { batchAction, waitingSteers } from '../../../run/steering/inbox.js';
import { idempotencyKeyOf, inlineInput } from '../../../run/tools/ledger.js';
import { type ToolDefinition, workspaceToolOf } from '../../../run/tools/tool.js';
import { plainPath } from '../../../run/tools/tool-paths.js';
import { unasked } from '../../beside/moments.js';
import {
  ask,
  closeGates,
  gateAt,
  openGate,
  openGates,
  type Question,
  questionOf,
  takeRecorded,
} from '../../run/gates.js';
import type { Run } from '../../run/run.js';

type Asking = Extract<ToolCallDecision, { kind: 'ask' | 'client' | 'question' }>;

/** Takes a recorded answer about the call, before anything is decided: later permissions do not change it. */
export function answerTo(run: Run, batch: Batch, call: ToolUseBlock): CallAnswer | null {
  const shared = sharedGate(run, call);
  const answer = shared && takeRecorded(run, shared.key);
  if (shared && answer?.kind === 'approval') noteForAll(batch, shared.gate, answer);
  const noted = ownValue(batch.said ?? {}, call.id);
  if (noted) return { kind: 'approval', ...noted, arguments: null };
  const keys = keysOf(call);
  for (const key of keys) {
    const answer = takeRecorded(run, key, stringsOf(call.input.options));
    if (answer?.kind === 'approval' || answer?.kind === 'clientTool' || answer?.kind === 'question')
      return answer;
  }
  return null;
}

/** True if a gate of the call is open, answered or not. */
export function isAskedAbout(run: Run, call: ToolUseBlock): boolean {
  return run.state.people.gates.some(isAbout([call])) || sharedGate(run, call) !== undefined;
}

/** Returns the open gate that asks about the call together with others. */
function sharedGate(run: Run, { id }: ToolUseBlock): SharedGate | undefined {
  return run.state.people.gates.find(
    (open): open is SharedGate =>
      open.gate.kind === 'approval' &&
      open.agent === undefined &&
      open.gate.subject.calls?.some(({ callId }) => callId === id) === true,
  );
}

type SharedGate = OpenGate & { gate: Extract<Gate, { kind: 'approval' }> };

/** Keeps the answer for the turn of each call. */
function noteForAll(
  batch: Batch,
  { subject: { calls = [] } }: SharedGate['gate'],
  { decision, reason, except = {} }: Extract<GateAnswer, { kind: 'approval' }>,
): void {
  const given = calls.map(({ callId }) => {
    const left = ownValue(except, callId);
    if (left !== undefined) return [callId, { decision: 'deny', reason: left }] as const;
    return [callId, { decision: decision === 'deny' ? 'deny' : 'approve', reason }] as const;
  });
  const all = Object.entries({ ...batch.said, ...Object.fromEntries(given) });
  // Only reasons are cut: a call without its decision would be asked about again.
  const room = Math.floor(FAILURE_BYTES / all.length) - DECISION_BYTES;
  batch.said = Object.fromEntries(
    all.map(([id, said]) => [id, { ...said, reason: (said.reason && cutText(said.reason, room)) || null }]),
  );
}

/** The answer about one call without its reason. */
const DECISION_BYTES = 70;

/** True if the client has the call: it may have run it, even if its gate closes without a result. */
export function isWithClient(run: Run, call: ToolUseBlock): boolean {
  return gateAt(run, clientKey(call)) !== undefined;
}

/** Returns a test for gates that ask about these calls. */
function isAbout(calls: readonly ToolUseBlock[]): (open: OpenGate) => boolean {
  const keys = calls.flatMap(keysOf);
  return ({ key }) => keys.includes(key);
}

/** Closes the open gates of calls that are decided or never will be. */
export function closeCallGates(run: Run, calls: readonly ToolUseBlock[], why?: string): void {
  closeGates(run, isAbout(calls), why);
}

export function closeApprovals(run: Run, reply: AssistantMessage, why: string): void {
  const keys = toolCallsOf(reply).map(approvalKey);
  closeGates(run, ({ key }) => keys.includes(key), why);
}

/** Asks a person. Null: a stop, a message or another answer made the question pointless, and the loop decides anew. */
export async function askAbout(
  run: Run,
  { batch, call, reply }: { batch: Batch; call: ToolUseBlock; reply: AssistantMessage },
  decision: Asking,
): Promise<CallAnswer | EditFails | null> {
  const superseded = () => batchAction(waitingSteers(run.state.people.inbox, reply.role)) === 'skip_rest';
  if (decision.kind === 'client') {
    if (!isWithClient(run, call) && superseded()) return null;
    const asked = await ask(run, { ...clientQuestion(run, call, decision.tool), superseded });
    return asked.kind === 'answered' ? asked.answer : lostResult('cancelled');
  }
  if (decision.kind === 'question') {
    const asked = await ask(run, { ...personQuestion(call, reply.role), superseded });
    return asked.kind === 'answered' ? asked.answer : null;
  }
  const shared = sharedGate(run, call);
  if (shared) {
    const asked = await ask(run, { key: shared.key, ...shared.gate, superseded });
    if (asked.kind !== 'answered') return null;
    noteForAll(batch, shared.gate, asked.answer);
    return answerTo(run, batch, call);
  }
  let compared: ComparedFile | null = null;
  if (isCompared(run, call, decision.tool) && !isAskedAbout(run, call)) {
    const found = await compareFile(run, call);
    if (run.state.people.stop !== null || superseded()) return null;
    if (found.kind === 'fails') return found;
    compared = found;
  }
  const question = approvalQuestion(run, call, { decision, reply, compared });
  const asked = await ask(run, { ...question, superseded });
  return asked.kind === 'answered' ? asked.answer : null;
}

/** True if a feature lets a call run that would be asked about. Null: the loop must decide anew. */
export async function runsUnasked(
  run: Run,
  { call, reply }: { call: ToolUseBlock; reply: AssistantMessage },
  decision: ToolCallDecision,
): Promise<boolean | null> {
  const mayRun = unasked(run, call, decision);
  if (mayRun === null || isAskedAbout(run, call)) return false;
  const isAllowed = await mayRun();
  const { people } = run.state;
  if (people.stop !== null || batchAction(waitingSteers(people.inbox, reply.role)) === 'skip_rest')
    return null;
  return isAllowed;
}

/** Opens the gates of a batch while there is space. A client's tool runs when its gate opens, so it waits its turn. */
export async function openBatchGates(
  run: Run,
  reply: AssistantMessage,
  decide: () => readonly { call: ToolUseBlock; decision: ToolCallDecision }[],
): Promise<void> {
  const decided = decide();
  const inTurn = run.behaves(4) ? writesAgain(run, decided) : new Set<string>();
  const written = decided.flatMap(({ call, decision }) => {
    const isLookedAt = decision.kind === 'ask' && isCompared(run, call, decision.tool);
    return isLookedAt && !isAskedAbout(run, call) && !inTurn.has(call.id) ? [call] : [];
  });
  const files = written.map(async call => [call.id, await compareFile(run, call)] as const);
  const compared = new Map(files.length > 0 ? await Promise.all(files) : []);
  // Decide again: meanwhile the run may have been stopped, and a tool allowed.
  const asking = decide().flatMap(({ call, decision }): AskedCall[] => {
    const file = compared.get(call.id) ?? null;
    if (inTurn.has(call.id)) return [];
    // An edit that can't be applied is decided again in its turn, where it fails without a gate.
    if (file?.kind === 'fails' || decision.kind !== 'ask' || !run.state.settings.attended) return [];
    // A call that may run unasked is decided in its turn, because earlier calls may change what the decision reads.
    return unasked(run, call, decision) === null ? [{ call, decision, compared: file }] : [];
  });
  const groups = run.behaves(4) ? editsTogether(run, asking) : new Map<AskedCall, EditGroup>();
  for (const each of asking) {
    if (!isRoomForGate(openGates(run))) return;
    const group = groups.get(each);
    // Gates opened since may have used up the space. An answer must not approve a change that its gate could not show.
    if (group?.[0].callId === each.call.id && jsonBytes(editsOf(run.words, group, '')) > roomTogether(run))
      for (const [other, its] of groups) if (its === group) groups.delete(other);
    if (!groups.has(each)) openGate(run, approvalQuestion(run, each.call, { ...each, reply }));
    else if (group?.[0].callId === each.call.id) openGate(run, editsQuestion(run, each.call, group, reply));
  }
}

/**
 * Returns ids of whole writes of a file that an earlier call of the reply changes: such a write is compared and asked
 * about in its turn, because the text that it replaces does not exist yet.
 */
function writesAgain(
  { state }: Run,
  decided: readonly { call: ToolUseBlock; decision: ToolCallDecision }[],
): Set<string> {
  const changed = new Set<string>();
  const again = new Set<string>();
  for (const { call, decision } of decided) {
    const path = textUnder(call.input, PATH);
    const acts = (decision.kind === 'ask' || decision.kind === 'run') && !decision.tool.policy.readOnly;
    if (!acts || path === null) continue;
    const file = plainPath(path, state.settings.workspace);
    if (changed.has(file) && wholeWrite(call.input) !== null) again.add(call.id);
    changed.add(file);
  }
  return again;
}

interface AskedCall {
  call: ToolUseBlock;
  decision: Extract<ToolCallDecision, { kind: 'ask' }>;
  compared: ComparedFile | null;
}

type EditGroup = [EditCall, ...EditCall[]];

/** Bytes of the changes that one gate shows: it is never cut. */
const MOST_TOGETHER_BYTES = 12_000;

function roomTogether(run: Run): number {
  return Math.min(MOST_TOGETHER_BYTES, (GATES_BYTES - sizeOfList(openGates(run))) / 2 - LEAST_GATE_BYTES);
}

/** Returns the changes of files that one gate asks about, by call: as many as it shows in full. */
function editsTogether(run: Run, asking: readonly AskedCall[]): Map<AskedCall, EditGroup> {
  const groups = new Map<AskedCall, EditGroup>();
  let group: EditGroup | null = null;
  const room = roomTogether(run);
  for (const each of asking) {
    const { call, decision, compared } = each;
    const { tool, concerns } = decision;
    // If the arguments were repaired, a gate of one call shows the model's own text. Such a call is not grouped.
    if (isAskedAbout(run, call) || call.raw !== undefined || !isShownWhole({ input: call.input, compared }))
      continue;
    const edit: EditCall = { tool, callId: call.id, input: call.input, concerns, compared };
    const fits = group !== null && jsonBytes(editsOf(run.words, [...group, edit] as EditGroup, '')) <= room;
    if (group && fits) group.push(edit);
    else group = [edit];
    groups.set(each, group);
  }
  for (const [each, { length }] of groups) if (length === 1) groups.delete(each);
  return groups;
}

function editsQuestion(
  run: Run,
  call: ToolUseBlock,
  edits: EditGroup,
  reply: AssistantMessage,
): Question<'approval'> {
  return { key: approvalKey(call), kind: 'approval', ...editsOf(run.words, edits, thoughtOf(reply)) };
}

function approvalQuestion(
  run: Run,
  call: ToolUseBlock,
  {
    decision: { concerns, tool },
    reply,
    compared,
  }: {
    decision: Extract<ToolCallDecision, { kind: 'ask' }>;
    reply: AssistantMessage;
    compared: ComparedFile | null;
  },
): Question<'approval'> {
  return {
    key: approvalKey(call),
    kind: 'approval',
    // The model calls an unlisted tool by its bare name; the gate shows the run's name for it.
    ...approvalOf(run.words, tool, {
      callId: call.id,
      input: call.input,
      raw: call.raw,
      thought: thoughtOf(reply),
      concerns,
      compared,
    }),
  };
}

/** Uses the name by which the client declared the tool, not the name that the model was offered. */
function clientQuestion(
  run: Run,
  call: ToolUseBlock,
  { serverToolName }: ToolDefinition,
): Question<'clientTool'> {
  return {
    key: clientKey(call),
    kind: 'clientTool',
    ...clientToolText(run.words, { tool: serverToolName, callId: call.id, input: call.input }),
    subject: {
      tool: serverToolName,
      callId: call.id,
      arguments: argumentLine(call.input),
      idempotencyKey: idempotencyKeyOf(run.ports.chainId, call.id, { tool: call.name, args: call.input }),
    },
  };
}

function personQuestion(call: ToolUseBlock, role: string): Question<'question'> {
  const { question, options } = call.input;
  return questionOf({
    key: questionKey(call),
    role,
    question: stringOr(question, ''),
    options: stringsOf(options),
  });
}

function keysOf(call: ToolUseBlock): string[] {
  return [approvalKey(call), clientKey(call), questionKey(call)];
}

function questionKey(call: ToolUseBlock): string {
  return `question:${call.id}`;
}

function approvalKey(call: ToolUseBlock): string {
  return `approval:${call.id}`;
}

function clientKey(call: ToolUseBlock): string {
  return `client:${call.id}`;
}

/**
 * True if a person is asked about a call of our own tools that writes a whole file. The effect of other servers' tools
 * is unknown; earlier runs compare their calls too.
 */
function isCompared(run: Run, call: ToolUseBlock, tool: ToolDefinition): boolean {
  const { state, pinned } = run;
  const { attended, autoApprove } = state.settings;
  if (!attended || autoApprove) return false;
  const isOfWorker = tool.origin.type === 'mcp' || tool.origin.type === 'activity';
  const isKnown = run.behaves(5) ? workspaceToolOf(tool) !== null : isOfWorker;
  return isKnown && (wholeWrite(call.input) !== null || isWorkspaceTool(pinned, tool, 'edit'));
}

/** Returns the current file and the call's version of it, for the gate of the call. */
async function compareFile(run: Run, call: ToolUseBlock): Promise<ComparedFile | EditFails> {
  const { workspace } = run.state.settings;
  const called = await run.ports.compareFile({ callId: call.id, workspace, ...inlineInput(call.input) });
  run.ports.throwIfCancelled();
  return called.ok ? called.value : { kind: 'unread' };
}
