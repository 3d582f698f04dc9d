/** Runs that end while the store alone is away: in the end it has all that they said. */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFolder } from '../../packages/store/folder.js';
import { connect } from '../../src/client/here/connect.js';
import { childId } from '../../src/run/agents/children.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import { steerSignal } from '../../src/workflows/run/definitions.js';
import type { ScriptedReply } from '../support/endpoint/model.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { latch, receiptsOf, settingsYaml } from '../support/steering.js';
import { folderThatGoes, lackOf } from '../support/store-away.js';
import { until } from '../support/wait.js';

let atEnd = async (_runId: string) => {};
const rig = rigOfFile({
  config: { 'steersman.yaml': settingsYaml('steering: note') },
  hooks: { onRunEnd: ({ runId }) => atEnd(runId) },
});
const home = () => join(rig.project.dir, 'home');
const sessions = () => openFolder(join(home(), 'store')).sessions;
const handleOf = (id: string) => rig.env.client.workflow.getHandle(id);

test('LL12: the store is away when a run of a conversation ends → the next run begins with what it said, and the store has all of it', async () => {
  const store = folderThatGoes(home());
  const client = await connect({ temporal: { client: rig.env.client }, home: home() });
  // Other files of this process may have started runs of a fixed name: this one would then be the second.
  const session = randomUUID();
  const options = {
    ...{ mode: 'react', workspace: rig.project.workspace, taskQueue: rig.taskQueue, session },
  } as const;
  const { until: released, open } = latch();
  rig.play([{ text: 'It is 7 m long.', hold: { until: released } }]);
  const first = await client.start('How long is the pool?', options);
  await until('its first words are kept', async () => (await sessions().runs(session)).length === 1);
  store.go();
  open();
  expect((await first.result())?.text).toBe('It is 7 m long.');
  store.comeBack();
  const script = rig.play([{ text: 'And 3 m wide.' }]);
  await (await client.start('How wide is it?', options)).result();
  expect(JSON.stringify(script.requests[0]?.sent.messages)).toContain('It is 7 m long.');
  await until(
    'the store has all',
    async () => (await lackOf(sessions(), handleOf(session), session)) === null,
  );
  await client.close();
});

test('LL12, LL13: the store is away for the whole of a run and its sub-agent → both are in it a while after it is back, with what they said', async () => {
  const store = folderThatGoes(home());
  store.go();
  const ask = { name: 'call_subagent', arguments: { agent_name: 'search', instruction: 'Count the boats.' } };
  rig.play(request =>
    JSON.stringify(request.body.messages).includes('Count the boats.')
      ? ({ text: 'Three boats, all said.' } satisfies ScriptedReply)
      : ({ toolCalls: [ask] } satisfies ScriptedReply),
  );
  const handle = await rig.start('How many boats?', { mode: 'lead', autoApprove: true });
  const result = (await handle.result()) as RunResult;
  const [child] = result.children;
  expect(child).toMatchObject({ agent: 'search' });
  await rig.stopWorker();
  store.comeBack();
  await rig.startWorker();
  const lacks = async (id: string) => lackOf(sessions(), handleOf(id), handle.workflowId);
  await until('the store has both', async () => (await sessions().runs(handle.workflowId)).length === 2);
  expect([await lacks(handle.workflowId), await lacks(childId(handle.workflowId, child?.id ?? ''))]).toEqual([
    null,
    null,
  ]);
});

test('LL14: a message is dropped while the end is written → its receipt is in the store in the end', async () => {
  rig.play([{ text: 'Done.' }]);
  const dir = join(home(), 'store', 'sessions');
  let removing = '';
  atEnd = async runId => {
    const [file = ''] = readdirSync(dir).filter(name => name.startsWith(runId));
    removing = join(dir, `${file}.removing`);
    // A writer waits while the conversation seems to be removed.
    writeFileSync(removing, '');
  };
  const handle = await rig.start('Do it.', { mode: 'react' });
  const isWriting = async () => {
    const { raw } = await handle.describe();
    return raw.pendingActivities?.some(({ activityType }) => activityType?.name === 'steersmanKeep');
  };
  await until('the end is written', async () => existsSync(removing) && (await isWriting()));
  await handle.signal(steerSignal, { id: 'late', text: 'One more thing.' });
  await until('it is dropped', async () => (await receiptsOf(handle, 'late')).includes('dropped'));
  rmSync(removing);
  await handle.result();
  atEnd = async () => {};
  await rig.stopWorker();
  await rig.startWorker();
  await until('it has all', async () => (await lackOf(sessions(), handle, handle.workflowId)) === null);
});
