import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { checkEndpoints } from '../../../../packages/cli/doctor/check-models.js';
import {
  type EndpointModels,
  endpointLines,
  listModels,
} from '../../../../packages/cli/doctor/list-models.js';
import { providerSource } from '../../../../src/worker/parts/providers.js';

const servers: Server[] = [];

/** An endpoint with a list of models; one that never answers for null. */
async function endpoint(models: string[] | null): Promise<string> {
  const server = createServer((_, response) => {
    if (models === null) return;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', data: models.map(id => ({ id, object: 'model' })) }));
  });
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

function configDir(models: object): string {
  const dir = mkdtempSync(join(tmpdir(), 'steersman-models-'));
  writeFileSync(join(dir, 'steersman.yaml'), JSON.stringify({ models }));
  return dir;
}

function noVariables(): void {
  for (const name of ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'])
    vi.stubEnv(name, '');
}

const COLORS = new Proxy({}, { get: () => (text: string) => text }) as Parameters<typeof endpointLines>[1];

describe('models that can be used', () => {
  test('each endpoint is asked for its list: what is configured first, who does not answer with the reason (M1)', async () => {
    noVariables();
    const dir = configDir({
      endpoints: {
        home: { baseUrl: await endpoint(['qwen3:8b', 'llama3.1']), contextTokens: 32_768 },
        proxy: { baseUrl: 'http://127.0.0.1:1/v1', keyVariable: 'NOT_SET_KEY' },
      },
      default: ['home/gone', 'home/qwen3:8b'],
      resolver: [{ when: { role: 'planner' }, use: 'home/row' }],
    });
    mkdirSync(join(dir, 'prompts', 'core'), { recursive: true });
    const planner = '---\ndescription: plans\noutput: plan\nmodels: home/own\n---\n{{businessContext}}\n';
    writeFileSync(join(dir, 'prompts', 'core', 'planner.md'), planner);
    const [home, proxy] = await listModels(dir);
    expect(home).toMatchObject({ endpoint: 'home', protocol: 'openai-compatible', fault: null });
    expect(home?.models).toMatchObject([
      { id: 'home/gone', configured: true, listed: false },
      { id: 'home/qwen3:8b', configured: true, listed: true, info: { contextTokens: 32_768 } },
      { id: 'home/row', configured: true, listed: false },
      { id: 'home/own', configured: true, listed: false },
      { id: 'home/llama3.1', configured: false, listed: true },
    ]);
    expect(proxy).toMatchObject({ address: null, models: [] });
    expect(proxy?.fault).toContain('NOT_SET_KEY is not set');
  });

  test('an endpoint that never answers → left after the limit, what is configured of it is told all the same', async () => {
    noVariables();
    const stuck = { baseUrl: await endpoint(null) };
    const dir = configDir({ endpoints: { stuck }, configurations: { other: { default: 'stuck/x' } } });
    expect(await listModels(dir, 100)).toMatchObject([
      { fault: 'no answer within 0.1 s', models: [{ id: 'stuck/x', configured: true, listed: null }] },
    ]);
  });

  test('the doctor: endpoints that no model is asked at → listed, or a warning', async () => {
    const endpoints = {
      home: { baseUrl: await endpoint(['a', 'b']), headers: {} },
      gone: { baseUrl: 'http://127.0.0.1:1/v1', headers: {} },
    };
    const found = await checkEndpoints(['home', 'gone'], providerSource()({ endpoints, info: {} }));
    expect(found).toMatchObject([
      { check: 'endpoint', status: 'ok', found: expect.stringContaining('home lists 2 models, http://127') },
      { check: 'endpoint', status: 'warning', found: expect.stringContaining('No connection to gone') },
    ]);
  });

  const facts = { contextTokens: 272_000, maxOutputTokens: 128_000 };
  const NOTHING = { tools: null, vision: null, json: null, reasoning: null };
  const known = {
    ...facts,
    prices: { input: 0.25, output: 2, cachedInput: 0.025 },
    capabilities: { ...NOTHING, tools: true, reasoning: true },
  };
  const unknown = { contextTokens: 128_000, maxOutputTokens: null, prices: null, capabilities: NOTHING };
  const model = (id: string, info: EndpointModels['models'][number]['info'], configured = false) => {
    return { id, configured, listed: true, info };
  };
  const at = (models: EndpointModels['models']): EndpointModels => {
    return { endpoint: 'a', protocol: 'anthropic', address: 'http://a', fault: null, answers: true, models };
  };

  test('lines: what is neither known nor configured → counted, unless all are wanted or none is known', () => {
    const some = at([model('a/one', known, true), model('a/two', unknown), model('a/three', unknown, true)]);
    const lines = endpointLines(some, COLORS, false);
    expect(lines[0]).toBe('a  anthropic  http://a');
    expect(lines[2]).toMatch(/^ {2}\* a\/one +272k +128k +0.25 in, 2 out, 0.025 cached +tools reasoning$/);
    expect(lines[3]).toMatch(/^ {2}\* a\/three +128k +\? +\?$/);
    expect(lines[4]).toBe('  and 1 model about which nothing is known (--all)');
    expect(endpointLines(some, COLORS, true).join('\n')).toContain('a/two');
    expect(endpointLines(at([model('a/two', unknown)]), COLORS, false).join('\n')).toContain('a/two');
  });
});
