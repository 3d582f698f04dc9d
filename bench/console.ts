/**
 * Measures the console in Chromium: the time from a click to its effect, the delay of live text, and the weight of a
 * long run.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectSocket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { Command } from 'commander';
import type { Page } from 'playwright-core';
import { WORKFLOW_TYPE } from '../src/run/agents/run-config.js';
import { localConnection } from '../src/shared/local/probe.js';
import { stateQuery } from '../src/workflows/run/definitions.js';
import { browserPath, openBrowser } from '../test/support/browser.js';
import { consoleProcess } from '../test/support/console-process.js';
import {
  type ChatRequest,
  type ScriptedReply,
  type ScriptedToolCall,
  startScriptedModel,
} from '../test/support/endpoint/model.js';
import { fakeMcp } from '../test/support/fake-mcp-server.js';
import { freePort, startTemporalProcess, startWorkerProcess } from '../test/support/processes.js';
import { makeProject } from '../test/support/project.js';
import { runSettings } from '../test/support/rig.js';
import { messagesOf } from '../test/support/run-views.js';
import { settingsYaml } from '../test/support/steering.js';
import { until } from '../test/support/wait.js';
import { machine, median, quantile, table } from './support/machine.js';

const options = new Command('console')
  .option('--gates <n>', 'approvals by a click', Number, 40)
  .option('--replies <n>', 'replies that are watched while they are written', Number, 3)
  .option('--marks <n>', 'pieces of such a reply, one each 50 ms', Number, 300)
  .option('--events <n>', 'events of the long run', Number, 5_000)
  .parse()
  .opts<{ gates: number; replies: number; marks: number; events: number }>();

const CALLS_A_REPLY = 24;
const MARK = /mark-\d{4}/g;
const LIMITS = { execution: 10_000, replies: 10_000, turns: 10_000, tokens: 1_000_000_000 };

// In the page.
const CLICK = `new Promise(resolve => {
  const count = () => document.querySelectorAll('.chat details.note').length;
  const before = count();
  const from = performance.now();
  const observer = new MutationObserver(() => {
    if (count() === before) return;
    observer.disconnect();
    resolve(performance.now() - from);
  });
  observer.observe(document.body, { childList: true, subtree: true });
  for (const button of document.querySelectorAll('.gate button'))
    if (button.textContent === 'Approve') button.click();
})`;

const SEE = `(() => {
  const seenAt = (globalThis.seenAt = {});
  const look = () => {
    for (const mark of document.querySelector('.chat').textContent.match(/mark-\\d{4}/g) ?? []) seenAt[mark] ??= Date.now();
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
})()`;

const DRAWN = `globalThis.drawn = new Promise(resolve => {
  new MutationObserver((_, observer) => {
    if (!document.querySelector('.chat')?.textContent.includes('last of all')) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
  }).observe(document, { childList: true, subtree: true });
})`;

if (browserPath === null) {
  console.log('console: left out, there is no Chromium here (CHROMIUM_PATH names one)');
  process.exit(0);
}
const home = mkdtempSync(join(tmpdir(), 'steersman-console-'));
const temporal = await startTemporalProcess(home);
const connection = localConnection(temporal.address);
const client = new Client({ connection });
const fake = fakeMcp();
const project = makeProject({
  config: {
    '.mcp.json': JSON.stringify({ mcpServers: { fake: fake.stdioEntry() } }),
    'steersman.yaml': settingsYaml('steering: note', 'liveText:', '  throttleMs: 250'),
  },
});
const scripts = new Map<string, (request: ChatRequest, at: number) => ScriptedReply>();
const model = await startScriptedModel({ reply: replyTo });
const sentAt = new Map<string, number>();
const wire = await recorded(model.baseUrl);
const taskQueue = `console-${randomUUID().slice(0, 8)}`;
const worker = await startWorkerProcess({
  ...{ address: temporal.address, taskQueue, project },
  model: { baseUrl: wire.baseUrl },
  // Worker and console of this machine share a home, as on the local stack.
  env: { STEERSMAN_HOME: home },
});
const shown = await consoleProcess(home, { address: temporal.address, names: [] });
await shown.start();
const browser = await openBrowser();
try {
  console.log('console: Temporal on a database file; console, worker and browser in processes of their own');
  console.log(`${machine()}\n`);
  const weights = await weightsOf();
  const clicks = await clicked();
  const behind = await watched();
  const long = await opened();
  const row = (title: string, values: number[]) => [
    title,
    ...[median(values), quantile(values, 0.95), quantile(values, 1)].map(value => value.toFixed(0)),
  ];
  console.log(
    table(
      ['ms', 'median', 'p95', 'most'],
      [
        row('click on Approve to gate_closed in the page', clicks),
        row('a piece of a reply, from the model to the page', behind),
        row(`a run of ${long.events} events, opened to its last entry`, long.ms),
      ],
    ),
  );
  console.log(`\nfirst page of that run, which the console had not at hand: ${long.first.toFixed(0)} ms`);
  console.log(`memory of its page: ${(long.bytes / 1e6).toFixed(1)} MB`);
  console.log(`first load, gzipped: ${weights.map(([name, kb]) => `${name} ${kb} KB`).join(', ')}`);
} finally {
  await browser.close();
  await shown.kill();
  worker.end('SIGTERM');
  await worker.exited;
  wire.close();
  await model.close();
  await connection.close();
  await temporal.stop();
  fake.remove();
  for (const dir of [home, project.dir]) rmSync(dir, { recursive: true, force: true });
}

async function replyTo(request: ChatRequest): Promise<ScriptedReply> {
  const goal = [...scripts.keys()].find(name => JSON.stringify(request.body.messages).includes(name));
  model.requests.length = 0;
  return scripts.get(goal ?? '')?.(request, messagesOf(request, 'assistant').length) ?? { text: 'Done.' };
}

function start(
  goal: string,
  script: (request: ChatRequest, at: number) => ScriptedReply,
): Promise<WorkflowHandle> {
  scripts.set(goal, script);
  const settings = runSettings(project.workspace, { attended: true, limits: LIMITS });
  return client.workflow.start(WORKFLOW_TYPE, {
    args: [{ goal, settings: { ...settings, mode: 'react' } }],
    taskQueue,
    workflowId: `${taskQueue}-${goal}`,
  });
}

/** Starts a proxy before the model that notes when each piece of a reply passes. */
async function recorded(baseUrl: string): Promise<{ baseUrl: string; close(): void }> {
  const { port: to } = new URL(baseUrl);
  const server = createServer(socket => {
    const other = connectSocket(Number(to), '127.0.0.1');
    other.on('data', (data: Buffer) => {
      for (const mark of data.toString('latin1').match(MARK) ?? [])
        if (!sentAt.has(mark)) sentAt.set(mark, Date.now());
    });
    for (const each of [socket, other]) each.on('error', () => undefined);
    socket.pipe(other).pipe(socket);
  });
  const port = await freePort();
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
  return { baseUrl: `http://127.0.0.1:${port}/v1`, close: () => void server.close() };
}

async function pageOf(run?: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(shown.link(run));
  return page;
}

/** Returns the milliseconds from each click until its gate's entry says that it is closed. */
async function clicked(): Promise<number[]> {
  const append = (line: number): ScriptedToolCall => ({
    name: 'append_line',
    arguments: { file: join(project.dir, 'lines.txt'), line: `line ${line}` },
  });
  const handle = await start('gates', (_, at) =>
    at < options.gates + 1 ? { toolCalls: [append(at)] } : { text: 'Done.' },
  );
  const page = await pageOf(handle.workflowId);
  const all: number[] = [];
  for (let nth = 0; nth <= options.gates; nth += 1) {
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    // Buttons ignore clicks for the first half second. The delay varies, so that it favours no interval of
    // heartbeats.
    await sleep(700 + ((nth * 137) % 500));
    all.push(await page.evaluate<number>(CLICK));
  }
  await handle.result();
  await page.context().close();
  // The first warms up.
  return all.slice(1);
}

/** Returns the milliseconds from the moment the model sent each piece until the page shows it. */
async function watched(): Promise<number[]> {
  const all: number[] = [];
  for (let nth = 0; nth < options.replies; nth += 1) {
    sentAt.clear();
    const marks = Array.from({ length: options.marks }, (_, at) => `mark-${String(at).padStart(4, '0')} `);
    const goal = `watched-${nth}`;
    let open = () => {};
    const held = new Promise<void>(resolve => {
      open = resolve;
    });
    const handle = await start(goal, () => ({
      text: marks.join(''),
      ...{ chunkChars: 10, delayMs: 50, hold: { until: held } },
    }));
    const page = await pageOf(handle.workflowId);
    await page.locator('.entry.live').waitFor();
    await page.evaluate(SEE);
    open();
    await handle.result();
    await page.locator('.entry.answer').waitFor();
    const seenAt = await page.evaluate<Record<string, number>>('globalThis.seenAt');
    for (const [mark, at] of sentAt) all.push((seenAt[mark] ?? Number.NaN) - at);
    await page.context().close();
  }
  return all;
}

/** Opens a long run by one page after the other. */
async function opened(): Promise<{ ms: number[]; first: number; events: number; bytes: number }> {
  const replies = Math.ceil(options.events / (2 * CALLS_A_REPLY + 2));
  const echo = (at: number, nth: number): ScriptedToolCall => ({
    name: 'echo',
    arguments: { text: `What stands in record ${at} at ${nth}, as it was asked for` },
  });
  let open = () => {};
  let isLast = false;
  const held = new Promise<void>(resolve => {
    open = resolve;
  });
  const handle = await start('long', (_, at) => {
    isLast ||= at >= replies;
    return at < replies
      ? {
          text: at < replies - 1 ? `Reply ${at}: these **records** are read next.` : 'Records, last of all.',
          toolCalls: Array.from({ length: CALLS_A_REPLY }, (_, nth) => echo(at, nth)),
        }
      : { text: 'All of it was read.', hold: { until: held } };
  });
  await until('the last reply is asked for', () => isLast, 300_000);
  const all: number[] = [];
  let bytes = 0;
  for (let nth = 0; nth < 6; nth += 1) {
    const context = await browser.newContext();
    await context.addInitScript(DRAWN);
    const page = await context.newPage();
    await page.goto(shown.link(handle.workflowId));
    all.push(await page.evaluate<number>('globalThis.drawn'));
    bytes = await heapOf(page);
    await context.close();
  }
  const [first = Number.NaN, ...ms] = all;
  const { lastEventSeq: events } = (await handle.query(stateQuery)).internals;
  open();
  await handle.result();
  return { ms, first, events, bytes };
}

/** Returns the size of the page's JavaScript heap after a garbage collection. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN;
}

/** Returns what a browser loads for the first page and for pages of runs, in gzipped kilobytes. */
async function weightsOf(): Promise<[string, string][]> {
  const plain = await start('weighed', () => ({ text: 'It stands here.' }));
  const marked = await start('marked', () => ({ text: 'It **stands** here.' }));
  await Promise.all([plain.result(), marked.result()]);
  const all: [string, string][] = [];
  for (const [name, run, drawn] of [
    ['the first page', undefined, '.row'],
    ['a run', plain.workflowId, '.entry.answer'],
    ['a run with Markdown', marked.workflowId, '.chat strong:text("stands")'],
  ] as const) {
    const page = await (await browser.newContext()).newPage();
    const loads: Promise<number>[] = [];
    page.on('response', response => {
      if (!response.url().includes('/api/')) loads.push(response.body().then(body => gzipSync(body).length));
    });
    await page.goto(shown.link(run));
    await page.locator(drawn).first().waitFor();
    const bytes = (await Promise.all(loads)).reduce((sum, each) => sum + each, 0);
    all.push([name, (bytes / 1_024).toFixed(1)]);
    await page.context().close();
  }
  return all;
}
