/** A run at a glance, as Markdown for the Web UI's current details: lists, because tables look cramped there. */

import { plainLine } from '../../base/text/plain-markdown.js';
import { preview } from '../../base/text/preview.js';
import { wordsOf } from '../../base/words/words.js';
import { childEnd, isPaused, openChildren } from '../../run/agents/children.js';
import { checkLine, checksOf } from '../../run/checks/check.js';
import type { Basis } from '../../run/evidence/evidence.js';
import type { Gate } from '../../run/gates/gate.js';
import { budgetTokens } from '../../run/limits/budget-tokens.js';
import { causeText } from '../../run/limits/cause.js';
import { cachedPercent, usageByRole } from '../../run/limits/usage-by.js';
import { hasPlan, stepsOf } from '../../run/position/modes.js';
import type { Phase } from '../../run/position/position.js';
import { here, tasksAt } from '../../run/state/cursor.js';
import { lastSwitches } from '../../run/state/journal.js';
import { modeOf, type RunState } from '../../run/state/run-state.js';
import { gateMarkdown } from '../gates/gate-text.js';
import { limitsOf } from '../limits/in-force.js';

/** The server accepts 20 KB of details: this many characters fit in any script. */
const MAX_CHARS = 6_000;

/** A run's activity, as shown by lists, `show` and the query `state`. `waiting`: a person must answer. */
export type ShownPhase = Phase | 'loading' | 'paused' | 'waiting' | 'idle' | 'ended';

export function phaseOf(state: RunState): ShownPhase {
  if (state.end) return 'ended';
  const open = openChildren(state.children);
  const isHeldByAgents = open.length > 0 && open.every(({ id }) => isPaused(state.children, id));
  if (state.people.pausedAt !== null || isHeldByAgents) return 'paused';
  if (unansweredGates(state).length > 0) return 'waiting';
  if (state.idleSince !== null) return 'idle';
  return state.pinned ? here(state.cursor).phase : 'loading';
}

export function unansweredGates({ people: { gates } }: RunState): Gate[] {
  return gates.filter(({ answer }) => answer === null).map(({ gate }) => gate);
}

/** `ofFeatures`: the features' sections. */
export function statusMarkdown(state: RunState, ofFeatures: readonly string[] = []): string {
  const { mode, modeWhy } = state.goal;
  const parts = [
    headline(state),
    modeWhy === null ? '' : `Mode ${plainLine(mode)}: ${plainLine(modeWhy)}`,
    gates(state),
    tasks(state),
    checks(state),
    agents(state),
    ...ofFeatures,
    models(state),
    limits(state),
    lastSteering(state),
  ];
  return parts
    .filter(part => part !== '')
    .join('\n\n')
    .slice(0, MAX_CHARS);
}

function headline(state: RunState): string {
  const { cursor, goal, pinned } = state;
  if (state.end)
    return `**Ended: ${state.end.outcome}**. ${causeText(state.end.cause, { basis: basisAt(state) })}`;
  if (!pinned) return '**Loading** prompts, tools and limits';
  if (state.people.stop) return `**Stopping** ${plainLine(preview(state.people.stop.reason))}`;
  if (state.people.pausedAt !== null) return '**Paused**: send the signal `resume`';
  if (state.idleSince !== null) return idle(state);
  const waiting = unansweredGates(state).length;
  if (waiting > 0) return `**Waiting** for an answer of yours${waiting > 1 ? ` to each of ${waiting}` : ''}`;
  const { phase, turns } = here(cursor);
  const tasks = tasksAt(cursor);
  const plan = hasPlan(goal.mode) ? ` · plan ${cursor.position.cycle}` : '';
  const at = stepText(state) || tasks.map(plainLine).join(', ');
  const round = tasks.length > 1 ? '' : ` · round ${turns.round}`;
  return `**Phase: ${phase}** · goal ${goal.number}${plan}${at && ` · ${at}`}${round}`;
}

function stepText(state: RunState): string {
  const { position } = state.cursor;
  const steps = stepsOf(modeOf(state)) ?? [];
  if (position.phase !== 'answering' || steps.length < 2) return '';
  return `step ${position.step + 1} of ${steps.length}, ${plainLine(steps[position.step] ?? '')}`;
}

function basisAt({ goals, goal }: RunState): Basis | null {
  return goals.findLast(({ number }) => number === goal.number)?.basis ?? null;
}

function idle({ goals }: RunState): string {
  const last = goals.at(-1);
  const how = last ? `\n\nGoal ${last.number}: ${last.outcome}. ${causeText(last.cause, last)}` : '';
  return `**Idle**: the goal is answered; a \`followUp\` begins the next${how}`;
}

/** Open gates come first, because the run waits for them. */
function gates(state: RunState): string {
  const words = wordsOf(state);
  return unansweredGates(state)
    .map(gate => gateMarkdown(words, gate))
    .join('\n\n');
}

function tasks({ tasks }: RunState): string {
  const lines = tasks.map(task => {
    const why = task.reason ? ` (${plainLine(task.reason)})` : '';
    const late = task.overdue ? ' · takes longer than estimated' : '';
    return `- ${plainLine(task.id)} · ${task.status}${why}${late} · ${plainLine(preview(task.description, 80))}`;
  });
  return section('Tasks', lines);
}

/** The goal's checks, including those not made yet. */
function checks(state: RunState): string {
  const { results } = state.goal.checks;
  const lines = checksOf(state).map((check, index) => {
    const { status, why } = results[index] ?? { status: 'to be made', why: '' };
    const reason = status === 'passed' || why === '' ? '' : ` (${plainLine(preview(why, 120))})`;
    return `- c${index + 1} · ${status.replace('_', ' ')}${reason} · ${plainLine(preview(checkLine(check), 80))}`;
  });
  return section('Checks', lines);
}

/** The latest sub-agents, which are separate runs below this one's id. */
function agents({ children }: RunState): string {
  const lines = children.list.map(
    child =>
      `- ${plainLine(child.id)} · ${plainLine(childEnd(child))} · ${plainLine(preview(child.instruction, 80))}`,
  );
  if (children.paused.length > 0)
    lines.push(
      `- paused, until the signal \`resume\`: ${plainLine(preview(children.paused.join(', '), 300))}`,
    );
  return section('Agents', lines);
}

function models({ log: { journal } }: RunState): string {
  const lines = lastSwitches(journal).map(
    ({ role, fromModel, toModel, why }) =>
      `- ${plainLine(`${role} · ${toModel} instead of ${fromModel} · ${preview(why, 160)}`)}`,
  );
  return section('Models', lines);
}

function limits(state: RunState): string {
  const { goal, pinned, total } = state;
  if (!pinned) return '';
  const { counters } = goal;
  const most = limitsOf(state);
  return section('Limits', [
    `- turns ${counters.turns} of ${most.turns}`,
    ...(hasPlan(goal.mode) ? [`- verifications ${counters.verification} of ${most.verification}`] : []),
    `- tokens ${budgetTokens(goal.usage)} of ${most.tokens}${goal.usage.cacheDiscountTokens ? ', cached input at its price' : ''}`,
    `- cost ${total.usage.costUsd === null ? 'unknown' : `$${total.usage.costUsd.toFixed(4)}`}`,
    ...cachedLine(total),
  ]);
}

export function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`${title}:`, '', ...lines].join('\n');
}

/** The share of input from providers' caches: in total, and by role. */
function cachedLine({ usage, usageBy }: RunState['total']): string[] {
  if (usage.cachedInputTokens === 0) return [];
  const roles = [...usageByRole(usageBy)].map(
    ([role, of]) => `${plainLine(role)} ${cachedPercent(of) ?? 0} %`,
  );
  return [`- cached ${cachedPercent(usage)} % of the input (${preview(roles.join(', '), 200)})`];
}

function lastSteering({ log: { journal } }: RunState): string {
  const last = journal.events.findLast(event => event.type === 'receipt');
  return last?.type === 'receipt'
    ? `Last message ${plainLine(last.id)}: ${last.state}. ${plainLine(last.how)}`
    : '';
}
