import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { type StartWords, startOptions } from '../../../../packages/cli/command/start-options.js';
import { project } from '../../../../src/client/here/project.js';
import { shownWith, startRequest } from '../../../../src/client/start/start-run.js';
import { ENDPOINT_VARIABLES } from '../../../../src/models/provider/endpoint.js';
import { usesLocalStack } from '../../../../src/shared/local/home.js';
import { SteersmanError } from '../../../../src/shared/process/errors.js';

afterEach(() => vi.unstubAllEnvs());

const workspace = mkdtempSync(join(tmpdir(), 'steersman-start-'));

function settingsFile(text: string): string {
  const file = join(workspace, 'run.yaml');
  writeFileSync(file, text);
  return file;
}

const request = async (words: Partial<StartWords>) =>
  startRequest('go', await startOptions({ mode: 'team', workspace, ...words }), {
    project,
    local: usesLocalStack(),
  });

async function faultOf(options: Partial<StartWords>): Promise<string> {
  const error: unknown = await request(options).catch((reason: unknown) => reason);
  if (error instanceof SteersmanError) return error.message;
  throw new Error(`expected a SteersmanError, got ${String(error)}`);
}

test('start: a file of settings and limits as options → client tools, context and system message arrive, options win (OU5)', async () => {
  const settings = settingsFile(`
systemMessage: Answer in French.
context: { tenant: blue }
limits: { turns: 5, tokens: 9000 }
clientTools:
  - name: ask_crew
`);
  const { settings: read } = await request({ settings, limit: { turns: 7 } });
  expect(read).toMatchObject({
    systemMessage: 'Answer in French.',
    context: { tenant: 'blue' },
    limits: { turns: 7, tokens: 9000 },
    clientTools: [{ name: 'ask_crew', description: '', inputSchema: { type: 'object' } }],
  });
});

test('start: checks of a file and of --check → both, in this order; one that is none → refused', async () => {
  const settings = settingsFile('checks: [{ file: report.md }]');
  const { settings: read } = await request({ settings, check: [{ run: 'npm test' }] });
  expect(read.checks).toEqual([{ file: 'report.md' }, { run: 'npm test' }]);
  expect(await faultOf({ check: [{ run: '' }] })).toContain('`settings.checks[0].run` must be a text');
});

test('start: a configuration of models → in the settings of the run; beside a model → refused (M11)', async () => {
  const { settings, note } = await request({ configuration: 'cheap' });
  expect(settings.configuration).toBe('cheap');
  expect(settings).not.toHaveProperty('model');
  expect(note).toBeNull();
  const message = await faultOf({ configuration: 'cheap', model: 'openai/gpt-5' });
  expect(message).toContain('give `settings.model` or `settings.configuration`');
});

test('start: what a failed step does → in the settings of the run (L16)', async () => {
  const { settings } = await request({ mode: 'plan', onStepFailure: 'abort' });
  expect(settings).toMatchObject({ mode: 'plan', onStepFailure: 'abort' });
});

test('start: several faults in options and file → all of them, each with its path (OU5)', async () => {
  const settings = settingsFile('context: { tenant: 3 }\nworkspaces: /etc\n');
  const message = await faultOf({ settings, limit: { turn: 7 } as object });
  expect(message).toContain('There is no settings.workspaces');
  expect(message).toContain('`settings.context` must be');
  expect(message).toContain('Unknown limit: turn');
});

test('start: a folder of configuration or a file of settings that does not exist → named before anything starts (TR8)', async () => {
  expect(await faultOf({ config: '/nope' })).toContain('/nope does not exist');
  expect(await faultOf({ settings: '/nope.yaml' })).toContain('/nope.yaml does not exist');
});

test.each<[string, Partial<StartWords>, string | null]>([
  ['a folder that is not there', { workspace: '/nope/at/all' }, 'workspace'],
  ['a model of no endpoint', { model: 'hom/qwen3' }, 'model'],
  ['a plan that waits, in a mode without plans', { mode: 'react', approvePlan: true }, 'approvePlan'],
  ['an empty check', { check: [{ run: '' }] }, 'checks'],
  ['a model beside a configuration', { configuration: 'cheap', model: 'demo' }, null],
])('FC7 start: %s → the error names the option', async (_, words, option) => {
  await expect(request(words)).rejects.toMatchObject({ option });
});

test('start: a role that there is not, or that does not answer → refused before anything starts, as a mode is (FC3)', async () => {
  const role = (name: string) => faultOf({ model: 'demo', mode: 'react', role: name });
  expect(await role('reserch')).toMatch(/There is no role "reserch".*work on a goal alone: .*search/);
  expect(await role('planner')).toContain('output is "plan", and the mode react needs "text"');
  expect((await request({ model: 'demo', mode: 'react', role: 'search_agent' })).settings.role).toBe(
    'search_agent',
  );
  const theirs = { model: 'demo', mode: 'react', role: 'reserch', taskQueue: 'mine' };
  expect((await request(theirs)).settings.role).toBe('reserch');
});

test('start: a model without its provider → refused with the form, before anything starts', async () => {
  expect(await faultOf({ model: 'gpt-5' })).toContain('"gpt-5" is not written as endpoint/model');
  expect((await request({ model: 'demo' })).settings.model).toBe('demo');
});

test('start: a model of an endpoint that there is not → refused with those that there are, before anything starts', async () => {
  const config = mkdtempSync(join(tmpdir(), 'steersman-endpoints-'));
  const endpoints = '{ home: { baseUrl: http://localhost:11434/v1 } }';
  writeFileSync(join(config, 'steersman.yaml'), `models: { endpoints: ${endpoints} }\n`);
  const fault = await faultOf({ model: 'hom/qwen3', config });
  expect(fault).toMatch(
    /There is no endpoint "hom" for the model hom\/qwen3\. Endpoints here: home, .*openai/,
  );
  expect((await request({ model: 'home/qwen3', config })).settings.model).toBe('home/qwen3');
  // A worker of their own may have endpoints that stand in no file.
  expect((await request({ model: 'hom/qwen3', config, taskQueue: 'mine' })).settings.model).toBe('hom/qwen3');
});

test.each([
  [
    'no key is set',
    {},
    /No model endpoint is configured for "openai"\. Set OPENAI_API_KEY, or OPENAI_BASE_URL/,
  ],
  ['its .env has the key', { '.env': 'OPENAI_API_KEY=sk-mine\n' }, null],
  ['its .env names a file with the key', { '.env': 'OPENAI_API_KEY_FILE=/run/key\n' }, null],
])(
  'start: a model of an endpoint that variables make, and %s → refused with what to set, or taken',
  async (_, files, said) => {
    for (const name of ['OPENAI_API_KEY', 'OPENAI_BASE_URL']) vi.stubEnv(name, undefined);
    const config = mkdtempSync(join(tmpdir(), 'steersman-keys-'));
    writeFileSync(join(config, 'steersman.yaml'), 'models: {}\n');
    for (const [name, text] of Object.entries(files)) writeFileSync(join(config, name), text);
    const started = request({ model: 'openai/gpt-5-mini', config });
    if (said === null) expect((await started).settings.model).toBe('openai/gpt-5-mini');
    else await expect(started).rejects.toThrow(said);
  },
);

test.each<[string, string, string[], RegExp | null, RegExp | null]>([
  [
    'nothing is named, a key',
    '{}',
    ['ANTHROPIC_API_KEY'],
    null,
    /^anthropic\/claude-sonnet-5 answers: ANTHROPIC_API_KEY is set/,
  ],
  ['a default with its key', 'models: { default: openai/x }', ['OPENAI_API_KEY'], null, null],
  [
    'a default without its key, and a key of another',
    'models: { default: openai/x }',
    ['ANTHROPIC_API_KEY'],
    /configured for "openai"\. Set OPENAI_API_KEY.* Or, since ANTHROPIC_API_KEY is set, write into .*steersman\.yaml, under "models:": "default: anthropic\/claude-sonnet-5"/,
    null,
  ],
  [
    'a chain, one of it with its key',
    'models: { default: [openai/x, anthropic/y] }',
    ['ANTHROPIC_API_KEY'],
    null,
    null,
  ],
  [
    'an endpoint whose key is not set',
    'models: { endpoints: { home: { baseUrl: http://localhost:9, keyVariable: HOME_KEY } } }',
    [],
    /No model can be called: HOME_KEY is not set, and models\.endpoints\.home\.keyVariable names it/,
    null,
  ],
])(
  'start: %s → refused with the line to write, or taken and told which model answers (FC3)',
  async (_, file, set, refused, note) => {
    for (const name of ENDPOINT_VARIABLES) vi.stubEnv(name, set.includes(name) ? 'x' : '');
    const config = mkdtempSync(join(tmpdir(), 'steersman-default-'));
    writeFileSync(join(config, 'steersman.yaml'), `${file}\n`);
    const started = request({ config });
    if (refused !== null)
      return void (await expect(started.catch(error => `${error.message}`)).resolves.toMatch(refused));
    const { settings, note: said } = await started;
    expect(settings.model).toBeUndefined();
    if (note === null) expect(said).toBeNull();
    else expect(said).toMatch(note);
  },
);

test.each<[string, Partial<StartWords>, boolean | undefined]>([
  ['by the verb start', { waits: true }, true],
  ['by start, approved beforehand', { waits: true, yes: true }, false],
  ['by start, approved beforehand, for a person', { waits: true, yes: true, attended: true }, true],
  ['by start, for nobody', { waits: true, attended: false }, false],
  ['by start, whose file says that nobody attends', { waits: true, settings: 'attended: false\n' }, false],
  ['elsewhere', {}, undefined],
])('start: %s → it waits for a person: %o (FC8)', async (_, { settings, ...words }, wanted) => {
  const file = settings === undefined ? {} : { settings: settingsFile(settings) };
  expect((await request({ ...words, ...file })).settings.attended).toBe(wanted);
});

test('start: a worker of one’s own serves it on the local stack → no model is put in its place (CF4)', async () => {
  for (const name of ENDPOINT_VARIABLES) vi.stubEnv(name, '');
  const config = mkdtempSync(join(tmpdir(), 'steersman-own-'));
  writeFileSync(join(config, 'steersman.yaml'), 'models: { default: acme/x }\n');
  expect((await request({ config, taskQueue: 'mine' })).settings.model).toBeUndefined();
  writeFileSync(join(config, 'steersman.yaml'), '{}\n');
  expect((await request({ config, taskQueue: 'mine' })).settings.model).toBeUndefined();
  expect((await request({ config })).settings.model).toBe('demo');
});

test('start: a mode of the configuration → taken; one that there is not → named with those that there are, before anything starts (P6)', async () => {
  const config = mkdtempSync(join(tmpdir(), 'steersman-modes-'));
  writeFileSync(join(config, 'steersman.yaml'), 'modes:\n  review: { steps: [search, react] }\n');
  const { settings } = await request({ mode: 'review', config });
  expect(settings.mode).toBe('review');
  expect(await faultOf({ mode: 'reveiw', config })).toContain(
    'There is no mode "reveiw": there are team, plan, react, lead, direct, auto, review.',
  );
});

test('start: a role is named → the details that the Web UI shows name it', async () => {
  const { settings } = await request({ mode: 'react', role: 'search' });
  expect(shownWith('go', settings).staticDetails).toContain('- mode: react\n- role: search\n');
});

test.each([{ id: 'run-1~3' }, { session: 'run-1~3' }, { id: 'a b' }, { id: '\u202ea' }])(
  'start: %o → refused: it would stand for the third run of another conversation, or nobody could read it',
  async options => {
    expect(await faultOf(options)).toMatch(/must not end in ~ and a number|visible characters/);
  },
);
