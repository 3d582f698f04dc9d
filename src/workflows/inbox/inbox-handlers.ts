/**
 * Handles people's messages, after `read-input.ts` has read them. Handlers are synchronous and never throw. They write to
 * inbox, gates and switches, change plan, limits and models at once, and pass messages on to sub-agents. The loop does
 * everything else.
 */

import { isRecord } from '../../base/json/json.js';
import { LONGEST_ID, MESSAGE_BYTES, MESSAGES_BYTES } from '../../base/sizes/bounds.js';
import { sizeOfList } from '../../base/sizes/sizes.js';
import { boundedText } from '../../base/text/fit.js';
import { preview } from '../../base/text/preview.js';
import { fill } from '../../base/words/words.js';
import { readFromCaller, readItem } from '../../rules/agents/agent-message.js';
import { MAX_ALLOWED_TOOLS } from '../../rules/agents/run-input.js';
import { isSubagent } from '../../rules/agents/subagent.js';
import { leftOut, type PlanChange } from '../../rules/plan/plan-edit.js';
import { readComponentAction } from '../../rules/steering/component-action.js';
import { addresseeOf, addresses, isPaused, withPaused } from '../../run/agents/children.js';
import { roleNamed } from '../../run/agents/role.js';
import { fitGate, type Gate, lostResult } from '../../run/gates/gate.js';
import type { Limits } from '../../run/limits/limits.js';
import { readersOf } from '../../run/position/modes.js';
import { here, steeringAt } from '../../run/state/cursor.js';
import { modeOf } from '../../run/state/run-state.js';
import { replyOf } from '../../run/state/thread.js';
import { acceptMessage, wantsInterrupt, withdrawMessage } from '../../run/steering/inbox.js';
import { acceptedReceipt, type Situation } from '../../run/steering/receipt.js';
import { allowedAt } from '../../run/tools/permission.js';
import { isRepeatable } from '../../run/tools/tool.js';
import { callBack, noteWithdrawn, passAnswer, passOn, tellPause } from '../agents/agents.js';
import { gateAnswered } from '../beside/moments.js';
import { setLimits } from '../changes/set-limits.js';
import { chooseModel, setOut } from '../changes/set-model.js';
import { updatePlan } from '../changes/update-plan.js';
import type { JoinInput } from '../run/definitions.js';
import { closeForAlways, openGates } from '../run/gates.js';
import { mayRead, roleHere, UNDERSTANDING } from '../run/hearing.js';
import type { Run } from '../run/run.js';
import { stopRun, tellAgents } from '../run/tell-agents.js';
import { answerReader, type ReadAnswer, type ReadClaim, type ReadModel, readReason } from './read-input.js';

/** Adds a steering message or a follow-up to the inbox, and interrupts the call in flight if it says so. */
export function receive(run: Run, sent: unknown, kind: 'steer' | 'follow-up'): void {
  const { state, ports } = run;
  const readers = readersOf(modeOf(state));
  const raw = kind === 'steer' ? named(run, sent, [...readers, ...addresses(state.children)]) : sent;
  const to = kind === 'steer' && isRecord(raw) ? raw.to : null;
  const agent = readers.some(reader => reader === to) ? null : addresseeOf(state.children, to);
  const taken = acceptMessage(state.people.inbox, raw, kind, {
    at: ports.now(),
    fallbackId: ownMessageId(run),
    ended: state.end !== null,
    readers: agent ? [String(to)] : [...readers, ...addresses(state.children)],
    maxBytes: MESSAGE_BYTES,
    // Messages being interpreted still count against the limit.
    room: MESSAGES_BYTES - sizeOfList(steeringAt(state.cursor)?.items ?? []),
  });
  if (taken.kind === 'repeated') return;
  if (taken.kind === 'ignored') {
    run.journal('signal_ignored', { signal: kind === 'steer' ? 'steer' : 'followUp', reason: taken.why });
    if (taken.id !== null) run.journal('receipt', { id: taken.id, state: 'dropped', how: taken.why });
    if (kind === 'steer' && isRecord(raw)) giveUp(run, raw, taken.why);
    return;
  }
  if (agent) return void passOn(run, taken.item, agent);
  const situation = situationOf(run, taken.item.to);
  run.journal('receipt', acceptedReceipt(run.words, taken.item, situation));
  const { interruptible, forAnother } = situation;
  if (kind !== 'steer' || !interruptible || forAnother || !wantsInterrupt([taken.item])) return;
  ports.cancelCalls();
  ports.cancelSubagents();
}

/** Returns the message with the name that its role has in this run. */
function named(run: Run, sent: unknown, names: readonly string[]): unknown {
  const isNamed = isRecord(sent) && typeof sent.to === 'string';
  if (!isNamed || run.state.pinned === null || !run.behaves(3)) return sent;
  return { ...sent, to: roleNamed(String(sent.to), names) };
}

/** Handles an action of a component like a message: it waits in the inbox, and answers no gate. */
export function receiveAction(run: Run, raw: unknown): void {
  const read = readComponentAction(raw);
  if ('ok' in read) return void receive(run, read.ok, 'steer');
  ignore(run, 'componentAction', read.error);
  // Its sender waits for a receipt.
  if (typeof read.id === 'string' && read.id.length <= LONGEST_ID)
    run.journal('receipt', { id: read.id, state: 'dropped', how: read.error });
}

/**
 * Turns the goal of a start that found the run open into the run's next goal. The start that began the run has its goal
 * already.
 */
export function join(run: Run, { id, text }: JoinInput): { started: boolean } {
  if (run.state.settings.startedBy === id) return { started: true };
  receive(run, { id, text }, 'follow-up');
  return { started: false };
}

/**
 * An id for a message without one. An agent's ids differ from its caller's, because a caller passes messages on with
 * their ids.
 */
function ownMessageId(run: Run): string {
  const { settings } = run.state;
  const id = run.nextId('s');
  return isSubagent(settings) ? `${preview(settings.calledAs ?? '', 100)}/${id}` : id;
}

/** Returns an unaccepted message to the caller, whose sender has a receipt that it was passed on. */
function giveUp({ state, ports }: Run, raw: Record<string, unknown>, why: string): void {
  const item = readItem({ ...raw, kind: 'steer', at: ports.now(), to: null });
  if (item && isSubagent(state.settings)) ports.tellCaller({ type: 'message_refused', item, why });
}

/** Withdraws an unread message, so that its sender can change it: from the inbox, or from the agent that has it. */
export function withdraw(run: Run, id: string): { text: string; agent?: string } {
  const item = withdrawMessage(run.state.people.inbox, id);
  if (item) noteWithdrawn(run, id);
  const passed = item ? null : callBack(run, id);
  return passed ? { text: passed.item.text, agent: passed.agent } : { text: item?.text ?? '' };
}

function situationOf(run: Run, to: string | null): Situation {
  const { state, inFlight } = run;
  return {
    doing: doingOf(run),
    interruptible: inFlight?.interruptible === true && mayRead(run),
    forAnother: to !== null && to !== roleAtWork(run),
    paused: state.people.pausedAt !== null,
    understands: state.pinned?.roles[UNDERSTANDING] !== undefined,
    first: firstOf(run),
    stopping: state.people.stop !== null,
    isAgent: isSubagent(state.settings),
    wrappingUp: state.cursor.position.phase === 'wrap_up',
  };
}

/** Returns what is handled before the message is read; null if nothing is. */
function firstOf({ state, words }: Run): string | null {
  const at = here(state.cursor);
  if (at.phase === 'steering') return words.receiptAfterMessage;
  if (at.phase === 'consultation') return fill(words.receiptAfterRole, { role: at.role });
  return null;
}

function doingOf({ state, inFlight }: Run): Situation['doing'] {
  if (state.end || state.idleSince !== null) return 'idle';
  if (inFlight) return `${inFlight.kind}_call`;
  if (state.people.gates.length === 0) return state.pinned ? 'between' : 'loading';
  return here(state.cursor).turns.batch ? 'asking' : 'waiting';
}

/** Returns the role whose call is in flight, whose tool calls are running, or whose position the run is at. */
function roleAtWork(run: Run): string | null {
  const { state, inFlight } = run;
  const { batch } = here(state.cursor).turns;
  if (inFlight || !batch) return inFlight?.role ?? roleHere(run);
  return replyOf(state, batch)?.role ?? null;
}

/** Pauses the run and its agents. In a run that is paused already, it pauses agents that were resumed since. */
export function requestPause(run: Run, input: unknown): void {
  const { state } = run;
  const reason = readReason(input);
  const interrupt = isRecord(input) && input.interrupt === true;
  const wasPaused = state.people.pausedAt !== null;
  const reached = state.end ? [] : tellAgents(run, () => ({ signal: 'pause', input: { reason, interrupt } }));
  const isNews = !wasPaused || reached.some(id => !isPaused(state.children, id));
  state.children = withPaused(state.children, reached, true);
  if (state.end || !isNews)
    return void ignore(run, 'pause', state.end ? 'the run has ended' : 'it is paused already');
  state.people.pausedAt ??= run.ports.now();
  run.journal('paused', { reason });
  if (!wasPaused) tellPause(run, 'paused');
  run.keepTime();
  if (interrupt && run.inFlight?.interruptible) run.ports.cancelCalls();
}

/** Resumes the run and its agents, even agents that did not report a pause: their reports may be in transit. */
export function requestResume(run: Run, input: unknown): void {
  const { state } = run;
  const reason = readReason(input);
  const { paused } = state.children;
  const wasPaused = state.people.pausedAt !== null;
  const reached = tellAgents(run, () => ({ signal: 'resume', input: { reason } }));
  if (!wasPaused && paused.length === 0) {
    const agents =
      reached.length === 0 ? '' : ', and its agents at work did not say that they are: they are told';
    return void ignore(run, 'resume', `it is not paused${agents}`);
  }
  state.people.pausedAt = null;
  state.children = withPaused(state.children, paused, false);
  run.journal('resumed', { reason, ...(paused.length > 0 && { agents: paused }) });
  if (wasPaused) tellPause(run, 'resumed');
  run.keepTime();
}

/** Records the stop and interrupts the call in flight if that is safe; the loop does everything else (L10). */
export function requestStop(run: Run, input: unknown): void {
  const { state } = run;
  if (state.end || state.people.stop)
    return void ignore(run, 'stop', state.end ? 'the run has ended' : 'it is stopping already');
  stopRun(run, readReason(input));
}

/** Ends a run that is kept open, when its goal is answered and no message waits. */
export function requestFinish(run: Run): void {
  run.state.people.finishing = true;
}

export function ignore(run: Run, signal: string, reason: string): void {
  run.journal('signal_ignored', { signal: preview(signal, 100), reason: boundedText(reason) });
}

/** Records the answer of a gate; the loop that waits there continues. */
export function takeAnswer(run: Run, { gateId, answer }: ReadAnswer): { gateId: string } {
  const open = run.state.people.gates.find(({ gate }) => gate.id === gateId);
  if (open) open.answer = answer;
  if (open?.agent) {
    // "Always" holds in that agent's run only.
    passAnswer(run, open.agent, answer);
    return { gateId };
  }
  if (open) gateAnswered(run, open, answer);
  // Applied at once, so that edits count in the order in which they were acknowledged.
  if (answer.kind === 'plan' && answer.decision === 'edit')
    editPlan(run, { tasks: answer.tasks, removed: leftOut(run.state.tasks, answer) });
  if (open?.gate.kind === 'approval' && answer.kind === 'approval' && answer.decision === 'always')
    allowAlways(run, open.gate.subject, answer.arguments);
  return { gateId };
}

/** `run`: true if the client may run the call. A call that was begun and lost runs again only if its tool is repeatable. */
export function takeClaim(run: Run, { gateId, by, isLost }: ReadClaim): { run: boolean } {
  const open = run.state.people.gates.find(({ gate }) => gate.id === gateId);
  if (open?.gate.kind !== 'clientTool') return { run: false };
  const { subject } = open.gate;
  const tool = run.pinned.tools.find(
    ({ origin, serverToolName }) => origin.type === 'client' && serverToolName === subject.tool,
  );
  if (isLost && !(tool && isRepeatable(tool.policy))) {
    open.answer = lostResult('lost');
    return { run: false };
  }
  const others = openGates(run).filter(gate => gate !== open.gate);
  open.gate = fitGate({ ...open.gate, subject: { ...subject, claimedBy: by } }, others);
  return { run: true };
}

/** Takes the answer of the caller's person at this run's gate. An invalid answer is returned, and the gate stays open. */
export function answerFromCaller(run: Run, input: unknown): void {
  const read = answerReader(run.state, 'answerGate')(input);
  if ('ok' in read) return void takeAnswer(run, read.ok);
  ignore(run, 'answer', read.error);
  // No gate has a longer id, so no sender waits for this answer.
  if (isRecord(input) && typeof input.gateId === 'string' && input.gateId.length <= LONGEST_ID)
    run.ports.tellCaller({ type: 'answer_refused', gateId: input.gateId, why: read.error });
}

/** Allows the shown call from now on. If the person edited its arguments, the edited call is allowed instead. */
function allowAlways(
  run: Run,
  subject: Extract<Gate, { kind: 'approval' }>['subject'],
  edited: Record<string, unknown> | null,
): void {
  const allowed = allowedAt(subject, edited);
  if (allowed === null) return;
  const { people } = run.state;
  const others = people.allowedTools.filter(entry => entry !== allowed);
  people.allowedTools = [...others, allowed].slice(-MAX_ALLOWED_TOOLS);
  closeForAlways(run, allowed);
}

/** Applies a person's edit of the plan completely: it was checked on arrival. */
export function editPlan(run: Run, { tasks, removed }: PlanChange): { tasks: number } {
  updatePlan(run, tasks, { maxTasks: Number.POSITIVE_INFINITY, byPerson: true, dropped: removed });
  return { tasks: run.state.tasks.length };
}

/** Changes limits of a run in flight; they count from the next check on. */
export function setBudget(run: Run, input: Partial<Limits>): { limits: string[]; agents: string[] } {
  return { agents: setLimits(run, input, 'setBudget'), limits: Object.keys(input) };
}

/** Changes the model of roles of a run in flight. A call that has begun keeps its model. */
export function changeModel(run: Run, { model, role, roles }: ReadModel): { roles: string[] } {
  chooseModel(run, { model, role });
  return { roles };
}

/** Handles a message from the run that called this one as a sub-agent, whose person decided it. */
export function hearCaller(run: Run, raw: unknown): void {
  const message = isSubagent(run.state.settings) ? readFromCaller(raw) : null;
  if (message === null) return void ignore(run, 'caller', 'it is not an instruction for a sub-agent');
  // The agent ended while the message was in transit.
  if (run.state.end) return;
  switch (message.type) {
    case 'limits':
      setLimits(run, message.limits, 'caller');
      break;
    case 'model_chosen':
      chooseModel(run, message);
      break;
    case 'models_out':
      setOut(run, message.out);
      break;
    case 'withdraw':
      withdraw(run, message.messageId);
  }
}
