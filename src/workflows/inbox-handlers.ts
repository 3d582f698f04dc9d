/**
 * What arrives from people: signals and updates. Handlers are synchronous, write to inbox, gates and switches
 * only, and never throw; the loop does the rest (DESIGN.md, "Steering").
 */
import {
  GATE_ANSWER_BYTES,
  MESSAGE_BYTES,
  MESSAGES_BYTES,
  OTHER_ANSWERS_BYTES,
  sizeOfList,
} from '../core/bounds.js';
import type { GateAnswer } from '../core/gate.js';
import { checkAnswer } from '../core/gate-answer.js';
import { acceptMessage, wantsInterrupt, withdrawMessage } from '../core/inbox.js';
import { preview } from '../core/journal.js';
import { isRecord, stringOr } from '../core/json.js';
import type { Limits } from '../core/limits.js';
import { ceilingFault, limitsFault } from '../core/limits.js';
import type { PlannedTask } from '../core/plan.js';
import { mergePlan } from '../core/plan.js';
import { readPlannedTasks } from '../core/planned-tasks.js';
import type { Situation } from '../core/receipt.js';
import { acceptedReceipt } from '../core/receipt.js';
import { budgetUse } from '../core/run-state.js';
import { closeForAlways } from './gates.js';
import type { Run } from './run.js';
import { setLimits } from './set-limits.js';
import { readable, UNDERSTANDING } from './take-steering.js';

/** Takes a steering message or a follow-up into the inbox, and interrupts the call in flight if it says so. */
export function receive(run: Run, raw: unknown, kind: 'steer' | 'follow-up'): void {
  const { state, ports } = run;
  const taken = acceptMessage(state.inbox, raw, kind, {
    at: ports.now(),
    fallbackId: run.nextId('s'),
    ended: state.end !== null,
    maxBytes: MESSAGE_BYTES,
    // What is being understood still takes its place.
    room: MESSAGES_BYTES - sizeOfList(state.steering?.items ?? []),
  });
  if (taken.kind === 'repeated') return;
  if (taken.kind === 'ignored') {
    run.journal('signal_ignored', { signal: kind === 'steer' ? 'steer' : 'followUp', reason: taken.why });
    if (taken.id !== null) run.journal('receipt', { id: taken.id, status: 'dropped', how: taken.why });
    return;
  }
  const situation = situationOf(run, taken.item.to);
  run.journal('receipt', acceptedReceipt(taken.item, situation));
  const { interruptible, forAnother } = situation;
  if (kind === 'steer' && interruptible && !forAnother && wantsInterrupt([taken.item])) ports.interrupt();
}

/** Why a message can not be taken back; null when it can. */
export function withdrawalFault({ state }: Run, input: unknown): string | null {
  const id = isRecord(input) ? input.id : input;
  if (typeof id !== 'string')
    return 'Say which message: { "id": "…" }, as the query state lists it in inbox.';
  if (state.inbox.items.some(item => item.id === id)) return null;
  return `No message ${preview(id, 200)} waits: it has been read, or never came.`;
}

/** Takes a message back that nobody has read, for its sender to change it. */
export function withdraw(run: Run, { id }: { id: string }): { text: string } {
  const item = withdrawMessage(run.state.inbox, id);
  if (item === null) throw new Error(`no message ${id} waits`);
  run.journal('receipt', { id, status: 'dropped', how: 'taken back by its sender' });
  return { text: item.text };
}

function situationOf(run: Run, to: string | null): Situation {
  const { state, inFlight } = run;
  return {
    doing: doingOf(run),
    interruptible: inFlight?.interruptible === true && readable(run),
    forAnother: to !== null && to !== roleAtWork(run),
    paused: state.pausedAt !== null,
    understands: state.pinned?.roles[UNDERSTANDING] !== undefined,
    first: firstOf(run),
    stopping: state.stop !== null,
    wrappingUp: state.goal.wrapUp !== null,
  };
}

/** What is dealt with before anybody reads the message. */
function firstOf({ state }: Run): string | null {
  if (state.steering) return 'after the message before it';
  if (state.cursor.phase === 'consultation') return `after ${state.consultation?.role} has answered`;
  return null;
}

function doingOf({ state, inFlight }: Run): Situation['doing'] {
  if (state.end || state.idleSince !== null) return 'idle';
  if (inFlight) return `${inFlight.kind}_call`;
  if (state.gates.length === 0) return state.pinned ? 'between' : 'loading';
  return state.cursor.batch ? 'asking' : 'waiting';
}

/** The role whose call is in flight, or whose tool calls are being worked off. */
function roleAtWork({ state, inFlight }: Run): string | null {
  const { batch } = state.cursor;
  if (inFlight || !batch) return inFlight?.role ?? null;
  const reply = state.threads[batch.thread]?.messages.find(message => message.id === batch.messageId);
  return reply?.kind === 'assistant' ? reply.role : null;
}

export function requestPause(run: Run, input: unknown): void {
  const { state } = run;
  if (state.end || state.pausedAt !== null) {
    ignore(run, 'pause', state.end ? 'the run has ended' : 'it is paused already');
    return;
  }
  state.pausedAt = run.ports.now();
  run.journal('paused', { reason: reasonOf(input) });
  if (isRecord(input) && input.interrupt === true && run.inFlight?.interruptible) run.ports.interrupt();
}

export function requestResume(run: Run, input: unknown): void {
  const { state } = run;
  if (state.pausedAt === null) {
    ignore(run, 'resume', 'it is not paused');
    return;
  }
  state.pausedAt = null;
  run.journal('resumed', { reason: reasonOf(input) });
}

/** Notes the stop and aborts the call in flight where that is safe; the loop does the rest (L10). */
export function requestStop(run: Run, input: unknown): void {
  const { state } = run;
  if (state.end || state.stop) {
    ignore(run, 'stop', state.end ? 'the run has ended' : 'it is stopping already');
    return;
  }
  const reason = reasonOf(input);
  state.stop = { at: run.ports.now(), reason };
  run.journal('stop_requested', { reason });
  run.ports.interrupt();
}

/** A run that is kept open ends when its goal is answered and nothing waits. */
export function requestFinish(run: Run): void {
  run.state.finishing = true;
}

function ignore(run: Run, signal: string, reason: string): void {
  run.journal('signal_ignored', { signal, reason });
}

function reasonOf(input: unknown): string {
  if (typeof input === 'string') return preview(input, 500);
  return isRecord(input) ? preview(stringOr(input.reason, ''), 500) : '';
}

export type AnswerRoute = 'answerGate' | 'submitToolResult';

/** What is wrong with an answer; null when it can be taken. For the update's validator. */
export function answerFault(run: Run, input: unknown, via: AnswerRoute): string | null {
  const checked = checkedAnswer(run, input, via);
  return 'error' in checked ? checked.error : null;
}

/** Gives a gate its answer; the loop that waits at it goes on. */
export function takeAnswer(run: Run, input: unknown, via: AnswerRoute): { gateId: string } {
  const checked = checkedAnswer(run, input, via);
  if ('error' in checked) throw new Error(checked.error);
  const { gateId, answer } = checked.ok;
  const open = run.state.gates.find(({ gate }) => gate.gateId === gateId);
  if (open) open.answer = answer;
  if (open?.gate.kind === 'approval' && answer.kind === 'approval' && answer.decision === 'always')
    allowAlways(run, open.gate.subject.tool);
  return { gateId };
}

function allowAlways(run: Run, tool: string): void {
  const { state } = run;
  if (!state.allowedTools.includes(tool)) state.allowedTools.push(tool);
  closeForAlways(run, tool);
}

function checkedAnswer(run: Run, input: unknown, via: AnswerRoute) {
  const { gates, closedGates, tasks } = run.state;
  const open = gates.filter(gate => gate.answer === null).map(({ gate }) => gate);
  const answered = gates.filter(gate => gate.answer !== null).map(({ gate }) => gate.gateId);
  const knownTaskIds = tasks.map(task => task.id);
  const checked = checkAnswer(open, [...closedGates, ...answered], input, {
    via,
    maxBytes: GATE_ANSWER_BYTES,
    knownTaskIds,
    ceilings: run.state.pinned?.ceilings ?? {},
  });
  const fault = 'ok' in checked ? tooManyAnswers(run, checked.ok) : null;
  return fault === null ? checked : { error: fault };
}

/** The gate that the run waits at takes any answer; those behind it may hold so much together. */
function tooManyAnswers(
  { state }: Run,
  { gateId, answer }: { gateId: string; answer: GateAnswer },
): string | null {
  const [first, ...others] = state.gates;
  if (!first || first.gate.gateId === gateId) return null;
  const waiting = others.flatMap(open => (open.answer ? [open.answer] : []));
  if (sizeOfList([...waiting, answer]) <= OTHER_ANSWERS_BYTES) return null;
  return `Answers that wait for their turn may take ${OTHER_ANSWERS_BYTES} bytes together: answer ${first.gate.gateId} first.`;
}

/** Tasks of an edit, or what is wrong with it (L17): only tasks that have not begun can change. */
export function readPlanEdit(run: Run, input: unknown): PlannedTask[] | string {
  const { state } = run;
  if (state.end) return 'The run has ended.';
  if (!state.pinned) return 'The run is being loaded: try again in a moment.';
  if (state.idleSince !== null || state.goal.wrapUp !== null)
    return 'The goal is answered or being wrapped up: send a follow-up instead.';
  if (!isRecord(input) || !Array.isArray(input.tasks) || input.tasks.length === 0) {
    return 'Give { "tasks": [{ "id", "description", … }] } with at least one task.';
  }
  const errors: string[] = [];
  const knownTaskIds = state.tasks.map(task => task.id);
  const tasks = readPlannedTasks(input.tasks, { field: 'tasks', knownTaskIds, order: undefined }, errors);
  const begun = tasks.filter(task => state.tasks.some(old => old.id === task.id && old.status !== 'pending'));
  for (const task of begun) errors.push(`Task ${task.id} has begun already and can not be changed.`);
  return errors.length > 0 ? errors.join(' ') : tasks;
}

export function editPlan(run: Run, input: unknown): { tasks: number } {
  const edit = readPlanEdit(run, input);
  if (typeof edit === 'string') throw new Error(edit);
  const { state } = run;
  const { tasks, changed, cut } = mergePlan(state.tasks, edit, {
    cycle: state.cursor.cycle,
    maxTasks: run.pinned.limits.tasks,
  });
  state.tasks = tasks;
  const shown = tasks.map(({ id, description, status }) => ({ id, description, status }));
  run.journal('plan_updated', { tasks: shown, changed, cut });
  return { tasks: tasks.length };
}

/** What is wrong with new limits; null when they can be taken. */
export function budgetFault(run: Run, input: unknown): string | null {
  if (run.state.end) return 'The run has ended.';
  if (!run.state.pinned) return 'The run is being loaded: try again in a moment.';
  const { pinned, state, ports } = run;
  const standing = { limits: pinned.limits, used: budgetUse(state, ports.now()) };
  return limitsFault(input, standing) ?? ceilingFault(input as Partial<Limits>, pinned.ceilings);
}

/** Changes limits of a run in flight; they count from the next check on. */
export function setBudget(run: Run, input: Partial<Limits>): { limits: string[] } {
  setLimits(run, input, 'setBudget');
  return { limits: Object.keys(input) };
}
