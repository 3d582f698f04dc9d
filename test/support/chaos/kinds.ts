/** What kinds of runs a chaos has: their settings and roles, and how each may end. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEnd } from '../../../src/client/record/run-end.js';
import type { RunSettings } from '../../../src/run/agents/run-config.js';
import type { Outcome } from '../../../src/run/limits/cause.js';
import type { Limits } from '../../../src/run/limits/limits.js';
import { STEP_FAILURE_POLICIES } from '../../../src/run/plan/plan.js';
import type { Random } from '../../simulation/random.js';
import { projectRoot } from '../project.js';

/** `team`: one task, verified; `branches`: tasks side by side; `plan`: the mode; `tree`: a lead; all but `team` have agents, and these theirs. */
export const CHAOS_KINDS = ['team', 'branches', 'plan', 'tree'] as const;
export type ChaosKind = (typeof CHAOS_KINDS)[number];

export interface RunDraft {
  kind: ChaosKind;
  settings: Partial<RunSettings>;
  /** Its budget may run out before its work is done. */
  isShort: boolean;
  /** How somebody ends it before its time. */
  quits: 'stop' | 'cancel' | null;
  /** Somebody ends agents of it from outside. */
  losesAgents: boolean;
}

const AMPLE: Partial<Limits> = {
  execution: 10_000,
  turns: 100_000,
  totalTurns: 100_000,
  tokens: 1_000_000_000,
};

export function draftRun(kind: ChaosKind, random: Random): RunDraft {
  const settings: Partial<RunSettings> = {
    ...(random.chance(0.5) ? { attended: true } : { autoApprove: true }),
    ...(random.chance(0.2) ? { continueAsNew: 'every-safe-point' as const } : {}),
  };
  if (kind === 'team')
    return {
      kind,
      settings: { ...settings, limits: AMPLE },
      isShort: false,
      quits: null,
      losesAgents: false,
    };
  const isShort = random.chance(0.25);
  const limits = { ...AMPLE, ...(isShort ? shortLimits(random) : {}), ...limitsOf(kind, random) };
  const quits = random.weighted([
    [8, null],
    [1, 'stop'],
    [1, 'cancel'],
  ] as const);
  const losesAgents = random.chance(0.15);
  return {
    kind,
    settings: { ...settings, ...settingsOf(kind, random), limits },
    isShort,
    quits,
    losesAgents,
  };
}

function shortLimits(random: Random): Partial<Limits> {
  return random.chance(0.5) ? { turns: random.int(3, 15) } : { tokens: random.int(3, 40) * 1_000 };
}

function limitsOf(kind: ChaosKind, random: Random): Partial<Limits> {
  const parallelTools = random.pick([1, 4]);
  if (kind === 'branches') return { parallelTools, parallelTasks: random.int(2, 4), verification: 10 };
  if (kind === 'plan') return { parallelTools, parallelTasks: random.int(1, 3) };
  return { parallelTools };
}

function settingsOf(kind: ChaosKind, random: Random): Partial<RunSettings> {
  if (kind === 'plan') return { mode: 'plan', onStepFailure: random.pick(STEP_FAILURE_POLICIES) };
  return { mode: kind === 'tree' ? 'lead' : 'team' };
}

/** Outcomes of a run whose model does as it is asked. */
const OUTCOMES: Record<ChaosKind, readonly Outcome[]> = {
  team: ['completed'],
  // A task that is given up leaves the verdict short.
  branches: ['completed', 'unverified'],
  plan: ['answered', 'unverified', 'stopped'],
  tree: ['answered'],
};
const QUIT: Record<'stop' | 'cancel', Outcome> = { stop: 'stopped', cancel: 'cancelled' };

/** Whether a run ended in a way that is right for it. */
export function endsWell(
  { kind, isShort, quits }: RunDraft,
  { outcome, cause }: Pick<RunEnd, 'outcome' | 'cause'>,
): boolean {
  // Every task was given up.
  if (cause === 'failed:tasks') return kind === 'plan' || kind === 'branches';
  // A goal's own limit of replies is a cap, and not a budget.
  if (cause === 'turn_cap') return isShort;
  const also = [...(isShort ? ['budget_exhausted' as const] : []), ...(quits ? [QUIT[quits]] : [])];
  return outcome !== null && [...OUTCOMES[kind], ...also].includes(outcome);
}

const role = (name: string, front: string, text: string) =>
  `---\ndescription: A role of tests.\n${front}\noutput: text\n---\n# ${name}\n\n${text}\n{{businessContext}}\n`;

/**
 * Files of prompts over the project's own. Those of a tree are short and set no rounds: what it does is the script's
 * to say. The executor may write artifacts and call agents too.
 */
export function chaosPrompts(): Record<string, string> {
  const executor = readFileSync(join(projectRoot, 'prompts/core/executor.md'), 'utf8');
  return {
    'prompts/core/executor.md': executor.replace(
      "tools: ['*']",
      "tools: ['*', '*_artifact', call_subagent]\nagents: [middle, search]",
    ),
    'prompts/core/lead.md': role(
      'Lead',
      "memory: shared\ntools: ['*', call_subagent, '*_artifact']\nagents: [middle, search]",
      'You lead.',
    ),
    'prompts/core/middle.md': role(
      'Middle',
      "memory: private\ntools: ['*', call_subagent]\nagents: [middle, search]",
      'You hand work on.',
    ),
    'prompts/core/search.md': role('Search', "memory: private\ntools: ['*']", 'You search.'),
  };
}
