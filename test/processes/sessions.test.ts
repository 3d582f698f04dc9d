/** Conversations in the store: whole, read without Temporal, and through what may befall who keeps them. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Sessions } from '../../src/client/here/sessions.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import { finishSignal, followUpSignal, stateQuery } from '../../src/workflows/run/definitions.js';
import { startCommand } from '../support/command-line.js';
import { onStage } from '../support/fault-stage.js';
import { killWorkers } from '../support/processes.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, journalOf, transcriptOf } from '../support/run-views.js';
import { settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

const LONG = 'x'.repeat(4_900);
const rig = rigOfFile({
  config: { 'steersman.yaml': settingsYaml('steering: note') },
  workspace: { 'a.txt': `${LONG} the end of a` },
});
afterAll(killWorkers);

const home = () => join(rig.project.dir, 'home');
const readA = { toolCalls: [{ name: 'read_text_file', arguments: { path: 'a.txt' } }] };

function linesOf(
  folder: string,
): { k: string; chain?: string; message?: { id: string }; event?: { seq: number } }[] {
  const sessions = join(folder, 'store', 'sessions');
  return readdirSync(sessions).flatMap(name =>
    readFileSync(join(sessions, name), 'utf8')
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line)),
  );
}

test('a run that ended (C12) → its conversation, whole, is listed, shown and found where Temporal is not there any more', async () => {
  rig.play([readA, { text: 'The file ends with a.' }]);
  const { handle, result } = await rig.run('How does a.txt end?', { mode: 'react' });
  const said = await transcriptOf(handle);
  const [kept] = await new Sessions(home()).show(handle.workflowId);
  expect(kept?.transcript).toEqual([{ thread: 'main', messages: said }]);
  expect(kept?.run).toMatchObject({ outcome: result.outcome, answer: result.text, usage: result.usage });

  // Nothing listens there: a database that was deleted knows as little.
  const env = { STEERSMAN_HOME: home(), TEMPORAL_ADDRESS: '127.0.0.1:9' };
  const call = (...args: string[]) =>
    startCommand('client', ['sessions', ...args], { cwd: rig.project.workspace, env }).ended;
  const listed = await call('list', '--goal', 'A.TXT');
  expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining(handle.workflowId)]);
  const shown = await call('show', handle.workflowId);
  expect(shown.stdout).toContain(`${LONG} the end of a`);
  expect(shown.stdout).toContain('The file ends with a.');
  const found = await call('search', 'END', 'of', 'a');
  expect(found.stdout).toContain('the end of a');
  const unknown = await call('show', 'nobody');
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('no conversation nobody')]);
});

test('a store that can not be written (C13) → told once, no result is lost, and it is whole when it is back', async () => {
  const folder = join(home(), 'store', 'sessions');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(home(), 'store'), { recursive: true });
  writeFileSync(folder, 'no folder');
  rig.play([readA, { text: 'First answer.' }, { text: 'Second answer.' }]);
  const handle = await rig.start('How does a.txt end?', { mode: 'react', keepOpenSeconds: 600 });
  await until('it is told', async () => (await eventsOf(handle, 'store_failed')).length > 0);
  await until('it is answered', async () => (await handle.query(stateQuery)).goals.length === 1);
  expect((await handle.query(stateQuery)).goals).toMatchObject([{ answer: 'First answer.' }]);
  expect(await eventsOf(handle, 'store_failed')).toMatchObject([{ what: 'conversation' }]);
  rmSync(folder);
  mkdirSync(folder);
  await handle.signal(followUpSignal, { text: 'And now?' });
  await until('both are answered', async () => (await handle.query(stateQuery)).goals.length === 2);
  await until('it is whole', async () => (await eventsOf(handle, 'store_back')).length === 1);
  await handle.signal(finishSignal);
  const result = (await handle.result()) as RunResult;
  expect([result.text, await eventsOf(handle, 'store_failed')]).toEqual([
    'Second answer.',
    [expect.anything()],
  ]);
  const [kept] = await new Sessions(home()).show(handle.workflowId);
  expect(kept?.transcript).toEqual([{ thread: 'main', messages: await transcriptOf(handle) }]);
});

test.each(['keep.before-write=kill@2', 'keep.after-write=kill@2'])(
  'keeping: %s → another worker keeps it: nothing is missing, nothing is there twice (Z1)',
  async failpoints => {
    await onStage({ client: rig.env.client, address: rig.env.address, failpoints }, async stage => {
      const text = 'y'.repeat(10_000);
      const calls = Array.from({ length: 9 }, (_, at) => ({
        name: 'echo',
        arguments: { text: `${at} ${text}` },
      }));
      const kept = stage.keepWorker();
      const run = await stage.start('nine calls', { calls });
      expect(await run.result()).toMatchObject({ outcome: 'completed' });
      expect(kept.lives).toBe(2);
      const lines = linesOf(join(stage.project.dir, 'home'));
      const numbers = lines.flatMap(({ event }) => (event ? [event.seq] : []));
      const messages = lines.flatMap(({ message }) => (message ? [message.id] : []));
      expect(numbers).toEqual((await journalOf(run.handle)).map(({ seq }) => seq));
      expect(messages).toEqual([...new Set(messages)]);
      expect(messages).toEqual(expect.arrayContaining((await transcriptOf(run.handle)).map(({ id }) => id)));
    });
  },
);
