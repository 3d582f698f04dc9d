/** What the console takes from an app, and what it answers. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { AppHost, type HostWorld, type Json } from '../../../../packages/console/page/apps/host.js';
import { Quota } from '../../../../packages/console/page/apps/quota.js';

function hosted(own: Partial<HostWorld> = {}) {
  const posted: Json[] = [];
  const did: unknown[] = [];
  const world: HostWorld = {
    post: message => void posted.push(message),
    now: () => 0,
    context: () => ({ theme: 'dark' }),
    resize: height => void did.push(['resize', height]),
    ready: () => void did.push(['ready']),
    callTool: async (tool, args) => {
      did.push(['callTool', tool, args]);
      return { content: [{ type: 'resource', resource: { uri: 'a://b', text: 'c' } }] };
    },
    openLink: async url => did.push(['openLink', url]) > 0,
    propose: text => did.push(['propose', text]) > 0,
    ...own,
  };
  const host = new AppHost(world, {
    uri: 'ui://board/page',
    html: '<p>board</p>',
    arguments: { text: 'hi' },
    answer: { content: [] },
  });
  const tell = (method: string, params?: unknown) => host.take({ jsonrpc: '2.0', method, params });
  /** Its answer. */
  const ask = async (method: string, params: unknown = {}, id: unknown = 1) => {
    host.take({ jsonrpc: '2.0', id, method, params });
    await new Promise(resolve => setImmediate(resolve));
    return posted.findLast(message => message.id === id);
  };
  return { host, posted, did, tell, ask };
}

describe('an app speaks', () => {
  test('its frame is ready → gets the page, once', () => {
    const { tell, posted } = hosted();
    tell('ui/notifications/sandbox-proxy-ready');
    tell('ui/notifications/sandbox-proxy-ready');
    const params = { html: '<p>board</p>' };
    expect(posted).toEqual([{ jsonrpc: '2.0', method: 'ui/notifications/sandbox-resource-ready', params }]);
  });

  test('greeted and ready → told its arguments and the answer, once; not before it is greeted', async () => {
    const { tell, ask, posted } = hosted();
    tell('ui/notifications/initialized');
    expect(posted).toEqual([]);
    expect(await ask('ui/initialize')).toMatchObject({
      result: { protocolVersion: '2026-01-26', hostContext: { theme: 'dark' } },
    });
    tell('ui/notifications/initialized');
    tell('ui/notifications/initialized');
    expect(posted.slice(1).map(({ method, params }) => [method, params])).toEqual([
      ['ui/notifications/tool-input', { arguments: { text: 'hi' } }],
      ['ui/notifications/tool-result', { content: [] }],
    ]);
  });

  test('theme or language change → an app that is ready is told', async () => {
    const { host, tell, ask, posted } = hosted();
    host.contextChanged();
    await ask('ui/initialize');
    tell('ui/notifications/initialized');
    host.contextChanged();
    expect(posted.at(-1)).toMatchObject({
      method: 'ui/notifications/host-context-changed',
      params: { theme: 'dark' },
    });
    expect(posted.filter(({ method }) => method === 'ui/notifications/host-context-changed')).toHaveLength(1);
  });

  test('closed → the app that is ready says when it is done; another is not waited for', async () => {
    const { host, tell, ask, posted } = hosted();
    await host.teardown();
    await ask('ui/initialize');
    tell('ui/notifications/initialized');
    const closed = host.teardown();
    const { id, method } = posted.at(-1) ?? {};
    expect(method).toBe('ui/resource-teardown');
    host.take({ jsonrpc: '2.0', id, result: {} });
    await closed;
  });

  test.each([
    [200.2, 201],
    [1e9, 800],
    [-5, 40],
  ])('the height %d → %d', (height, shown) => {
    const { tell, did } = hosted();
    tell('ui/notifications/size-changed', { height });
    expect(did).toEqual([['resize', shown]]);
  });

  test('WB8 an app that grows each 300 ms → what stands below it is still most of the time, and it has its height in the end', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let now = 0;
    const moved: number[] = [];
    const { tell } = hosted({ now: () => now, resize: () => void moved.push(now) });
    for (let height = 100; height < 200; height += 1) {
      tell('ui/notifications/size-changed', { height });
      vi.advanceTimersByTime(300);
      now += 300;
    }
    expect(moved.length).toBeLessThanOrEqual(20);
    const gaps = moved.map((at, index) => (moved[index + 1] ?? now) - at);
    expect(Math.max(...gaps)).toBeGreaterThan(5_000);
    let last = 0;
    const { tell: tellAnother } = hosted({ resize: height => (last = height) });
    for (let height = 100; height < 110; height += 1)
      tellAnother('ui/notifications/size-changed', { height });
    vi.advanceTimersByTime(1_000);
    expect(last).toBe(109);
  });

  test.each([[Number.NaN], ['200'], [null]])('the height %s → none', height => {
    const { tell, did } = hosted();
    tell('ui/notifications/size-changed', { height });
    expect(did).toEqual([]);
  });

  test.each([
    ['tools/call', { name: 'tick', arguments: { n: 1 } }, ['callTool', 'tick', { n: 1 }]],
    ['tools/call', { name: 'tick' }, ['callTool', 'tick', {}]],
    ['resources/read', { uri: 'a://b' }, ['callTool', 'read_resource', { uri: 'a://b' }]],
    ['ui/open-link', { url: 'https://a.example/b' }, ['openLink', 'https://a.example/b']],
    ['ui/message', { role: 'user', content: [{ type: 'text', text: ' hi ' }] }, ['propose', 'hi']],
    ['ui/message', { role: 'user', content: { type: 'text', text: 'hi' } }, ['propose', 'hi']],
  ])('%s %j → done, and answered', async (method, params, done) => {
    const { ask, did } = hosted();
    expect(await ask(method, params)).toHaveProperty('result');
    expect(did).toEqual([done]);
  });

  test('resources/read → its own page from here, another by the run', async () => {
    const { ask } = hosted();
    const own = { uri: 'ui://board/page', mimeType: 'text/html;profile=mcp-app', text: '<p>board</p>' };
    expect(await ask('resources/read', { uri: own.uri })).toMatchObject({ result: { contents: [own] } });
    expect(await ask('resources/read', { uri: 'a://b' }, 2)).toMatchObject({
      result: { contents: [{ uri: 'a://b', text: 'c' }] },
    });
  });

  test.each([
    ['tools/call', {}, -32602],
    ['tools/call', { name: '' }, -32602],
    ['tools/call', { name: 'x'.repeat(201) }, -32602],
    ['tools/call', { name: 'tick', arguments: [1] }, -32602],
    ['tools/call', 7, -32602],
    ['resources/read', { uri: 7 }, -32602],
    ['ui/open-link', { url: 'javascript:alert(1)' }, -32602],
    ['ui/open-link', { url: 'https://a b' }, -32602],
    ['ui/open-link', { url: 'https://bank.example@evil.example/' }, -32602],
    ['ui/open-link', { url: 'https://%' }, -32602],
    ['ui/open-link', { url: `https://${'a'.repeat(2_001)}` }, -32602],
    ['ui/message', { role: 'assistant', content: [{ type: 'text', text: 'hi' }] }, -32602],
    ['ui/message', { role: 'user', content: [{ type: 'image' }] }, -32602],
    ['ui/message', { role: 'user', content: [{ type: 'text', text: 'x'.repeat(8_001) }] }, -32602],
    ['sampling/createMessage', {}, -32601],
    ['__proto__', {}, -32601],
  ])('%s %j → refused with %d, and nothing done', async (method, params, code) => {
    const { ask, did } = hosted();
    expect(await ask(method, params)).toMatchObject({ error: { code } });
    expect(did).toEqual([]);
  });

  test('nobody opens, sends or runs it → the app is told', async () => {
    const { ask } = hosted({
      openLink: async () => false,
      propose: () => false,
      callTool: async () => {
        throw new Error('The run has ended.');
      },
    });
    expect(await ask('ui/open-link', { url: 'https://a.example' })).toMatchObject({
      result: { isError: true },
    });
    const said = { role: 'user', content: [{ type: 'text', text: 'hi' }] };
    expect(await ask('ui/message', said, 2)).toMatchObject({ result: { isError: true } });
    expect(await ask('tools/call', { name: 'tick' }, 3)).toMatchObject({
      error: { code: -32000, message: 'The run has ended.' },
    });
  });

  test('a fifth that would wait → refused until one is answered', async () => {
    const waiting: ((answer: Json) => void)[] = [];
    const { ask } = hosted({ callTool: () => new Promise(resolve => waiting.push(resolve)) });
    for (const id of [1, 2, 3, 4]) expect(await ask('tools/call', { name: 'tick' }, id)).toBeUndefined();
    expect(await ask('tools/call', { name: 'tick' }, 5)).toMatchObject({
      error: { message: 'At most 4 requests of an app wait at once.' },
    });
    waiting[0]?.({});
    await ask('ping', {}, 6);
    expect(await ask('tools/call', { name: 'tick' }, 7)).toBeUndefined();
  });

  test.each([
    ['ui/message', { role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    ['ui/open-link', { url: 'https://a.example' }],
    ['resources/read', { uri: 'ui://board/page' }],
  ])('more than 60 of %s in a minute → refused, as calls are', async (method, params) => {
    const { ask } = hosted();
    for (let n = 0; n < 60; n += 1) await ask(method, params, n);
    expect(await ask(method, params, 'more')).toMatchObject({
      error: { message: 'An app makes at most 60 requests a minute.' },
    });
  });

  test('three links that nobody opened → the next are refused unasked, until one is opened', async () => {
    let opens = false;
    let asked = 0;
    const { ask } = hosted({
      openLink: async url => {
        if (url.endsWith('/other')) return null;
        asked += 1;
        return opens;
      },
    });
    const link = (id: number) => ask('ui/open-link', { url: 'https://a.example' }, id);
    for (const id of [1, 2]) await link(id);
    opens = true;
    expect(await link(3)).toMatchObject({ result: {} });
    opens = false;
    for (const id of [4, 5]) await link(id);
    // While the person is asked about another.
    await ask('ui/open-link', { url: 'https://a.example/other' }, 'other');
    await link(6);
    expect(await link(7)).toMatchObject({ result: { isError: true } });
    expect(asked).toBe(6);
  });

  test('an address → as it is opened, with nothing in it that reads otherwise', async () => {
    const { ask, did } = hosted();
    await ask('ui/open-link', { url: 'https://ex\u202eample.com\u200b/a\u202eb' }, 1);
    await ask('ui/open-link', { url: 'HTTPS://B\u00fccher.example/a' }, 2);
    expect(did).toEqual([['openLink', 'https://xn--bcher-kva.example/a']]);
  });

  test('a height that changes again and again → it grows at once, and shrinks when that has come to rest', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { tell, did } = hosted();
    for (let n = 0; n < 1_000; n += 1) {
      tell('ui/notifications/size-changed', { height: 100 + 50 * (n % 5) });
      vi.advanceTimersByTime(50);
    }
    tell('ui/notifications/size-changed', { height: 150 });
    expect(did.map(each => (each as unknown[])[1])).toEqual([100, 150, 200, 250, 300]);
    vi.advanceTimersByTime(1_000);
    expect(did.at(-1)).toEqual(['resize', 150]);
  });

  test('more than 60 in a minute → refused until the next', async () => {
    let at = 0;
    const { ask, did } = hosted({ now: () => at });
    for (let n = 0; n < 61; n += 1) await ask('tools/call', { name: 'tick' }, n);
    expect(did).toHaveLength(60);
    at = 60_000;
    expect(await ask('tools/call', { name: 'tick' }, 'next')).toHaveProperty('result');
  });

  test.each([
    [null],
    [7],
    ['ui/initialize'],
    [[]],
    [{ method: 'ping', id: 1 }],
    [{ jsonrpc: '2.0', id: {}, method: 'ping' }],
  ])('what is no message, %j → not heard', data => {
    const { host, posted } = hosted();
    host.take(data);
    expect(posted).toEqual([]);
  });
});

describe('how much an app may say', () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

  test('200 messages in 10 s → passed on; the next is not even unpacked; then it goes on', () => {
    const quota = new Quota();
    for (let n = 0; n < 200; n += 1) expect(quota.take({ data: ping }, n)).toEqual({ message: ping });
    const unread = {
      get data(): unknown {
        throw new Error('unpacked');
      },
    };
    expect(quota.take(unread, 9_999)).toBeNull();
    expect(quota.take({ data: ping }, 10_000)).toEqual({ message: ping });
  });

  test('a message that is too large → the app is told, where it asks something', () => {
    const params = { text: 'x'.repeat(256_000) };
    expect(new Quota().take({ data: { ...ping, params } }, 0)).toMatchObject({
      fault: { id: 1, error: { code: -32000, message: expect.stringContaining('at most 256000') } },
    });
    expect(new Quota().take({ data: { jsonrpc: '2.0', method: 'a', params } }, 0)).toBeNull();
  });

  test.each([[null], ['text'], [{}], [{ jsonrpc: '1.0' }]])(
    'what is no JSON-RPC, %j → goes no further',
    data => {
      expect(new Quota().take({ data }, 0)).toBeNull();
    },
  );

  test('what JSON does not see → goes no further', () => {
    const params = { b: new ArrayBuffer(50), m: new Map([[1, 2]]), n: 1 };
    expect(new Quota().take({ data: { ...ping, params } }, 0)).toEqual({
      message: { ...ping, params: { b: {}, m: {}, n: 1 } },
    });
  });

  test('what JSON can not have → goes no further', () => {
    const round: Record<string, unknown> = { ...ping };
    round.params = round;
    expect(new Quota().take({ data: round }, 0)).toHaveProperty('fault');
  });
});
