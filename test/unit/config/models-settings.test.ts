import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadSettings } from '../../../src/config/settings/settings.js';
import { modelInfo, pricedUsage } from '../../../src/models/provider/model-info.js';
import { SteersmanError } from '../../../src/shared/process/errors.js';

function load(yaml: string, inCode = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'steersman-models-'));
  writeFileSync(join(dir, 'steersman.yaml'), yaml);
  return loadSettings(dir, inCode);
}

/** Message and remedy. */
async function faultOf(yaml: string): Promise<string> {
  const fault = await load(yaml).catch((error: unknown) => error);
  if (fault instanceof SteersmanError) return `${fault.message} ${fault.remedy}`;
  throw new Error(`nothing was thrown but ${String(fault)}`);
}

const FULL = `
models:
  endpoints:
    home: { baseUrl: http://localhost:11434/v1, contextTokens: 32768 }
    proxy:
      protocol: anthropic
      baseUrl: https://llm.example
      keyVariable: PROXY_KEY
      headers: { x-team: search, authorization: "Basic \${PROXY_LOGIN}" }
    work: { protocol: openai-responses, keyVariable: WORK_KEY }
  default: [anthropic/claude-sonnet-5, home/qwen3]
  configurations:
    cheap: { default: home/qwen3 }
    best: { default: openai/gpt-5.2, roles: { verifier: anthropic/claude-opus-5 } }
  info:
    home/qwen3: { contextTokens: 40960, prices: { input: 0, output: 0 }, capabilities: { tools: true } }
    proxy/long:
      prices:
        input: 1
        output: 2
        longContext: [{ above: 400000, input: 4, output: 8 }, { above: 200000, input: 2, output: 4 }]
`;

describe('models in steersman.yaml', () => {
  test('endpoints, configurations and info → as written, chains as lists', async () => {
    const { models } = await load(FULL);
    expect(models.endpoints.home).toEqual({
      baseUrl: 'http://localhost:11434/v1',
      contextTokens: 32_768,
      headers: {},
    });
    expect(models.configurations).toEqual({
      cheap: { default: ['home/qwen3'], roles: {} },
      best: { default: ['openai/gpt-5.2'], roles: { verifier: ['anthropic/claude-opus-5'] } },
    });
    expect(models.info['home/qwen3']?.prices).toEqual({ input: 0, output: 0 });
    // Ascending, as they are looked up.
    const usage = { cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 };
    const { prices } = modelInfo('proxy/long', models);
    const cost = [100_000, 300_000, 500_000].map(
      inputTokens => pricedUsage(prices, { inputTokens, ...usage }).costUsd,
    );
    expect(cost).toEqual([0.1, 0.6, 2]);
  });

  const endpoint = (entry: string, name = 'home') => `models: { endpoints: { ${name}: { ${entry} } } }`;
  const ADDRESS = 'baseUrl: http://a.example/v1';

  test.each([
    [
      'an unknown protocol',
      endpoint(`${ADDRESS}, protocol: grpc`),
      /:1: models\.endpoints\.home\.protocol: .*openai-compatible/,
    ],
    ['no URL', endpoint('baseUrl: localhost'), /models\.endpoints\.home\.baseUrl: is not a URL/],
    [
      'another scheme',
      endpoint('baseUrl: ftp://a/v1'),
      /models\.endpoints\.home\.baseUrl: must begin with http/,
    ],
    ['a password in the URL', endpoint('baseUrl: https://me:hunter2@a/v1'), /hold no user and password/],
    [
      'a field of the run',
      endpoint("baseUrl: 'http://a', extraBody: { messages: [] }"),
      /extraBody\.messages: the run writes/,
    ],
    ['no address', endpoint('contextTokens: 9000'), /models\.endpoints\.home: expected a baseUrl/],
    [
      'an unknown key',
      endpoint(`${ADDRESS}, keyVariabel: A`),
      /Did you mean "keyVariable"\? Known here: protocol, baseUrl, keyVariable, headers, extraBody, contextTokens, toolSyntax\./,
    ],
    [
      'a name that ids cannot have',
      endpoint(ADDRESS, 'My.Home'),
      /models\.endpoints\.My\.Home: the name of an endpoint begins its model ids/,
    ],
    ['the name of the built-in model', endpoint(ADDRESS, 'demo'), /take another name/],
    [
      'K3 a key',
      endpoint(`${ADDRESS}, apiKey: hunter2`),
      /models\.endpoints\.home\.apiKey: a key must not stand here.*keyVariable/,
    ],
    [
      'K3 a key in place of its variable',
      endpoint(`${ADDRESS}, keyVariable: sk-hunter2`),
      /keyVariable: expected the name of an environment variable/,
    ],
    [
      'K3 a key in the URL',
      endpoint('baseUrl: "https://a.example/v1?key=hunter2"'),
      /baseUrl: a key must not stand here/,
    ],
    [
      'K3 a key in a header',
      endpoint(`${ADDRESS}, headers: { x-api-key: hunter2 }`),
      /headers\.x-api-key: a key must not stand here/,
    ],
  ])('%s → refused with its path, no secret in the words', async (_, yaml, said) => {
    const fault = await faultOf(yaml);
    expect(fault).toMatch(said);
    expect(fault).not.toContain('hunter2');
  });

  test.each([
    [
      'default',
      'models:\n  default: [openai/gpt-5, hom/x]',
      /:2: models\.default: there is no endpoint "hom"/,
    ],
    ['a role', 'models: { roles: { verifier: hom/x } }', /models\.roles\.verifier: there is no/],
    [
      'a configuration',
      'models: { configurations: { cheap: { default: hom/x } } }',
      /models\.configurations\.cheap\.default: there is no endpoint "hom" for the model hom\/x\. .*Endpoints here: openai, anthropic, demo\./,
    ],
    [
      'a row of the resolver',
      'models:\n  resolver:\n    - when: {}\n      use: [openai/a, hom/x]',
      /:4: models\.resolver\.0\.use: there is no endpoint "hom"/,
    ],
    ['info', 'models: { info: { hom/x: {} } }', /models\.info\.hom\/x: there is no/],
  ])('%s names an endpoint that does not exist → its place, and those that do', async (_, yaml, said) => {
    expect(await faultOf(yaml)).toMatch(said);
  });

  test.each([
    [
      'a role that does not exist',
      'when: { role: writer }',
      /:3: models\.resolver\.0\.when\.role: there is no role "writer"\. Roles here: .*executor/,
    ],
    [
      'a condition that does not exist',
      'when: { rounds: 4 }',
      /unknown key "models\.resolver\.0\.when\.rounds"/,
    ],
    ['a share over 1', 'when: { budgetFrom: 80 }', /models\.resolver\.0\.when\.budgetFrom/],
    [
      'a failure that there is not',
      'when: { lastFailure: overloaded }',
      /models\.resolver\.0\.when\.lastFailure.*model\.overloaded/,
    ],
    ['no model', 'when: {}', /models\.resolver\.0\.use/],
  ])('a row of the resolver with %s → refused with its path (M4)', async (_, row, said) => {
    const use = row === 'when: {}' ? '' : '\n      use: openai/a';
    expect(await faultOf(`models:\n  resolver:\n    - ${row}${use}`)).toMatch(said);
  });

  test('a configuration names a role that does not exist → its place, and the roles', async () => {
    const fault = await faultOf('models: { configurations: { cheap: { roles: { verifyer: openai/a } } } }');
    expect(fault).toMatch(/"models\.configurations\.cheap\.roles\.verifyer"\. Did you mean "verifier"/);
  });

  test("a chain names a provider of the program's own → taken", async () => {
    const yaml = 'models: { default: acme/large }';
    expect((await load(yaml, { providers: [{ name: 'acme' }] })).models.default).toEqual(['acme/large']);
  });
});
