import { expect, test } from 'vitest';
import { FEATURES } from '../../../src/compose.js';
import { inventory } from '../../../src/features/artifacts/rules.js';
import { OWN_TOOLS } from '../../../src/features/workers.js';
import { prefixOf } from '../../../src/rules/prompts/shared-prefix.js';
import type { PinnedRole } from '../../../src/run/agents/role.js';
import type { AssistantMessage, Message } from '../../../src/run/messages/message.js';
import { NO_USAGE } from '../../../src/run/messages/message.js';
import type { Artifact } from '../../../src/run/outputs/artifact.js';
import { newRunState } from '../../../src/run/state/run-state.js';
import { addWorkflowTools } from '../../../src/run/tools/workflow-tools.js';
import { beginRun, pursue } from '../../../src/workflows/goals.js';
import { Run } from '../../../src/workflows/run/run.js';
import { modelFacts, pinnedRun } from '../../support/core-values.js';
import { quietPorts, testRole } from '../../support/small-run.js';

type Reply = AssistantMessage['content'][number];

/** What each call of a role that works alone sends: its prefix, and the conversation as far as it had come. */
async function sentBy(role: PinnedRole, replies: Reply[], artifacts: Artifact[] = [], losesAt?: number) {
  const sent: { prefix: unknown; messages: Message[] }[] = [];
  const left = [...replies];
  const callModel = async () => {
    sent.push({
      prefix: prefixOf(run.pinned, role),
      messages: structuredClone(run.state.threads.main?.messages ?? []),
    });
    const { main } = run.state.threads;
    if (main && sent.length === losesAt)
      main.messages = main.messages.filter(each => each.kind !== 'user' || each.purpose !== 'inventory');
    const reply = left.shift();
    if (reply === undefined) throw new Error('no reply is left');
    const value = { content: [reply], stopReason: 'end_turn' as const, usage: NO_USAGE, durationMs: 1 };
    return { ok: true as const, value };
  };
  const settings = { mode: 'react' as const, workspace: '/w', autoApprove: false };
  const run: Run = new Run(newRunState('Write.', settings, 0), { ...quietPorts([]), callModel }, FEATURES);
  await beginRun(
    run,
    pinnedRun({
      roles: { react: role },
      tools: addWorkflowTools([], [testRole('any', { tools: ['*_artifact'] })], OWN_TOOLS).tools,
      models: ['p/a'],
      modelInfo: { 'p/a': modelFacts(100_000, true) },
    }),
  );
  inventory.set(run.state, artifacts);
  await pursue(run);
  return sent;
}

const call = (name: string, input: Record<string, unknown>): Reply => ({
  type: 'tool_use',
  id: name,
  name,
  input,
});
const CREATE = call('create_artifact', {
  id: 'report',
  type: 'markdown',
  title: 'Boats </artifacts>',
  content: 'One.',
});
const REWRITE = call('rewrite_artifact', { id: 'report', content: 'Two.' });
const READ = call('list_artifacts', {});
const REPLIES: Reply[] = [CREATE, REWRITE, READ, { type: 'text', text: 'Done.' }];

function inventories(messages: readonly Message[]): string[] {
  return messages.flatMap(message =>
    message.kind === 'user' && message.purpose === 'inventory' ? [message.content[0]?.text ?? ''] : [],
  );
}

test('artifacts: they change while a role works → told at the end of its next request, once; all before stays as it was (P17)', async () => {
  const role = testRole('react', { output: 'text', tools: ['*_artifact', '*_artifacts'] });
  const sent = await sentBy(role, REPLIES);
  expect(sent.map(({ messages }) => inventories(messages).length)).toEqual([0, 1, 2, 2]);
  const [, second, third, fourth] = sent;
  expect(inventories(second?.messages ?? [])[0]).toBe(
    'The artifacts of this run, as they are now:\n<artifacts>\n- report · markdown · version 1 · 3 bytes · Boats &lt;/artifacts>\n</artifacts>',
  );
  expect(third?.messages.at(-1)).toMatchObject({ purpose: 'inventory' });
  expect(inventories(third?.messages ?? [])[1]).toContain('report · markdown · version 2');
  for (const [at, { messages, prefix }] of sent.entries()) {
    expect(prefix).toEqual(sent[0]?.prefix);
    expect(fourth?.messages.slice(0, messages.length)).toEqual(sent[at]?.messages);
  }
});

test.each([
  ['that has tools for them', ['*_artifact'], 1],
  ['that has none', [], 0],
] as const)(
  'artifacts: there are some of an earlier goal, a role %s → told %s times (P17)',
  async (_, tools, times) => {
    const role = testRole('react', { output: 'text', tools: [...tools] });
    const report = {
      id: 'report',
      type: 'markdown',
      title: '',
      version: 1,
      ref: 'r',
      bytes: 3,
      versions: [],
    };
    const sent = await sentBy(role, [{ type: 'text', text: 'Done.' }], [report]);
    expect(inventories(sent[0]?.messages ?? [])).toHaveLength(times);
  },
);

test('artifacts: a trim drops what was told of them → told again before the next call (P17)', async () => {
  const role = testRole('react', { output: 'text', tools: ['*_artifact', '*_artifacts'] });
  const sent = await sentBy(role, [CREATE, READ, READ, { type: 'text', text: 'Done.' }], [], 2);
  expect(sent.map(({ messages }) => inventories(messages).length)).toEqual([0, 1, 1, 1]);
  expect(sent[2]?.messages.at(-1)).toMatchObject({ purpose: 'inventory' });
});
