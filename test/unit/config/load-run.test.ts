import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { WorkerParts } from '../../../src/activities/feature.js';
import type { LoadRunDeps } from '../../../src/activities/load/load-run.js';
import { createLoadRun } from '../../../src/activities/load/load-run.js';
import type { ListedTools } from '../../../src/activities/load/offer-tools.js';
import type { LoadRunInput } from '../../../src/activities/types.js';
import type { JsonSchema } from '../../../src/base/json/json.js';
import { WORKER_TRIES } from '../../../src/base/sizes/bounds.js';
import { loadSettings } from '../../../src/config/settings/settings.js';
import { OWN_TOOLS, WORKER_FEATURES } from '../../../src/features/workers.js';
import type { PinnedRun, RunSettings } from '../../../src/run/agents/run-config.js';
import { FAILURE } from '../../../src/run/limits/failure.js';
import type { ToolDefinition } from '../../../src/run/tools/tool.js';
import { DEFAULT_TOOL_POLICY } from '../../../src/run/tools/tool.js';
import { SteersmanError } from '../../../src/shared/process/errors.js';
import { unpack } from '../../../src/workflows/platform/temporal-ports.js';
import { modelFacts } from '../../support/core-values.js';
import { activityEnvironment } from '../../support/tool-calls.js';

const readFileTool: ToolDefinition = {
  name: 'read_file',
  serverToolName: 'read_file',
  origin: { type: 'mcp', server: 'files' },
  description: 'Reads a file.',
  inputSchema: { type: 'object' },
  validation: 'strict',
  policy: DEFAULT_TOOL_POLICY,
};

/** Failing activities are logged with their stacks otherwise. */

let configDir: string;
let workspace: string;

beforeEach(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'steersman-load-'));
  configDir = join(dir, 'config');
  workspace = join(dir, 'work');
  await mkdir(configDir);
  await mkdir(workspace);
  await config('models:\n  default: openai/base\n');
});

const SEARCH = `---
description: Searches.
output: text
maxRounds: 3
---
{{businessContext}} You have {{executionRounds}} rounds.
`;

const ROWS = `  resolver:
    - when: { role: executor, roundFrom: 4 }
      use: [openai/best, openai/unknown]
    - when: { budgetFrom: 0.8 }
      use: openai/unknown
`;

function config(yaml: string): Promise<void> {
  return writeFile(join(configDir, 'steersman.yaml'), yaml);
}

const PARTS = {
  ...{ accounts: { show: async () => null }, hooks: {}, settings: { hooks: {} } },
  ...{ configDir: null, skills: [], isTrusted: () => true },
} as unknown as WorkerParts;

async function load(
  settings: Partial<RunSettings> = {},
  deps: Partial<LoadRunDeps> = {},
  environment = activityEnvironment(),
): Promise<PinnedRun> {
  const loadRun = createLoadRun({
    configDir,
    localStack: true,
    beside: { features: WORKER_FEATURES, parts: PARTS, ownTools: OWN_TOOLS },
    listTools: async () => ({ tools: [readFileTool], warnings: ['server x did not start'] }),
    modelInfo: () => modelFacts(100_000, true),
    listFiles: async () => 'a.txt 3 B',
    searchAttributes: async () => ['AgentMode'],
    loadSettings: () => loadSettings(configDir, deps.inCode),
    ...deps,
  });
  const input: LoadRunInput = {
    settings: { mode: 'team', workspace, autoApprove: false, ...settings },
    lists: true,
  };
  return unpack<PinnedRun>(await environment.run(loadRun, input));
}

async function failureOf(work: Promise<unknown>): Promise<ApplicationFailure> {
  const error = await work.then(
    () => null,
    (fault: unknown) => fault,
  );
  if (error instanceof ApplicationFailure) return error;
  throw new Error(`expected an ApplicationFailure, got ${String(error)}`);
}

describe('load run', () => {
  test('load run: a folder with steersman.yaml only → everything a run pins', async () => {
    await config(
      'models:\n  default: [openai/base, openai/spare]\n  roles:\n    verifier: openai/strict\n  timeoutMs: 5000\ndedupe: advise\n',
    );
    const pinned = await load({ systemMessage: 'Answer in verse.' });
    const roles = ['executor', 'planner', 'router', 'summary', 'understanding', 'verifier'];
    expect(Object.keys(pinned.roles).sort()).toEqual(roles);
    expect(pinned.prefix.system).toMatch(/^Answer in verse\.\n\n# The conversation/);
    expect(pinned.roles.planner?.prompt).toMatch(/^# Planner/);
    expect(pinned.roles.router?.prompt).toMatch(/^Answer in verse\.\n\n# Router/);
    expect(pinned.roles.verifier?.models).toEqual(['openai/strict']);
    expect(pinned).toMatchObject({
      models: ['openai/base', 'openai/spare'],
      modelTimeoutMs: 5000,
      dedupe: 'advise',
      fallbackServer: null,
      searchAttributes: ['AgentMode'],
      tools: [readFileTool],
      warnings: ['server x did not start'],
    });
    expect(Object.keys(pinned.modelInfo).sort()).toEqual(['openai/base', 'openai/spare', 'openai/strict']);
  });

  test.each([
    ['steering: note', ['executor', 'planner', 'summary', 'verifier']],
    ['steering: note\nreview:\n  plans: true', ['executor', 'planner', 'reviewer', 'summary', 'verifier']],
    [
      'orchestrate: true',
      ['executor', 'orchestrator', 'planner', 'router', 'summary', 'understanding', 'verifier'],
    ],
  ])('load run: %j → only the steering roles that it asks for (F15, F20, F21)', async (settings, roles) => {
    await config(`models:\n  default: openai/base\n${settings}\n`);
    expect(Object.keys((await load()).roles).sort()).toEqual(roles);
  });

  test.each([
    [0, { tools: [] }],
    [2, { tools: ['*'], readOnly: true }],
  ])('load run: %i looks → the verifier has the tools %j (L4, L9)', async (looks, has) => {
    await config(`models:\n  default: openai/base\nlimits:\n  looks: ${looks}\n`);
    const { verifier } = (await load()).roles;
    expect(verifier).toMatchObject(has);
    expect(verifier?.readOnly === true).toBe(looks > 0);
  });

  test('load run: checks of the file and of the start → both, in this order; a sub-agent has none', async () => {
    await config('models:\n  default: openai/base\nchecks:\n  - run: npm test\n');
    const checks = [{ file: 'report.md' }];
    expect((await load({ checks })).checks).toEqual([{ run: 'npm test' }, { file: 'report.md' }]);
    const agent = await load({ mode: 'react', role: 'react', calledAs: 'react/1', checks });
    expect(agent.checks).toBeUndefined();
  });

  test.each([
    ['steering: note\nreview:\n  plans: true\norchestrate: true', ['react']],
    ['review:\n  actions: true', ['react', 'reviewer']],
    ['steering: understand', ['react', 'router', 'understanding']],
  ])(
    'load run: mode react, %j → its own role, and those that it has work for (SE7)',
    async (settings, roles) => {
      await config(`models:\n  default: openai/base\n${settings}\n`);
      const pinned = await load({ mode: 'react' });
      expect(Object.keys(pinned.roles).sort()).toEqual(roles);
      expect(pinned.roles.react).toMatchObject({ output: 'text', tools: ['*'], memory: 'shared' });
    },
  );

  test.each([
    ['', undefined, false],
    ['projectNotes: true', undefined, true],
    ['', true, true],
    ['projectNotes: true', false, false],
  ])('load run: %j in the settings, %s at the start → AGENTS.md is read: %s', async (yaml, wanted, read) => {
    await config(`models:\n  default: openai/base\n${yaml}\n`);
    await writeFile(join(workspace, 'AGENTS.md'), 'Built with make.');
    const { projectNotes } = await load(wanted === undefined ? {} : { projectNotes: wanted });
    expect(projectNotes).toEqual(read ? { text: 'Built with make.', isWhole: true } : null);
  });

  test('load run: temperature and output limit of the start → hold for every role; without them those of the files (M15)', async () => {
    const given = await load({ temperature: 0.1, maxOutputTokens: 900 });
    const sampled = Object.values(given.roles).map(role => [role.temperature, role.maxOutputTokens]);
    expect(sampled.length).toBeGreaterThan(2);
    expect(new Set(sampled.map(String))).toEqual(new Set(['0.1,900']));
    const { roles } = await load();
    expect([roles.planner?.temperature, roles.planner?.maxOutputTokens]).toEqual([null, 16_384]);
  });

  test('load run: notes that are wanted and not there → a warning of the run', async () => {
    const { projectNotes, warnings } = await load({ projectNotes: true });
    expect(projectNotes).toBeNull();
    expect(warnings).toContainEqual(expect.stringContaining('AGENTS.md is not there'));
  });

  test('load run: a role that the start names → that one works in the mode of one role, with its own rounds (P6, J5, L12)', async () => {
    await config('models:\n  default: openai/base\nsteering: note\n');
    await mkdir(join(configDir, 'prompts/core'), { recursive: true });
    await writeFile(join(configDir, 'prompts/core/search.md'), SEARCH);
    const { roles } = await load({ mode: 'react', role: 'search' });
    expect(roles).toEqual({ search: expect.objectContaining({ maxRounds: 3, output: 'text' }) });
    expect(roles.search?.prompt).toContain('3 rounds');
  });

  test.each([
    ['team', 'capabilities: [pictures]\noutput: execution', true],
    ['team', 'capabilities: [pictures]\noutput: text', false],
    ['team', 'output: execution', false],
    ['direct', 'capabilities: [pictures]\noutput: execution', false],
  ])(
    'load run: %s, a role more with %j → pinned to carry out tasks: %j (A10)',
    async (mode, profile, isPinned) => {
      await mkdir(join(configDir, 'prompts', 'core'), { recursive: true });
      const file = `---\ndescription: Draws.\n${profile}\n---\n{{businessContext}}\n`;
      await writeFile(join(configDir, 'prompts', 'core', 'artist.md'), file);
      const { roles } = await load({ mode });
      expect(roles.artist?.capabilities).toEqual(isPinned ? ['pictures'] : undefined);
      expect('artist' in roles).toBe(isPinned);
    },
  );

  const READS_ALONE = { listTools: async () => ({ tools: [readFileTool], warnings: [] }) };
  test.each<[string, Partial<RunSettings>, Partial<LoadRunDeps>, string | null | undefined]>([
    ['a mode that is verified', {}, {}, 'ref-1'],
    ['no verdict and no check', { mode: 'react' }, {}, undefined],
    ['a check', { mode: 'react', checks: [{ run: 'npm test' }] }, {}, 'ref-1'],
    ['a tool that names no file', {}, READS_ALONE, undefined],
    ['a disk that fails', {}, { lookAtStart: () => Promise.reject(new Error('EIO')) }, null],
  ])('load run: %s → the workspace as its work begins: %j', async (_what, settings, deps, ref) => {
    const inputSchema = { type: 'object', properties: { path: { type: 'string' } } };
    const loaded = await load(settings, {
      listTools: async () => ({ tools: [{ ...readFileTool, name: 'write', inputSchema }], warnings: [] }),
      lookAtStart: async () => ({ ref: 'ref-1' }),
      ...deps,
    });
    expect('start' in loaded ? loaded.start : undefined).toEqual(ref === undefined ? undefined : { ref });
  });

  test('load run: capabilities that are counted → pinned with their numbers; none → nothing of it (A8)', async () => {
    expect(await load()).not.toHaveProperty('resources');
    await config('models:\n  default: openai/base\nsteering: note\nresources: { browser: 1 }\n');
    expect(await load()).toMatchObject({ resources: { browser: 1 } });
  });

  test('load run: a role by the id of another system → that role under the id, unless one is called so (CF7)', async () => {
    const { roles } = await load({ mode: 'react', role: 'search_agent' });
    expect(roles).toMatchObject({ search_agent: { name: 'search_agent', output: 'text' } });
    await mkdir(join(configDir, 'prompts/core'), { recursive: true });
    await writeFile(join(configDir, 'prompts/core/search_agent.md'), SEARCH);
    const own = await load({ mode: 'react', role: 'search_agent' });
    expect(own.roles.search_agent?.maxRounds).toBe(3);
  });

  test('load run: a role by the id of another system → what is configured for it holds (CF7, C27)', async () => {
    await config(`models:
  default: openai/base
  roles: { search: openai/large }
  configurations: { fast: { roles: { search: openai/small } } }
  resolver: [{ when: { role: search, roundFrom: 4 }, use: openai/best }]
context:
  maxTokens: 10000
  threshold: 0.5
  roles: { search: { maxTokens: 4000 } }
`);
    for (const role of ['search', 'search_agent']) {
      const { roles, context, resolver } = await load({ mode: 'react', role }, { keeps: true });
      expect(roles[role]?.models).toEqual(['openai/large']);
      expect(context?.roles?.[role]).toBe(2_000);
      expect(resolver.map(({ when }) => when.role)).toEqual([role]);
      const fast = await load({ mode: 'react', role, configuration: 'fast' });
      expect(fast.roles[role]?.models).toEqual(['openai/small']);
    }
  });

  test.each<[string, boolean, JsonSchema]>([
    ['one beside it, by a name', true, { $id: 'https://a.example/b', properties: { a: { $ref: 'c.json' } } }],
    ['an anchor that is not there', true, { $id: 'https://a.example/b', properties: { a: { $ref: '#c' } } }],
    ['an anchor', false, { properties: { a: { $ref: '#c' } }, $defs: { c: { $anchor: 'c' } } }],
  ])(
    'load run: a schema of the answer that refers to %s → refused: %s (TA2)',
    async (_what, isRefused, answer) => {
      const loading = load({ answer });
      if (isRefused) await expect(loading).rejects.toMatchObject({ type: 'run.bad_input' });
      else await expect(loading).resolves.toHaveProperty('roles');
    },
  );

  test('load run: a role that the start names and no file has → refused, with those that there are (A2)', async () => {
    await expect(load({ mode: 'react', role: 'serach' })).rejects.toThrow(
      /no role "serach".*react, search, summary/,
    );
  });

  test('load run: a declared mode → pinned with its roles and no others; in auto, where it says what it does (P6, L18)', async () => {
    const modes =
      'modes:\n  check: { steps: [search, react] }\n  look: { steps: [search], does: looks things up }\n';
    await config(`models:\n  default: openai/base\nsteering: note\n${modes}`);
    const pinned = await load({ mode: 'check' });
    expect(pinned.modes).toEqual({ check: { steps: ['search', 'react'], does: null } });
    expect(Object.keys(pinned.roles).sort()).toEqual(['react', 'search']);
    const auto = await load({ mode: 'auto' });
    expect(Object.keys(auto.modes)).toEqual(['look']);
    expect(auto.roles).toHaveProperty('search');
    expect((await load()).modes).toEqual({});
  });

  test.each([
    ['no mode of that name', { mode: 'reveiw' }, /no mode "reveiw"\. Modes here: .*auto, review/],
    [
      'a step whose role replies otherwise',
      { mode: 'review' },
      /output is "plan", and the mode review needs "text"\..*modes\.review\.steps/,
    ],
    [
      'a role for the goal that replies otherwise',
      { mode: 'react', role: 'planner' },
      /output is "plan", and the mode react needs "text"\. Name another: .*react, search, summary/,
    ],
  ])('load run: %s → run.bad_config, with what to do (P6)', async (_, settings, message) => {
    await config('models:\n  default: openai/base\nmodes:\n  review: { steps: [planner] }\n');
    expect(await failureOf(load(settings))).toMatchObject({
      type: 'run.bad_config',
      message: expect.stringMatching(message),
    });
  });

  test.each<[string, Partial<RunSettings>, number]>([
    ['a run of its own', {}, 1],
    ['a run that continues a conversation, which may be of another workspace', { session: 'pool' }, 0],
    ['a sub-agent', { calledAs: 'search/1' }, 0],
  ])(
    'Z2: %s is loaded → listed in the store at once, or only by the run itself',
    async (_, settings, times) => {
      const readListing = vi.fn(() => async () => ({ id: 0, seq: 1 }));
      const pinned = await load(settings, { keeps: true, readListing });
      expect(readListing).toHaveBeenCalledTimes(times);
      expect('listed' in pinned).toBe(times > 0);
    },
  );

  test('load run: limits in steersman.yaml and in the run → merged, and told to the planner (L19)', async () => {
    await config('models:\n  default: openai/base\nlimits:\n  planning: 2\n  execution: 4\n');
    const pinned = await load({ limits: { execution: 6 } });
    expect(pinned.limits).toMatchObject({ planning: 2, execution: 6, verification: 3 });
    expect(pinned.roles.planner?.prompt).toContain('6 replies of many calls');
  });

  test('load run: a limit of cost, and a model without a price → refused at the start, with what to do (LI2)', async () => {
    const modelInfo = (id: string) => modelFacts(1, id !== 'openai/unknown');
    const limits = { costUsd: 2 };
    const refused = await failureOf(load({ limits, model: 'openai/unknown' }, { modelInfo }));
    expect(refused.type).toBe(FAILURE.run.badInput);
    expect(refused.message).toMatch(/no price is known for openai\/unknown.*costUsd=none/);
    await config('models:\n  default: [openai/base, openai/unknown]\n');
    const pinned = await load({ limits }, { modelInfo });
    expect(pinned.models).toEqual(['openai/base']);
    expect(pinned.warnings).toContainEqual(expect.stringContaining('openai/unknown'));
    expect((await load({}, { modelInfo })).models).toEqual(['openai/base', 'openai/unknown']);
  });

  test('load run: an account that is charged by cost, and a model without a price → refused; a start without an account is not (E7)', async () => {
    const modelInfo = () => modelFacts(1, false);
    await config('models:\n  default: openai/unknown\ncredits:\n  account: tenant\n  perUsd: 100\n');
    const refused = await failureOf(load({ context: { tenant: 'ann' } }, { modelInfo }));
    expect(refused.message).toMatch(/no price is known for openai\/unknown/);
    expect((await load({ context: { user: 'ann' } }, { modelInfo })).credits).toBeUndefined();
  });

  test('load run: pools, going on at zero, a warning → pinned; a sub-agent only sees the account, and only where a row asks for credits (H6, LL10)', async () => {
    const credits =
      'credits: { account: tenant, perTurn: 1, secondPool: standard, goOn: [ann*], warnBelow: 5 }\n';
    const rows = '  resolver: [{ when: { creditsBelow: 1 }, use: openai/small }]\n';
    const context = { tenant: 'ann' };
    const pool = { balance: 0, dayTokens: 0 };
    const terms = {
      account: 'ann',
      ...pool,
      second: { account: 'ann/standard', ...pool },
      goesOn: true,
      warnBelow: 5,
    };
    await config(`models:\n  default: openai/base\n${credits}`);
    expect((await load({ context })).credits).toMatchObject(terms);
    expect((await load({ context: { tenant: 'bob' } })).credits?.goesOn).toBeUndefined();
    const agent = { context, mode: 'react', role: 'react', calledAs: 'react/1' } as const;
    expect(await load(agent)).not.toHaveProperty('creditsSeen');
    await config(`models:\n  default: openai/base\n${rows}${credits}`);
    const seen = await load(agent);
    expect([seen.credits, seen.creditsSeen]).toMatchObject([undefined, terms]);
  });

  test('load run: rows of a resolver → pinned, but where the start names a model, which stands alone (M4, M11)', async () => {
    await config(`models:\n  default: openai/base\n${ROWS}`);
    const { resolver, modelInfo } = await load();
    expect(resolver).toEqual([
      { when: { role: 'executor', roundFrom: 4 }, use: ['openai/best', 'openai/unknown'] },
      { when: { budgetFrom: 0.8 }, use: ['openai/unknown'] },
    ]);
    expect(Object.keys(modelInfo).sort()).toEqual(['openai/base', 'openai/best', 'openai/unknown']);
    expect((await load({ model: 'openai/other' })).resolver).toEqual([]);
  });

  test('load run: rows of a resolver, a limit of cost → models without a price are left out, with a warning (LI2, M4)', async () => {
    await config(`models:\n  default: openai/base\n${ROWS}`);
    const modelInfo = (id: string) => modelFacts(1, id !== 'openai/unknown');
    const pinned = await load({ limits: { costUsd: 2 } }, { modelInfo });
    expect(pinned.resolver.map(({ use }) => use)).toEqual([['openai/best'], []]);
    expect(pinned.warnings).toContainEqual(expect.stringMatching(/models\.resolver.*openai\/unknown/));
  });

  test('load run: profiles that say nothing → replies have a limit all the same (LI3)', async () => {
    const { roles } = await load();
    expect(roles.executor?.maxOutputTokens).toBe(16_384);
    expect(roles.router?.maxOutputTokens).toBe(8_192);
  });

  test('load run: a text of its own in prompts/words → pinned; its faults end the run before it starts (P13)', async () => {
    expect('words' in (await load())).toBe(false);
    const file = join(configDir, 'prompts', 'words', 'en.yaml');
    await mkdir(join(configDir, 'prompts', 'words'), { recursive: true });
    await writeFile(file, 'plan: Make a plan.\n');
    expect((await load()).words).toEqual({ plan: 'Make a plan.' });
    await writeFile(file, 'task: Do it.\n');
    await expect(load()).rejects.toMatchObject({
      type: FAILURE.run.badConfig,
      message: expect.stringContaining('en.yaml:1: task: {id} is missing'),
    });
  });

  test('load run: language zh → Chinese prompts', async () => {
    await config('language: zh\nmodels:\n  default: openai/base\n');
    expect((await load()).roles.planner?.prompt).toContain('规划者');
  });

  test('load run: tool overrides → in the pinned policies; one that fits nothing is a warning', async () => {
    await config(
      'models:\n  default: openai/base\ntools:\n  read_*:\n    readOnly: true\n  wirte_*:\n    readOnly: false\n',
    );
    const pinned = await load();
    expect(pinned.tools[0]?.policy).toMatchObject({ readOnly: true, idempotent: true });
    expect(pinned.warnings).toContainEqual(expect.stringContaining('"wirte_*" matches no tool'));
  });

  test("a project's verifier with tools of its own → it looks with those that only read, whatever it names", async () => {
    await mkdir(join(configDir, 'prompts', 'core'), { recursive: true });
    const file = join(configDir, 'prompts', 'core', 'verifier.md');
    await writeFile(
      file,
      '---\ndescription: V.\noutput: verdict\ntools: [read_*]\n---\n{{businessContext}}\n',
    );
    const pinned = await load({ limits: { looks: 1 } });
    expect(pinned.roles.verifier).toMatchObject({ tools: ['read_*'], readOnly: true });
  });

  test('load run: a role names a tool of the run itself → pinned beside those of servers', async () => {
    await mkdir(join(configDir, 'prompts', 'core'), { recursive: true });
    const role = SEARCH.replace('maxRounds: 3', "maxRounds: 3\ntools: ['*', list_artifacts]");
    await writeFile(join(configDir, 'prompts', 'core', 'search.md'), role);
    const pinned = await load({ mode: 'react', role: 'search' });
    expect(pinned.tools.map(({ name }) => name)).toEqual(['read_file', 'list_artifacts', 'ask_person']);
  });

  test('load run: overrides and a permission for a tool of the run itself → in its policy; the bare * is not about it; where no role has it, no warning (T13)', async () => {
    const overrides =
      'tools:\n  "*": { readOnly: false }\n  call_subagent: { callsPerTurn: 1 }\npermissions: { confirm: [call_subagent] }\n';
    await config(`models:\n  default: openai/base\n${overrides}`);
    const lead = await load({ mode: 'lead' });
    const policyOf = (name: string) => lead.tools.find(tool => tool.name === name)?.policy;
    expect(policyOf('call_subagent')).toMatchObject({ callsPerTurn: 1, readOnly: true });
    expect(policyOf('list_artifacts')).toMatchObject({ readOnly: true });
    expect(policyOf('read_file')).toMatchObject({ readOnly: false });
    const react = await load({ mode: 'react' });
    for (const { warnings } of [lead, react])
      expect(warnings.filter(warning => warning.includes('matches no tool'))).toEqual([]);
  });

  test.each<[string, Partial<ToolDefinition>, boolean]>([
    ['as it was', {}, true],
    ['in other words', { description: 'Sends it to somebody else.' }, false],
    ['with other arguments', { inputSchema: { type: 'object', properties: { to: {} } } }, false],
    ['of another server', { origin: { type: 'mcp', server: 'other' } }, false],
    [
      'with other effects',
      { policy: { ...readFileTool.policy, destructive: !readFileTool.policy.destructive } },
      false,
    ],
    ['with more time', { policy: { ...readFileTool.policy, timeoutMs: 1 } }, true],
  ])('load run: a tool %s → its digest tells (T23)', async (_, now, same) => {
    const digestOf = async (tool: ToolDefinition) =>
      (await load({}, { listTools: async () => ({ tools: [tool], warnings: [] }) })).tools[0]?.digest;
    const before = await digestOf(readFileTool);
    expect(before).toMatch(/^[\w-]{16}$/);
    expect((await digestOf({ ...readFileTool, ...now })) === before).toBe(same);
  });

  test('load run: a sub-agent file of a coding agent beside the roles → the lead may call it; what it goes without is a warning (A9, T15)', async () => {
    const file =
      '---\nname: boats\ndescription: Finds boats.\ntools: Read, read_file\nmodel: sonnet\ncapabilities: [tides]\n---\nYou find boats.\n';
    await mkdir(join(configDir, 'prompts', 'core'), { recursive: true });
    await writeFile(join(configDir, 'prompts', 'core', 'boats.md'), file);
    const lead = await load({ mode: 'lead' });
    expect(lead.agents).toEqual([
      { name: 'boats', description: 'Finds boats.', requires: [], capabilities: ['tides'] },
      expect.objectContaining({ name: 'crawl', requires: ['url'] }),
      expect.objectContaining({ name: 'search' }),
    ]);
    const told = lead.warnings.filter(warning => warning.includes('boats.md'));
    expect(told).toEqual([
      expect.stringContaining('model "sonnet" is not written as endpoint/model'),
      expect.stringContaining('the role boats goes without read: no tool has this name'),
    ]);
    const { roles, warnings } = await load({ mode: 'react', role: 'boats' });
    expect(roles.boats).toMatchObject({
      output: 'text',
      tools: ['read', 'read_file'],
      prompt: expect.stringMatching(/^You find boats\./),
    });
    expect(warnings.filter(warning => warning.includes('boats.md'))).toEqual(told);
  });

  test('load run: prompts and configuration in the workspace → ignored', async () => {
    await mkdir(join(workspace, 'prompts', 'core'), { recursive: true });
    await writeFile(join(workspace, 'prompts', 'core', 'planner.md'), 'broken');
    await writeFile(join(workspace, 'steersman.yaml'), 'nonsense: true');
    expect((await load()).models).toEqual(['openai/base']);
  });

  test('load run: keys in the environment → in nothing that is returned (K3)', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-secret-0123456789');
    vi.stubEnv('OPENAI_BASE_URL', 'http://secret-host.invalid/v1');
    try {
      const text = JSON.stringify(await load({ systemMessage: '{{OPENAI_API_KEY}} $OPENAI_API_KEY' }));
      expect(text).not.toContain('sk-secret');
      expect(text).not.toContain('secret-host');
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('load run: the namespace can not be asked for search attributes → a warning, and the run goes on', async () => {
    const pinned = await load({}, { searchAttributes: () => Promise.reject(new Error('not allowed')) });
    expect(pinned.searchAttributes).toEqual([]);
    expect(pinned.warnings).toContainEqual(expect.stringContaining('not allowed'));
  });

  test('load run: tool servers take long to start → heartbeats go on meanwhile', async () => {
    const environment = activityEnvironment();
    let beats = 0;
    let enough: () => void = () => {};
    const twoBeats = new Promise<void>(resolve => {
      enough = resolve;
    });
    environment.on('heartbeat', () => {
      beats += 1;
      if (beats === 2) enough();
    });
    const listTools = async () => {
      await twoBeats;
      return { tools: [], warnings: [] };
    };
    await load({}, { listTools }, environment);
    expect(beats).toBeGreaterThanOrEqual(2);
  });

  test.each([
    ['a workspace that does not exist', { workspace: '/nowhere/at/all' }, '/nowhere/at/all does not exist'],
    ['a model without provider', { model: 'gpt-5' }, 'endpoint/model'],
  ])('load run: %s → run.bad_input, not retried, with what to do', async (_case, settings, message) => {
    const failure = await failureOf(load(settings));
    expect(failure).toMatchObject({ type: FAILURE.run.badInput, nonRetryable: true });
    expect(failure.message).toContain(message);
  });

  test('load run: a tool of the client whose name no provider allows → offered under one that is, known by its own (OU5)', async () => {
    await config('models:\n  default: openai/base\n');
    const clientTools = ['frage die crew', 'ask'].map(name => ({ name, description: '', inputSchema: {} }));
    const { tools } = await load({ clientTools });
    const named = tools.map(tool => [tool.name, tool.serverToolName]);
    expect(named).toEqual(
      expect.arrayContaining([
        ['frage_die_crew', 'frage die crew'],
        ['ask', 'ask'],
      ]),
    );
  });

  test('load run: a limit above the ceiling of the worker → refused by name; its own come down to it (TR1)', async () => {
    await config('models:\n  default: openai/base\nceilings:\n  tokens: 5000\n');
    const failure = await failureOf(load({ limits: { tokens: 5001 } }));
    expect(failure).toMatchObject({ type: FAILURE.run.badInput, nonRetryable: true });
    expect(failure.message).toContain('at most: tokens 5000');
    expect((await load({})).limits).toMatchObject({ tokens: 5000, turns: 100 });
  });

  test('load run: a worker elsewhere and a workspace below none of its roots → refused by name', async () => {
    await config('models:\n  default: openai/base\nworkspaces: [served]\n');
    const failure = await failureOf(load({}, { localStack: false }));
    expect(failure).toMatchObject({ type: FAILURE.run.badInput });
    expect(failure.message).toContain(`${workspace} is refused`);
  });

  test('load run: a workspace that this host does not have → another worker is tried, and the last try names each host (TR1)', async () => {
    await config('models:\n  default: openai/base\nworkspaces: [/nowhere]\n');
    const asked = (info: { attempt: number; heartbeatDetails?: unknown }) => {
      const environment = activityEnvironment(info);
      const beats: unknown[] = [];
      environment.on('heartbeat', beat => beats.push(beat));
      const loaded = load({ workspace: '/nowhere/at/all' }, { localStack: false }, environment);
      return failureOf(loaded).then(failure => ({ failure, beats }));
    };
    const first = await asked({ attempt: 1 });
    expect(first.failure).toMatchObject({ type: FAILURE.tool.noWorkspace, nonRetryable: false });
    expect(first.beats).toEqual([{ without: [hostname()] }]);
    const { failure } = await asked({ attempt: WORKER_TRIES, heartbeatDetails: { without: ['other'] } });
    expect(failure).toMatchObject({ type: FAILURE.run.badInput, nonRetryable: true });
    expect(failure.message).toMatch(`No worker that was asked has it: other, ${hostname()}.`);
  });

  test('load run: an account pays by cost, and the model for summaries has no price → that is not called', async () => {
    await config(
      'models:\n  default: openai/gpt-5\n  compaction: openai/unknown\ncredits:\n  account: tenant\n  perUsd: 100\n',
    );
    const modelInfo = (id: string) => modelFacts(100_000, id !== 'openai/unknown');
    const given = { modelInfo, keeps: true };
    expect((await load({ context: { tenant: 'ann' } }, given)).context?.compacts).toEqual({});
    expect((await load({}, given)).context?.compacts).toEqual({ model: 'openai/unknown' });
  });

  test('load run: a cost limit, and the model for summaries has no price → that is not called; one with a price is', async () => {
    await config('models:\n  default: openai/gpt-5\n  compaction: openai/other\n');
    const compacts = async (isPriced: boolean, costUsd: number | null) => {
      const modelInfo = (id: string) => modelFacts(100_000, isPriced || id !== 'openai/other');
      const loaded = await load({ limits: { costUsd } }, { modelInfo, keeps: true });
      return loaded.context?.compacts;
    };
    expect(await compacts(false, 1)).toEqual({});
    expect(await compacts(true, 1)).toEqual({ model: 'openai/other' });
    expect(await compacts(false, null)).toEqual({ model: 'openai/other' });
  });

  test('X2: limits of roles in context.roles → pinned, each with what is left out of it taken from the general ones', async () => {
    await config(
      'models:\n  default: openai/gpt-5\ncontext:\n  maxTokens: 10000\n  threshold: 0.5\n  roles:\n    planner: { maxTokens: 4000 }\n    verifier: { threshold: 0.9 }\n',
    );
    const { context } = await load({}, { keeps: true });
    expect(context).toMatchObject({ softTokens: 5_000, roles: { planner: 2_000, verifier: 9_000 } });
  });

  test('SE3: no context.maxTokens → a share of the window, by the threshold of all or of the role', async () => {
    await config('models:\n  default: openai/gpt-5\ncontext:\n  roles:\n    verifier: { threshold: 0.6 }\n');
    const { context } = await load({}, { keeps: true });
    expect(context).toMatchObject({ softTokens: 0.4, roles: { verifier: 0.3 } });
  });

  test('load run: it can not begin, and the worker has hooks → its failure names them (E3)', async () => {
    await config('models:\n  default: openai/gpt-5\n');
    const parts = { ...PARTS, hooks: { onRunEnd: () => undefined } };
    const withHook = { features: WORKER_FEATURES, parts, ownTools: OWN_TOOLS };
    const failure = await failureOf(load({ mode: 'react', role: 'nobody' }, { beside: withHook }));
    expect(failure).toMatchObject({ nonRetryable: true, details: [{ hooks: ['onRunEnd'] }] });
  });

  test.each([
    [
      'an unknown key',
      'modells:\n  default: openai/a\n',
      'steersman.yaml:1: unknown key "modells". Did you mean "models"?',
    ],
    ['no model', 'dedupe: off\n', 'Set models.default in'],
    ['a language without prompts', 'language: xx\nmodels:\n  default: openai/a\n', 'Use one of en, zh'],
  ])(
    'load run: steersman.yaml has %s → run.bad_config, not retried, with what to do',
    async (_case, yaml, message) => {
      await config(yaml);
      const failure = await failureOf(load());
      expect(failure).toMatchObject({ type: FAILURE.run.badConfig, nonRetryable: true });
      expect(failure.message).toContain(message);
    },
  );

  test('load run: a prompt of the team has another output contract → run.bad_config', async () => {
    await mkdir(join(configDir, 'prompts', 'core'), { recursive: true });
    const text = '---\ndescription: d\noutput: text\n---\n{{businessContext}}';
    await writeFile(join(configDir, 'prompts', 'core', 'planner.md'), text);
    const failure = await failureOf(load());
    expect(failure.message).toContain('needs "plan"');
  });

  test('load run: .mcp.json is bad → run.bad_config; a passing fault of a server → Temporal may retry', async () => {
    const bad = await failureOf(
      load({}, { listTools: () => Promise.reject(new SteersmanError('.mcp.json: bad.', 'Mend it.')) }),
    );
    expect(bad).toMatchObject({ type: FAILURE.run.badConfig, message: '.mcp.json: bad. Mend it.' });
    await expect(load({}, { listTools: () => Promise.reject(new Error('reset')) })).rejects.toThrow('reset');
  });

  test('load run: an unknown provider → bad input when the run named it, bad config when the file did', async () => {
    const modelInfo = () => {
      throw new SteersmanError('There is no provider x.', 'Use openai.');
    };
    expect(await failureOf(load({ model: 'x/y' }, { modelInfo }))).toMatchObject({
      type: FAILURE.run.badInput,
    });
    expect(await failureOf(load({}, { modelInfo }))).toMatchObject({ type: FAILURE.run.badConfig });
  });

  test('load run: steersman.yaml edited between two runs → the second has the edit', async () => {
    expect((await load()).models).toEqual(['openai/base']);
    await config('models:\n  default: openai/new\n');
    expect((await load()).models).toEqual(['openai/new']);
  });

  test('load run: no steersman.yaml and a model named for the run → the run loads', async () => {
    await rm(join(configDir, 'steersman.yaml'));
    expect((await load({ model: 'openai/mine' })).models).toEqual(['openai/mine']);
  });

  test.each([
    ['CANCELLED', 'cancelled'],
    ['WORKER_SHUTDOWN', 'loaded'],
  ] as const)('load run: %s while a tool server starts → %s', async (reason, end) => {
    const environment = activityEnvironment();
    const listTools = () =>
      new Promise<ListedTools>(resolve => {
        environment.cancel(reason);
        // Whoever ends at once has ended before it starts.
        setImmediate(() => setImmediate(() => resolve({ tools: [readFileTool], warnings: [] })));
      });
    const loading = load({}, { listTools }, environment);
    const outcome = await loading.then(
      () => 'loaded',
      error => (error instanceof CancelledFailure ? 'cancelled' : error),
    );
    expect(outcome).toBe(end);
  });
});
