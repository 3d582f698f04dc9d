/** The run's instructions to roles, as user messages: system prompts stay constant, for caches (OU13). */

import { utf8Length } from '../../base/json/json.js';
import { REPORTS_BYTES } from '../../base/sizes/bounds.js';
import { cutText } from '../../base/text/fit.js';
import { preview } from '../../base/text/preview.js';
import { delimit } from '../../base/words/prompt.js';
import { cutNote, fill, type Words, wordsOf } from '../../base/words/words.js';
import type { AgentCard, PinnedRole } from '../../run/agents/role.js';
import { beginsAtOnce, offeredTools, wantsApproval } from '../../run/agents/run-config.js';
import { checkLine, checksOf } from '../../run/checks/check.js';
import type { Looked } from '../../run/evidence/evidence.js';
import { plansLeft } from '../../run/limits/limits.js';
import { textOf } from '../../run/messages/message.js';
import {
  ECHOED,
  isOpen,
  isUndone,
  planInForce,
  REMOVED,
  reportBytes,
  type Task,
} from '../../run/plan/plan.js';
import { durationText, type Overdue } from '../../run/plan/task-time.js';
import type { Planning, Reading, Verification } from '../../run/position/position.js';
import { userNotesText } from '../../run/state/goal.js';
import type { RunState } from '../../run/state/run-state.js';
import { MAIN_THREAD } from '../../run/state/thread.js';
import { validResults } from '../../run/tools/ledger.js';
import { ownCapabilities } from '../agents/capabilities.js';
import { agentsInReach } from '../agents/subagent.js';
import { limitsOf } from '../limits/in-force.js';

/** The detail about a task: its state, with its description, or with its criterion too. */
type Detail = 'status' | 'description' | 'criterion';

/** Returns the texts of the run's conversation that need no repetition. In a long or trimmed one, all are repeated. */
function nearWords({ threads }: RunState, { memory }: Pick<PinnedRole, 'memory'>): string[] {
  const thread = threads[MAIN_THREAD];
  if (memory !== 'shared' || thread === undefined || thread.dropped > 0 || thread.tokens > NEAR_TOKENS)
    return [];
  const texts = thread.messages.flatMap(message => (message.kind === 'tool_result' ? [] : [textOf(message)]));
  return texts.filter(text => text !== '');
}

const NEAR_TOKENS = 16_000;

/** True if the conversation has the text literally, or as JSON. */
function isInConversation(text: string | null, near: readonly string[]): boolean {
  if (text === null) return true;
  const forms = [text, JSON.stringify(text).slice(1, -1)];
  return near.some(said => forms.some(form => said.includes(form)));
}

function unsaid(text: string, near: readonly string[]): string {
  return near.some(said => said.includes(text)) ? '' : text;
}

function goalText({ goal }: RunState, near: readonly string[]): string {
  return isInConversation(goal.text, near) ? '' : delimit('goal', cutText(goal.text, GOAL_BYTES));
}

/** The limit for a description or criterion, for a reader whose conversation has all of it. */
const TASK_CHARS = 500;

function taskLine(words: Words, task: Task, detail: Detail, chars = TASK_CHARS): string {
  const { id, status, reason, priority, dependencies, byPerson } = task;
  const said = reason === ECHOED ? words.notDoneReport : reason;
  // Some reasons equal the status.
  const why = said && said !== status ? ` (${preview(said, 120)})` : '';
  const states = [`${status}${why}`, ...(byPerson ? [words.byPerson] : [])];
  if (detail === 'status') return `- ${id} [${states.join(', ')}]`;
  const marks = [
    ...states,
    isOpen(task) ? fill(words.priority, { priority }) : '',
    (isOpen(task) || status === 'blocked') && dependencies.length > 0
      ? fill(words.after, { ids: dependencies.join(', ') })
      : '',
  ];
  const line = `- ${id} [${marks.filter(Boolean).join(', ')}] ${preview(task.description, chars)}`;
  if (detail === 'description' || task.completionCriteria === null) return line;
  return `${line} — ${fill(words.criterion, { criterion: preview(task.completionCriteria, chars) })}`;
}

function lines(words: Words, tasks: readonly Task[], detail: (task: Task) => Detail): string {
  return tasks.map(task => taskLine(words, task, detail(task))).join('\n');
}

/** Lists tasks in full, because each word is judged; if that is too long, each gets an equal share. */
function linesToJudge(words: Words, plan: readonly Task[], detail: (task: Task) => Detail): string {
  const cut = Math.max(TASK_CHARS, Math.floor(TASK_LIST_BYTES / (2 * Math.max(1, plan.length))));
  const list = (chars: number) => plan.map(task => taskLine(words, task, detail(task), chars)).join('\n');
  const whole = list(TASK_LIST_BYTES);
  return utf8Length(whole) <= TASK_LIST_BYTES ? whole : cutText(list(cut), TASK_LIST_BYTES);
}

/** Only the verifier needs the criterion of an ended task. */
const criterionWhileOpen = (task: Task): Detail => (isOpen(task) ? 'criterion' : 'description');

export function paragraphs(...parts: string[]): string {
  return parts.filter(part => part !== '').join('\n\n');
}

function lined(...parts: string[]): string {
  return parts.filter(part => part !== '').join('\n');
}

function bullets(items: readonly string[]): string {
  return items.map(item => `- ${item}`).join('\n');
}

/** Returns the planner's instruction; `improvements` name the source of the request, and are its main input (F13). */
export function planningInstruction(
  state: RunState,
  { improvements }: Pick<Planning, 'improvements'>,
): string {
  const { goal, tasks } = state;
  const words = wordsOf(state);
  const capabilities = capabilitiesText(state, words);
  const { settings, pinned } = state;
  const reviewed = pinned?.review.plans ? words.planReviewed : '';
  if (improvements === null) {
    const approves =
      settings.attended === true && !settings.autoApprove && wantsApproval(settings, goal.mode);
    const begins = pinned !== null && beginsAtOnce(pinned, settings, goal.mode);
    return paragraphs(
      words.plan,
      begins ? words.planBegin : '',
      goalChecksText(state, words),
      approves ? words.planChecks : '',
      reviewed,
      capabilities,
    );
  }
  const { from, wanted, reading } = improvements;
  return paragraphs(
    words[WHO_ASKS[from]],
    `${words.improvements}\n${delimit('improvements', bullets(wanted))}`,
    from === 'user' || from === 'gate' ? readingText(words, reading) : userNotesText(goal, words),
    tasks.length > 0 ? `${words.tasksSoFar}\n${lines(words, tasks, criterionWhileOpen)}` : '',
    planAgainText(words, tasks),
    reviewed,
    capabilities,
  );
}

/** Explains how to continue with existing tasks, without sentences about absent kinds. */
function planAgainText(words: Words, tasks: readonly Task[]): string {
  const removed = tasks.filter(({ reason }) => reason === REMOVED);
  const theirs = tasks.filter(task => task.byPerson && isUndone(task) && !removed.includes(task));
  return lined(
    words.planAgain,
    tasks.length > 0 ? words.planRepeat : '',
    theirs.length > 0 ? words.planTheirs : '',
    removed.length > 0 ? words.planRemoved : '',
    words.planEnd,
  );
}

/** Names the checks of the goal to working roles: once in a shared conversation. */
export function goalChecksText(state: RunState, words: Words): string {
  const checks = checksOf(state).map(check => `\`${checkLine(check)}\``);
  if (checks.length === 0) return '';
  const red = (state.goal.checks.before?.red ?? []).map(({ index, why }) => `${checks[index]} (${why})`);
  const were = red.length > 0 ? fill(words.goalChecksRed, { checks: red.join(', ') }) : '';
  return lined(fill(words.goalChecks, { checks: checks.join(', ') }), were);
}

/** The request lists the tools; declared capabilities are listed only here. */
function capabilitiesText({ pinned }: RunState, words: Words): string {
  const names = pinned === null ? [] : ownCapabilities(pinned);
  return names.length === 0 ? '' : fill(words.capabilities, { names: names.join(', ') });
}

const WHO_ASKS = {
  verification: 'afterVerification',
  check: 'afterCheck',
  user: 'afterUser',
  gate: 'afterGate',
  review: 'afterReview',
  orchestrator: 'afterOrchestrator',
  step: 'afterStep',
} as const;

/** Returns a role's reading of the person's message, with its doubts. It only helps: the person's own words decide. */
function readingText(words: Words, reading: Reading | null): string {
  return reading === null ? '' : `${words.reading}\n${delimit('reading', JSON.stringify(reading, null, 2))}`;
}

const HELD_SHOWN = 20;

/** Returns the executor's instruction for one task, with the results of earlier tool calls (F12). */
export function taskInstruction(
  state: RunState,
  task: Task,
  role: Pick<PinnedRole, 'agents' | 'tools' | 'memory'> & OwnCallLimit,
  rounds: number,
): string {
  const words = wordsOf(state);
  const { id, description, completionCriteria: criterion } = task;
  const near = nearWords(state, role);
  // Results of the task's own first calls are right above.
  const hasBegun =
    role.memory === 'shared' && state.threads[MAIN_THREAD]?.messages.at(-1)?.kind === 'tool_result';
  const held = hasBegun ? '' : validResults(state.tools.ledger, HELD_SHOWN);
  // Directly after its plan, the task is only named, and the other tasks are left out.
  const last = near.slice(-1);
  const isAbove = [description, criterion].every(text => isInConversation(text, last));
  const others = state.tasks.filter(
    other =>
      other.id !== id &&
      !(isAbove && other.status === 'pending' && isInConversation(other.description, last)),
  );
  // The conversation has the plan, except for a person's changes.
  const detail = (other: Task): Detail => (other.byPerson && isOpen(other) ? 'description' : 'status');
  const beside = others.some(({ status }) => status === 'executing');
  return paragraphs(
    isAbove ? fill(words.taskAbove, { id }) : fill(words.task, { id, description }),
    criterion && !isAbove ? fill(words.doneWhen, { criterion }) : '',
    lined(
      ...goalChecksText(state, words)
        .split('\n')
        .map(line => unsaid(line, near)),
    ),
    userNotesText(state.goal, words),
    others.length > 0
      ? `${beside ? words.tasksBeside : words.otherTasks}\n${lines(words, others, detail)}`
      : '',
    held ? `${words.held}\n${held}` : '',
    agentsText(state, role),
    fill(words.rounds, { rounds, calls: callsPerReply(state, role) }),
  );
}

export type OwnCallLimit = Partial<Pick<PinnedRole, 'toolCallsPerTurn'>>;

/** Returns how many calls of one reply are run. A role may allow fewer than the run. */
export function callsPerReply(state: RunState, role: OwnCallLimit): number {
  return Math.min(limitsOf(state).toolCallsPerTurn, role.toolCallsPerTurn ?? Number.POSITIVE_INFINITY);
}

export function reviewFixesInstruction(
  state: RunState,
  id: string,
  fixes: readonly string[],
  left: number,
): string {
  const words = wordsOf(state);
  const wanted = delimit('fixes', bullets(fixes));
  return `${fill(words.notReviewed, { id })}\n${wanted}\n${fill(words.roundsLeft, { left })}`;
}

export function overdueInstruction(state: RunState, id: string, { estimatedMs, takenMs }: Overdue): string {
  const times = { estimated: durationText(estimatedMs), taken: durationText(takenMs) };
  return fill(wordsOf(state).overdue, { id, ...times });
}

/** Bytes of a repeated goal; the conversation has all of it. */
const GOAL_BYTES = 8_000;
const TASK_LIST_BYTES = 20_000;

/** Lists the plan in force, task by task, for judging, and names replaced tasks (OU14). Nearby texts are not repeated. */
export function verificationInstruction(
  state: RunState,
  { looked, anew }: Pick<Verification, 'looked' | 'anew'>,
): string {
  const words = wordsOf(state);
  const { looks } = limitsOf(state);
  const plan = planInForce(state.tasks);
  const removed = state.tasks.filter(({ reason }) => reason === REMOVED);
  const near = nearWords(state, { memory: state.pinned?.roles.verifier?.memory ?? 'private' });
  const detail = ({ description, completionCriteria }: Task): Detail =>
    [description, completionCriteria].every(text => isInConversation(text, near)) ? 'status' : 'criterion';
  const others = state.tasks.filter(task => !plan.includes(task) && !removed.includes(task));
  return paragraphs(
    lined(words.verify, goalText(state, near)),
    userNotesText(state.goal, words),
    lined(words.toJudge, linesToJudge(words, plan, detail)),
    others.length > 0 ? fill(words.replaced, { ids: others.map(({ id }) => id).join(', ') }) : '',
    removed.length > 0 ? fill(words.removed, { tasks: namesOf(removed) }) : '',
    anew ? words.verifyAnew : '',
    looked?.text ?? '',
    looks > 0 && mayLook(state) ? fill(words.looks, { looks }) : '',
    reportsToJudge(state, plan, looked),
    plansLeft(state.goal.counters, limitsOf(state)) > 1 ? '' : words.verifyLast,
    words.verdict,
  );
}

/**
 * Reports of tasks whose effects are in the evidence are cut short. For a verifier with a private thread they are left
 * out, because it judges effects, not claims. A report stays complete if a call of its task has more output than the
 * evidence shows.
 */
function reportsToJudge(state: RunState, plan: readonly Task[], looked: Looked | null): string {
  const shown = new Set(looked?.items.flatMap(({ supports, taskIds }) => (supports ? taskIds : [])));
  const words = wordsOf(state);
  const isAbove = holdsReports(state);
  if (shown.size === 0 || isAbove) return reportsText(words, plan, isAbove);
  const isApart = state.pinned?.roles.verifier?.memory === 'private';
  const cut = new Set(looked?.items.flatMap(({ cut, taskIds }) => (cut ? taskIds : [])));
  const left = plan.filter(({ id, result }) => result && !(isApart && shown.has(id) && !cut.has(id)));
  const most = (id: string) => (shown.has(id) ? SHORT_REPORT_BYTES : REPORTS_BYTES);
  const short = left.map(task => ({ ...task, result: cutText(task.result ?? '', most(task.id)) }));
  return short.length === 0 ? '' : reportsText(words, short, false);
}

/** The limit for a report whose effects the evidence shows. */
const SHORT_REPORT_BYTES = 1_500;

function mayLook({ pinned }: RunState): boolean {
  const verifier = pinned?.roles.verifier;
  return pinned !== null && verifier !== undefined && offeredTools(pinned, verifier).length > 0;
}

/** Returns removed tasks with descriptions, so that roles do not bring them back in other words. */
function namesOf(tasks: readonly Task[]): string {
  return tasks.map(({ id, description }) => `${id} (${preview(description, 100)})`).join('; ');
}

/** Returns each report once, only for a verifier whose conversation lacks them. */
function reportsText(words: Words, plan: readonly Task[], isAbove: boolean): string {
  const reported = plan.filter(task => task.result);
  if (reported.length === 0) return words.noReports;
  if (isAbove) return '';
  // The state holds all of them within this bound, in full unless they are very long.
  const share = reportBytes(reported) <= REPORTS_BYTES ? REPORTS_BYTES : REPORTS_BYTES / reported.length;
  const reports = reported.map(({ id, status, result }) => {
    const whole = result ?? '';
    const shown = cutText(whole, share);
    return [`${id} (${status}):\n${delimit('report', shown)}`, ...cutNote(words, whole, shown)].join('\n');
  });
  return `${words.reports}\n${reports.join('\n\n')}`;
}

/** Below this share of the context no model of the run trims a thread, so nothing is lost before it is read. */
const SAFE_SHARE = 0.4;

function holdsReports({ pinned, threads, models: { contextLimits } }: RunState): boolean {
  const thread = threads[MAIN_THREAD];
  if (pinned === null || thread === undefined || thread.dropped > 0) return false;
  const { executor, verifier } = pinned.roles;
  const contexts = Object.values(pinned.modelInfo).map(model => model.contextTokens);
  const room = Math.min(...contexts, ...Object.values(contextLimits), 128_000);
  return executor?.memory === 'shared' && verifier?.memory === 'shared' && thread.tokens < room * SAFE_SHARE;
}

/** Returns the instruction for the last call of a goal that can't continue as planned: it answers from the results so far. */
export function wrapUpInstruction(state: RunState, why: string, role: Pick<PinnedRole, 'memory'>): string {
  const { goal, tasks, pinned } = state;
  // A shared conversation already has the reports.
  const goalSaid = goalText(state, nearWords(state, role));
  const hasReports = role.memory === 'shared' && pinned?.roles.executor?.memory !== 'private';
  const words = wordsOf(state);
  return paragraphs(
    fill(words.wrapUp, { why }),
    goalSaid === '' ? '' : lined(words.goal, goalSaid),
    userNotesText(goal, words),
    tasks.length > 0 ? `${words.tasks}\n${lines(words, tasks, criterionWhileOpen)}` : '',
    hasReports || tasks.length === 0 ? '' : reportsText(words, planInForce(tasks), false),
    words.answer,
  );
}

/** Agents vary by project, so they are listed in the instruction, not at the beginning of requests. */
export function agentsText(state: RunState, role: Pick<PinnedRole, 'agents' | 'tools'>): string {
  const { pinned } = state;
  if (pinned === null || role.agents.length === 0) return '';
  const words = wordsOf(state);
  const agents = agentsInReach(pinned, role);
  return agents.length === 0
    ? words.noAgents
    : `${words.agents}\n${agents.map(agent => agentLine(words, agent)).join('\n')}`;
}

function agentLine(words: Words, agent: AgentCard): string {
  const { name, description, capabilities = [], readOnly = false, rounds } = agent;
  const facts = [
    ...(capabilities.length > 0 ? [capabilities.join(', ')] : []),
    ...(readOnly ? [words.agentReads] : []),
    ...(rounds === undefined ? [] : [fill(words.agentRounds, { rounds })]),
  ];
  const has = facts.length === 0 ? '' : ` (${facts.join('; ')})`;
  return `- ${name}${has}: ${preview(description, 500)}`;
}
