/** What people do to a run: which of it, and when, is drawn from the seed. */

import { isRecord } from '../../src/base/json/json.js';
import type { PinnedRun } from '../../src/run/agents/run-config.js';
import { choicesOf, type Gate } from '../../src/run/gates/gate.js';
import type { BudgetUse, Limits } from '../../src/run/limits/limits.js';
import type { Task } from '../../src/run/plan/plan.js';
import { isOpen } from '../../src/run/plan/plan.js';
import type { Random } from './random.js';
import { TASK_IDS } from './special-replies.js';

/** One thing a person sends. `input` is the payload of the signal, as it would arrive. */
export type Act =
  | { kind: 'steer' | 'follow-up'; input: unknown; marker: string }
  | { kind: 'pause' | 'resume' | 'stop' | 'finish' }
  /** What depends on where the run is: which, and what, is drawn when it comes. */
  | { kind: 'answer' | 'edit-plan' | 'budget' | 'model' | 'withdraw' };

export interface TimedAct {
  /** The call to a model or tool, from 1, during which it comes, or after which. */
  call: number;
  where: 'during' | 'after';
  act: Act;
}

export interface People {
  acts: TimedAct[];
  /** Answers and other things done while the run waits; when they are used up, gates run into their deadline. */
  patience: number;
  /** Share of gates that nobody answers. */
  neglect: number;
}

export const NOBODY: People = { acts: [], patience: 0, neglect: 1 };

export function randomPeople(random: Random, roles: readonly string[]): People {
  const marks: Marks = { next: 0, ids: [] };
  const last = random.pick([4, 12, 30]);
  const acts = Array.from({ length: random.pick([0, 1, 2, 4, 7]) }, (): TimedAct => {
    const call = random.int(1, last);
    return {
      call,
      where: random.pick(['during', 'during', 'after'] as const),
      act: randomAct(random, roles, marks),
    };
  });
  return { acts, patience: random.pick([0, 5, 20, 40]), neglect: random.pick([0, 0.1, 0.5]) };
}

export interface Marks {
  next: number;
  ids: string[];
}

/** Each message has a text of its own, so that it can be found again wherever it went. */
export function randomAct(random: Random, roles: readonly string[], marks: Marks): Act {
  const kind = random.weighted([
    [10, 'steer'],
    [3, 'follow-up'],
    [2, 'pause'],
    [1, 'resume'],
    [0.5, 'stop'],
    [0.5, 'finish'],
    [3, 'answer'],
    [3, 'edit-plan'],
    [1, 'budget'],
    [1, 'withdraw'],
    [1, 'model'],
  ] as const);
  if (kind !== 'steer' && kind !== 'follow-up') return { kind };
  marks.next += 1;
  const marker = `«${marks.next}»`;
  return { kind, input: message(random, roles, marks, marker), marker };
}

function message(random: Random, roles: readonly string[], marks: Marks, marker: string): unknown {
  const text = `Mind this ${marker}`;
  if (random.chance(0.1))
    return random.pick([
      { id: 'bad', text: ' ' },
      { text, when: 'now' },
      { text, to: 'nobody' },
      null,
      7,
      [],
    ]);
  if (random.chance(0.1)) return text;
  const repeated = random.chance(0.15) && marks.ids.length > 0;
  const id = repeated ? random.pick(marks.ids) : random.pick([`u${marks.next}`, `u${marks.next}`, 's3']);
  marks.ids.push(id);
  return {
    ...(random.chance(0.85) ? { id } : {}),
    text,
    ...(random.chance(0.7) ? { when: random.pick(['skip', 'after-batch', 'interrupt']) } : {}),
    ...(random.chance(0.25) ? { to: random.pick(roles) } : {}),
  };
}

const ODD_EDITS: readonly unknown[] = [
  null,
  { tasks: [] },
  { tasks: [{ id: 'p0' }] },
  { tasks: [{ id: 'p0', description: 'Wait for nothing', dependencies: ['nobody'] }] },
];

/** Tasks that a person adds or changes, most of them so that they can be taken. `marker` makes each one its own. */
export function randomPlanEdit(random: Random, tasks: readonly Task[], marker: string): unknown {
  if (random.chance(0.1)) return random.pick(ODD_EDITS);
  const own = (id: string, dependencies: string[] = []) => ({
    id,
    description: wanted(id, marker),
    dependencies,
    priority: random.int(1, 3),
  });
  const change = tasks.length > 0 && random.chance(0.4);
  if (change) return { tasks: [changedTask(random, random.pick(tasks), marker)] };
  const many = random.chance(0.1) ? 7 : random.pick([1, 1, 2]);
  const ids = Array.from({ length: many }, (_, index) => `p${marker.slice(1, -1)}${'abcdefg'[index]}`);
  // Ids that a planner may come up with as well.
  if (random.chance(0.2)) ids[0] = random.pick(TASK_IDS);
  const needed = random.some(
    tasks.map(task => task.id),
    0.2,
  );
  return { tasks: ids.map((id, index) => own(id, index === 0 ? needed.filter(one => one !== id) : [])) };
}

/** Longer than the beginning by which an ended task may be told. */
function wanted(id: string, marker: string): string {
  return `Do ${id} as a person wants it ${marker}, ${'and with care '.repeat(25)}to the end`;
}

/** A task as a person gives it again: with what they want otherwise, and often with nothing beside. */
function changedTask(random: Random, { id, description }: Task, marker: string): Record<string, unknown> {
  return {
    id,
    ...(random.chance(0.9) ? { description: random.pick([description, wanted(id, marker)]) } : {}),
    ...(random.chance(0.2) ? { priority: random.int(1, 3) } : {}),
    ...(random.chance(0.2) ? { dependencies: [] } : {}),
    ...(random.chance(0.2) ? { completionCriteria: `it says ${marker}` } : {}),
    ...(random.chance(0.2) ? { estimatedDuration: 2_000 } : {}),
  };
}

/** The tasks that a person wants in place of those that are open: without some, others changed, perhaps one more. */
function wholePlan(random: Random, tasks: readonly Task[], marker: string): unknown {
  const kept = random.some(tasks.filter(isOpen), random.pick([0.3, 0.7, 1]));
  const listed = kept.map(task => changedTask(random, task, marker));
  const id = `p${marker.slice(1, -1)}`;
  const isMore = listed.length === 0 || random.chance(0.3);
  return { tasks: isMore ? [...listed, { id, description: wanted(id, marker) }] : listed };
}

/** New limits, some of them none. */
export function randomBudget(random: Random, limits: Limits, used: BudgetUse): unknown {
  return random.pick([
    { turns: used.turns + random.int(1, 4) },
    { tokens: used.tokens + random.int(100, 600) },
    { turns: limits.turns + random.int(1, 20) },
    { tokens: random.int(1, 4) * limits.tokens, verification: limits.verification + 1 },
    { wallTimeMs: limits.wallTimeMs * 2, costUsd: null },
    { turns: random.int(1, 5) },
    { turns: 0 },
    { foo: 1 },
    {},
    'more',
  ]);
}

/** A model for a role or for all, some of them none. */
export function randomModel(
  random: Random,
  { roles, agents, modelInfo }: Pick<PinnedRun, 'roles' | 'agents' | 'modelInfo'>,
): unknown {
  if (random.chance(0.2))
    return random.pick([null, {}, { model: 'p/nobody' }, { model: 'p/a', role: 'nobody' }, 'p/a']);
  const model = random.pick(Object.keys(modelInfo));
  const names = [...Object.keys(roles), ...agents.map(({ name }) => name)];
  return random.chance(0.5) ? { model } : { model, role: random.pick(names) };
}

/** An answer to a gate, most of them right; `via` the update it comes by. */
export function randomAnswer(
  random: Random,
  gate: Gate,
  given: { tasks: readonly Task[]; marker: string },
): { via: 'answerGate' | 'submitToolResult'; input: unknown } {
  const right = gate.kind === 'clientTool' ? 'submitToolResult' : 'answerGate';
  // Clients that run tools are few.
  if (random.chance(gate.kind === 'clientTool' ? 0.3 : 0.15)) return wrongAnswer(random, gate, right);
  const { id: gateId } = gate;
  const said = rightAnswer(random, gate, given);
  const maySay = said.decision === 'deny' || gate.kind === 'route' || gate.kind === 'step';
  const saysWhy = 'reason' in said || (maySay && random.chance(0.5));
  return { via: right, input: { gateId, ...said, ...(saysWhy ? { reason: `because of ${gateId}` } : {}) } };
}

function wrongAnswer(random: Random, gate: Gate, right: 'answerGate' | 'submitToolResult') {
  const { id: gateId } = gate;
  const other = right === 'answerGate' ? 'submitToolResult' : 'answerGate';
  return random.pick([
    { via: right, input: { gateId: 'g0', decision: 'approve' } },
    { via: right, input: 'yes' },
    { via: right, input: { gateId, decision: 'perhaps', text: ' ' } },
    { via: other, input: { gateId, decision: 'approve', content: 'x' } } as const,
    { via: right, input: { gateId, decision: 'deny', arguments: { path: 'z' } } },
  ]);
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function rightAnswer(
  random: Random,
  gate: Gate,
  { tasks, marker }: { tasks: readonly Task[]; marker: string },
): Record<string, unknown> {
  switch (gate.kind) {
    case 'approval': {
      const decision = random.pick(['approve', 'approve', 'deny', 'always']);
      if (decision === 'deny') return { decision };
      return random.chance(0.3) ? { decision, arguments: { path: 'edited' } } : { decision };
    }
    case 'plan':
      return random.pick([
        { decision: 'approve' },
        { decision: 'approve' },
        { decision: 'reject', reason: 'Shorter.' },
        { decision: 'edit', ...recordOf(wholePlan(random, tasks, marker)) },
        { decision: 'edit', ...recordOf(randomPlanEdit(random, tasks, marker)) },
      ]);
    case 'question':
      return { text: `answer to ${gate.id}` };
    case 'route':
      return { decision: random.pick(['approve', 'approve', 'deny']) };
    case 'clientTool':
      return { content: random.pick(['a result', { rows: [1] }]), isError: random.chance(0.2) };
    case 'budget': {
      const { limit, used } = gate.subject;
      const to = Math.ceil(2 * Math.max(limit, used)) + 1;
      return random.pick([{ decision: 'raise', to }, { decision: 'wrap_up' }]);
    }
    case 'failure': {
      const [model] = gate.subject.models;
      const other = model === undefined ? [] : [{ decision: 'other_model', model }];
      return random.pick([{ decision: 'retry' }, { decision: 'stop' }, ...other]);
    }
    case 'form':
    case 'step':
      return { decision: random.pick(choicesOf(gate)) };
  }
}
