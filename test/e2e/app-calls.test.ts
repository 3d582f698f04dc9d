/** What an app of a tool asks for, as any client passes it on: see `console-apps.test.ts` for the apps themselves. */
import { afterAll, expect, test } from 'vitest';
import { callToolUpdate, finishSignal } from '../../src/workflows/run/definitions.js';
import { appServer } from '../support/app-server.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf } from '../support/run-views.js';
import { answer, calls, latch, settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

const server = appServer();
afterAll(() => server.remove());
const rig = rigOfFile({
  config: {
    'steersman.yaml': settingsYaml('steering: note'),
    '.mcp.json': JSON.stringify({ mcpServers: { apps: server.entry } }),
  },
});

test('the app of a call asks for two calls while the model writes → made, one of them after its person allowed it, and no model is asked (K1)', async () => {
  const hold = latch();
  const script = rig.play([
    calls({ name: 'board', arguments: { text: 'hi' } }),
    { text: 'There it is.', hold },
  ]);
  const handle = await rig.start('Show the board.', { mode: 'react', attended: true, keepOpenSeconds: 600 });
  await script.arrived(1);
  const [board] = await eventsOf(handle, 'tool_call_ended');
  const ask = (tool: string) =>
    handle.executeUpdate(callToolUpdate, { args: [{ of: board?.callId, tool, arguments: { text: tool } }] });
  await ask('tick');
  await ask('note');
  await answer(handle, 'approval', { decision: 'approve' });
  hold.open();
  const ended = await until('both have ended', async () => {
    const events = await eventsOf(handle, 'app_call_ended');
    return events.length === 2 && events;
  });
  expect(ended.map(({ tool, ending }) => [tool, ending])).toEqual([
    ['tick', 'executed'],
    ['note', 'executed'],
  ]);
  expect(server.calls('note')).toEqual([{ text: 'note' }]);
  await handle.signal(finishSignal);
  expect(await handle.result()).toMatchObject({ text: 'There it is.' });
  expect(script.requests).toHaveLength(2);
});
