/** Changes of files in the console, in Chromium: several at one gate, and those that commands made. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { browserPath, consoleOfFile } from '../support/browser.js';
import type { ScriptedReply } from '../support/endpoint/model.js';
import { shippedServers } from '../support/project.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, toolTexts } from '../support/run-views.js';
import { byRole, calls, content, planned, reported, settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

const attended = { mode: 'react' as const, attended: true };
const rig = rigOfFile({
  workspace: {
    'a.txt': 'alpha\n',
    'gone.txt': 'x\n',
    'twice.txt': 'one\n',
    'seen.txt': 'one\nlast\n',
    'unseen.txt': 'one\n',
  },
  config: { ...shippedServers(), 'steersman.yaml': settingsYaml('steering: note') },
});
// Texts from before the run are in the worker's store.
const shown = consoleOfFile(rig, { homeOf: () => join(rig.project.dir, 'home') });
const shows = test.skipIf(browserPath === null);
const fileOf = (name: string) => join(rig.project.workspace, name);

shows(
  'FC6 three changes at one gate, one left out with a reason → the others are made, and the model reads why',
  async () => {
    const write = (path: string) => ({ name: 'write', arguments: { path, content: `${path} is new\n` } });
    const script = rig.play([
      calls(write('one.txt'), write('two.txt'), write('three.txt')),
      { text: 'Done.' },
    ]);
    const run = await rig.start('Write three files.', attended);
    const page = await shown.open(run.workflowId);
    const card = page.locator(`[data-gate^="${run.workflowId} "]`);
    await card.getByRole('checkbox', { name: /two\.txt/ }).uncheck();
    const approve = card.getByRole('button', { name: 'Approve the others', exact: true });
    // Buttons are dead for half a second after they came or moved.
    await until('a reason is asked for', async () => {
      await approve.click({ timeout: 1_000 }).catch(() => undefined);
      return card.getByText('Say why a change is left out').isVisible();
    });
    await card.getByLabel(/^Leave out .*two\.txt/).fill('It is made by the build.');
    await until('the gate is closed', async () => {
      await approve.click({ timeout: 1_000 }).catch(() => undefined);
      return (await eventsOf(run, 'gate_closed')).length > 0;
    });
    await run.result();
    expect(readFileSync(fileOf('one.txt'), 'utf8')).toBe('one.txt is new\n');
    expect(readFileSync(fileOf('three.txt'), 'utf8')).toBe('three.txt is new\n');
    expect(existsSync(fileOf('two.txt'))).toBe(false);
    expect(toolTexts(script.requests[1])[1]).toContain('"It is made by the build".');
    await page.context().close();
  },
);

shows('FC7 the form of a start → offers the folders that the worker of the task queue serves', async () => {
  vi.stubEnv('STEERSMAN_TASK_QUEUE', rig.taskQueue);
  onTestFinished(() => void vi.unstubAllEnvs());
  const page = await shown.open();
  const option = page.getByLabel('Folder').locator('option', { hasText: rig.project.workspace });
  await option.waitFor({ state: 'attached' });
  expect(await shown.client.servedFolders({ taskQueue: 'nobody-serves-this' })).toEqual([]);
  await page.context().close();
});

shows(
  'files that a command changed, made and deleted → each names the command, which leads to its event',
  async () => {
    const command = 'echo beta >> a.txt; echo new > made.txt; rm gone.txt';
    rig.play([calls({ name: 'run', arguments: { command } }), { text: 'Done.' }]);
    const run = await rig.start('Change by a command.', { ...attended, autoApprove: true });
    await run.result();
    const [ended] = await eventsOf(run, 'tool_call_ended');
    expect(ended).toMatchObject({
      files: { changed: ['a.txt'], added: ['made.txt'], gone: ['gone.txt'], more: 0 },
    });
    const page = await shown.open(run.workflowId);
    await page.goto(`${shown.url}runs/${encodeURIComponent(run.workflowId)}#files`);
    const named = (name: string) =>
      page.locator('details.artifact', { has: page.getByText(name, { exact: true }) });
    for (const name of ['a.txt', 'made.txt', 'gone.txt']) {
      await named(name).locator('summary').click();
      await named(name).getByText(command).waitFor();
    }
    expect(await named('gone.txt').getByText('deleted').count()).toBe(1);
    await named('a.txt').locator('.commands a').click();
    await page.locator('.event.named', { hasText: 'run' }).waitFor();
    await page.context().close();
  },
);

shows(
  'a run without a verification → one difference of each file that it read or made; else it says why not',
  async () => {
    const use = (name: string, args: Record<string, unknown>) => ({ name, arguments: args });
    const edit = (path: string, oldText: string, newText: string) =>
      use('edit', { path, edits: [{ oldText, newText }] });
    rig.play([
      calls(use('read', { path: 'seen.txt' })),
      calls(edit('seen.txt', 'one', 'two'), edit('unseen.txt', 'one', 'two')),
      calls(edit('seen.txt', 'two', 'three'), use('write', { path: 'fresh.txt', content: 'made\n' })),
      calls(edit('fresh.txt', 'made', 'mended'), use('move', { from: 'seen.txt', to: 'moved.txt' })),
      { text: 'Done.' },
    ]);
    const run = await rig.start('Change them by calls.', { ...attended, autoApprove: true });
    await run.result();
    const page = await shown.open(run.workflowId);
    await page.goto(`${shown.url}runs/${encodeURIComponent(run.workflowId)}#files`);
    const file = (name: string) =>
      page.locator('details.artifact', { has: page.getByText(name, { exact: true }) });
    const linesOf = async (name: string) => {
      await file(name).locator('summary').click();
      await file(name).locator('.diff').first().waitFor();
      return (await file(name).locator('.line').allInnerTexts()).map(line => line.trim());
    };
    expect(await linesOf('moved.txt')).toEqual(['-one', '+three', 'last']);
    await file('moved.txt').getByText('moved from seen.txt').waitFor();
    await file('moved.txt').getByText('Since the run read it').waitFor();
    expect(await linesOf('fresh.txt')).toEqual(['+mended']);
    await file('fresh.txt').getByText('A new file.').waitFor();
    expect(await linesOf('unseen.txt')).toEqual(['-one', '+two']);
    await file('unseen.txt').getByText('The run did not see the whole file').waitFor();
    await file('seen.txt').locator('summary').click();
    await file('seen.txt').locator('p', { hasText: 'moved to moved.txt' }).waitFor();
    expect(await file('seen.txt').locator('.diff, .chip').count()).toBe(0);
    await page.context().close();
  },
);

shows('a gate about a new file → its difference begins with words', async () => {
  rig.play([
    calls({ name: 'write', arguments: { path: 'asked.txt', content: 'made\n' } }),
    { text: 'Done.' },
  ]);
  const run = await rig.start('Write a new file.', attended);
  const page = await shown.open(run.workflowId);
  const card = page.locator(`[data-gate^="${run.workflowId} "]`);
  await card.locator('.diff').waitFor();
  const lines = await card.locator('.line').allInnerTexts();
  expect(lines.map(line => line.trim())).toEqual(['new text', '+made']);
  await page.context().close();
});

shows(
  'a file that a verified run changed twice → one difference from before the run; a new file is one',
  async () => {
    const edit = (oldText: string, newText: string) => ({
      name: 'edit',
      arguments: { path: 'twice.txt', edits: [{ oldText, newText }] },
    });
    const made = { name: 'write', arguments: { path: 'new.txt', content: 'made\n' } };
    rig.play(
      byRole({
        planner: [planned],
        executor: [calls(edit('one', 'two')), calls(edit('two', 'three'), made), reported()],
        verifier: [content],
      }) as (request: unknown, index: number) => ScriptedReply,
    );
    const run = await rig.start('Change it twice.', { autoApprove: true });
    await run.result();
    const page = await shown.open(run.workflowId);
    await page.goto(`${shown.url}runs/${encodeURIComponent(run.workflowId)}#files`);
    const file = (name: string) =>
      page.locator('details.artifact', { has: page.getByText(name, { exact: true }) });
    await file('twice.txt').locator('summary').click();
    await file('twice.txt').getByText('Since before the run:').waitFor();
    await file('twice.txt').getByText('-one').waitFor();
    await file('twice.txt').getByText('+three').waitFor();
    expect(await file('twice.txt').getByText('two').count()).toBe(0);
    await file('new.txt').locator('summary').click();
    await file('new.txt').getByText('A new file.').waitFor();
    await page.context().close();
  },
);
