import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { storeSpec } from '../../../packages/store/open-store.js';
import { chooseModels } from '../../../src/config/choose-models.js';
import { applyToolOverrides, loadSettings, mergeLimits } from '../../../src/config/settings/settings.js';
import { settingsSchema } from '../../../src/config/settings/settings-schema.js';
import type { PinnedRole } from '../../../src/run/agents/role.js';
import { DEFAULT_LIMITS } from '../../../src/run/limits/limits.js';
import type { ToolDefinition, ToolPolicy } from '../../../src/run/tools/tool.js';
import { DEFAULT_TOOL_POLICY } from '../../../src/run/tools/tool.js';
import { SteersmanError } from '../../../src/shared/process/errors.js';
import { faultsOf } from '../../../src/shared/schema/validate-arguments.js';

const projectRoot = new URL('../../..', import.meta.url).pathname;

async function load(yaml: string) {
  const dir = await mkdtemp(join(tmpdir(), 'steersman-settings-'));
  await writeFile(join(dir, 'steersman.yaml'), yaml);
  return loadSettings(dir);
}

async function faultOf(work: () => unknown): Promise<SteersmanError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof SteersmanError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('steersman.yaml', () => {
  test('settings: a folder that does not exist, or is a file → named, never the defaults (TR8)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'steersman-settings-'));
    const file = join(folder, 'steersman.yaml');
    await writeFile(file, '');
    for (const missing of [join(folder, 'nope'), file]) {
      const fault = await faultOf(() => loadSettings(missing));
      expect(fault.message).toContain(`${missing} does not exist, or is not a folder`);
    }
  });

  test('settings: the file has another ending → named, never the defaults (TR8)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'steersman-settings-'));
    await writeFile(join(folder, 'steersman.yml'), 'permissions: { deny: [write] }');
    const fault = await faultOf(() => loadSettings(folder));
    expect(fault.message).toContain(`${join(folder, 'steersman.yml')} is not read`);
    await writeFile(join(folder, 'steersman.yaml'), '');
    await loadSettings(folder);
  });

  test('settings: no file → every default', async () => {
    const settings = await loadSettings(await mkdtemp(join(tmpdir(), 'steersman-settings-')));
    expect(settings).toEqual({
      language: 'en',
      hooks: {},
      console: { unsafeHtml: [] },
      resources: {},
      projectNotes: false,
      models: {
        roles: {},
        endpoints: {},
        configurations: {},
        info: {},
        resolver: [],
        timeoutMs: 600_000,
        stallMs: 60_000,
        firstPartMs: 180_000,
      },
      modes: {},
      limits: {},
      checks: [],
      ceilings: {},
      dedupe: 'enforce',
      tools: {},
      permissions: { auto: [], confirm: [], deny: [] },
      gates: { timeoutMs: 86_400_000, onBudget: 'wrap_up' },
      review: { plans: false, results: false, actions: false },
      orchestrate: false,
      onStepFailure: 'skip',
      toolResults: { wholeBytes: 16_384, headBytes: 6_144, tailBytes: 2_048 },
      store: { urlVariable: 'DATABASE_URL' },
      context: {
        ...{ threshold: 0.8, roles: {}, failedGoals: 'mark' },
        transforms: ['thin', 'compact', 'trim'],
      },
      blobs: { retentionDays: 30 },
      liveText: {},
      workspaces: [],
    });
  });

  test('settings: sections with every line commented → their defaults', async () => {
    const settings = await load('limits:\n  # planning: 2\nmodels:\n  roles:\ndedupe:\n');
    expect(settings.limits).toEqual({});
    expect(settings.models.roles).toEqual({});
    expect(settings.dedupe).toBe('enforce');
  });

  test('settings: a model and a list of models → chains', async () => {
    const { models } = await load(
      'models:\n  default: openai/a\n  roles:\n    verifier: [openai/b, anthropic/c:7b]\n',
    );
    expect(models.default).toEqual(['openai/a']);
    expect(models.roles).toEqual({ verifier: ['openai/b', 'anthropic/c:7b'] });
  });

  test('settings: a relative workspace root → starts at the folder of the file', async () => {
    const { workspaces } = await load('workspaces: [work, /srv/x]');
    expect(workspaces[0]).toMatch(/^\/.*\/work$/);
    expect(workspaces[1]).toBe('/srv/x');
  });

  test.each([
    [
      'an unknown section',
      'dedupe: off\nlimit:\n  planning: 2\n',
      ':2: unknown key "limit". Did you mean "limits"?',
    ],
    [
      'an unknown key in a section',
      'limits:\n  planning: 2\n  exection: 4\n',
      ':3: unknown key "limits.exection". Did you mean "execution"?',
    ],
    [
      'an unknown key of a tool',
      'tools:\n  "read_*":\n    readonly: true\n',
      ':3: unknown key "tools.read_*.readonly". Did you mean "readOnly"?',
    ],
    [
      'a role that does not exist',
      'models:\n  roles:\n    verifer: openai/a\n',
      ':3: unknown key "models.roles.verifer". Did you mean "verifier"?',
    ],
    [
      'a value of the wrong type',
      'limits:\n  planning: many\n',
      ':2: limits.planning: expected number, received string.',
    ],
    [
      'a text where a list belongs',
      'permissions:\n  auto: write\n',
      ':2: permissions.auto: expected array, received string. Write ["write"].',
    ],
    [
      'a number with commas',
      'limits:\n  tokens: 1,000,000\n',
      ':2: limits.tokens: expected number, received string. Write 1000000.',
    ],
    [
      'a number with its currency',
      'limits:\n  costUsd: $5\n',
      ':2: limits.costUsd: expected number, received string. Write 5.',
    ],
    [
      'a time with its unit',
      'gates:\n  timeoutMs: 24h\n',
      ':2: gates.timeoutMs: expected number, received string. Write milliseconds: 86400000.',
    ],
    [
      'checks as a command',
      'checks: npm test\n',
      ':1: checks: expected a list of checks, such as "- run: npm test".',
    ],
    [
      'a check as a command',
      'checks:\n  - npm test\n',
      ':2: checks.0: expected a list of checks, such as "- run: npm test".',
    ],
    [
      'a check of no kind',
      'checks:\n  - run: npm test\n  - matches: x\n',
      ':3: checks.1: `check` must have exactly one of run, file, tool, function.',
    ],
    ['a limit of zero', '\nlimits:\n  execution: 0\n', ':3: limits.execution: '],
    [
      'a model without a provider',
      'models:\n  default: gpt-5-mini\n',
      ':2: models.default: expected endpoint/model',
    ],
    [
      'a bad entry of a chain',
      'models:\n  default:\n    - openai/a\n    - b\n',
      ':4: models.default.1: expected endpoint/model',
    ],
    [
      'head and tail larger than the whole',
      'toolResults:\n  headBytes: 16000\n',
      ':1: toolResults: headBytes and tailBytes',
    ],
    ['a list that is not closed (TE8)', 'limits:\n  planning: [1\ndedupe: off\n', ':2: not valid YAML: '],
    ['a text that is not closed (TE8)', 'dedupe: "off\nlanguage: en\n', ':1: not valid YAML: '],
    [
      'the same key twice',
      'dedupe: off\nlanguage: en\ndedupe: advise\n',
      ':3: not valid YAML: Map keys must be unique',
    ],
    [
      'a mode of a role that does not exist',
      'modes:\n  review:\n    steps:\n      - react\n      - edtior\n',
      ':5: modes.review.steps.1: there is no role "edtior". Roles here: ',
    ],
    [
      'a mode with the name of a built-in one',
      'modes:\n  team:\n    steps: [react]\n',
      ':2: modes.team: a mode',
    ],
    [
      'a mode without steps',
      'modes:\n  review:\n    steps: []\n',
      ':3: modes.review.steps: expected at least one',
    ],
    ['a mode whose steps are left out', 'modes:\n  review: {}\n', ':2: modes.review.steps: '],
    [
      'a row of the resolver for a mode that there is not',
      'models:\n  resolver:\n    - when: { mode: reveiw }\n      use: openai/a\nmodes:\n  review: { steps: [react] }\n',
      ':3: models.resolver.0.when.mode: there is no mode "reveiw". Modes here: team, ',
    ],
    [
      'an unknown key of a row of the resolver',
      'models:\n  resolver:\n    - when: { rol: executor }\n      use: openai/a\n',
      ':3: unknown key "models.resolver.0.when.rol". Did you mean "role"?',
    ],
    [
      'a glob without quotes (TE8)',
      'permissions:\n  deny:\n    - *(**/.env)\n',
      ':3: not valid YAML: *(**/.env) is a reference to a name that the file does not define.',
    ],
    ['a list in place of keys', '- a\n- b\n', ':1: expected keys with values'],
  ])('settings: %s → an error with file, line and key', async (_case, yaml, expected) => {
    const fault = await faultOf(() => load(yaml));
    expect(fault.message).toContain(`steersman.yaml${expected.startsWith(': ') ? ':' : ''}`);
    expect(fault.message).toContain(expected);
    expect(fault.message).not.toMatch(/\.\.$/m);
    expect(fault.remedy).not.toBe('');
  });

  test('settings: several faults → all of them, one a line', async () => {
    const fault = await faultOf(() => load('limits:\n  planing: 2\nmodls:\n  default: openai/a\n'));
    expect(fault.message.split('\n')).toHaveLength(2);
    expect(fault.message).toContain(':2: unknown key "limits.planing"');
    expect(fault.message).toContain(':3: unknown key "modls"');
  });
});

describe('shipped files', () => {
  test('steersman.yaml: as shipped → valid, and nothing is changed: no default model either (FC3)', async () => {
    const shipped = await loadSettings(projectRoot);
    expect(shipped.models.default).toBeUndefined();
    expect(shipped).toEqual(await load('{}\n'));
  });

  test('steersman.yaml: each commented default → the one of the schema', async () => {
    const text = await readFile(join(projectRoot, 'steersman.yaml'), 'utf8');
    for (const [key, value] of leafDefaults(z.toJSONSchema(settingsSchema, { io: 'input' }))) {
      expect(text).toMatch(new RegExp(`# +${key}: ${value ?? ' '}`));
    }
  });

  test('settings: a number that can mean two → none is proposed', async () => {
    const { message } = await faultOf(() => load('limits:\n  costUsd: 2,5\n'));
    expect(message).toMatch(/expected number, received string\.$/);
  });

  test.each([
    ['hooks: { onMessage: { url: "", secretVariable: HOOK_SECRET } }'],
    ['hooks: { onMessage: { url: "ftp://a.example", secretVariable: HOOK_SECRET } }'],
    ['models: { endpoints: { a: { baseUrl: "localhost:1234" } } }'],
    ['models: { endpoints: { a: { baseUrl: "http://me:pw@a.example/v1" } } }'],
    ['models: { endpoints: { a: { baseUrl: "http://a.example", headers: { "a b": x } } } }'],
    ['models: { endpoints: { a: { baseUrl: "http://a.example", headers: { X-Api-Key: x } } } }'],
    ['checks: [{}]'],
    ['checks: [{ run: " " }]'],
    ['checks: [{ run: make, file: a }]'],
    ['checks: [{ run: make, matches: a }]'],
    ['checks: [{ file: a, timeoutMs: 5 }]'],
    ['checks: [{ run: make, timeoutMs: 0 }]'],
    ['credits: { account: tenant }'],
    ['credits: { account: tenant, perTurn: 0 }'],
  ])('SU6: %s → refused by the loader in words of ours, and by steersman.schema.json', async yaml => {
    const fault = await faultOf(() => load(yaml));
    expect(fault.message).not.toMatch(/Invalid (key|input)/);
    const schema = z.toJSONSchema(settingsSchema, { io: 'input' });
    const given: unknown = parse(yaml);
    expect(faultsOf({ ...schema }, given, { asWritten: true })).not.toEqual([]);
  });

  test.each([
    ['hooks: { onMessage: { url: "https://me@a.example/x?y", secretVariable: HOOK_SECRET } }'],
    [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the file's own placeholder.
      'models: { endpoints: { a: { baseUrl: "http://[::1]:8080/v1", headers: { X-Api-Key: "${K}", X-A: b } } } }',
    ],
    [
      'checks: [{ run: make, timeoutMs: 5 }, { file: a, matches: b }, { tool: t, arguments: {}, matches: c }, { function: f }]',
    ],
    ['credits: { account: tenant, perTurn: 0.5 }'],
  ])('SU6: %s → taken by both', async yaml => {
    await load(yaml);
    const schema = z.toJSONSchema(settingsSchema, { io: 'input' });
    expect(faultsOf({ ...schema }, parse(yaml), { asWritten: true })).toEqual([]);
  });

  test('steersman.schema.json: the schema in code → the same (else run: node scripts/schema.mjs)', async () => {
    const stored: unknown = JSON.parse(await readFile(join(projectRoot, 'steersman.schema.json'), 'utf8'));
    expect(stored).toEqual(JSON.parse(JSON.stringify(z.toJSONSchema(settingsSchema, { io: 'input' }))));
  });
});

function leafDefaults(node: unknown): [string, unknown][] {
  if (typeof node !== 'object' || node === null || !('properties' in node)) return [];
  return Object.entries(node.properties ?? {}).flatMap(
    ([key, inner]: [string, unknown]): [string, unknown][] => {
      const nested = leafDefaults(inner);
      if (nested.length > 0) return nested;
      if (typeof inner !== 'object' || inner === null || !('default' in inner)) return [];
      return typeof inner.default === 'object' && inner.default !== null ? [] : [[key, inner.default]];
    },
  );
}

describe('limits', () => {
  test('limits: defaults, steersman.yaml, run settings → the later layer wins key by key (L19)', () => {
    const limits = mergeLimits({ planning: 5, execution: 6, costUsd: 2 }, { execution: 7, costUsd: null });
    expect(limits).toEqual({ ...DEFAULT_LIMITS, planning: 5, execution: 7, costUsd: null });
  });
});

describe('models', () => {
  const role = (name: string, models: string[] = []): PinnedRole => ({
    name,
    description: name,
    agents: [],
    requires: [],
    maxRounds: null,
    toolCallsPerTurn: null,
    memory: 'shared',
    tools: [],
    output: 'text',
    dialect: 'component',
    models,
    temperature: null,
    topP: null,
    reasoning: null,
    toolSyntax: null,
    stop: [],
    maxOutputTokens: null,
    prefix: 'shared',
    prompt: '',
  });
  const models = {
    default: ['p/default'],
    roles: { b: ['p/yaml'], c: ['p/yaml'] },
    configurations: {
      cheap: { default: ['p/cheap'], roles: {} },
      careful: { roles: { b: ['p/careful'], d: ['p/careful'] } },
    },
  };
  const roles = [role('a'), role('b'), role('c', ['p/front']), role('d', ['p/front'])];
  const chains = (chosen: readonly PinnedRole[]) => chosen.map(({ models }) => models[0]);

  test('models: no model for the run → steersman.yaml by role, then front matter, then the default', () => {
    const choice = chooseModels(roles, models);
    expect(choice.models).toEqual(['p/default']);
    expect(chains(choice.roles)).toEqual([undefined, 'p/yaml', 'p/yaml', 'p/front']);
  });

  test('models: a model named for the run → alone, for every role', () => {
    const choice = chooseModels(roles, models, { runModel: 'p/run' });
    expect(choice.models).toEqual(['p/run']);
    expect(chains(choice.roles)).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('M11 C27: a configuration is named → its choice by role, then roles of their own, then its default', () => {
    const cheap = chooseModels(roles, models, { configuration: 'cheap' });
    expect(cheap.models).toEqual(['p/cheap']);
    expect(chains(cheap.roles)).toEqual([undefined, 'p/yaml', 'p/yaml', 'p/front']);
    const careful = chooseModels(roles, models, { configuration: 'careful' });
    expect(careful.models).toEqual(['p/default']);
    expect(chains(careful.roles)).toEqual([undefined, 'p/careful', 'p/yaml', 'p/careful']);
  });

  test.each(['best', 'constructor'])(
    'M11: the configuration %s is not there → those that are',
    async name => {
      const fault = await faultOf(() => chooseModels(roles, models, { configuration: name }));
      expect(fault.message).toContain(`"${name}" of models: in steersman.yaml there are cheap, careful.`);
    },
  );

  test('models: the run names the demo model in short → its whole id', () => {
    expect(chooseModels(roles, models, { runModel: 'demo' }).models).toEqual(['demo/rules']);
  });

  test('models: none for a role → an error that says what to set', async () => {
    const fault = await faultOf(() => chooseModels(roles, { roles: {}, configurations: {} }));
    expect(fault.message).toContain('No model is configured for the role a');
    expect(fault.remedy).toContain('models.default in steersman.yaml');
  });

  test('models: every role has its own and there is no default → fine', () => {
    expect(chooseModels([role('d', ['p/front'])], { roles: {}, configurations: {} }).models).toEqual([]);
  });

  test('models: the run names one without a provider → an error that shows the form', async () => {
    const fault = await faultOf(() => chooseModels(roles, models, { runModel: 'gpt' }));
    expect(`${fault.message} ${fault.remedy}`).toContain('openai/gpt-5-mini');
  });
});

describe('tool overrides', () => {
  const tool = (name: string, policy: Partial<ToolPolicy> = {}): ToolDefinition => ({
    name,
    serverToolName: name,
    origin: { type: 'mcp', server: 's' },
    description: '',
    inputSchema: {},
    validation: 'strict',
    policy: { ...DEFAULT_TOOL_POLICY, ...policy },
  });

  test('overrides: several globs match → later entries win key by key (E1, D5)', () => {
    const { tools, warnings } = applyToolOverrides([tool('web_fetch'), tool('edit')], {
      '*_fetch': { readOnly: true, timeoutMs: 5 },
      'web*': { timeoutMs: 9, cache: 'none', callsPerTurn: 2, cacheTtlMs: 60_000, corrections: 0 },
    });
    expect(tools[0]?.policy).toEqual({
      readOnly: true,
      idempotent: true,
      destructive: false,
      attempts: 3,
      timeoutMs: 9,
      cache: 'none',
      concurrent: true,
      callsPerTurn: 2,
      cacheTtlMs: 60_000,
      corrections: 0,
    });
    expect(tools[1]).toEqual(tool('edit'));
    expect(warnings).toEqual([]);
  });

  test('overrides: a server claims read-only and is contradicted → neither read-only nor retried', () => {
    const liar = tool('sneaky', { readOnly: true, idempotent: true, destructive: false });
    const { tools } = applyToolOverrides([liar], { sneaky: { readOnly: false } });
    expect(tools[0]?.policy).toMatchObject({ readOnly: false, idempotent: false, destructive: true });
  });

  test('overrides: what may run at the same time → as read-only says, or as is written (C21)', () => {
    const reader = tool('snapshot', { readOnly: true, concurrent: true });
    const concurrent = (override: { readOnly?: boolean; concurrent?: boolean }) =>
      applyToolOverrides([reader], { snapshot: override }).tools[0]?.policy.concurrent;
    expect(concurrent({})).toBe(true);
    expect(concurrent({ concurrent: false })).toBe(false);
    expect(concurrent({ readOnly: false })).toBe(false);
  });

  test('overrides: a glob matches no tool → a warning that names it', () => {
    const { warnings } = applyToolOverrides([tool('edit')], { raed_file: { readOnly: true } });
    expect(warnings).toEqual([expect.stringContaining('"raed_file" matches no tool')]);
  });
});

describe('the store', () => {
  const URL_OF = 'postgresql://db/steersman';
  const specOf = (kind: 'folder' | 'postgres' | undefined, url?: string) =>
    storeSpec({ ...(kind && { kind }), urlVariable: 'STORE' } as never, name =>
      name === 'STORE' ? url : undefined,
    );

  test.each([
    [undefined, undefined, { kind: 'folder' }],
    [undefined, URL_OF, { kind: 'postgres', url: URL_OF }],
    ['folder', URL_OF, { kind: 'folder' }],
    ['postgres', URL_OF, { kind: 'postgres', url: URL_OF }],
  ] as const)('%s, with the address %s → %j', (kind, url, spec) => {
    expect(specOf(kind, url)).toEqual(spec);
  });

  test('on PostgreSQL, without its address → says which variable is not set', () => {
    expect(() => specOf('postgres')).toThrow(/STORE, which has its address, is not set/);
  });
});
