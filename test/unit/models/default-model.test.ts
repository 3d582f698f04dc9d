/** Which model answers where nothing names one. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import {
  candidates,
  chooseDefaultModel,
  listedModel,
  listedModels,
} from '../../../src/models/default-model.js';
import type { EndpointEntry } from '../../../src/models/provider/endpoints.js';
import { SteersmanError } from '../../../src/shared/process/errors.js';
import { startScriptedModel } from '../../support/endpoint/model.js';

type Entries = Record<string, Partial<EndpointEntry>>;

const HOME = { baseUrl: 'http://localhost:11434/v1' };
const KEYED = { ...HOME, keyVariable: 'HOME_KEY' };
const [OPENAI, ANTHROPIC] = ['openai/gpt-5-mini', 'anthropic/claude-sonnet-5'];

const entriesOf = (given: Entries) =>
  Object.fromEntries(Object.entries(given).map(([name, entry]) => [name, { headers: {}, ...entry }]));

const lookupOf = (set: readonly string[]) => (name: string) =>
  set.includes(name) ? (name.endsWith('_URL') ? 'http://localhost:1/v1' : 'key') : undefined;

test.each<[string, string[], Entries, string[]]>([
  ['nothing', [], {}, []],
  ['a key of OpenAI', ['OPENAI_API_KEY'], {}, [OPENAI]],
  ['a key of Anthropic', ['ANTHROPIC_API_KEY'], {}, [ANTHROPIC]],
  ['both keys', ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY'], {}, [OPENAI, ANTHROPIC]],
  ['an address alone', ['OPENAI_BASE_URL'], {}, ['openai/?']],
  ['a key and another address', ['OPENAI_API_KEY', 'OPENAI_BASE_URL'], {}, ['openai/?']],
  [
    'an address, and a key of the other',
    ['OPENAI_BASE_URL', 'ANTHROPIC_API_KEY'],
    {},
    [ANTHROPIC, 'openai/?'],
  ],
  ['declared endpoints', [], { second: HOME, first: HOME }, ['second/?', 'first/?']],
  ['a declared endpoint and a key', ['ANTHROPIC_API_KEY'], { home: HOME }, [ANTHROPIC, 'home/?']],
  ['a declared endpoint without its key', [], { home: KEYED, other: HOME }, ['other/?']],
  ['a declared endpoint with its key', ['HOME_KEY'], { home: KEYED }, ['home/?']],
  [
    'one that speaks as Anthropic, at its address',
    ['HOME_KEY'],
    { claude: { protocol: 'anthropic', keyVariable: 'HOME_KEY' } },
    ['claude/claude-sonnet-5'],
  ],
  [
    'an entry in place of the variables',
    ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY'],
    { home: HOME, openai: HOME },
    ['openai/?', ANTHROPIC, 'home/?'],
  ],
])(
  'no model is named: %s → endpoints in order, with the model where it is known (FC3)',
  (_, set, entries, wanted) => {
    const found = candidates(entriesOf(entries), lookupOf(set));
    expect(found.map(({ endpoint, model }) => `${endpoint}/${model ?? '?'}`)).toEqual(wanted);
  },
);

test.each<[string[], string | null]>([
  [['qwen3:8b'], 'qwen3:8b'],
  [['qwen3:8b', 'gpt-5-mini'], 'gpt-5-mini'],
  [['qwen3:8b', 'llama4'], null],
  [[], null],
])('no model is named: an endpoint lists %j → %j (FC3)', (listed, wanted) => {
  expect(listedModel(listed, 'gpt-5-mini')).toBe(wanted);
});

test.each<[string[] | null, RegExp]>([
  [['qwen3:8b'], /^home\/qwen3:8b$/],
  [
    ['qwen3:8b', 'llama4'],
    /lists qwen3:8b, llama4\. .*steersman\.yaml, under "models:", as "default: home\/qwen3:8b"/,
  ],
  [[], /lists none\. .*"default: home\/MODEL"/],
  [null, /home could not be asked which .* to home at http.*"default: home\/MODEL"/],
])('no model is named: the endpoint has %j → it, or the line to write (FC3)', async (models, wanted) => {
  const server = await startScriptedModel({ reply: [], models: models ?? [] });
  if (models === null) await server.close();
  const entries = entriesOf({ home: { baseUrl: server.baseUrl } });
  const chosen = await chooseDefaultModel(entries, { lookup: () => undefined, file: 'steersman.yaml' }).then(
    ({ id }) => id,
    (error: unknown) => error,
  );
  expect(chosen instanceof SteersmanError ? `${chosen.message} ${chosen.remedy}` : chosen).toMatch(wanted);
  if (models !== null) await server.close();
});

test('the models of an address of ones own, beside providers and an endpoint that is away → those that it tells', async () => {
  const server = await startScriptedModel({ reply: [], models: ['qwen3', 'gemma3'] });
  const entries = entriesOf({ away: { baseUrl: 'http://127.0.0.1:1/v1' } });
  const set: Record<string, string> = { OPENAI_BASE_URL: server.baseUrl, ANTHROPIC_API_KEY: 'key' };
  expect(await listedModels(entries, name => set[name])).toEqual(['openai/qwen3', 'openai/gemma3']);
  await server.close();
});

test('no model is named: the endpoint refuses the key → that alone is said (FC3)', async () => {
  const server = createServer((_, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"bad key"}}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const entries = entriesOf({ home: { baseUrl: `http://127.0.0.1:${port}/v1` } });
  await expect(
    chooseDefaultModel(entries, { lookup: () => undefined, file: 'steersman.yaml' }),
  ).rejects.toMatchObject({
    message: expect.stringMatching(/^home at .* answered HTTP 401: bad key\./),
    remedy: '',
  });
  server.close();
});

test.each([
  [
    'an address without http://',
    { OPENAI_BASE_URL: '127.0.0.1:1/v1' },
    /^OPENAI_BASE_URL is not a URL\. Write/,
  ],
  ['a host and a port', { ANTHROPIC_BASE_URL: 'localhost:1' }, /^ANTHROPIC_BASE_URL must begin with http/],
  [
    'a key in quotation marks',
    { OPENAI_API_KEY: '“sk-x”' },
    /^The key in OPENAI_API_KEY has quotation marks/,
  ],
])(
  'no model is named: %s → a fault of the configuration, never of Steersman (FC3)',
  async (_, set, wanted) => {
    const lookup = (name: string) => Object.entries(set).find(([variable]) => variable === name)?.[1];
    const chosen = chooseDefaultModel({}, { lookup, file: 'steersman.yaml' });
    await expect(chosen).rejects.toMatchObject({ name: 'SteersmanError', code: 'configuration' });
    await expect(chosen).rejects.toThrow(wanted);
  },
);
