/** What a page shows while console, worker, Temporal or network are away, and after: all of it, once. In Chromium. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { localConnection } from '../../src/shared/local/probe.js';
import { browserPath, openBrowser } from '../support/browser.js';
import {
  type ConsoleProcess,
  consoleProcess,
  type SilentNetwork,
  silentNetwork,
} from '../support/console-process.js';
import { type FaultStage, type Part, startFaultStage } from '../support/fault-stage.js';
import {
  killWorkers,
  startTemporalProcess,
  type TemporalProcess,
  type WorkerProcess,
} from '../support/processes.js';
import { quietTemporal } from '../support/quiet.js';
import { journalOf } from '../support/run-views.js';
import { latch, settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

const AWAY = 'The console does not answer';
/** Marks in what is said and done, by which a page is compared with the journal. */
const MARK = /\b(?:said|call|steer)-\d+\b/g;
const attended = { mode: 'react' as const, attended: true, autoApprove: false };

describe.skipIf(browserPath === null)('console', () => {
  let home: string;
  let temporal: TemporalProcess;
  let client: Client;
  let stage: FaultStage;
  let worker: WorkerProcess;
  let shown: ConsoleProcess;
  let network: SilentNetwork;
  let browser: Browser;

  beforeAll(async () => {
    quietTemporal();
    home = mkdtempSync(join(tmpdir(), 'console-faults-'));
    temporal = await startTemporalProcess(home);
    client = new Client({ connection: localConnection(temporal.address) });
    stage = await startFaultStage({
      ...{ client, address: temporal.address },
      config: { 'steersman.yaml': settingsYaml('steering: note') },
    });
    network = await silentNetwork(() => shown.url);
    shown = await consoleProcess(home, { address: temporal.address, names: [network.host] });
    [worker] = await Promise.all([stage.worker(), shown.start()]);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await shown?.kill();
    network?.close();
    await stage?.close(true);
    killWorkers();
    await client?.connection.close();
    await temporal?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  /** A run that reads, says something slowly and then writes what must be approved. */
  async function startRun(goal: string) {
    const held = latch();
    const file = join(stage.project.dir, `${goal}.txt`);
    const part: Part = {
      calls: [
        { name: 'echo', arguments: { text: 'call-1' } },
        { name: 'append_line', arguments: { file, line: 'call-2' } },
      ],
      change: (reply, { at }) => {
        const text = `This is said-${at + 1} ${'and some more '.repeat(20)}`;
        const said = at < 2 ? { ...reply, text } : { text };
        return at === 1 ? { ...said, hold: { until: held.until, atChunk: 2 } } : said;
      },
    };
    const { handle } = await stage.start(goal, part, attended);
    return { handle, id: handle.workflowId, goOn: held.open };
  }

  type Started = Awaited<ReturnType<typeof startRun>>;

  async function open(link: string): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    await page.goto(link);
    return page;
  }

  async function say(page: Page, words: string): Promise<void> {
    // What is asked for after it is to be approved all the same.
    await page.getByRole('combobox', { name: 'When' }).selectOption('after-batch');
    await page.getByRole('textbox', { name: 'Message' }).fill(words);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
  }

  const approve = (page: Page) => page.getByRole('button', { name: /^Approve/ }).first();
  const live = (page: Page) => page.locator('.live', { hasText: 'said-2' });
  const banner = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });

  /** Approves by a click, and waits until the run has ended and the page has all of it, once. */
  async function endBy(page: Page, { handle }: Started): Promise<void> {
    await approve(page).waitFor();
    await until('the gate is closed', async () => {
      await approve(page)
        .click({ timeout: 1_000 })
        .catch(() => undefined);
      return (await journalOf(handle)).some(({ type }) => type === 'gate_closed');
    });
    await handle.result();
    await page.locator('.entry.answer').waitFor();
    const told = (await journalOf(handle)).flatMap(event => {
      if (event.type === 'model_call_ended') return event.text?.match(MARK) ?? [];
      if (event.type === 'tool_call_started') return event.arguments.match(MARK) ?? [];
      return event.type === 'receipt' && event.state === 'accepted' ? (event.text?.match(MARK) ?? []) : [];
    });
    expect((await page.locator('.chat').innerText()).match(MARK)).toEqual(told);
    await page.context().close();
  }

  const stored = (page: Page) => page.evaluate<string | null>(`sessionStorage.getItem('steersman-token')`);

  test('killed and started again on its port while a run is at work → the page says so, keeps what is typed, hides its token meanwhile, and has all of it', async () => {
    const run = await startRun('killed');
    const page = await open(shown.link(run.id));
    await live(page).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('half a sentence');
    await shown.kill();
    await banner(page, AWAY).waitFor();
    expect(await stored(page)).toBe(null);
    run.goOn();
    await until('the gate is open', async () =>
      (await journalOf(run.handle)).some(({ type }) => type === 'gate_opened'),
    );
    await shown.start();
    await approve(page).waitFor();
    await banner(page, AWAY).waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('half a sentence');
    expect(await stored(page)).not.toBe(null);
    await endBy(page, run);
  });

  test('started again without its tokens → the page says what to do, and a link that is opened beside it is for both', async () => {
    const run = await startRun('void');
    const page = await open(shown.link(run.id));
    await live(page).waitFor();
    await shown.kill();
    for (const name of readdirSync(join(home, 'console')))
      if (name.startsWith('token-')) rmSync(join(home, 'console', name));
    await shown.start();
    await page.getByText('needs a link').waitFor();
    await page.getByText('console --open').waitFor();
    const beside = await page.context().newPage();
    await beside.goto(shown.link());
    await page.bringToFront();
    await live(page).waitFor();
    await say(page, 'Mind steer-1');
    await page.getByText('accepted').first().waitFor();
    run.goOn();
    await endBy(page, run);
  });

  test('the worker is killed in a model call and at a gate → pages keep what waits, say that no worker answers, and have all of it', async () => {
    const run = await startRun('worker');
    const page = await open(shown.link(run.id));
    await live(page).waitFor();
    await worker.kill();
    worker = await stage.worker();
    run.goOn();
    await approve(page).waitFor();
    const list = await page.context().newPage();
    await list.goto(shown.url);
    await approve(list).waitFor();
    await worker.kill();
    await page.bringToFront();
    await page.getByText('No worker answers').waitFor();
    await approve(page).waitFor();
    // A conversation is read at its end: it is said there too.
    await page.setViewportSize({ width: 900, height: 420 });
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    expect(await page.evaluate<number>('scrollY')).toBeGreaterThan(100);
    expect((await page.getByText('No worker answers').boundingBox())?.y).toBeGreaterThan(40);
    await list.bringToFront();
    await list.getByText('No worker answers').first().waitFor();
    await approve(list).waitFor();
    const late = await open(shown.link());
    await late.getByText('No worker answers').first().waitFor();
    worker = await stage.worker();
    await approve(late).waitFor();
    await late.context().close();
    await page.bringToFront();
    await page.getByText('No worker answers').waitFor({ state: 'detached' });
    await endBy(page, run);
  });

  test('the Temporal server is killed and comes back → the page says so, and has all of it', async () => {
    const run = await startRun('server');
    const page = await open(shown.link(run.id));
    await live(page).waitFor();
    await temporal.kill();
    await banner(page, temporal.address).waitFor();
    await live(page).waitFor();
    run.goOn();
    await temporal.restart();
    await approve(page).waitFor();
    await banner(page, temporal.address).waitFor({ state: 'detached' });
    await endBy(page, run);
  });

  test('a network that falls silent without an end → the page says so by the missing sign of life, drops what it was sending, and has all of it', async () => {
    const run = await startRun('silent');
    const page = await (await browser.newContext()).newPage();
    // The clock of a page reaches no shared worker: the page has its own stream then.
    await page.addInitScript('delete globalThis.SharedWorker');
    await page.clock.install();
    await page.goto(shown.link(run.id, network.url));
    await live(page).waitFor();
    network.silence();
    await say(page, 'Mind steer-1');
    await page.getByText('Sending…').waitFor();
    await page.clock.fastForward(26_000);
    await banner(page, AWAY).waitFor();
    network.speak();
    await banner(page, AWAY).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('accepted').first().waitFor();
    run.goOn();
    await endBy(page, run);
  });
});
