/** What a seed stands for: limits, roles and tools of a run, and what befalls it. */

import { OWN_TOOLS } from '../../src/features/workers.js';
import type { PinnedRole } from '../../src/run/agents/role.js';
import type { HookName, PinnedRun, RunSettings } from '../../src/run/agents/run-config.js';
import type { Check } from '../../src/run/checks/check.js';
import { MODEL_FAILURES } from '../../src/run/limits/failure.js';
import { DEFAULT_LIMITS, type Limits } from '../../src/run/limits/limits.js';
import { STOP_REASONS } from '../../src/run/messages/message.js';
import type { ResolverRow } from '../../src/run/models/resolver.js';
import type { OutputContract } from '../../src/run/outputs/contracts.js';
import { STEP_FAILURE_POLICIES } from '../../src/run/plan/plan.js';
import { DEFAULT_MODE, hasPlan, type ModeName, requiredRoles } from '../../src/run/position/modes.js';
import { PHASES } from '../../src/run/position/position.js';
import { addWorkflowTools, mergeClientTools } from '../../src/run/tools/workflow-tools.js';
import { modelFacts, NO_PERMISSIONS } from '../support/core-values.js';
import { addresseesIn, withAgents } from './agent-roles.js';
import { pinsBeside } from './beside.js';
import { DECLARED } from './declared.js';
import type { People } from './people.js';
import { NOBODY, randomPeople } from './people.js';
import { Random } from './random.js';
import { CLIENT_TOOLS, ORDER, TOOLS } from './tools.js';
import { ANSWER_SCHEMA } from './typed-answers.js';

/** A signal or a cancellation: at the n-th call to a model or tool (from 1), or at the safe point after it. */
export interface Moment {
  call: number;
  where: 'during' | 'after';
}

export interface Scenario {
  seed: number;
  goal: string;
  settings: RunSettings;
  pinned: PinnedRun;
  /** Roles that may be called as sub-agents, by name: most seeds have none. */
  agents: Readonly<Record<string, PinnedRole>>;
  stop: Moment | null;
  cancel: Moment | null;
  people: People;
  /** Share of calls that fail, until `maxFailures` have. */
  failureRate: number;
  maxFailures: number;
  /** Share of replies that their role may not give. */
  oddReplies: number;
  /** Share of executor replies that call tools. */
  toolAppetite: number;
  /** Replies and results are long, so that threads must be trimmed. */
  longTexts: boolean;
  /** Plans may have more and longer tasks than a plan may hold. */
  longPlans: boolean;
  /** Most of the work is what the client's tools do. */
  isShop: boolean;
  /** Agents work for long, and people look at them more often. */
  busyAgents: boolean;
  /** What happens is drawn by its position and not by its number, so that runs can be compared that go in another order. */
  byPlace: boolean;
  /** Tasks have nothing to do with each other. */
  independent: boolean;
  /** Whether checks that cost more than the run itself are made. */
  thorough: boolean;
}

/** `attended`: with people who steer, answer and follow up, and the roles that understand them. */
export function scenarioOf(seed: number, attended: boolean, mode: ModeName = DEFAULT_MODE): Scenario {
  const { pinned, ...rest } = scenarioAlone(seed, mode);
  const onStepFailure = new Random(seed, 'steps').pick(STEP_FAILURE_POLICIES);
  const roles = new Random(seed, 'artist').chance(0.4) ? withArtist(pinned.roles) : pinned.roles;
  const checks = checksFor(new Random(seed, 'checks'));
  const plain = {
    ...rest,
    pinned: {
      ...pinned,
      roles,
      onStepFailure,
      ...(checks.length > 0 && { checks }),
      ...(new Random(seed, 'store').chance(0.5) && { keeps: true as const }),
      ...(new Random(seed, 'hooks').chance(0.3) && { hooks: ['onTurnEnd', 'onMessage'] as HookName[] }),
      ...pinsBeside(seed),
    },
  };
  const writes = new Random(seed, 'artifacts').chance(0.4) ? withArtifacts(plain) : plain;
  const alone = new Random(seed, 'agents').chance(0.35) ? withAgents(writes) : writes;
  if (!attended) return alone;
  const people = withPeople(alone, new Random(seed, 'people'));
  if (new Random(seed, 'shop').chance(0.12)) return asShop(withOrders(people));
  const hasAgents = Object.keys(people.agents).length > 0;
  return hasAgents && new Random(seed, 'busy').chance(0.5) ? withBusyAgents(withOrders(people)) : people;
}

/** The same run, whose goals must end with a value that fits a schema. */
export function withAnswer(scenario: Scenario): Scenario {
  return { ...scenario, settings: { ...scenario.settings, answer: ANSWER_SCHEMA } };
}

/** Of most runs none: they are as they were. */
function checksFor(random: Random): Check[] {
  if (random.chance(0.7)) return [];
  const kinds: Check[] = [
    { run: 'npm test' },
    { file: 'report.md', matches: 'done' },
    { function: 'sums' },
    { tool: 'read', arguments: { path: 'a' }, matches: 'result' },
    { tool: 'put' },
  ];
  return [random.pick(kinds), ...random.some(kinds, 0.2)];
}

function withBusyAgents(scenario: Scenario): Scenario {
  const { seed, settings, pinned, agents, people } = scenario;
  const random = new Random(seed, 'busy agents');
  const { limits } = pinned;
  return {
    ...scenario,
    busyAgents: true,
    settings: { ...settings, autoApprove: true },
    pinned: {
      ...pinned,
      limits: { ...limits, execution: random.int(5, 12), turns: Math.max(limits.turns, 60) },
    },
    agents: Object.fromEntries(
      Object.entries(agents).map(([name, role]) => [name, { ...role, maxRounds: null }]),
    ),
    toolAppetite: 0.85,
    people: { ...people, patience: Math.max(people.patience, 20) },
  };
}

/** The client has the tools, and somebody runs them. */
function asShop(scenario: Scenario): Scenario {
  const { settings, pinned, people } = scenario;
  const roles = Object.values(pinned.roles).map(one =>
    WITH_TOOLS.includes(one.name) ? { ...one, tools: ['*', ...one.tools] } : one,
  );
  const named = Object.fromEntries(roles.map(one => [one.name, one]));
  return {
    ...scenario,
    isShop: true,
    settings: { ...settings, attended: true, autoApprove: false, clientTools: CLIENT_TOOLS },
    pinned: {
      ...pinned,
      roles: named,
      tools: mergeClientTools(pinned.tools, CLIENT_TOOLS).tools,
      permissions: { ...NO_PERMISSIONS, confirm: ['re*'] },
      gateTimeoutMs: 86_400_000,
    },
    toolAppetite: 0.8,
    people: { ...people, patience: 40, neglect: 0.1 },
  };
}

/** Another role that carries out tasks: those that need what it has. */
function withArtist(roles: Record<string, PinnedRole>): Record<string, PinnedRole> {
  const { executor } = roles;
  if (!executor) return roles;
  return { ...roles, artist: { ...executor, name: 'artist', capabilities: ['pictures'] } };
}

/** A workflow of the application is one of the tools. */
function withOrders(alone: Scenario): Scenario {
  return { ...alone, pinned: { ...alone.pinned, tools: [...alone.pinned.tools, ORDER] } };
}

/** Roles with tools write artifacts too. */
function withArtifacts(alone: Scenario): Scenario {
  const roles = Object.values(alone.pinned.roles).map(one =>
    one.tools.length === 0 ? one : { ...one, tools: [...one.tools, '*_artifact*'] },
  );
  const { tools } = addWorkflowTools(alone.pinned.tools, roles, OWN_TOOLS);
  const named = Object.fromEntries(roles.map(one => [one.name, one]));
  return { ...alone, pinned: { ...alone.pinned, tools, roles: named } };
}

function withPeople(alone: Scenario, random: Random): Scenario {
  const { settings, pinned, seed } = alone;
  const longPlans = new Random(seed, 'long plans').chance(0.05);
  const { limits } = pinned;
  const clientTools = random.chance(0.5) ? CLIENT_TOOLS : [];
  const added = random.some(STEERING_ROLES, random.pick([0.3, 0.9])).map(([name, output]) => ({
    ...role(random, name, output),
    memory: random.chance(0.2) ? ('shared' as const) : ('private' as const),
    dialect: random.chance(0.8) ? ('envelope' as const) : ('component' as const),
  }));
  const own = Object.values(pinned.roles).map(one =>
    random.chance(0.25) ? { ...one, dialect: 'envelope' as const } : one,
  );
  const roles = Object.fromEntries([...own, ...added].map(one => [one.name, one]));
  return {
    ...alone,
    settings: {
      ...settings,
      autoApprove: random.chance(0.3),
      attended: random.chance(0.8),
      approvePlan: random.chance(0.3) && hasPlan(settings.mode),
      ...(random.chance(0.4) ? { keepOpenSeconds: random.pick([1, 600]) } : {}),
      ...(clientTools.length > 0 ? { clientTools } : {}),
    },
    longPlans,
    pinned: {
      ...pinned,
      limits: longPlans ? { ...limits, tasks: 30 } : limits,
      roles,
      tools: mergeClientTools(pinned.tools, clientTools).tools,
      modelInfo: { ...pinned.modelInfo, 'p/b': modelFacts(128_000, false) },
      permissions: random.chance(0.4)
        ? {
            auto: random.some(['put', 'edit'], 0.5),
            confirm: random.some(['re*', 'put'], 0.3),
            deny: random.some(['edit', 'list', 'ask_shop'], 0.3),
          }
        : NO_PERMISSIONS,
      review: { plans: random.chance(0.4), results: random.chance(0.4), actions: random.chance(0.4) },
      orchestrate: random.chance(0.5),
      onBudget: random.pick(['ask', 'wrap_up'] as const),
      gateTimeoutMs: random.pick([1_000, 86_400_000]),
    },
    stop: random.chance(0.3) ? alone.stop : null,
    people: randomPeople(random, addresseesIn({ pinned: { roles }, agents: alone.agents })),
  };
}

const STEERING_ROLES: readonly [string, OutputContract][] = [
  ['understanding', 'intent'],
  ['router', 'route'],
  ['reviewer', 'review'],
  ['orchestrator', 'orchestration'],
];

function scenarioAlone(seed: number, mode: ModeName): Scenario {
  const random = new Random(seed, 'scenario');
  const longTexts = random.chance(0.15);
  return {
    seed,
    agents: {},
    goal: longTexts && random.chance(0.02) ? 'g'.repeat(70_000) : 'Say what the files say.',
    settings: {
      mode,
      workspace: '/w',
      autoApprove: random.chance(0.7),
      ...(random.chance(0.3) ? { context: { user: 'u1' } } : {}),
    },
    pinned: {
      ...pinnedRun(random, seed, longTexts, mode),
      asksProgram: false,
      resolver: resolverRows(new Random(seed, 'resolver')),
    },
    stop: random.chance(0.25) ? moment(random) : null,
    cancel: random.chance(0.05) ? moment(random) : null,
    people: NOBODY,
    failureRate: random.pick([0, 0, 0.05, 0.2]),
    maxFailures: random.int(1, 8),
    oddReplies: random.pick([0.03, 0.15, 0.5]),
    toolAppetite: random.pick([0.2, 0.5, 0.9]),
    longTexts,
    longPlans: false,
    isShop: false,
    busyAgents: false,
    byPlace: false,
    independent: false,
    thorough: seed % 5 === 0,
  };
}

function moment(random: Random): Moment {
  return { call: random.int(1, random.pick([4, 25])), where: random.pick(['during', 'after']) };
}

function resolverRows(random: Random): ResolverRow[] {
  if (random.chance(0.6)) return [];
  const row = (): ResolverRow => ({
    when: random.pick([
      { role: random.pick(['planner', 'executor', 'react']), roundFrom: random.int(1, 3) },
      { turnFrom: random.int(1, 8) },
      { budgetFrom: random.pick([0.2, 0.8]) },
      { lastStop: random.pick(STOP_REASONS) },
      { lastFailure: random.pick(MODEL_FAILURES) },
      { phase: random.pick(PHASES) },
      { inputTokensFrom: random.int(10, 2_000) },
    ]),
    use: random.pick([['p/a'], ['p/b', 'p/a'], ['q/c']]),
  });
  return Array.from({ length: random.int(1, 4) }, row);
}

function pinnedRun(
  random: Random,
  seed: number,
  longTexts: boolean,
  mode: ModeName,
): Omit<PinnedRun, 'resolver' | 'asksProgram'> {
  const contextTokens = longTexts ? random.int(50, 800) : 128_000;
  return {
    language: 'en',
    prefix: { system: 'You are a team.' },
    roles: Object.fromEntries(
      [...requiredRoles({ mode, roles: DECLARED[mode]?.steps ?? null }, DECLARED)].map(([name, output]) => [
        name,
        role(random, name, output),
      ]),
    ),
    projectNotes: new Random(seed, 'notes').chance(0.3) ? { text: 'Built with make.', isWhole: true } : null,
    agents: [],
    modes: DECLARED,
    tools: [...TOOLS, ...ASKING],
    fallbackServer: random.chance(0.3) ? 'default' : null,
    limits: {
      ...limits(random),
      parallelTools: new Random(seed, 'parallel').pick([1, 2, 4, 4]),
      parallelTasks: new Random(seed, 'branches').pick([1, 2, 3]),
    },
    models: random.pick([['p/a'], ['p/a', 'p/b'], ['p/a', 'p/b', 'q/c']]),
    modelInfo: { 'p/a': modelFacts(contextTokens, true) },
    ...(new Random(seed, 'transforms').chance(0.2) && {
      context: { softTokens: 20_000, transforms: ['own', 'thin', 'trim'] },
    }),
    dedupe: random.pick(['enforce', 'enforce', 'advise', 'off'] as const),
    permissions: NO_PERMISSIONS,
    review: { plans: false, results: false, actions: false },
    orchestrate: false,
    onBudget: 'wrap_up',
    onStepFailure: 'skip',
    ceilings: {},
    gateTimeoutMs: 86_400_000,
    modelTimeoutMs: 600_000,
    searchAttributes: [],
    warnings: [],
  };
}

function limits(random: Random): Limits {
  const planning = random.int(1, 3);
  const execution = random.int(1, random.pick([2, 5]));
  return {
    ...DEFAULT_LIMITS,
    planning,
    execution,
    replies: execution,
    verification: random.int(1, 3),
    tasks: random.int(1, random.pick([2, 6])),
    turns: random.chance(0.7) ? random.int(1, 16) : 60,
    toolCallsPerTurn: random.int(1, 4),
    argumentCorrections: random.int(0, 2),
    tokens: random.chance(0.1) ? random.int(1, 3_000) : 1_000_000,
    wallTimeMs: random.chance(0.1) ? random.int(1, 30_000) : 3_600_000,
    costUsd: random.chance(0.1) ? random.next() / 10 : null,
  };
}

/** The tool that asks the person. */
const ASKING = addWorkflowTools([], [{ tools: ['*'], output: 'text' }]).tools;

const WITH_TOOLS: readonly string[] = ['executor', 'react', 'auditor'];

function role(random: Random, name: string, output: OutputContract): PinnedRole {
  const memory = random.chance(0.1) ? 'private' : 'shared';
  return {
    name,
    description: '',
    memory,
    prefix: memory === 'private' ? 'own' : random.pick(['shared', 'shared', 'own']),
    tools: WITH_TOOLS.includes(name) ? random.pick([['*'], ['*'], ['re*', 'edit'], []]) : [],
    agents: [],
    requires: [],
    output,
    maxRounds: random.pick([null, null, 2]),
    toolCallsPerTurn: null,
    dialect: 'component',
    models: random.chance(0.2) ? ['q/c', 'p/a'] : [],
    temperature: null,
    topP: null,
    reasoning: null,
    toolSyntax: null,
    stop: [],
    maxOutputTokens: null,
    prompt: `You are the ${name}.`,
  };
}
