/** Runs that begin with messages of one's own: sent to the model, kept, found again, and judged whoever starts them. */
import { join } from 'node:path';
import { WorkflowFailedError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { connect } from '../../src/client/here/connect.js';
import { Sessions } from '../../src/client/here/sessions.js';
import { fromChatMessages, readConversation } from '../../src/client/messages/index.js';
import { WORKFLOW_TYPE } from '../../src/run/agents/run-config.js';
import type { Message } from '../../src/run/messages/message.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, messagesOf, transcriptOf } from '../support/run-views.js';
import { settingsYaml } from '../support/steering.js';

const rig = rigOfFile({ config: { 'steersman.yaml': settingsYaml('steering: note') } });

const home = () => join(rig.project.dir, 'home');
const client = () => connect({ temporal: { client: rig.env.client }, home: home() });
const start = () => ({ mode: 'react', workspace: rig.project.workspace, taskQueue: rig.taskQueue }) as const;

const asked = { id: 'x', type: 'function', function: { name: 'measure', arguments: '{"what":"pool"}' } };
const CHAT = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'How long is the pool?' },
  { role: 'assistant', content: 'I measure it.', tool_calls: [asked] },
  { role: 'tool', tool_call_id: 'x', content: 'seven metres, said the laser' },
  { role: 'assistant', content: 'It is 7 m long.' },
  { role: 'assistant', content: 'And I look again.', tool_calls: [{ ...asked, id: 'open' }] },
];
/** What was said, with what was called and what came of it, whatever the ids. */
const spoken = (messages: readonly Message[]) =>
  messages.map(({ kind, content }) => [
    kind,
    content.map(block => {
      if (block.type === 'tool_use') return [block.name, block.input];
      return block.type === 'tool_result' ? [block.toolName, block.content] : block.text;
    }),
  ]);

test('a run with messages (Z3) → the model has them before the goal; transcript, store and recall do; from its export another run begins with the same (G4)', async () => {
  const script = rig.play([
    { toolCalls: [{ name: 'recall', arguments: { query: 'laser' } }] },
    { text: 'Twice that is 14 m.' },
  ]);
  const own = await client();
  const run = await own.start('And twice that?', { ...start(), messages: fromChatMessages(CHAT) });
  expect((await run.result()).text).toBe('Twice that is 14 m.');
  const sent = JSON.stringify(script.requests[0]?.body.messages);
  expect(sent.indexOf('It is 7 m long.')).toBeGreaterThan(sent.indexOf('How long is the pool?'));
  expect(sent.indexOf('And twice that?')).toBeGreaterThan(sent.indexOf('It is 7 m long.'));
  expect(sent).not.toContain('"open"');
  const [found = ''] = messagesOf(script.requests[1], 'tool')
    .slice(-1)
    .map(message => JSON.stringify(message));
  expect(found).toContain('said the laser');

  const handle = rig.env.client.workflow.getHandle(run.id);
  const said = await transcriptOf(handle);
  const before = fromChatMessages(CHAT.slice(0, 5));
  expect(spoken(said).slice(0, 4)).toEqual(spoken(before));
  const sessions = new Sessions(home());
  const [kept] = await sessions.show(run.id);
  expect(kept?.transcript[0]?.messages.slice(0, 4)).toEqual(said.slice(0, 4));

  const exported: unknown = JSON.parse(JSON.stringify(await sessions.export(run.id)));
  rig.play([{ text: 'Half of it is 3.5 m.' }]);
  const next = await own.start('And half?', { ...start(), messages: readConversation(exported) });
  await next.result();
  const again = await transcriptOf(rig.env.client.workflow.getHandle(next.id));
  const isSaid = (message: Message) =>
    message.kind !== 'user' || !['role', 'files'].includes(message.purpose);
  const first = spoken(said.filter(isSaid));
  expect(spoken(again).slice(0, first.length)).toEqual(first);
  await own.close();
});

test('more messages than are taken (Z3) → the newest, and the run says how many are left out', async () => {
  rig.play([{ text: 'Done.' }]);
  const own = await client();
  const long = Array.from({ length: 20 }, (_, at) => ({
    role: 'user',
    content: `${at} ${'x'.repeat(30_000)}`,
  }));
  const run = await own.start('Go on.', { ...start(), messages: fromChatMessages(long) });
  await run.result();
  const [loaded] = await eventsOf(rig.env.client.workflow.getHandle(run.id), 'run_loaded');
  expect(loaded?.warnings).toEqual([expect.stringMatching(/oldest 7 are left out/)]);
  await expect(own.start('Go', { ...start(), messages: [{ kind: 'user' }] as never })).rejects.toThrow(
    /`messages\[0\]\.content` must be a list of blocks/,
  );
  await own.close();
});

test('messages by a raw start that are none → the run fails at once, with the path of the field (Z3, ST5)', async () => {
  const handle = await rig.env.client.workflow.start(WORKFLOW_TYPE, {
    workflowId: 'raw-messages-of-ones-own',
    taskQueue: rig.taskQueue,
    args: [
      {
        goal: 'go',
        settings: { mode: 'react', workspace: rig.project.workspace, autoApprove: false },
        messages: [{ kind: 'assistant', content: [{ type: 'tool_use', id: 'a' }] }],
      },
    ],
  });
  const error: unknown = await handle.result().catch((reason: unknown) => reason);
  if (!(error instanceof WorkflowFailedError)) throw error;
  expect(error.cause?.message).toMatch(/`messages\[0\]\.content\[0\]\.name` must be a text/);
});
