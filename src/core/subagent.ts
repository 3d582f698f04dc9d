/**
 * Sub-agents (A1): runs of one role that another role hands a piece of its work to. Whether one is started, with
 * which settings, what it may use, and what its end is to the role that called it.
 */
import type { Account } from './account.js';
import type { AgentCard } from './agent-card.js';
import { CHILDREN_BYTES } from './bounds.js';
import { type Cause, causeText, type Outcome } from './cause.js';
import { headWithin } from './fit.js';
import { type BudgetKind, type BudgetUse, checkBudgets, type Limits } from './limits.js';
import type { ToolContent, ToolEnding, Usage } from './message.js';
import { addUsage } from './message.js';
import { preview } from './preview.js';
import type { PinnedRole } from './role.js';
import type { PinnedRun, RunSettings } from './run-config.js';
import { sizeOfList } from './sizes.js';
import { matchesAny } from './tools/glob.js';
import { type UsageEntry, withCalls } from './usage-by.js';
import { fill, type Words } from './words.js';

/** The agents that a role may call. */
export function agentsOf(
  { agents }: Pick<PinnedRun, 'agents'>,
  role: Pick<PinnedRole, 'agents'>,
): AgentCard[] {
  return agents.filter(({ name }) => matchesAny(name, role.agents));
}

/** What the tool `call_subagent` takes. */
export interface Instruction {
  agent: string;
  text: string;
}

/** Its arguments: its schema was checked, but a person may have edited them. */
export function readInstruction({ agent_name: agent, instruction }: Record<string, unknown>): Instruction {
  return { agent: asText(agent), text: asText(instruction) };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

export type Delegation =
  | { kind: 'start'; limits: Partial<Limits> }
  /** `note`: why not, for the role that called it. */
  | { kind: 'refuse'; note: string };

/** Whether an agent is started for an instruction, and within which limits. */
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

/**
 * What an agent may use: what the goal has left, of which each of those that start together gets its part. Time
 * passes for all of them at once. Nothing may be used up yet.
 */
function leaseOf(limits: Limits, used: BudgetUse, together = 1): Partial<Limits> {
  const left = (kind: Exclude<BudgetKind, 'costUsd'>) => limits[kind] - used[kind];
  const part = (amount: number) => Math.max(1, Math.floor(amount / together));
  const turns = part(Math.min(left('turns'), left('totalTurns')));
  return {
    turns,
    totalTurns: turns,
    tokens: part(left('tokens')),
    wallTimeMs: Math.max(1, Math.floor(left('wallTimeMs'))),
    costUsd: limits.costUsd === null ? null : (limits.costUsd - (used.costUsd ?? 0)) / together,
  };
}

/**
 * What the agent's run is started with. Its person is its caller's, who has no client here that would run tools, and
 * it waits for no other goal.
 */
export function settingsOfAgent(
  settings: RunSettings,
  limits: Limits,
  { agent, lease }: { agent: string; lease: Partial<Limits> },
): RunSettings {
  const {
    clientTools: _tools,
    keepOpenSeconds: _open,
    approvePlan: _plan,
    attended: _attended,
    ...rest
  } = settings;
  return { ...rest, mode: 'react', role: agent, limits: { ...limits, ...lease } };
}

/** What a run that has ended gives to the one that called it. */
export interface AgentReport {
  outcome: Outcome;
  cause: Cause;
  answer: string;
  usage: Usage;
  usageBy: UsageEntry[];
  /** Model replies it took. */
  turns: number;
  failedCalls: number;
}

/** As a run's result tells it. */
export function reportOf(result: {
  outcome: Outcome;
  cause: Cause;
  answer: string;
  usage: Usage;
  usageBy: UsageEntry[];
  goals: readonly { turns: number }[];
  counters: { failedCalls: number };
}): AgentReport {
  const { outcome, cause, answer, usage, usageBy, goals, counters } = result;
  const turns = goals.reduce((sum, goal) => sum + goal.turns, 0);
  return { outcome, cause, answer, usage, usageBy, turns, failedCalls: counters.failedCalls };
}

export type AgentEnd =
  | { kind: 'ended'; report: AgentReport }
  | { kind: 'cancelled' }
  /** It could not start, or was ended from outside: nothing of it is known. */
  | { kind: 'lost'; why: string };

/** As a tool call ends. */
export interface AgentOutcome {
  ending: Extract<ToolEnding, 'executed' | 'cancelled'>;
  note: string;
  content: ToolContent[];
  isError: boolean;
}

const LONGEST_WHY = 1_000;

/** What the caller is told of the end. What was found before a limit was reached is a result like any other. */
export function outcomeForCaller(agent: string, end: AgentEnd, words: Words): AgentOutcome {
  if (end.kind === 'cancelled')
    return { ending: 'cancelled', note: words.noteCancelledRunning, content: [], isError: true };
  if (end.kind === 'lost') {
    const note = fill(words.noteAgentLost, { agent, why: preview(end.why, LONGEST_WHY) });
    return { ending: 'executed', note, content: [], isError: true };
  }
  const { outcome, cause, answer } = end.report;
  const content: ToolContent[] = answer === '' ? [] : [{ type: 'text', text: answer }];
  if (cause === 'direct_answer')
    return { ending: 'executed', note: fill(words.noteAgentAnswered, { agent }), content, isError: false };
  const capped = outcome === 'unverified' || outcome === 'budget_exhausted';
  const note = capped && answer !== '' ? words.noteAgentCapped : words.noteAgentEnded;
  const why = TOLD_BY_NAME.test(cause) ? cause : `${cause}: ${causeText(cause)}`;
  return {
    ending: 'executed',
    note: fill(note, { agent, cause: why }),
    content,
    isError: !(capped && answer !== ''),
  };
}

/** Causes that say what happened; the sentence of another is added. */
const TOLD_BY_NAME = /^(failed|budget):/;

/** The account of the caller with what the agent used. */
export function withReport({ usage, counters }: Account, report: AgentReport): Account {
  return {
    usage: addUsage(usage, report.usage),
    counters: {
      ...counters,
      turns: counters.turns + report.turns,
      failedCalls: counters.failedCalls + report.failedCalls,
    },
  };
}

/** The parts of a total with those of the agent. */
export function withReportParts(entries: readonly UsageEntry[], { usageBy }: AgentReport): UsageEntry[] {
  return usageBy.reduce<UsageEntry[]>((all, entry) => withCalls(all, entry), [...entries]);
}

/** A run that this one has called, for who watches it. */
export interface ChildRecord {
  /** Unique in the run, such as `search/1`: `childId` makes its workflow id of it. */
  id: string;
  agent: string;
  /** Of the tool call that waits for it. */
  callId: string;
  /** Of its instruction, the beginning. */
  instruction: string;
  /** Null while it runs. */
  outcome: Outcome | 'lost' | null;
}

/** The server takes ids of 1,000 bytes; a longer one fails the workflow task, again and again. */
const MOST_OWN_ID_BYTES = 700;

/** Workflow id of a child, by that of its run: `{run}/{agent}/{n}`. */
export function childId(own: string, id: string): string {
  return `${headWithin(own, MOST_OWN_ID_BYTES)}/${headWithin(id, MOST_OWN_ID_BYTES / 4)}`;
}

export interface Children {
  /** How many were started: the next has the number after it. */
  started: number;
  /** The last of them, the oldest first. */
  list: ChildRecord[];
}

const INSTRUCTION_CHARS = 60;

export function noChildren(): Children {
  return { started: 0, list: [] };
}

/** The children with one more, which runs. */
export function withChild(
  { started, list }: Children,
  { id, agent, callId, instruction }: Omit<ChildRecord, 'outcome'>,
): Children {
  const child = { id, agent, callId, instruction: preview(instruction, INSTRUCTION_CHARS), outcome: null };
  return { started: started + 1, list: withinBound([...list, child]) };
}

export function withEnd({ started, list }: Children, id: string, end: AgentEnd): Children {
  const outcome = endedAs(end);
  return { started, list: withinBound(list.map(child => (child.id === id ? { ...child, outcome } : child))) };
}

function endedAs(end: AgentEnd): Outcome | 'lost' {
  return end.kind === 'ended' ? end.report.outcome : end.kind;
}

/** Without the oldest that have ended, where they are too much: at a safe point all have. */
function withinBound(list: readonly ChildRecord[]): ChildRecord[] {
  const oldest = list.findIndex(({ outcome }) => outcome !== null);
  if (oldest < 0 || sizeOfList(list) <= CHILDREN_BYTES) return [...list];
  return withinBound(list.toSpliced(oldest, 1));
}

/** Those that run. */
export function openChildren({ list }: Children): ChildRecord[] {
  return list.filter(({ outcome }) => outcome === null);
}
