import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type News, Notifier, notifyOption, webHook } from '../../../packages/session/notify.js';
import type { RunEvent } from '../../../src/client/index.js';
import type { JournalEvent, JournalPayloads, JournalType } from '../../../src/run/state/journal.js';

const journal = <T extends JournalType>(type: T, payload: JournalPayloads[T]): RunEvent =>
  ({ seq: 1, at: 0, type, ...payload }) as unknown as JournalEvent;
const opened = (gateId: string) =>
  journal('gate_opened', {
    gateId,
    kind: 'approval',
    title: 'secret',
    body: '',
    deadline: null,
    choices: [],
  });
const closed = (gateId: string) =>
  journal('gate_closed', { gateId, kind: 'approval', by: 'person', decision: 'approve' });
const answered = journal('goal_ended', {
  number: 1,
  outcome: 'completed',
  cause: 'verified',
  answer: 'secret',
});
const end = { type: 'end', end: { outcome: 'failed' } } as unknown as RunEvent;
const phase = journal('phase_started', { phase: 'planning', cycle: 1 });

/** What is told of events that come in these goes. */
async function told(...goes: RunEvent[][]) {
  const news: News[] = [];
  let bells = 0;
  const ports = {
    bell: () => {
      bells += 1;
    },
    post: async (each: News) => void news.push(each),
    report: () => undefined,
  };
  const notifier = new Notifier('my-run', ports);
  for (const go of goes) {
    for (const item of go) notifier.take(item);
    await new Promise(resolve => setImmediate(resolve));
  }
  await notifier.settled();
  return { news, bells };
}

const WAITING = { id: 'my-run', what: 'waiting', gate: { id: 'g1', kind: 'approval' } };

describe('what is told of a run', () => {
  test.each<[string, RunEvent[][], object[], number]>([
    ['a gate that opens → waiting, with the bell', [[phase], [opened('g1')]], [WAITING], 1],
    ['a gate that was answered before anybody looked → nothing', [[opened('g1'), closed('g1')]], [], 0],
    ['a gate that was open already → waiting, without the bell', [[opened('g1')]], [WAITING], 0],
    [
      'a goal that is answered, the run open → answered',
      [[phase], [answered]],
      [{ id: 'my-run', what: 'answered', outcome: 'completed' }],
      1,
    ],
    [
      'the last goal and the end → ended, once',
      [
        [phase],
        [answered, journal('run_ended', { outcome: 'failed', cause: 'verified', answer: '' })],
        [end],
      ],
      [{ id: 'my-run', what: 'ended', outcome: 'failed' }],
      1,
    ],
  ])('%s', async (_name, goes, news, bells) => {
    expect(await told(...goes)).toEqual({ news, bells });
  });

  test('a hook that does not answer → said once, and nothing else happens', async () => {
    const lines: string[] = [];
    const post = webHook(new URL('http://127.0.0.1:9/secret-path'));
    const notifier = new Notifier('my-run', {
      bell: () => undefined,
      post,
      report: line => lines.push(line),
    });
    for (const item of [opened('g1'), opened('g2'), end]) notifier.take(item);
    await notifier.settled();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('the web hook did not take');
    expect(lines[0]).not.toContain('secret-path');
  });

  test('a hook → gets JSON; one that sends it elsewhere is told of, and not followed', async () => {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      request.on('data', chunk =>
        bodies.push(`${request.method} ${request.headers['content-type']} ${chunk}`),
      );
      request.on('end', () =>
        response.writeHead(request.url === '/moved' ? 307 : 204, { location: '/hook' }).end(),
      );
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const hook = (path: string) => webHook(new URL(`http://127.0.0.1:${port}${path}`));
    await hook('/hook')({ id: 'my-run', what: 'ended', outcome: 'completed' });
    const body = 'POST application/json {"id":"my-run","what":"ended","outcome":"completed"}';
    expect(bodies).toEqual([body]);
    await expect(hook('/moved')({ id: 'my-run', what: 'ended' })).rejects.toThrow('status 307');
    expect(bodies).toHaveLength(2);
  });

  test.each(['ftp://x', 'x', ''])('--notify %s → refused', words => {
    expect(() => notifyOption(words)).toThrow('http');
  });
});
