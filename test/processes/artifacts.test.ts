import { readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openFolder } from '../../packages/store/folder.js';
import { careForStore, hadEnded, type StoreCare } from '../../src/worker/parts/store-care.js';
import {
  finishSignal,
  followUpSignal,
  type RunResult,
  stateQuery,
} from '../../src/workflows/run/definitions.js';
import { startCommand } from '../support/command-line.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { toolTexts } from '../support/run-views.js';
import { settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

const WRITER = `---
description: Writes.
output: text
tools: ['*_artifact', list_artifacts, read_text_file]
---
{{businessContext}}
`;
/** More than travels with an activity. */
const LONG = `alpha ${'x'.repeat(2_000)} omega`;

const DAY_MS = 86_400_000;

/** Ends what looks after stores. */
const ended = new AbortController();
afterAll(() => ended.abort());
const BIG = `${'y'.repeat(40_000)} end of it`;

const rig = rigOfFile({
  config: { 'prompts/core/writer.md': WRITER, 'steersman.yaml': settingsYaml('steering: note') },
  workspace: { 'big.txt': BIG },
});

test('artifacts: created, changed at a wrong and at the right version, read → each is told, the result names them, the command line saves them (A5, A6)', async () => {
  const change = { id: 'report', oldText: 'alpha', newText: 'beta' };
  const script = rig.play([
    {
      toolCalls: [
        { name: 'create_artifact', arguments: { id: 'report', type: 'markdown', content: LONG } },
        { name: 'update_artifact', arguments: { ...change, expectedVersion: 7 } },
        { name: 'update_artifact', arguments: { ...change, expectedVersion: 1 } },
        { name: 'read_artifact', arguments: { id: 'report' } },
        { name: 'list_artifacts', arguments: {} },
      ],
    },
    { text: 'The report is written.' },
  ]);
  const { handle, result } = await rig.run('Write a report', { mode: 'react', role: 'writer' });
  const [created, wrong, right, read, list] = toolTexts(script.requests[1]);
  expect(created).toContain('report is at version 1, 2012 bytes');
  expect(wrong).toContain('at version 1, not 7');
  expect(right).toContain('report is at version 2');
  expect(read).toContain(LONG.replace('alpha', 'beta'));
  expect(list).toContain('"version":2');
  expect(result.artifacts).toMatchObject([{ id: 'report', version: 2, versions: [expect.any(String)] }]);

  const file = join(rig.project.dir, 'saved.md');
  const saved = await client('artifact', handle.workflowId, 'report', '--save', file);
  expect([saved.code, saved.stderr]).toEqual([0, expect.stringContaining(file)]);
  expect(readFileSync(file, 'utf8')).toBe(LONG.replace('alpha', 'beta'));
  const listed = await client('artifact', handle.workflowId);
  expect(listed.stdout).toContain('report');
  const missing = await client('artifact', handle.workflowId, 'draft');
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('no artifact draft')]);
});

test('texts: of 40 days, of a run that is open → kept when another worker starts; looked up, only what ended long ago is over (T17)', async () => {
  const content = 'Kept while the run is open.';
  rig.play([
    { toolCalls: [{ name: 'create_artifact', arguments: { id: 'kept', type: 'markdown', content } }] },
    { text: 'It is written.' },
  ]);
  const open = await rig.start('Write', { mode: 'react', role: 'writer', keepOpenSeconds: 600 });
  await until('the goal is answered', async () => (await open.query(stateQuery)).phase === 'idle');
  await rig.stopWorker();
  const blobs = join(rig.project.dir, 'home', 'store', 'texts');
  const longAgo = new Date(Date.now() - 40 * DAY_MS);
  for (const name of readdirSync(blobs, { recursive: true, encoding: 'utf8' }))
    utimesSync(join(blobs, name), longAgo, longAgo);
  await rig.startWorker();
  rig.play([{ text: 'Done.' }]);
  const ended = await rig.run('Answer', { mode: 'react', role: 'writer' });

  const { namespaceInfo } = await rig.env.client.workflowService.describeNamespace({ namespace: 'default' });
  const here = namespaceInfo?.id ?? '';
  expect(await careForStore(rig.env.client, careOf(join(blobs, '..')))).toBe(here);
  const had = (workflowId: string, by: Date, namespaceId = here) =>
    hadEnded(rig.env.client, here, { owner: { namespaceId, workflowId }, by });
  const [now, tomorrow] = [new Date(), new Date(Date.now() + DAY_MS)];
  const { workflowId } = ended.handle;
  expect({
    open: await had(open.workflowId, tomorrow),
    endedLater: await had(workflowId, new Date(now.getTime() - DAY_MS)),
    endedByThen: await had(workflowId, tomorrow),
    forgotten: await had('no-such-run', now),
    ofAnotherServer: await had('no-such-run', now, 'another'),
  }).toEqual({ open: false, endedLater: false, endedByThen: true, forgotten: true, ofAnotherServer: false });
  const saved = await client('artifact', open.workflowId, 'kept');
  expect([saved.stderr, saved.stdout]).toEqual(['', expect.stringContaining(content)]);
  await open.signal(finishSignal);
  await open.result();
});

test('texts: no room for a large result and an artifact → the model is told of each, and the run goes on; with room again both are whole', async () => {
  const texts = join(rig.project.dir, 'home', 'store', 'texts');
  const aside = `${texts}-aside`;
  const read = { toolCalls: [{ name: 'read_text_file', arguments: { path: 'big.txt' } }] };
  const write = (id: string) => ({
    toolCalls: [{ name: 'create_artifact', arguments: { id, type: 'markdown', content: LONG } }],
  });
  const script = rig.play([
    read,
    write('first'),
    { text: 'So far.' },
    read,
    write('second'),
    { text: 'So.' },
  ]);
  renameSync(texts, aside);
  writeFileSync(texts, 'no folder');
  const handle = await rig.start('Write', { mode: 'react', role: 'writer', keepOpenSeconds: 600 });
  const answered = (count: number) =>
    until(`${count} are answered`, async () => (await handle.query(stateQuery)).goals.length === count);
  await answered(1);
  rmSync(texts);
  renameSync(aside, texts);
  await handle.signal(followUpSignal, { text: 'Once more.' });
  await answered(2);
  await handle.signal(finishSignal);
  const result = (await handle.result()) as RunResult;
  const [cut, refused, whole, created] = toolTexts(script.requests.at(-1));
  expect(cut).toContain('could not be kept: only the beginning');
  expect(refused).toContain('Nothing was written: the store failed');
  expect([whole, created]).toEqual([
    expect.stringMatching(/blob:[\w-]+\//),
    expect.stringContaining('second is at version 1'),
  ]);
  expect(result.artifacts?.map(({ id }) => id)).toEqual(['second']);
  const [ref = ''] = /blob:[\w-]+\/\w+/.exec(whole ?? '') ?? [];
  expect((await client('stored', handle.workflowId, ref)).stdout).toContain(BIG);
  expect((await client('artifact', handle.workflowId, 'second')).stdout).toContain(LONG);
});

test('texts: a store that takes nothing → said when the worker starts', async () => {
  const file = join(rig.project.dir, 'no-folder');
  writeFileSync(file, '');
  const lines: string[] = [];
  await careForStore(rig.env.client, { ...careOf(file), report: line => lines.push(line) });
  await until('it is said', () => lines.length > 0);
  // The removal of what is old fails too, at its own time.
  expect(lines).toContainEqual(expect.stringContaining(`${join(file, 'texts')} cannot be written`));
});

function careOf(dir: string): StoreCare {
  const { signal } = ended;
  return { store: openFolder(dir), textDays: 30, sessionDays: null, report: () => {}, signal };
}

/** The command line, on the home of the worker. */
function client(...args: string[]) {
  const env = {
    TEMPORAL_ADDRESS: rig.env.address,
    STEERSMAN_HOME: join(rig.project.dir, 'home'),
  };
  return startCommand('client', args, { cwd: rig.project.workspace, env }).ended;
}
