/** The four ways by which a run reaches the world, each played by a test. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startTestTeam, startToolServer } from '../../packages/test-kit/index.js';
import { connect } from '../../src/client/index.js';
import { listenToStream } from '../../src/client/vocabularies/index.js';
import { textOf } from '../../src/run/messages/message.js';
import { defineTool } from '../../src/worker/index.js';
import { sharedTemporal } from '../support/rig.js';

test('a run between a model, a tool, a store of messages and a listener that are all of a test → each is reached by its one contract (J3)', async () => {
  const environment = await sharedTemporal();
  const order = { name: 'order', description: '', input: z.object({ id: z.string() }), run: () => 'paid' };
  const tools = await startToolServer([defineTool(order)]);
  const saved: string[] = [];
  const team = await startTestTeam({
    reply: [
      { text: 'I look.', toolCalls: [{ name: 'order', arguments: { id: 'A-7' } }] },
      { text: 'A-7 is paid.' },
    ],
    environment,
    mcpServers: { shop: { url: tools.url } },
    hooks: { onMessage: ({ message }) => saved.push(`${message.kind} ${textOf(message)}`) },
  });
  const { workflowId } = await team.start('Is A-7 paid?', { mode: 'react', autoApprove: true });
  const client = await connect({ temporal: { client: environment.client } });
  const run = await client.attach(workflowId);
  const heard: string[] = [];
  const done = new Promise<void>(resolve => {
    listenToStream(run.events(), {
      onContent: text => heard.push(text),
      onToolCalls: calls => heard.push(...calls.map(call => call.function.name)),
      onDone: () => resolve(),
    });
  });
  await done;
  await client.close();
  await team.close();
  await tools.close();
  await environment.teardown();
  expect(team.model.requests).toHaveLength(2);
  expect(tools.calls).toMatchObject([{ tool: 'order', arguments: { id: 'A-7' } }]);
  expect(saved).toEqual(['assistant I look.', 'tool_result ', 'assistant A-7 is paid.']);
  expect(heard.join(' ')).toMatch(/^I look\. order A-7 is paid\.$/);
});
