import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ENDPOINT_VARIABLES, endpointOf } from '../../../src/models/provider/endpoint.js';
import {
  type EndpointEntry,
  endpointFault,
  endpointNames,
  endpointSettings,
  keyVariables,
  presentEndpoints,
} from '../../../src/models/provider/endpoints.js';
import { FAILURE } from '../../../src/run/limits/failure.js';

const ENVIRONMENT: Record<string, string> = {
  OPENAI_API_KEY: 'sk-openai',
  ANTHROPIC_API_KEY: 'sk-anthropic',
  PROXY_KEY: 'sk-proxy',
  TEAM: 'search',
};

/** As the file has it. */
const variable = (name: string) => `\${${name}}`;

function resolved(name: string, entry?: Partial<EndpointEntry>, variables = ENVIRONMENT) {
  const given = entry && { headers: {}, ...entry };
  const endpoint = endpointOf(endpointSettings(name, given, name => variables[name]));
  return { ...endpoint, url: endpoint.url.href };
}

test.each([
  ['"sk-1"', 'quotation marks'],
  ["'sk-1'", 'quotation marks'],
  ['sk-1\nsk-2', 'a line end'],
  ['sk-1 ', 'blanks'],
  ['sk-ключ', 'letters'],
])('a key that no endpoint knows, %j → is told as that, without the key (FE10)', (apiKey, words) => {
  const make = () => endpointOf({ name: 'home', baseUrl: 'http://localhost/v1', apiKey });
  expect(make).toThrow(words);
  expect(make).toThrow(/OPENAI_API_KEY/);
  expect(make).not.toThrow(/sk-/);
});

describe('endpoints (M2, M3)', () => {
  test.each<[string, Record<string, string>, string, string]>([
    ['openai', { OPENAI_API_KEY: 'k' }, 'openai-responses', 'https://api.openai.com/v1'],
    [
      'openai',
      { OPENAI_BASE_URL: 'https://eu.api.openai.com/v1' },
      'openai-responses',
      'https://eu.api.openai.com/v1',
    ],
    ['openai', { OPENAI_BASE_URL: 'http://localhost:1/v1' }, 'openai-compatible', 'http://localhost:1/v1'],
    [
      'openai',
      { OPENAI_BASE_URL: 'https://api.openai.com.evil/v1' },
      'openai-compatible',
      'https://api.openai.com.evil/v1',
    ],
    ['anthropic', { ANTHROPIC_API_KEY: 'k' }, 'anthropic', 'https://api.anthropic.com/'],
    ['anthropic', { ANTHROPIC_BASE_URL: 'http://localhost:1' }, 'anthropic', 'http://localhost:1/'],
  ])('%s by the variables %j → %s at %s', (name, variables, protocol, url) => {
    expect(resolved(name, undefined, variables)).toMatchObject({ protocol, url });
  });

  test('an entry named openai → goes before the variables, what it leaves out they say', () => {
    const entry = { protocol: 'openai-compatible' } as const;
    expect(resolved('openai', entry)).toMatchObject({
      ...entry,
      url: 'https://api.openai.com/v1',
      apiKey: 'sk-openai',
    });
  });

  test.each([
    ['openai', { baseUrl: 'https://other.example/v1' }],
    ['anthropic', { baseUrl: 'https://other.example' }],
    ['proxy', { baseUrl: 'https://other.example', protocol: 'anthropic' }],
  ] as const)(
    'K3 the entry %s has an address of its own and names no key → none is sent there',
    (name, entry) => {
      expect(resolved(name, entry).apiKey).toBeUndefined();
    },
  );

  test('an entry with key variable and headers → both filled in from the environment', () => {
    const entry = {
      baseUrl: 'https://llm.example',
      protocol: 'anthropic',
      keyVariable: 'PROXY_KEY',
      headers: { 'x-team': `the ${variable('TEAM')} team`, 'x-key': variable('PROXY_KEY') },
    } as const;
    expect(resolved('proxy', entry)).toMatchObject({
      apiKey: 'sk-proxy',
      headers: { 'x-team': 'the search team', 'x-key': 'sk-proxy' },
      keyVariable: 'PROXY_KEY',
      urlVariable: 'models.endpoints.proxy.baseUrl',
    });
    expect(keyVariables({ proxy: entry })).toEqual(['PROXY_KEY', 'TEAM', 'PROXY_KEY']);
  });

  test.each([
    [{ keyVariable: 'NOT_SET' }, /NOT_SET is not set, and models.endpoints.proxy.keyVariable names it/],
    [
      { headers: { 'x-a': variable('NOT_SET') } },
      /NOT_SET is not set, and models.endpoints.proxy.headers.x-a names it/,
    ],
  ])('an entry %j whose variable is not set → model.auth that names both', (entry, said) => {
    const resolve = () => resolved('proxy', { baseUrl: 'https://llm.example', ...entry });
    expect(resolve).toThrowError(said);
    expect(resolve).toThrowError(expect.objectContaining({ type: FAILURE.model.auth }));
  });

  test('present: those of the file, and those whose variables are set; names: all that could be', () => {
    const entries = { home: { headers: {} } };
    expect(presentEndpoints(entries, () => undefined)).toEqual(['home']);
    expect(presentEndpoints(entries, name => ENVIRONMENT[name])).toEqual(['home', 'openai', 'anthropic']);
    expect(endpointNames(entries, ['acme'])).toEqual(['home', 'acme', 'openai', 'anthropic', 'demo']);
  });

  test('a model of no endpoint → those that there are', () => {
    expect(endpointFault('home/qwen3', ['home', 'openai'])).toBeNull();
    expect(endpointFault('hone/qwen3', ['home', 'openai'])).toBe(
      'there is no endpoint "hone" for the model hone/qwen3. Endpoints here: home, openai.',
    );
  });

  test.each(['docker-compose.yml', '.env.example'])(
    '%s → names every variable that makes an endpoint',
    file => {
      const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
      for (const variable of ENDPOINT_VARIABLES) expect(text).toContain(variable);
    },
  );
});
