import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { loadSettings } from '../../../src/config/settings/settings.js';
import { isTrusted, trustFrom } from '../../../src/config/trust/trust.js';
import { liveSettings } from '../../../src/worker/parts/live-settings.js';
import { knownSecrets } from '../../../src/worker/parts/parts.js';
import { pinnedFacts, providerSource } from '../../../src/worker/parts/providers.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

const home = (baseUrl: string) => ({ endpoints: { home: { baseUrl, headers: {} } }, info: {} });

describe('providers of a worker (M3)', () => {
  test('an endpoint stays as it is → one provider for all calls; it is edited → another', () => {
    const source = providerSource();
    const first = source(home('http://127.0.0.1:1/v1')).resolve('home/a').provider;
    expect(source(home('http://127.0.0.1:1/v1')).resolve('home/b').provider).toBe(first);
    const moved = source(home('http://127.0.0.1:2/v1')).resolve('home/a').provider;
    expect(moved).not.toBe(first);
    expect(moved.endpoint).toContain(':2');
  });

  test('another key in the environment → another provider', () => {
    const source = providerSource();
    const models = { endpoints: {}, info: {} };
    vi.stubEnv('OPENAI_API_KEY', 'sk-one');
    const first = source(models).resolve('openai/a').provider;
    vi.stubEnv('OPENAI_API_KEY', 'sk-two');
    expect(source(models).resolve('openai/a').provider).not.toBe(first);
  });

  test('what the configuration says of a model → with the model', () => {
    const models = {
      ...home('http://127.0.0.1:1/v1'),
      info: { 'home/a': { prices: { input: 1, output: 2 } } },
    };
    expect(providerSource()(models).resolve('home/a').info.prices).toEqual({ input: 1, output: 2 });
  });
});

test('a run names a model of no endpoint → refused at its start with those that there are; no key is needed', () => {
  vi.stubEnv('OPENAI_API_KEY', '');
  const models = home('http://127.0.0.1:1/v1');
  expect(pinnedFacts('openai/gpt-5-mini', models).costKnown).toBe(true);
  expect(() => pinnedFacts('hone/a', models)).toThrowError(
    'there is no endpoint "hone" for the model hone/a. Endpoints here: home, openai, anthropic, demo.',
  );
  const acme = providerSource()(models).resolve('home/a').provider;
  expect(pinnedFacts('acme/a', models, [{ ...acme, name: 'acme' }]).costKnown).toBe(false);
});

test('settings of a worker: the file is edited → as it says now; while it is wrong, as it said last', async () => {
  const configDir = mkdtempSync(join(tmpdir(), 'steersman-live-'));
  const write = (text: string) => writeFileSync(join(configDir, 'steersman.yaml'), text);
  const at = (port: number) => `models: { endpoints: { home: { baseUrl: "http://127.0.0.1:${port}/v1" } } }`;
  write(at(1));
  const live = liveSettings({ configDir }, await loadSettings(configDir));
  const address = async () => (await live.readOrLast()).models.endpoints.home?.baseUrl;
  write(at(2));
  expect(await address()).toBe('http://127.0.0.1:2/v1');
  write('models: [');
  expect(await address()).toBe('http://127.0.0.1:2/v1');
  await expect(live.read()).rejects.toThrow('steersman.yaml');
});

test('settings of a worker: its folder is no longer as it was trusted → models, permissions and who pays as before, told once; the rest as it says now', async () => {
  const configDir = mkdtempSync(join(tmpdir(), 'steersman-live-'));
  vi.stubEnv('XDG_STATE_HOME', mkdtempSync(join(tmpdir(), 'steersman-state-')));
  const write = (port: number, rest = '') =>
    writeFileSync(
      join(configDir, 'steersman.yaml'),
      `models: { endpoints: { openai: { baseUrl: "http://127.0.0.1:${port}/v1", keyVariable: OPENAI_API_KEY } } }\n${rest}`,
    );
  write(1);
  trustFrom(configDir);
  const told: string[] = [];
  const options = {
    configDir,
    isTrusted: () => isTrusted(configDir),
    report: (line: string) => told.push(line),
  };
  const live = liveSettings(options, await loadSettings(configDir));
  const address = async () => (await live.readOrLast()).models.endpoints.openai?.baseUrl;
  write(
    2,
    'limits: { turns: 7 }\npermissions: { deny: [files__write_file] }\ncredits: { account: nobody, perTurn: 1 }\n',
  );
  expect([await address(), await address()]).toEqual(['http://127.0.0.1:1/v1', 'http://127.0.0.1:1/v1']);
  expect((await live.read()).models.endpoints.openai?.baseUrl).toBe('http://127.0.0.1:1/v1');
  expect((await live.read()).limits.turns).toBe(7);
  expect((await live.read()).permissions.deny).toEqual([]);
  expect((await live.read()).credits).toBeUndefined();
  expect(told).toEqual([expect.stringContaining(join(configDir, 'steersman.yaml'))]);
  trustFrom(configDir);
  expect(await address()).toBe('http://127.0.0.1:2/v1');
});

test('K3 secrets of a worker: a key goes by a name that is none of a key → known all the same', () => {
  vi.stubEnv('LLM_WORD', 'hunter2-hunter2');
  const endpoints = { proxy: { keyVariable: 'LLM_WORD', baseUrl: 'https://a.example', headers: {} } };
  const mcp = { file: '', dir: '', servers: [], warnings: [] };
  expect(knownSecrets(null, mcp, endpoints).redact('It is hunter2-hunter2.')).toBe(
    'It is [secret LLM_WORD].',
  );
  expect(knownSecrets(null, mcp, {}).redact('It is hunter2-hunter2.')).toContain('hunter2');
  const server = { type: 'http' as const, name: 'shop', headers: {}, startTimeoutMs: 1 };
  const shop = {
    ...mcp,
    servers: [{ ...server, url: 'http://me:literal-pass-1@h/mcp?key=literal-query-7' }],
  };
  expect(knownSecrets(null, shop, {}).redact('It is literal-pass-1, or literal-query-7.')).toBe(
    'It is [secret shop.url], or [secret shop.url].',
  );
});
