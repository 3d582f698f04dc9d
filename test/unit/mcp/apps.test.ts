/** What runs take from a tool server that has apps, and what its models are told of it. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { toolResult, toolResultText } from '../../../src/conversation/tool-result.js';
import { APPS_CAPABILITY, appOf } from '../../../src/mcp/tools/apps.js';
import { listRunTools } from '../../../src/mcp/tools.js';
import { offeredTools } from '../../../src/run/agents/run-config.js';
import { type AppServer, appServerOfTest } from '../../support/app-server.js';
import { poolOf, toolCaller } from '../../support/tool-calls.js';

function poolOfApps(server: AppServer) {
  const pool = poolOf(server.entry);
  onTestFinished(() => pool.close());
  return pool;
}

function textsKept() {
  const texts = new Map<string, string>();
  const put = async (_run: string, data: string | Uint8Array) => {
    const ref = `blob:${texts.size}`;
    texts.set(ref, typeof data === 'string' ? data : Buffer.from(data).toString());
    return ref;
  };
  return { texts, blobs: { put, read: async () => null } };
}

test.each([
  [{ ui: { resourceUri: 'ui://a/b' } }, { app: 'ui://a/b' }],
  [{ 'ui/resourceUri': 'ui://old' }, { app: 'ui://old' }],
  [{ ui: { resourceUri: 'ui://a', visibility: ['app'] } }, { app: 'ui://a', appOnly: true }],
  [{ ui: { visibility: ['model', 'app'] } }, {}],
  [{ ui: { resourceUri: 'https://a' } }, {}],
  [{ ui: { resourceUri: `ui://${'a'.repeat(600)}` } }, {}],
  [{ ui: 'odd' }, {}],
  ['odd', {}],
  [undefined, {}],
])('appOf: the _meta %j of a tool → %j', (_meta, expected) => {
  expect(appOf({ _meta })).toEqual(expected);
});

describe('a server with an app', () => {
  test('its greeting → says that apps are shown, by their type', async () => {
    const server = appServerOfTest();
    await listRunTools(poolOfApps(server), '/w');
    expect(server.events()[0]?.capabilities).toMatchObject({ extensions: APPS_CAPABILITY });
  });

  test('its tools → those for apps alone are no model’s, pages are no resources to read', async () => {
    const { tools } = await listRunTools(poolOfApps(appServerOfTest()), '/w');
    const own = tools.filter(({ origin }) => origin.type === 'mcp');
    expect(own.map(({ serverToolName }) => serverToolName)).toEqual(['board', 'tick', 'note', 'secret']);
    const role = { tools: ['*'], readOnly: false } as unknown as Parameters<typeof offeredTools>[1];
    const permissions = { auto: [], confirm: [], deny: [] };
    const offered = offeredTools({ tools: own, permissions }, role).map(tool => tool.serverToolName);
    expect(offered).toEqual(['board', 'note', 'secret']);
  });

  test('a call of a tool with an app → page and whole answer kept by reference, none of it told to a model', async () => {
    const server = appServerOfTest({ APP_CSP: '{"connectDomains":["https://api.example"],"odd":1}' });
    const { texts, blobs } = textsKept();
    const call = toolCaller(poolOfApps(server), 'board', { blobs });
    const { app, content, ending } = await call({
      arguments: { text: 'hi' },
      app: { uri: 'ui://board/page' },
    });
    expect(app).toMatchObject({ server: 'fake', uri: 'ui://board/page' });
    expect(JSON.parse(texts.get(app?.page ?? '') ?? '')).toEqual({
      html: '<!doctype html><p>the board</p>',
      csp: { connectDomains: ['https://api.example'] },
    });
    expect(JSON.parse(texts.get(app?.answer ?? '') ?? '')).toMatchObject({
      arguments: { text: 'hi' },
      result: { structuredContent: { rows: [1, 2, 3] }, _meta: { forTheApp: 'only' } },
    });
    const told = toolResultText(toolResult({ id: 't', name: 'board' }, ending, { content, app }));
    expect(told).not.toMatch(/forTheApp|blob:|ui:/);
  });

  test.each([
    ['another type', { APP_MIME: 'text/html' }, /is not a page of the type/],
    ['too large', { APP_HTML: 'large' }, /at most 2000000 are shown/],
  ])('a page that is %s → the result stands, with why there is no app', async (_, env, why) => {
    const { APP_HTML, ...rest } = env as Record<string, string>;
    const server = appServerOfTest(rest);
    if (APP_HTML) server.setPage('x'.repeat(2_000_001));
    const call = toolCaller(poolOfApps(server), 'board', { blobs: textsKept().blobs });
    const result = await call({ app: { uri: 'ui://board/page' } });
    expect(result).toMatchObject({ ending: 'executed', isError: false });
    expect(result.app).toBeUndefined();
    expect(result.appFault).toMatch(why);
  });

  test('a call by an app → the answer alone is kept', async () => {
    const call = toolCaller(poolOfApps(appServerOfTest()), 'tick', { blobs: textsKept().blobs });
    expect((await call({ app: {} })).app).toEqual({ server: 'fake', answer: 'blob:0' });
  });
});
