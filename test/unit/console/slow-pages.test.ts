/** Pages and clients that take nothing of what they asked for: what waits for them has a bound. */

import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Listening } from '../../../packages/console/ag-ui/listening.js';
import type { Push } from '../../../packages/console/feed.js';
import type { Hub } from '../../../packages/console/hub.js';
import { Links } from '../../../packages/console/links.js';
import { serveConsole } from '../../../packages/console/serve.js';
import { frameStream, whileTrue } from '../../../packages/console/stream.js';
import type { RunSnapshot, SteersmanClient } from '../../../src/client/index.js';
import { fakeRuns, warning } from '../../support/fake-runs.js';
import { eventually } from '../../support/wait.js';

const LONG = 'x'.repeat(1_000_000);

/** What listens to a run, as the stream of a page has it. */
function ear() {
  let push: Push = () => undefined;
  const left = vi.fn();
  const begin = async (given: Push) => {
    push = given;
    return left;
  };
  return { begin, left, push: (...given: Parameters<Push>) => push(...given) };
}

test('WB18 the token of a page is no longer known → its stream ends, and nobody listens for it', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  let isKnown = true;
  const { begin, left, push } = ear();
  const reader = whileTrue(() => isKnown, frameStream(begin)).body?.getReader();
  const hear = async (seq: number) => {
    push({ type: 'event', run: 'r', event: warning(seq, `event ${seq}`) });
    const { done, value } = (await reader?.read()) ?? { done: true };
    return done ? null : new TextDecoder().decode(value);
  };
  await reader?.read();
  expect(await hear(1)).toContain('event 1');
  isKnown = false;
  expect(await hear(2)).toContain('event 2');
  now = 5_000;
  expect(await hear(3)).toBeNull();
  await eventually(() => expect(left).toHaveBeenCalled());
});

test('a page that takes nothing → what waits for it is let go, and nobody listens for it', async () => {
  const { begin, left, push } = ear();
  const reader = frameStream(begin).body?.getReader();
  for (let seq = 1; seq <= 12; seq += 1) {
    push({ type: 'event', run: 'r', event: warning(seq, LONG) });
    await Promise.resolve();
  }
  expect(left).toHaveBeenCalled();
  await expect(reader?.read()).rejects.toThrow('too slow');
});

test('many pages that take nothing → what waits for them is there once, not for each', async () => {
  const pages = [ear(), ear()];
  const readers = pages.map(({ begin }) => frameStream(begin).body?.getReader());
  await Promise.resolve();
  const frame = { type: 'event' as const, run: 'r', event: warning(1, LONG) };
  for (const { push } of pages) push(frame);
  const read = async (reader: (typeof readers)[number]) => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done || (value?.length ?? 0) > LONG.length) return value;
    }
  };
  const [one, other] = await Promise.all(readers.map(read));
  expect(one?.length).toBeGreaterThan(LONG.length);
  expect(one === other).toBe(true);
});

test('a page that takes nothing, by a connection → it is ended, not kept until it reads', async () => {
  const home = mkdtempSync(join(tmpdir(), 'slow-'));
  // The server may share its terminal with a session.
  const printed = vi.spyOn(console, 'error');
  const runs = fakeRuns();
  const served = await serveConsole({
    ...{ home, port: 0, client: runs as unknown as SteersmanClient, report: () => undefined },
  });
  onTestFinished(async () => {
    await served.close();
    rmSync(home, { recursive: true, force: true });
  });
  const links = new Links(home);
  const token = links.redeem(links.create());
  const port = Number(new URL(served.link()).port);
  const body = JSON.stringify({ runs: { 'run-1': { since: 0 } } });
  const head = [
    ...['POST /api/stream HTTP/1.1', `host: 127.0.0.1:${port}`, `authorization: Bearer ${token}`],
    ...['content-type: application/json', `content-length: ${body.length}`, '', body],
  ];
  const page = connect(port, '127.0.0.1').pause();
  const ended = vi.fn();
  page.on('error', ended).on('close', ended);
  page.write(head.join('\r\n'));
  await eventually(() => expect(runs.watchers()).toBe(1));
  for (let seq = 1; seq <= 40; seq += 1) {
    runs.happens(warning(seq, LONG));
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  // The beginning of another request: who has ended the connection refuses it.
  page.write('GET / HTTP/1.1\r\nx: ');
  await eventually(() => {
    if (!page.destroyed) page.write('y');
    expect(ended).toHaveBeenCalled();
  });
  expect(printed).not.toHaveBeenCalled();
  printed.mockRestore();
});

test('a client of AG-UI that takes nothing → the last state alone waits for it, and in the end it is told to ask again', async () => {
  const { begin, left, push } = ear();
  const hub = { listen: async (_asked: unknown, given: Push) => begin(given) } as unknown as Hub;
  const listening = new Listening({ hub, signal: new AbortController().signal }, 'r');
  for (let seq = 1; seq <= 3; seq += 1)
    push({ type: 'snapshot', run: 'r', snapshot: { lastEventSeq: seq } as RunSnapshot });
  const { value } = await listening.frames().next();
  expect(value).toMatchObject({ snapshot: { lastEventSeq: 3 } });
  for (let seq = 1; seq <= 40; seq += 1) push({ type: 'event', run: 'r', event: warning(seq, LONG) });
  await expect(listening.frames().next()).rejects.toThrow('The client reads more slowly than the run writes');
  await eventually(() => expect(left).toHaveBeenCalled());
});

test('a console whose page holds a connection → it is closed all the same (OP2)', async () => {
  const home = mkdtempSync(join(tmpdir(), 'held-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const served = await serveConsole({
    ...{ home, port: 0, client: fakeRuns() as unknown as SteersmanClient, report: () => undefined },
  });
  const page = connect(Number(new URL(served.link()).port), '127.0.0.1');
  const gone = new Promise(resolve => page.on('error', () => undefined).on('close', resolve));
  page.write('GET / HTTP/1.1\r\nx: ');
  await new Promise(resolve => page.on('connect', resolve));
  await served.close();
  await Promise.all([served.closed, gone]);
});
