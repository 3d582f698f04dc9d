import { expect, test } from 'vitest';
import { plan } from '../../packages/test-kit/role-outputs.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import { steerSignal } from '../../src/workflows/run/definitions.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf } from '../support/run-views.js';
import { accepted, byRole, calls, content, latch, reported, settingsYaml } from '../support/steering.js';

const rig = rigOfFile({
  config: { 'steersman.yaml': settingsYaml('steering: note') },
  workspace: { 'a.txt': 'alpha', 'b.txt': 'beta' },
});

const TASKS = ['Read a.txt', 'Read b.txt'];
const read = (path: string) => calls({ name: 'read_text_file', arguments: { path } });

test('two tasks side by side: each calls the model and a tool, and a message comes meanwhile → both read it, each ends once (C21, S1)', async () => {
  const hold = latch();
  const first = [
    { ...read('a.txt'), hold },
    { ...read('b.txt'), hold },
  ];
  const script = rig.play(
    byRole({
      planner: () => ({ text: plan({ todos: TASKS }) }),
      executor: (_request, nth) => first[nth] ?? reported(),
      verifier: () => content,
    }),
  );
  const handle = await rig.start('Read both', { limits: { parallelTasks: 2 } });
  await script.arrived(2);
  await handle.signal(steerSignal, { id: 's1', text: 'Read them with care.', when: 'after-batch' });
  await accepted(handle, 's1');
  hold.open();
  const { outcome, tasks } = (await handle.result()) as RunResult;
  expect([outcome, tasks.map(({ status }) => status)]).toEqual(['completed', ['completed', 'completed']]);
  expect((await eventsOf(handle, 'task_ended')).map(({ taskId }) => taskId).sort()).toEqual([
    'task-1',
    'task-2',
  ]);
  expect(
    script.requests.slice(3, 5).every(request => JSON.stringify(request.body).includes('with care')),
  ).toBe(true);
});
