/** The worker that all tabs of a browser share: which token it goes by. */

import { Stream } from '@steersman/view';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { FromTab, ToTab } from '../../../../packages/console/page/stream-worker.js';
import { digestOf, proofBy } from '../../../../packages/console/proof.js';
import { warning } from '../../../support/fake-runs.js';
import { eventually } from '../../../support/wait.js';

/** A console that knows these tokens, and has told so many events of each run. */
async function workerOf(known: string[], told = 0, prove = proofBy) {
  let connect: (event: unknown) => void = () => undefined;
  const asked: string[] = [];
  vi.stubGlobal('addEventListener', (_name: string, heard: typeof connect) => {
    connect = heard;
  });
  vi.stubGlobal('setInterval', () => 0);
  vi.stubGlobal('location', { host: HOST });
  vi.stubGlobal('fetch', async (path: string, { headers = {}, signal, body }: RequestInit) => {
    const { authorization = '' } = headers as Record<string, string>;
    asked.push(`${path.split('?')[0]} ${authorization}`);
    const { searchParams } = new URL(path, `http://${HOST}`);
    const [id = '', nonce = ''] = ['id', 'nonce'].map(name => searchParams.get(name) ?? '');
    if (path.startsWith('/api/proof')) {
      const proof = prove(known.map(digestOf), id, `${nonce} ${HOST}`);
      return Response.json({ proof }, { status: proof === null ? 401 : 200 });
    }
    signal?.throwIfAborted();
    if (!known.includes(authorization.replace(/^Bearer /, ''))) return new Response(null, { status: 401 });
    return new Response(
      new ReadableStream({
        start(controller) {
          signal?.addEventListener('abort', () => controller.error(new Error('aborted')));
          const { runs } = JSON.parse(String(body)) as { runs: Record<string, { since: number }> };
          const frames = Object.entries(runs).flatMap(([run, { since }]) =>
            Array.from({ length: told - since }, (_, at) => ({
              ...{ type: 'event', run, event: warning(since + at + 1) },
            })),
          );
          const lines = [{ type: 'ping', at: 1 }, ...frames].map(each => `data: ${JSON.stringify(each)}\n\n`);
          controller.enqueue(new TextEncoder().encode(lines.join('')));
        },
      }),
    );
  });
  // A stream asks until it is closed, and would go on in the files that this process runs next.
  const streams: Stream[] = [];
  vi.doMock('@steersman/view', () => ({
    Stream: class extends Stream {
      constructor(...given: ConstructorParameters<typeof Stream>) {
        super(...given);
        streams.push(this);
      }
    },
  }));
  onTestFinished(() => {
    for (const stream of streams) stream.close();
    vi.unstubAllGlobals();
    vi.doUnmock('@steersman/view');
    vi.resetModules();
  });
  vi.resetModules();
  await import('../../../../packages/console/page/stream-worker.js');
  /** A tab that comes with a token, or none. */
  const open = (token: string | null) => {
    const heard: ToTab[] = [];
    const port = {
      postMessage: (message: ToTab) => heard.push(message),
      start: () => undefined,
      onmessage: (_event: { data: FromTab }) => undefined,
    };
    connect({ ports: [port] });
    port.onmessage({ data: { type: 'hello', token } });
    const last = <T extends ToTab['type']>(type: T) =>
      heard.findLast((message): message is Extract<ToTab, { type: T }> => message.type === type);
    const want = (...runs: string[]) =>
      port.onmessage({
        data: { type: 'want', runs: Object.fromEntries(runs.map(run => [run, { since: 0 }])) },
      });
    const seqs = () =>
      heard.flatMap(message =>
        message.type === 'frames'
          ? message.frames.flatMap(frame =>
              frame.type === 'event' && 'seq' in frame.event ? [frame.event.seq] : [],
            )
          : [],
      );
    return { want, seqs, stands: () => [last('token')?.token, last('state')?.state], told: heard };
  };
  return Object.assign(open, { asked });
}

const HOST = '127.0.0.1:7418';

test('a tab without a token → it gets that of the others; where there is none, it hears that it needs one', async () => {
  const open = await workerOf(['good']);
  const without = open(null);
  await eventually(() => expect(without.stands()).toEqual(['', 'refused']));
  const first = open('good');
  await eventually(() => expect([without.stands(), first.stands()]).toEqual(Array(2).fill(['good', 'live'])));
  expect(open(null).stands()).toEqual(['good', 'live']);
});

test('a console behind a login of its own → a tab needs no token', async () => {
  const open = await workerOf(['']);
  const first = open(null);
  await eventually(() => expect(first.stands()).toEqual(['', 'live']));
  expect(open(null).stands()).toEqual(['', 'live']);
});

test('a tab that comes with a token that is none → it gets the good one, and the others keep it', async () => {
  const open = await workerOf(['good']);
  const first = open('good');
  await eventually(() => expect(first.stands()).toEqual(['good', 'live']));
  const restored = open('old');
  await eventually(() => expect(restored.stands()).toEqual(['good', 'live']));
  expect(first.stands()).toEqual(['good', 'live']);
  expect(first.told.some(message => message.type === 'token' && message.token === 'old')).toBe(false);
});

test('a console that knows no token any more → a link that is opened in one tab is for all', async () => {
  const known = ['good'];
  const open = await workerOf(known);
  const first = open('old');
  await eventually(() => expect(first.stands()[1]).toBe('refused'));
  const second = open('good');
  await eventually(() => expect([first.stands(), second.stands()]).toEqual(Array(2).fill(['good', 'live'])));
});

test('tabs that come one after the other to a run → each hears all of it, and none hears it again', async () => {
  const open = await workerOf(['good'], 3);
  const tabs = [];
  for (let at = 0; at < 3; at += 1) {
    const tab = open('good');
    tab.want('r');
    tabs.push(tab);
    await eventually(() => expect(tab.seqs()).toEqual([1, 2, 3]));
  }
  expect(tabs.map(tab => tab.seqs().length)).toEqual([3, 3, 3]);
});

test('a new link while all is well → the new token is the one', async () => {
  const open = await workerOf(['good', 'newer']);
  const first = open('good');
  await eventually(() => expect(first.stands()).toEqual(['good', 'live']));
  open('newer');
  await eventually(() => expect(first.stands()).toEqual(['newer', 'live']));
});

test.each<[string, typeof proofBy]>([
  ['answers anything', () => 'proved'],
  [
    'passes the challenge on to the console at its new port',
    (keys, id, challenge) => proofBy(keys, id, challenge.replace(HOST, '127.0.0.1:9000')),
  ],
])(
  'WB18 the port of a console that ended is another program’s, which %s → no tab sends its token, and the page that it serves gets none',
  async (_what, prove) => {
    const open = await workerOf(['good'], 0, prove);
    const tab = open('good');
    await eventually(() => expect(tab.stands()).toEqual(['good', 'away']));
    expect(open.asked.length).toBeGreaterThan(0);
    expect(open.asked.join()).not.toContain('good');
    expect(open(null).stands()).toEqual(['', 'away']);
  },
);
