/** The worker that all tabs of a browser share: which token it goes by. */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { FromTab, ToTab } from '../../../src/cli/console/page/stream-worker.js';

/** A console that knows these tokens. */
async function workerOf(known: string[]) {
  let connect: (event: unknown) => void = () => undefined;
  vi.stubGlobal('addEventListener', (_name: string, heard: typeof connect) => {
    connect = heard;
  });
  vi.stubGlobal('setInterval', () => 0);
  vi.stubGlobal('fetch', async (_path: string, { headers, signal }: RequestInit) => {
    const { authorization = '' } = headers as Record<string, string>;
    if (!known.includes(authorization.replace(/^Bearer /, ''))) return new Response(null, { status: 401 });
    return new Response(
      new ReadableStream({
        start(controller) {
          signal?.addEventListener('abort', () => controller.error(new Error('aborted')));
          controller.enqueue(new TextEncoder().encode('data: {"type":"ping","at":1}\n\n'));
        },
      }),
    );
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });
  vi.resetModules();
  await import('../../../src/cli/console/page/stream-worker.js');
  /** A tab that comes with a token, or none. */
  return (token: string | null) => {
    const told: ToTab[] = [];
    const port = {
      postMessage: (message: ToTab) => told.push(message),
      start: () => undefined,
      onmessage: (_event: { data: FromTab }) => undefined,
    };
    connect({ ports: [port] });
    port.onmessage({ data: { type: 'hello', token } });
    const last = <T extends ToTab['type']>(type: T) =>
      told.findLast((message): message is Extract<ToTab, { type: T }> => message.type === type);
    return { stands: () => [last('token')?.token, last('state')?.state], told };
  };
}

test('a tab without a token → it gets that of the others; where there is none, it hears that it needs one', async () => {
  const open = await workerOf(['good']);
  const without = open(null);
  await vi.waitFor(() => expect(without.stands()).toEqual(['', 'refused']));
  const first = open('good');
  await vi.waitFor(() => expect([without.stands(), first.stands()]).toEqual(Array(2).fill(['good', 'live'])));
  expect(open(null).stands()).toEqual(['good', 'live']);
});

test('a console behind a login of its own → a tab needs no token', async () => {
  const open = await workerOf(['']);
  const first = open(null);
  await vi.waitFor(() => expect(first.stands()).toEqual(['', 'live']));
  expect(open(null).stands()).toEqual(['', 'live']);
});

test('a tab that comes with a token that is none → it gets the good one, and the others keep it', async () => {
  const open = await workerOf(['good']);
  const first = open('good');
  await vi.waitFor(() => expect(first.stands()).toEqual(['good', 'live']));
  const restored = open('old');
  await vi.waitFor(() => expect(restored.stands()).toEqual(['good', 'live']));
  expect(first.stands()).toEqual(['good', 'live']);
  expect(first.told.some(message => message.type === 'token' && message.token === 'old')).toBe(false);
});

test('a console that knows no token any more → a link that is opened in one tab is for all', async () => {
  const known = ['good'];
  const open = await workerOf(known);
  const first = open('old');
  await vi.waitFor(() => expect(first.stands()[1]).toBe('refused'));
  const second = open('good');
  await vi.waitFor(() => expect([first.stands(), second.stands()]).toEqual(Array(2).fill(['good', 'live'])));
});

test('a new link while all is well → the new token is the one', async () => {
  const open = await workerOf(['good', 'newer']);
  const first = open('good');
  await vi.waitFor(() => expect(first.stands()).toEqual(['good', 'live']));
  open('newer');
  await vi.waitFor(() => expect(first.stands()).toEqual(['newer', 'live']));
});
