// @ts-check
// A program of somebody who has installed the package: a run with a tool of its own, a plan to approve, a word on the way.
import assert from 'node:assert/strict';
import { clientTool, connect, SteersmanError } from 'steersman';
import { byRole, execution, intent, plan, route, startTestTeam, verdict } from 'steersman/testing';
import { z } from 'zod';

const team = await startTestTeam({
  reply: byRole({
    planner: [{ text: plan({ todos: [{ id: 'ask', description: 'Ask the crew', priority: 1 }] }) }],
    understanding: [{ text: intent({ relation: 'same_task_no_change' }) }],
    router: [{ text: route({ route: 'continue_execution' }) }],
    verifier: [{ text: verdict({ summary: 'Alba is of 1961.' }) }],
    executor: [
      { text: 'I ask.', toolCalls: [{ name: 'ask_crew', arguments: { boat: 'Alba' } }] },
      { text: execution({ summary: 'The crew of Alba says 1961.', taskCompleted: true }) },
    ],
  }),
});
const client = await connect({ temporal: { client: team.environment.client } });

/** @type {string[]} */
const asked = [];
const askCrew = clientTool({
  name: 'ask_crew',
  description: 'Asks the crew of a boat for its year.',
  input: z.object({ boat: z.string() }),
  run: ({ boat }) => {
    asked.push(boat.toUpperCase());
    return { year: 1961 };
  },
});
const run = await client.start('How old is Alba?', {
  workspace: team.workspace,
  taskQueue: team.taskQueue,
  attended: true,
  approvePlan: true,
  tools: [askCrew],
});

/** @type {Promise<import('steersman').SentMessage> | undefined} */
let sent;
run.onGate(async gate => {
  if (gate.kind !== 'plan') return null;
  sent ??= run.steer('In one sentence, please', { when: 'after-batch', to: 'executor' });
  await sent;
  return { decision: 'approve' };
});

/** @type {Set<string>} */
const seen = new Set();
let written = '';
for await (const event of run.events()) {
  seen.add(event.type);
  if (event.type === 'text' && event.channel === 'text') written += event.text;
}

const result = await run.result();
assert.equal(result.outcome, 'completed');
assert.match(result.text, /1961/);
assert.deepEqual(asked, ['ALBA']);
for (const type of ['run_started', 'gate_opened', 'tool_call_ended', 'run_ended', 'end'])
  assert.ok(seen.has(type), type);
assert.match(written, /I ask\./);
const message = await sent;
assert.equal((await message?.applied())?.state, 'applied');

const attached = await client.attach(run.id);
assert.equal((await attached.show()).outcome, 'completed');
await assert.rejects(
  attached.steer('Too late'),
  error => error instanceof SteersmanError && error.code === 'ended',
);
await assert.rejects(
  client.attach('nobody'),
  error => error instanceof SteersmanError && error.code === 'not_found',
);
await assert.rejects(client.start(''), error => error instanceof SteersmanError && error.code === 'usage');
await assert.rejects(
  attached.result({ signal: AbortSignal.abort() }),
  error => error instanceof SteersmanError && error.code === 'aborted',
);

await client.close();
await team.close();
process.stdout.write(`${result.text}\n`);
