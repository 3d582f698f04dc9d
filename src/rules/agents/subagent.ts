/** Decides about sub-agents (A1): whether one starts, its settings, its limits, and its result for the caller. */

import { stringOr, without } from '../../base/json/json.js';
import { matchesAny } from '../../base/text/glob.js';
import { preview } from '../../base/text/preview.js';
import { fill, type Words } from '../../base/words/words.js';
import { unknownOutcomeNote } from '../../conversation/tool-notes.js';
import type { AgentEnd, AgentReport, AgentTotals } from '../../run/agents/children.js';
import type { AgentCard, PinnedRole } from '../../run/agents/role.js';
import { offeredTools, type PinnedRun, type RunSettings } from '../../run/agents/run-config.js';
import { causeText } from '../../run/limits/cause.js';
import { type Lease, leaseOf } from '../../run/limits/leases.js';
import { type BudgetUse, type Counters, checkBudgets, type Limits } from '../../run/limits/limits.js';
import type { Account } from '../../run/limits/usage-by.js';
import { addUsage, type ToolContent, type ToolEnding } from '../../run/messages/message.js';
import type { KnownModels } from '../../run/models/model-use.js';

export function agentsOf(
  { agents }: Pick<PinnedRun, 'agents'>,
  role: Pick<PinnedRole, 'agents'>,
): AgentCard[] {
  return agents.filter(({ name }) => matchesAny(name, role.agents));
}

/** Returns the agents that a role can call; empty if it is not offered the tool for it. */
export function agentsInReach(
  pinned: Pick<PinnedRun, 'agents' | 'tools' | 'permissions'>,
  role: Pick<PinnedRole, 'agents' | 'tools'>,
): AgentCard[] {
  const isOffered = offeredTools(pinned, role).some(
    ({ name, origin }) => name === 'call_subagent' && origin.type === 'workflow',
  );
  return isOffered ? agentsOf(pinned, role) : [];
}

export function rolesBelow({ roles, agents }: Pick<PinnedRun, 'roles' | 'agents'>): string[] {
  const below = agents.flatMap(({ name, calls = [] }) => [name, ...calls]);
  return [...new Set([...Object.keys(roles), ...below])];
}

/** The arguments of `call_subagent`. */
export interface Instruction {
  agent: string;
  text: string;
}

/** Reads the arguments: their schema was checked, but a person may have edited them. */
export function readInstruction({ agent_name: agent, instruction }: Record<string, unknown>): Instruction {
  return { agent: stringOr(agent, '').trim(), text: stringOr(instruction, '').trim() };
}

export type Delegation =
  | { kind: 'start'; limits: Lease }
  /** `note`: the reason, for the calling role. */
  | { kind: 'refuse'; note: string };

export function decideDelegation(
  { agent, text }: Instruction,
  given: { agents: readonly AgentCard[]; limits: Limits; used: BudgetUse; together: number; words: Words },
): Delegation {
  const { agents, words } = given;
  const card = agents.find(({ name }) => name === agent);
  if (card === undefined) {
    const names = agents.map(({ name }) => name).join(', ') || '—';
    return { kind: 'refuse', note: fill(words.noteNoAgent, { agent: preview(agent, 80), agents: names }) };
  }
  if (card.requires.includes('url') && !URL_IN_TEXT.test(text))
    return { kind: 'refuse', note: fill(words.noteNeedsUrl, { agent }) };
  const { exhausted } = checkBudgets(given.limits, given.used);
  if (exhausted.length > 0)
    return { kind: 'refuse', note: fill(words.noteNothingLeft, { limits: exhausted.join(', ') }) };
  return { kind: 'start', limits: leaseOf(given.limits, given.used, given.together) };
}

const URL_IN_TEXT = /\bhttps?:\/\/[^\s/]/i;

/** Returns the settings of an agent's run: its person is its caller's. `id`: its id in the caller's run. */
export function settingsOfAgent(
  settings: RunSettings,
  limits: Limits,
  { id, agent, lease, known }: { id: string; agent: string; lease: Lease; known: KnownModels },
): RunSettings {
  // The caller checks the goal, so the agent has no checks of its own.
  const gone = [
    'clientTools',
    'keepOpenSeconds',
    'approvePlan',
    'onStepFailure',
    'checks',
    'answer',
    'knownModels',
  ] as const;
  const { chosen, out } = known;
  const isNews = chosen.all !== null || Object.keys({ ...chosen.roles, ...out }).length > 0;
  return {
    ...without(settings, ...gone),
    mode: 'react',
    role: agent,
    calledAs: id,
    agentDepth: (settings.agentDepth ?? 0) + 1,
    limits: { ...limits, ...lease },
    ...(isNews && { knownModels: known }),
  };
}

/** The `calledAs` of a run called by an application's workflow that answers its gates; otherwise it is independent. */
export const CALLED_BY_WORKFLOW = 'run';

/** Returns the conversation of a run: an agent inherits its caller's. */
export function sessionOf(workflowId: string, { session }: Pick<RunSettings, 'session'>): string {
  return session ?? workflowId;
}

/** True if the run is a part of another's work: it has one goal, and returns unread messages. */
export function isSubagent({ calledAs }: Pick<RunSettings, 'calledAs'>): boolean {
  return calledAs !== undefined && calledAs !== CALLED_BY_WORKFLOW;
}

type Result = Pick<AgentReport, 'outcome' | 'cause' | 'usage' | 'usageBy'> &
  Partial<Pick<AgentTotals, 'unread' | 'effects'>> & {
    text: string;
    counters: Pick<Counters, 'turns' | 'failedCalls'>;
  };

export function reportOf(result: Result): AgentReport {
  const { outcome, cause, text: answer, usage, usageBy, counters, unread = [], effects = [] } = result;
  // These are the counts of the agent's goal. `result.goals` would lack that goal if the agent did not end by itself.
  const { turns, failedCalls } = counters;
  return { outcome, cause, answer, usage, usageBy, turns, failedCalls, unread, effects };
}

export function totalsOf(result: Result): AgentTotals {
  return without(reportOf(result), 'outcome', 'cause', 'answer');
}

export interface AgentOutcome {
  ending: Extract<ToolEnding, 'executed' | 'cancelled' | 'outcome_unknown'>;
  note: string;
  content: ToolContent[];
  isError: boolean;
}

const LONGEST_WHY = 1_000;

/** Returns the agent's result for the caller, including effects of a failed run, so that they are not repeated. */
export function outcomeForCaller(
  { name: agent, readOnly }: Pick<AgentCard, 'name' | 'readOnly'>,
  end: AgentEnd,
  told: Pick<AgentTotals, 'effects'> | null,
  words: Words,
): AgentOutcome {
  // `told`: what a cancelled agent has reported; null if it had not begun.
  if (end.kind === 'cancelled') {
    if (told === null) return failed('cancelled', words.noteCancelledUnsent);
    if (told.effects.length === 0) return failed('cancelled', words.noteAgentDidNothing);
    return failed('outcome_unknown', `${words.noteCancelledRunning} ${words.noteAgentDid}`, told.effects);
  }
  if (end.kind === 'lost') {
    const why = preview(end.why, LONGEST_WHY);
    if (readOnly || end.notStarted) return failed('executed', fill(words.noteAgentLost, { agent, why }));
    return failed('outcome_unknown', unknownOutcomeNote(words, fill(words.noteWhyAgentLost, { agent, why })));
  }
  const { outcome, cause, answer, effects } = end.report;
  const content: ToolContent[] = answer === '' ? [] : [{ type: 'text', text: answer }];
  if (outcome === 'answered')
    return { ending: 'executed', note: fill(words.noteAgentAnswered, { agent }), content, isError: false };
  const capped = outcome === 'unverified' || outcome === 'budget_exhausted';
  const why = TOLD_BY_NAME.test(cause) ? cause : `${cause}: ${causeText(cause)}`;
  const left = answer === '' ? '' : ` ${words.noteAgentLeft}`;
  const isPart = capped && answer !== '';
  const note = fill(isPart ? words.noteAgentCapped : `${words.noteAgentEnded}${left}`, { agent, cause: why });
  if (isPart) return { ending: 'executed', note, content, isError: false };
  if (effects.length === 0) return { ...failed('executed', note), content };
  const unknown = failed('outcome_unknown', `${note} ${words.noteAgentDid}`, effects);
  return { ...unknown, content: [...content, ...unknown.content] };
}

function failed(ending: AgentOutcome['ending'], note: string, effects: readonly string[] = []): AgentOutcome {
  const text = effects.map(line => `- ${line}`).join('\n');
  return { ending, note, content: text === '' ? [] : [{ type: 'text', text }], isError: true };
}

/** Causes that explain themselves; others are followed by their sentence. */
const TOLD_BY_NAME = /^(failed|budget):/;

export function withReport({ usage, counters }: Account, report: AgentTotals): Account {
  return {
    usage: addUsage(usage, report.usage),
    counters: {
      ...counters,
      turns: counters.turns + report.turns,
      failedCalls: counters.failedCalls + report.failedCalls,
    },
  };
}
