/**
 * Rules beyond single fields of an output: what it must name, and what makes it empty. A doubt causes one re-ask; the
 * output is readable anyway.
 */

import { isRecord, jsonBytes, stringOr } from '../../base/json/json.js';
import { BEGIN_BYTES } from '../../base/sizes/bounds.js';
import { expected, idOf, isAbsent, type Parsed, quoted } from '../../base/text/output-fields.js';
import type { EvidenceItem } from '../../run/evidence/evidence.js';
import {
  CHOICES,
  CONTRACTS,
  type ExecutionOutput,
  type FormedContract,
  type OrchestrationOutput,
  type OutputOf,
  type PlanOutput,
  type VerdictOutput,
} from '../../run/outputs/contracts.js';
import { Faults, type Fields, type ReadAll, readFields, word } from '../../run/outputs/fields.js';
import type { TaskChange } from '../../run/plan/plan.js';
import { type Capabilities, missing } from '../agents/capabilities.js';
import { citationDoubts, failureDoubts } from './citations.js';
import { isEmptyPhrase } from './empty-phrase.js';
import { lacksSecret, readPlannedTasks } from './planned-tasks.js';

/** Knowledge of the run that reading needs. */
export interface Known {
  /** Tasks that a plan's dependencies may name besides its own; tasks that a verdict must name; modes to choose from. */
  names?: readonly string[] | undefined;
  /** Capabilities that tasks of a plan may require. Default: any. */
  has?: Capabilities;
  /** Evidence that a verdict may cite; absent if it was shown no evidence. */
  evidence?: readonly EvidenceItem[] | undefined;
  /** False: a verdict may rest on failed calls alone, as in runs of earlier code. Default: true. */
  failures?: boolean;
  /** False: plans have no `steps`, and tasks no calls, as in runs of earlier code. Default: true. */
  steps?: boolean;
}

type Json = Record<string, unknown>;

const READERS: { [C in FormedContract]: (json: Json, known: Known) => Parsed<OutputOf[C]> } = {
  plan: readPlan,
  execution: json =>
    read(CONTRACTS.execution.actions.COMPLETE, json, output => executionDoubts(output, json.summary)),
  verdict: (json, { names = [], evidence, failures = true }) =>
    read(CONTRACTS.verdict.actions.VERIFICATION_RESULT, json, output => [
      ...verdictDoubts(output, json, names),
      ...citationDoubts(output, evidence),
      ...(failures ? failureDoubts(output, evidence) : []),
    ]),
  intent: json => read(CONTRACTS.intent.actions.INTENT_ANALYSIS, json),
  route: json => read(CONTRACTS.route.actions.ROUTE_DECISION, json),
  review: json =>
    read(CONTRACTS.review.actions.REVIEW_RESULT, json, ({ approved, requiredFixes }) => {
      if (approved || requiredFixes.length > 0) return [];
      const wanted = 'an array with at least one fix, since it is not approved';
      return [expected('requiredFixes', wanted, json.requiredFixes)];
    }),
  orchestration: readProposal,
  choice: (json, { names = CHOICES }) =>
    read({ ...CONTRACTS.choice.actions.MODE_CHOICE, mode: word(names) }, json),
};

/** Reads the fields of a contract, in either dialect. */
export function readOutput<C extends FormedContract>(
  contract: C,
  json: Json,
  known: Known,
): Parsed<OutputOf[C]> {
  return READERS[contract](json, known);
}

function read<S extends Fields>(
  fields: S,
  json: Json,
  doubtsOf: (output: ReadAll<S>) => string[] = () => [],
): Parsed<ReadAll<S>> {
  const faults = new Faults();
  const value = readFields(fields, json, faults);
  if (faults.fatal) return { ok: false, errors: faults.said, value: null };
  const doubts = [...faults.said, ...doubtsOf(value)];
  return doubts.length === 0 ? { ok: true, value } : { ok: false, errors: doubts, value };
}

/**
 * Reads a plan from `todos`, `tasks` or `steps`. Harmless gaps have defaults (priority: the position); errors are missing ids or
 * descriptions, duplicate ids, unknown or circular dependencies; a doubt is a plan without tasks, unless there are some
 * already or more planning is requested, and an unknown capability. `mergePlan` cuts plans that are too long; only
 * absurd ones are an error here.
 */
function readPlan(json: Json, { names = [], has = null, steps = true }: Known): Parsed<PlanOutput> {
  const faults = new Faults();
  const { todos, ...fields } = CONTRACTS.plan.actions.TASK_PLAN;
  const lists = LISTS.filter(name => steps || name !== 'steps');
  const field = lists.find(name => !isAbsent(json[name])) ?? 'todos';
  const head = readFields(fields, { begin: beginOfTask(json[field]), ...json }, faults);
  const given = json[field] ?? (head.needsMorePlanning ? [] : undefined);
  if (!Array.isArray(given)) faults.add(field, 'an array of tasks', given);
  const entries: readonly unknown[] = (Array.isArray(given) ? given : []).map(
    steps ? withStepId : withoutCall,
  );
  const dropped = entries.flatMap(entry => (isDropped(entry) ? (idOf(entry.id) ?? []) : []));
  const tasks = readPlannedTasks(
    // Only the id of a dropped task counts.
    entries.map(entry => (isDropped(entry) ? { id: entry.id, description: '-' } : entry)),
    { field, knownTaskIds: names, order: json.executionOrder },
    faults.said,
  ).filter(({ id }) => !dropped.includes(id));
  if (faults.said.length > 0) return { ok: false, errors: faults.said, value: null };
  const value = { ...head, tasks, dropped };
  // Cut arguments would change the call, and so does a secret that was taken out.
  const isChanged = jsonBytes(head.begin) > BEGIN_BYTES || (steps && lacksSecret(head.begin));
  if (isChanged || jsonBytes(value) > CONTRACTS.plan.maxBytes) value.begin = [];
  const isEmpty = tasks.length === 0 && names.length === 0 && !head.needsMorePlanning;
  const doubts = isEmpty
    ? [expected(field, 'an array of at least one task', given)]
    : capabilityDoubts(tasks, has);
  return doubts.length === 0 ? { ok: true, value } : { ok: false, errors: doubts, value };
}

/** The names of a plan's list, as models know them: `steps` have numbers for ids. */
const LISTS = ['todos', 'tasks', 'steps'] as const;

function withStepId(entry: unknown): unknown {
  return isRecord(entry) && isAbsent(entry.id) && !isAbsent(entry.step)
    ? { ...entry, id: entry.step }
    : entry;
}

function withoutCall(entry: unknown): unknown {
  return isRecord(entry) ? { ...entry, tool: undefined } : entry;
}

/** Returns first calls within the only task: their meaning is clear. */
function beginOfTask(todos: unknown): unknown {
  const [only, ...more]: unknown[] = Array.isArray(todos) ? todos : [];
  return isRecord(only) && more.length === 0 ? only.begin : undefined;
}

function isDropped(entry: unknown): entry is Json {
  return isRecord(entry) && stringOr(entry.status, '').trim().toLowerCase() === 'skipped';
}

const NAMES_TOLD = 60;

function capabilityDoubts(tasks: readonly TaskChange[], has: Capabilities): string[] {
  const names = (has ?? []).slice(0, NAMES_TOLD).join(', ') || 'absent';
  return tasks.flatMap(({ id, requiredCapabilities = [] }) => {
    const lacking = missing(requiredCapabilities, has).map(name => `"${quoted(name)}"`);
    if (lacking.length === 0) return [];
    return [
      `\`requiredCapabilities\` of "${id}" must name what there is (${names}), got ${lacking.join(', ')}. ` +
        'Plan it without, or the task is not carried out.',
    ];
  });
}

function executionDoubts(output: ExecutionOutput, given: unknown): string[] {
  const { summary, taskCompleted, nextAction } = output;
  if (summary === '') return [expected('summary', 'a non-empty string', given)];
  const saysDone = taskCompleted ?? nextAction === 'complete';
  return saysDone && isEmptyPhrase(summary) ? [emptyPhraseDoubt('the task result', summary)] : [];
}

/** Returns the doubt about an empty answer: it causes one re-ask, and decides nothing else. */
function emptyPhraseDoubt(what: string, summary: string): string {
  return `\`summary\` must hold ${what} itself, got only "${quoted(summary)}".`;
}

/** Contradictions are left to `decideVerdict`. */
function verdictDoubts(verdict: VerdictOutput, json: Json, names: readonly string[]): string[] {
  if (!verdict.allCompleted || !verdict.userNeedsSatisfied) {
    if (verdict.improvements.length > 0) return [];
    const wanted =
      verdict.allCompleted && verdict.exceptions.length > 0
        ? 'an array with at least one improvement; or, where nothing but the exceptions is missing, userNeedsSatisfied true'
        : 'an array with at least one improvement, since not everything is done';
    return [expected('improvements', wanted, json.improvements)];
  }
  const named = new Set(verdict.tasks.map(({ id }) => id));
  const left = names.filter(id => !named.has(id));
  const doubts =
    left.length > 0 ? [`\`tasks\` must name every task of the plan, ${left.join(', ')} left out.`] : [];
  if (verdict.summary === null) {
    const wanted = 'the answer to the user, since allCompleted and userNeedsSatisfied are true';
    doubts.push(expected('summary', wanted, json.summary));
  } else if (isEmptyPhrase(verdict.summary)) {
    doubts.push(emptyPhraseDoubt('the answer to the user', verdict.summary));
  }
  return doubts;
}

const PROPOSALS = CONTRACTS.orchestration.actions;
const ACTION = { action: word(Object.keys(PROPOSALS) as (keyof typeof PROPOSALS)[]) };

/** `action` determines the fields. Legality is not checked here. */
function readProposal(json: Json): Parsed<OrchestrationOutput> {
  const named = read(ACTION, json);
  if (!named.ok) return { ok: false, errors: named.errors, value: null };
  const { action } = named.value;
  const proposal = read<Fields>(PROPOSALS[action], json, ({ resource, model, amount }) => {
    if (resource === 'model' && model === null) return [expected('model', 'a model id', json.model)];
    const lacks = action === 'RESOURCE_ALLOCATE' && resource !== 'model' && amount === null;
    return lacks ? [expected('amount', 'a number', json.amount)] : [];
  });
  // The cast is safe: the fields are those of the action.
  const value = proposal.value && ({ action, ...proposal.value } as OrchestrationOutput);
  return { ...proposal, value } as Parsed<OrchestrationOutput>;
}
