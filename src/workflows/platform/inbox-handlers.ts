/**
 * What becomes of what people send, once it is read (read-input.ts). Handlers are synchronous, write to inbox,
 * gates and switches only, and never throw; the loop does the rest.
 */
import { readItem } from '../../core/agent-message.js';
import { MESSAGE_BYTES, MESSAGES_BYTES } from '../../core/bounds.js';
import { addresseeOf, addresses, openChildren } from '../../core/children.js';
import { here, steeringAt } from '../../core/cursor.js';
import { acceptMessage, wantsInterrupt, withdrawMessage } from '../../core/inbox.js';
import { isRecord } from '../../core/json.js';
import type { Limits } from '../../core/limits.js';
import { readersOf } from '../../core/modes.js';
import type { PlannedTask } from '../../core/plan.js';
import { preview } from '../../core/preview.js';
import type { Situation } from '../../core/receipt.js';
import { acceptedReceipt } from '../../core/receipt.js';
import { wayOf } from '../../core/run-state.js';
import { sizeOfList } from '../../core/sizes.js';
import { isSubagent } from '../../core/subagent.js';
import { replyOf } from '../../core/thread.js';
import { passAnswer } from '../agent-gates.js';
import { passOn } from '../agents.js';
import { closeForAlways } from '../gates.js';
import { readable, roleHere, UNDERSTANDING } from '../hearing.js';
import { keepTime } from '../keep-time.js';
import type { ToChild } from '../ports.js';
import type { Run } from '../run.js';
import { setLimits } from '../set-limits.js';
import { setModel } from '../set-model.js';
import { takeForm } from '../tool-forms.js';
import { updatePlan } from '../update-plan.js';
import type { ReadAnswer, ReadModel } from './read-input.js';
import { answerReader, readReason } from './read-input.js';

/** Takes a steering message or a follow-up into the inbox, and interrupts the call in flight if it says so. */
export function receive(run: Run, raw: unknown, kind: 'steer' | 'follow-up'): void {
  const { state, ports } = run;
  const readers = readersOf(wayOf(state));
  const to = kind === 'steer' && isRecord(raw) ? raw.to : null;
  const agent = readers.some(reader => reader === to) ? null : addresseeOf(state.children, to);
  const taken = acceptMessage(state.people.inbox, raw, kind, {
    at: ports.now(),
    fallbackId: ownMessageId(run),
    ended: state.end !== null,
    readers: agent ? [String(to)] : [...readers, ...addresses(state.children)],
    maxBytes: MESSAGE_BYTES,
    // What is being understood still takes its place.
    room: MESSAGES_BYTES - sizeOfList(steeringAt(state.cursor)?.items ?? []),
  });
  if (taken.kind === 'repeated') return;
  if (taken.kind === 'ignored') {
    run.journal('signal_ignored', { signal: kind === 'steer' ? 'steer' : 'followUp', reason: taken.why });
    if (taken.id !== null) run.journal('receipt', { id: taken.id, state: 'dropped', how: taken.why });
    if (kind === 'steer' && isRecord(raw)) giveUp(run, raw, taken.why);
    return;
  }
  if (agent) {
    passOn(run, taken.item, agent);
    return;
  }
  const situation = situationOf(run, taken.item.to);
  run.journal('receipt', acceptedReceipt(taken.item, situation));
  const { interruptible, forAnother } = situation;
  if (kind !== 'steer' || !interruptible || forAnother || !wantsInterrupt([taken.item])) return;
  ports.interrupt();
  ports.cancelSubagents();
}

/** For a message without one. An agent's is none that its caller gives, for that passes messages on with their ids. */
function ownMessageId(run: Run): string {
  const { settings } = run.state;
  const id = run.nextId('s');
  return isSubagent(settings) ? `${preview(settings.calledAs ?? '', 100)}/${id}` : id;
}

/** Whoever sent it to the caller was told that it is passed on: where nobody here reads it, the caller has it again. */
function giveUp({ state, ports }: Run, raw: Record<string, unknown>, why: string): void {
  const item = readItem({ ...raw, kind: 'steer', at: ports.now(), to: null });
  if (item && isSubagent(state.settings)) ports.tellCaller({ type: 'message_refused', item, why });
}

/** Takes a message back that nobody has read, for its sender to change it. */
export function withdraw(run: Run, id: string): { text: string } {
  const item = withdrawMessage(run.state.people.inbox, id);
  run.journal('receipt', { id, state: 'dropped', how: 'taken back by its sender' });
  return { text: item?.text ?? '' };
}

function situationOf(run: Run, to: string | null): Situation {
  const { state, inFlight } = run;
  return {
    doing: doingOf(run),
    interruptible: inFlight?.interruptible === true && readable(run),
    forAnother: to !== null && to !== roleAtWork(run),
    paused: state.people.pausedAt !== null,
    understands: state.pinned?.roles[UNDERSTANDING] !== undefined,
    first: firstOf(run),
    stopping: state.people.stop !== null,
    isAgent: isSubagent(state.settings),
    wrappingUp: state.cursor.place.phase === 'wrap_up',
  };
}

/** What is dealt with before anybody reads the message. */
function firstOf({ state }: Run): string | null {
  const at = here(state.cursor);
  if (at.phase === 'steering') return 'after the message before it';
  if (at.phase === 'consultation') return `after ${at.role} has answered`;
  return null;
}

function doingOf({ state, inFlight }: Run): Situation['doing'] {
  if (state.end || state.idleSince !== null) return 'idle';
  if (inFlight) return `${inFlight.kind}_call`;
  if (state.people.gates.length === 0) return state.pinned ? 'between' : 'loading';
  return here(state.cursor).turns.batch ? 'asking' : 'waiting';
}

/** The role whose call is in flight, whose tool calls are being worked off, or whose place the run is at. */
function roleAtWork(run: Run): string | null {
  const { state, inFlight } = run;
  const { batch } = here(state.cursor).turns;
  if (inFlight || !batch) return inFlight?.role ?? roleHere(run);
  return replyOf(state, batch)?.role ?? null;
}

export function requestPause(run: Run, input: unknown): void {
  const { state } = run;
  if (state.end || state.people.pausedAt !== null) {
    ignore(run, 'pause', state.end ? 'the run has ended' : 'it is paused already');
    return;
  }
  state.people.pausedAt = run.ports.now();
  const reason = readReason(input);
  const interrupt = isRecord(input) && input.interrupt === true;
  run.journal('paused', { reason });
  passDown(run, { signal: 'pause', input: { reason, interrupt } });
  keepTime(run);
  if (interrupt && run.inFlight?.interruptible) run.ports.interrupt();
}

export function requestResume(run: Run, input: unknown): void {
  const { state } = run;
  if (state.people.pausedAt === null) {
    ignore(run, 'resume', 'it is not paused');
    return;
  }
  state.people.pausedAt = null;
  const reason = readReason(input);
  run.journal('resumed', { reason });
  passDown(run, { signal: 'resume', input: { reason } });
  keepTime(run);
}

/** Notes the stop and aborts the call in flight where that is safe; the loop does the rest (L10). */
export function requestStop(run: Run, input: unknown): void {
  const { state } = run;
  if (state.end || state.people.stop) {
    ignore(run, 'stop', state.end ? 'the run has ended' : 'it is stopping already');
    return;
  }
  const reason = readReason(input);
  state.people.stop = { at: run.ports.now(), reason };
  run.journal('stop_requested', { reason });
  run.ports.interrupt();
  passDown(run, { signal: 'stop', input: { reason } });
}

/**
 * What holds or ends a run does so with the sub-agents at work; one that has just ended needs it no more. They get
 * what was read: what came may be as large as a message can be, and all of them together get it.
 */
function passDown(run: Run, message: ToChild): void {
  for (const { id } of openChildren(run.state.children)) run.ports.tellSubagent(id, message, () => {});
}

/** A run that is kept open ends when its goal is answered and nothing waits. */
export function requestFinish(run: Run): void {
  run.state.people.finishing = true;
}

export function ignore(run: Run, signal: string, reason: string): void {
  run.journal('signal_ignored', { signal: preview(signal, 100), reason });
}

/** Gives a gate its answer; the loop that waits at it goes on. */
export function takeAnswer(run: Run, { gateId, answer }: ReadAnswer): { gateId: string } {
  const open = run.state.people.gates.find(({ gate }) => gate.id === gateId);
  if (open) open.answer = answer;
  if (open?.agent) {
    // What is allowed for always is so in that agent's run.
    passAnswer(run, open.agent, answer);
    return { gateId };
  }
  if (open && answer.kind === 'form') takeForm(run, open, answer);
  // At once, so that edits count in the order in which they were acknowledged.
  if (answer.kind === 'plan' && answer.decision === 'edit') editPlan(run, answer.tasks);
  if (open?.gate.kind === 'approval' && answer.kind === 'approval' && answer.decision === 'always')
    allowAlways(run, open.gate.subject.tool);
  return { gateId };
}

/** What the caller's person said at this run's gate. What does not fit goes back, for the gate waits still. */
export function answerFromCaller(run: Run, input: unknown): void {
  const read = answerReader(run.state, 'answerGate')(input);
  if ('ok' in read) {
    takeAnswer(run, read.ok);
    return;
  }
  ignore(run, 'answer', read.error);
  if (isRecord(input) && typeof input.gateId === 'string')
    run.ports.tellCaller({ type: 'answer_refused', gateId: input.gateId, why: read.error });
}

function allowAlways(run: Run, tool: string): void {
  const { state } = run;
  if (!state.people.allowedTools.includes(tool)) state.people.allowedTools.push(tool);
  closeForAlways(run, tool);
}

/** Takes tasks of a person into the plan, all of them: they were checked when they came. */
export function editPlan(run: Run, edit: readonly PlannedTask[]): { tasks: number } {
  updatePlan(run, edit, { maxTasks: Number.POSITIVE_INFINITY, byPerson: true });
  return { tasks: run.state.tasks.length };
}

/** Changes limits of a run in flight; they count from the next check on. */
export function setBudget(run: Run, input: Partial<Limits>): { limits: string[] } {
  setLimits(run, input, 'setBudget');
  return { limits: Object.keys(input) };
}

/** Changes the model of roles of a run in flight: a call that has begun ends with the one that it has. */
export function changeModel(run: Run, { model, roles }: ReadModel): { roles: string[] } {
  for (const name of roles) setModel(run, run.role(name), model, 'chosen by a person');
  return { roles };
}
