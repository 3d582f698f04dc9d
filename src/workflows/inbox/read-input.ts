/**
 * Readers of clients' input to a run in flight, one for each kind (ST4). They accept any JSON, because the Web UI's forms and
 * clients in other languages may send any. A validator and its handler use the same reader, so that accepted input can be
 * carried out.
 */

import {
  isRecord,
  isText,
  jsonBytes,
  MAX_JSON_DEPTH,
  nestsDeeper,
  ownValue,
  stringOr,
} from '../../base/json/json.js';
import {
  GATE_ANSWER_BYTES,
  INPUT_BYTES,
  LONGEST_ID,
  MESSAGE_BYTES,
  MESSAGES_BYTES,
  OTHER_ANSWERS_BYTES,
} from '../../base/sizes/bounds.js';
import { sizeOfList } from '../../base/sizes/sizes.js';
import { boundedText } from '../../base/text/fit.js';
import { expected, isAbsent, quoted } from '../../base/text/output-fields.js';
import { preview } from '../../base/text/preview.js';
import { capabilitiesOf } from '../../rules/agents/capabilities.js';
import { settingThatDiffers } from '../../rules/agents/run-input.js';
import { isSubagent, rolesBelow, sessionOf } from '../../rules/agents/subagent.js';
import { checkAnswer } from '../../rules/gates/gate-answer.js';
import { chainOf, limitsOf, modelFault, modelOf, noPrice } from '../../rules/limits/in-force.js';
import { readPlannedTasks } from '../../rules/outputs/planned-tasks.js';
import { leftOut, type PlanChange, planEditFaults, removalFaults } from '../../rules/plan/plan-edit.js';
import { roleNamed } from '../../run/agents/role.js';
import type { GateAnswer, GateCloser } from '../../run/gates/gate.js';
import { budgetsAbove, ceilingFault, type Limits, limitsFault } from '../../run/limits/limits.js';
import { REMOVED, type TaskChange } from '../../run/plan/plan.js';
import { hasPlan } from '../../run/position/modes.js';
import { steeringAt } from '../../run/state/cursor.js';
import { budgetUse, type RunState } from '../../run/state/run-state.js';
import type { Mark } from '../../run/state/stored-line.js';
import { FULL, fitsInbox } from '../../run/steering/inbox.js';
import { passedOn } from '../agents/agents.js';
import type { Read } from '../beside/feature.js';
import { type JoinInput, REFUSED } from '../run/definitions.js';
import type { Run } from '../run/run.js';
import { argumentFaults } from './check-arguments.js';

type Reader<T> = (input: unknown) => Read<T>;

export const LOADING = 'The run is being loaded: try again in a moment.';
export const ENDED = 'The run has ended.';

/**
 * Wraps a reader so that no deep or large input reaches it, which would exhaust the stack or the run's time. Refusals are
 * bounded, even if they quote the input.
 */
export function bounded<T>(read: Reader<T>): Reader<T> {
  return input => {
    const fault = inputFault(input);
    const given = fault === null ? read(input) : { error: fault };
    return 'error' in given ? { ...given, error: boundedText(given.error) } : given;
  };
}

function inputFault(input: unknown): string | null {
  if (nestsDeeper(input, MAX_JSON_DEPTH)) return `The input is nested deeper than ${MAX_JSON_DEPTH} levels.`;
  const bytes = jsonBytes(input);
  return bytes > INPUT_BYTES ? `The input has ${bytes} bytes, and at most ${INPUT_BYTES} are taken.` : null;
}

/** Returns the reason of a signal: a text, `{ "reason": "…" }`, or nothing. */
export function readReason(input: unknown): string {
  return preview(isRecord(input) ? stringOr(input.reason, '') : stringOr(input, ''), 500);
}

/** Reads the id of a message that waits: `{ "id": "…" }`, or the bare id. */
export function withdrawalReader(run: Run): Reader<string> {
  return bounded(input => {
    const id = isRecord(input) ? input.id : input;
    if (typeof id !== 'string')
      return { error: 'Say which message: { "id": "…" }, as the query state lists it in inbox.' };
    const waiting = [...run.state.people.inbox.items, ...passedOn(run)];
    if (waiting.some(item => item.id === id)) return { ok: id };
    return { error: `No message ${preview(id, 200)} waits: it has been read, or never came.` };
  });
}

/** Reads a start that found the run open. The start that began it is always accepted, another goal only if it can be next. */
export function joinReader(
  { settings, end, people, cursor }: RunState,
  workflowId: string,
): Reader<JoinInput> {
  return bounded(input => {
    const given = isRecord(input) ? input : {};
    const { id, text } = given;
    if (typeof id !== 'string' || id === '' || id.length > LONGEST_ID || typeof text !== 'string')
      return { error: 'Say who joins, and with which goal: { "id": "…", "text": "…" }.' };
    if (settings.startedBy === id) return { ok: { id, text } };
    if (end !== null) return { error: ENDED };
    if (people.stop !== null || isSubagent(settings)) return { error: 'The run takes no further goal.' };
    if (!isAbsent(given.session) && given.session !== sessionOf(workflowId, settings))
      return { error: 'The run is one of another conversation.' };
    if (text.trim() === '' || jsonBytes(text) > MESSAGE_BYTES)
      return { error: `The goal must be a text of at most ${MESSAGE_BYTES} bytes.` };
    const differs = settingThatDiffers(settings, given);
    if (differs !== null)
      return {
        type: REFUSED.differs,
        error: `The run is open, and ${differs}: the goal would be pursued in another way than it is asked for.`,
      };
    const room = MESSAGES_BYTES - sizeOfList(steeringAt(cursor)?.items ?? []);
    return fitsInbox(people.inbox, { id, text }, room)
      ? { ok: { id, text } }
      : { type: REFUSED.full, error: FULL };
  });
}

export type AnswerRoute = 'answerGate' | 'submitToolResult';

export interface ReadAnswer {
  gateId: string;
  answer: GateAnswer;
}

/** Reads an answer to an open gate. */
export function answerReader(state: RunState, via: AnswerRoute): Reader<ReadAnswer> {
  return bounded(input => {
    const { tasks, people } = state;
    const open = people.gates.filter(gate => gate.answer === null).map(({ gate }) => gate);
    const checked = checkAnswer(open, input, {
      via,
      closedHow: id => closedHow(state, id),
      maxBytes: GATE_ANSWER_BYTES,
      knownTaskIds: tasks.map(task => task.id),
      ceilings: state.pinned?.ceilings ?? {},
      argumentFaults: (tool, args) => editFaults(state, tool, args),
      formFaults: argumentFaults,
      planFaults: edit => faultsOfEdit(state, edit.tasks, leftOut(state.tasks, edit)),
    });
    const fault = 'ok' in checked ? tooManyAnswers(state, checked.ok) : null;
    return fault === null ? checked : { error: fault };
  });
}

export interface ReadClaim {
  gateId: string;
  /** Names the client. */
  by: string;
  /** True if another client, which is gone, had claimed the call. */
  isLost: boolean;
}

/** Most characters of a client's name. */
const CLAIM_CHARS = 60;

/** Reads a client's claim to run a call of its tools. */
export function claimReader(state: RunState): Reader<ReadClaim> {
  return bounded(input => {
    const { gateId, by, takeOver } = isRecord(input) ? input : {};
    if (typeof gateId !== 'string' || typeof by !== 'string' || by === '' || by.length > CLAIM_CHARS)
      return { error: `Give { "gateId", "by" }: by whom it is run, in at most ${CLAIM_CHARS} characters.` };
    const gate = state.people.gates.find(open => open.gate.id === gateId && open.answer === null)?.gate;
    if (gate?.kind !== 'clientTool')
      return { error: `No call of a client's tool waits at ${preview(gateId)}.` };
    const { tool, claimedBy = by } = gate.subject;
    const isLost = claimedBy !== by;
    if (!isLost || takeOver === true) return { ok: { gateId, by, isLost } };
    return { error: `${claimedBy} has begun ${tool}: it is not to be run again.` };
  });
}

const HOW_CLOSED: Record<GateCloser, string> = {
  person: 'it has its answer already',
  timeout: 'no answer came in time',
  rule: 'no person had to be asked',
  superseded: 'the run no longer waits for an answer',
};

/**
 * Returns how a gate was closed, as far as the journal reaches back, in words without a full stop. A gate with an unread
 * answer counts as closed.
 */
function closedHow({ people, log }: RunState, id: string): string | null {
  if (people.gates.some(({ gate }) => gate.id === id)) return HOW_CLOSED.person;
  if (!people.closedGates.includes(id)) return null;
  const closed = log.journal.events.findLast(event => event.type === 'gate_closed' && event.gateId === id);
  return closed?.type === 'gate_closed'
    ? `${HOW_CLOSED[closed.by]} (${closed.decision})`
    : HOW_CLOSED.superseded;
}

/** Checks edited arguments by the pinned schema, unless the tool's server validates them itself. */
function editFaults({ pinned }: RunState, name: string, args: Record<string, unknown>): string[] {
  const tool = pinned?.tools.find(candidate => candidate.name === name);
  return tool?.validation === 'strict' ? argumentFaults(tool.inputSchema, args) : [];
}

/** Returns a fault if answers at gates that wait their turn take too much space. The first gate accepts any answer. */
function tooManyAnswers(state: RunState, { gateId, answer }: ReadAnswer): string | null {
  const [first, ...others] = state.people.gates;
  if (!first || first.gate.id === gateId) return null;
  const waiting = others.flatMap(open => (open.answer ? [open.answer] : []));
  if (sizeOfList([...waiting, answer]) <= OTHER_ANSWERS_BYTES) return null;
  return `Answers that wait for their turn may take ${OTHER_ANSWERS_BYTES} bytes together: answer ${first.gate.id} first.`;
}

/** `removed`: ids of tasks that are removed by the same edit. */
function faultsOfEdit(
  state: RunState,
  edit: readonly TaskChange[],
  removed: readonly string[] = [],
): string[] {
  const has = state.pinned ? capabilitiesOf(state.pinned) : null;
  const end = { status: 'skipped', reason: REMOVED } as const;
  const tasks = state.tasks.map(task => (removed.includes(task.id) ? { ...task, ...end } : task));
  return planEditFaults(edit, { tasks, maxTasks: limitsOf(state).tasks, has });
}

/** Reads new and changed tasks of a plan, and removals. An edit without effect is refused. */
export function planEditReader(state: RunState): Reader<PlanChange> {
  return bounded(input => {
    if (state.end) return { error: ENDED };
    if (!state.pinned) return { error: LOADING };
    const { mode } = state.goal;
    if (!hasPlan(mode))
      return { error: `Runs of the mode ${mode} have no plan: say what is wanted in a message (steer).` };
    if (state.people.stop) return { error: 'The run is stopping: it begins no further task.' };
    if (state.idleSince !== null || steeringAt(state.cursor)?.idle)
      return { error: 'The goal is answered: send a follow-up instead.' };
    if (state.cursor.position.phase === 'wrap_up')
      return {
        error: 'The goal is being wrapped up and begins no further task: send a follow-up instead.',
      };
    const { tasks: list = [], remove: removed = [] } = isRecord(input) ? input : {};
    if (!Array.isArray(removed) || !removed.every(isText))
      return { error: expected('remove', 'a list of ids of tasks', removed) };
    if (!Array.isArray(list) || list.length + removed.length === 0)
      return {
        error:
          'Give { "tasks": [{ "id", "description", … }] } with at least one task, or { "remove": ["id"] }.',
      };
    const errors: string[] = [];
    const knownTaskIds = state.tasks.map(task => task.id);
    const tasks = readPlannedTasks(list, { field: 'tasks', knownTaskIds, byPerson: true }, errors);
    errors.push(...removalFaults(state.tasks, { tasks, removed }), ...faultsOfEdit(state, tasks, removed));
    return errors.length > 0 ? { error: errors.join(' ') } : { ok: { tasks, removed } };
  });
}

/** Reads new limits: each must be known, above its use so far, and below the worker's ceiling. */
export function budgetReader(state: RunState, now: number): Reader<Partial<Limits>> {
  return bounded(input => {
    if (state.end) return { error: ENDED };
    if (!state.pinned) return { error: LOADING };
    const { ceilings } = state.pinned;
    const limits = limitsOf(state);
    const fault = limitsFault(input, { limits, used: budgetUse(state, now) });
    if (fault !== null) return { error: fault };
    // The cast is safe: every name and value has been checked.
    const read = input as Partial<Limits>;
    const above = isSubagent(state.settings) ? budgetsAbove(read, limits) : [];
    if (above.length > 0)
      return {
        error: `${above.join(', ')}: what an agent may use is a part of its caller's goal. Raise it at the run that called it, and every agent at work has more.`,
      };
    const bare = typeof read.costUsd === 'number' ? unpriced(state) : [];
    if (bare.length > 0) return { error: noPrice(bare.join(', ')) };
    const over = ceilingFault(read, ceilings);
    return over === null ? { ok: read } : { error: over };
  });
}

/** Returns the models that roles use now and that have no known price. */
function unpriced(state: RunState): string[] {
  const { roles = {}, modelInfo = {} } = state.pinned ?? {};
  const called = Object.values(roles).filter(role => chainOf(state, role).length > 0);
  const inUse = new Set(called.map(role => modelOf(state, role)));
  return [...inUse].filter(model => ownValue(modelInfo, model)?.costKnown !== true);
}

export interface ReadModel {
  model: string;
  /** Null: all roles. */
  role: string | null;
  /** The roles that it applies to, here and in sub-agents. */
  roles: string[];
}

/**
 * Reads a model for one role (also of sub-agents) or for all. The run must know it, because an unknown model would
 * only fail.
 */
export function modelReader(state: RunState): Reader<ReadModel> {
  return bounded((input): Read<ReadModel> => {
    if (state.end) return { error: ENDED };
    if (!state.pinned) return { error: LOADING };
    if (state.people.stop) return { error: 'The run is stopping: it calls no further model.' };
    if (!isRecord(input) || typeof input.model !== 'string')
      return { error: 'Give { "model": "endpoint/model" }, and "role" for one role alone.' };
    const { model, role } = input;
    const fault = modelFault(state, model);
    if (fault !== null) return { error: fault };
    const roles = rolesBelow(state.pinned);
    if (role === undefined || role === null) return { ok: { model, role: null, roles } };
    const meant = typeof role === 'string' ? roleNamed(role, roles) : null;
    if (meant !== null && roles.includes(meant)) return { ok: { model, role: meant, roles: [meant] } };
    const named = typeof role === 'string' ? quoted(role) : 'of that form';
    return { error: `There is no role ${named}. The roles are: ${roles.join(', ')}.` };
  });
}

/** Reads a number from 0, also as text; anything else counts as 0. */
export function readIndex(input: unknown): number {
  const number = typeof input === 'string' && input.length < 20 ? Number(input) : input;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : 0;
}

/** Reads a mark of what is stored; a missing number counts as 0. */
export function readMark(input: unknown): Mark {
  const { id, seq } = isRecord(input) ? input : {};
  return { id: readIndex(id), seq: readIndex(seq) };
}

/** Reads a name; undefined, which selects the default, for any other input. */
export function readName(input: unknown): string | undefined {
  return typeof input === 'string' && input !== '' ? input.slice(0, LONGEST_ID) : undefined;
}

/** Reads which page of a model request is wanted. */
export function readPageOptions(input: unknown): { from: number; headKey?: string } {
  if (!isRecord(input)) return { from: 0 };
  const headKey = readName(input.headKey);
  return { from: readIndex(input.from), ...(headKey === undefined ? {} : { headKey }) };
}
