/**
 * The pages of `examples` as a stranger has them: beside the packed package, built and served by their own servers, in
 * Chromium. Through an approval, a page that is loaded again, a worker that is killed and a stream that is cut, each
 * amid the work, all is shown once and done once.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { browserPath, openBrowser } from '../support/browser.js';
import { installPackage } from '../support/package.js';
import { freePort, killWorkers, startWorkerProcess, type WorkerProcess } from '../support/processes.js';
import { projectRoot } from '../support/project.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf } from '../support/run-views.js';
import { calls, latch, settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

const HALF = `Half of it. ${'And more. '.repeat(30)}`;
const END = 'This is the end.';

describe.skipIf(browserPath === null)('front ends', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of .mcp.json
  const filesystem = { command: 'mcp-server-filesystem', args: ['${workspace}'] };
  const rig = rigOfFile({
    config: {
      'steersman.yaml': settingsYaml('steering: note', `workspaces: [${JSON.stringify(tmpdir())}]`),
      '.mcp.json': JSON.stringify({ mcpServers: { filesystem } }),
    },
  });
  let dir = '';
  let browser: Browser;
  let worker: WorkerProcess;

  beforeAll(async () => {
    dir = installPackage({ types: false });
    // People have blanks in the names of their folders.
    for (const name of ['react-page', 'use-chat'])
      cpSync(join(projectRoot, 'examples', name), join(dir, `my ${name}`), { recursive: true });
    await rig.stopWorker();
    [worker, browser] = await Promise.all([startWorker(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    killWorkers();
    rmSync(dir, { recursive: true, force: true });
  });

  const startWorker = () => {
    const { env, taskQueue, project, model } = rig;
    return startWorkerProcess({ address: env.address, taskQueue, project, model });
  };

  async function killWorker(): Promise<void> {
    await worker.kill();
    worker = await startWorker();
  }

  /** An example as `npm start` runs it; the same port each time. */
  async function serve(name: string) {
    const folder = join(dir, `my ${name}`);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    let child: ChildProcess;
    const start = async () => {
      child = spawn(process.execPath, ['server.mjs'], {
        cwd: folder,
        env: {
          ...{ PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port) },
          ...{ TEMPORAL_ADDRESS: rig.env.address, STEERSMAN_TASK_QUEUE: rig.taskQueue },
          STEERSMAN_HOME: join(rig.project.dir, 'home'),
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [said] = (await Promise.race([once(child.stdout ?? child, 'data'), once(child, 'exit')])) as [
        unknown,
      ];
      expect(String(said)).toContain(url);
    };
    const kill = async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    };
    await start();
    onTestFinished(kill);
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(90_000);
    const faults: string[] = [];
    page.on('pageerror', error => void faults.push(String(error)));
    // The pages start teams; here one role works.
    await page.route(/\/(?:api\/runs|chat)$/, route => {
      const mode = { mode: 'react' };
      const more = route.request().url().endsWith('chat') ? { steersman: mode } : mode;
      return route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), ...more }) });
    });
    await page.goto(url);
    return { page, folder, faults, start, kill };
  }

  const say = async (page: Page, text: string) => {
    await page.getByLabel('Message').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  };
  const shown = (page: Page, text: string) => page.locator('main').getByText(text);
  const isOnce = async (page: Page, ...texts: string[]) => {
    for (const text of texts) {
      const whole = await page.locator('main').innerText();
      expect([text, whole.split(text).length - 1]).toEqual([text, 1]);
    }
  };

  /** Writes a file, says a text that is held amid it, each time until its latch opens, and ends. */
  function script(name: string) {
    const held = [latch(), latch()];
    const replies = rig.play((_request, index) => {
      if (index === 0) return calls({ name: 'write_file', arguments: { path: name, content: 'written\n' } });
      const [first, then] = held;
      const until = index === 1 ? first?.until : then?.until;
      return { text: `${HALF}${END}`, chunkChars: 20, ...(until && { hold: { until, atChunk: 6 } }) };
    });
    return { ...replies, arrived: replies.arrived, held };
  }

  async function doneOnce(run: string, path: string): Promise<void> {
    const handle = rig.env.client.workflow.getHandle(run);
    await handle.result();
    expect(readFileSync(path, 'utf8')).toBe('written\n');
    expect(await eventsOf(handle, 'tool_call_started')).toHaveLength(1);
    expect(await eventsOf(handle, 'gate_closed')).toHaveLength(1);
  }

  test('R10 the page of React: loaded again at the gate, its worker killed amid the reply → all of it, once', async () => {
    const { arrived, held } = script('by-react.txt');
    const { page, folder, faults } = await serve('react-page');
    const started: string[] = [];
    page.on('request', request => {
      if (request.method() === 'POST' && request.url().endsWith('/api/runs')) started.push(request.url());
    });
    await page.getByLabel('Message').fill('Write a file.');
    await page.getByRole('button', { name: 'Send' }).dblclick();
    await shown(page, 'by-react.txt').first().waitFor();
    expect(started).toHaveLength(1);
    await page.reload();
    await shown(page, '"content": "written').first().waitFor();
    expect(existsSync(join(folder, 'by-react.txt'))).toBe(false);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.locator('[aria-busy=true]').getByText('Half of it.').waitFor();
    await killWorker();
    await arrived(2);
    for (const each of held) each.open();
    await shown(page, END).waitFor();
    await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
    await isOnce(page, 'Half of it.', END, 'Write a file.');
    expect(await page.locator('footer').textContent()).toBe('live');
    await doneOnce(new URL(page.url()).hash.slice(1), join(folder, 'by-react.txt'));
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test('the page of useChat: loaded again at the gate, its worker killed amid the reply, its server too → all of it, once', async () => {
    const { arrived, held } = script('by-chat.txt');
    const { page, folder, faults, start, kill } = await serve('use-chat');
    await say(page, 'Write a file.');
    await shown(page, 'write_file: approval-requested').waitFor();
    await page.reload();
    await shown(page, 'write_file: approval-requested').waitFor();
    await isOnce(page, 'write_file: approval-requested', 'Write a file.');
    await page.getByRole('button', { name: 'Approve' }).click();
    await shown(page, 'Half of it.').waitFor();
    await killWorker();
    await arrived(2);
    held[0]?.open();
    await until('the reply has begun again', async () =>
      (await page.evaluate<string>('localStorage.getItem(location.hash.slice(1))')).includes('data-reset'),
    );
    await shown(page, 'Half of it.').waitFor();
    await isOnce(page, 'Half of it.');
    await kill();
    await page.getByRole('alert').waitFor();
    await start();
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await until('it streams', async () => (await page.locator('footer').textContent()) === 'streaming');
    await isOnce(page, 'Half of it.', 'write_file: output-available');
    held[1]?.open();
    await shown(page, END).waitFor();
    await page.getByText('ready', { exact: true }).waitFor();
    await isOnce(page, 'Half of it.', END, 'Write a file.', 'write_file: output-available');
    expect(await page.locator('section').count()).toBe(2);
    await doneOnce(new URL(page.url()).hash.slice(1), join(folder, 'by-chat.txt'));
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
