import { expect, test } from 'vitest';
import type { CallToolResult } from '../../../../src/activities/types.js';
import type { PinnedRun } from '../../../../src/run/agents/run-config.js';
import { textOf } from '../../../../src/run/messages/message.js';
import type { ToolDefinition } from '../../../../src/run/tools/tool.js';
import { reloadTools } from '../../../../src/workflows/changes/reload-tools.js';
import type { Called } from '../../../../src/workflows/run/ports.js';
import { modelRequestPage } from '../../../../src/workflows/run/requests.js';
import { runNextCalls } from '../../../../src/workflows/turn/tools/run-tools.js';
import { fileTool, runAtCalls } from '../../../support/small-run.js';

const of = (server: string, name: string, description = ''): ToolDefinition => ({
  ...fileTool(name),
  description,
  origin: { type: 'mcp', server },
});
const before = [of('files', 'read'), of('files', 'put'), of('mail', 'send')];
type Listed = Called<Pick<PinnedRun, 'tools' | 'fallbackServer'>>;
const listed = (...tools: ToolDefinition[]): Listed => ({ ok: true, value: { tools, fallbackServer: null } });

/** A run whose call heard of a change at `changedAt`, with the clock at 1,000 and the tools listed at 0. */
async function heard(changedAt: number, answer: Listed) {
  let lists = 0;
  const value: CallToolResult = {
    ...{ ending: 'executed', content: [], isError: false, durationMs: 1 },
    toolsChangedAt: changedAt,
  };
  const { run } = runAtCalls([{ name: 'read', input: {} }], {
    pinned: { tools: before, permissions: { allow: ['*'], confirm: [], deny: [] } as never },
    settings: { autoApprove: true },
    ports: {
      callTool: async () => ({ ok: true, value }),
      reloadTools: async () => {
        lists += 1;
        return answer;
      },
    },
  });
  run.state.people.allowedTools = ['put', 'send'];
  const batch = run.state.cursor.position.turns.batch;
  if (batch) await runNextCalls(run, batch);
  await reloadTools(run);
  const inGoal = lists;
  run.state.goal.number += 1;
  await reloadTools(run);
  await reloadTools(run);
  const events = run.state.log.journal.events.filter(({ type }) =>
    ['tools_changed', 'warning'].includes(type),
  );
  return { run, inGoal, lists, events, names: run.pinned.tools.map(({ name }) => name) };
}

test('tools changed: heard in a goal → it keeps its tools; the next lists them once, says what differs, and forgets what was allowed of those (T19)', async () => {
  const { run, inGoal, lists, events, names } = await heard(
    5,
    listed(of('files', 'read'), of('files', 'put', 'Writes twice.'), of('files', 'rename')),
  );
  expect([inGoal, lists]).toEqual([0, 1]);
  // Nothing is listed of mail, which may only be down.
  expect(names).toEqual(['read', 'put', 'rename', 'send']);
  expect(events).toMatchObject([{ type: 'tools_changed', added: ['rename'], removed: [], changed: ['put'] }]);
  expect(run.state.people.allowedTools).toEqual(['send']);
  const said = run.mainThread().messages.at(-1);
  expect(said && textOf(said)).toContain('New: rename. Described differently now: put.');
  expect(run.state.tools.listed).toEqual({ at: 1_000, times: 1, changedIn: null });
});

test('tools changed: a worker that has the head of earlier requests → is told the new one', async () => {
  const { run } = await heard(5, listed(of('files', 'read'), of('files', 'rename')));
  const call = {
    callId: 'c9',
    thread: 'main',
    epoch: 0,
    upTo: 1,
    role: 'executor',
    model: 'p/a',
    toolsOffered: true,
  };
  run.state.models.calls.push(call as never);
  const { headKey, head } = modelRequestPage(run.state, 'c9', { headKey: 'executor:true:0' });
  expect(headKey).toBe('executor:true:1');
  expect(head?.tools.map(({ name }) => name)).toContain('rename');
});

test.each<[string, number, Listed, number, unknown[]]>([
  ['before the tools were listed', 0, listed(...before), 0, []],
  ['and the list is as it was', 5, listed(...before), 1, []],
  [
    'and the list cannot be had',
    5,
    { ok: false, failure: { kind: 'lost', type: '', message: 'gone' } },
    1,
    [expect.objectContaining({ type: 'warning', text: 'The tools stay as they were: gone' })],
  ],
])('tools changed: %s → they stay', async (_, at, answer, times, told) => {
  const { run, lists, events } = await heard(at, answer);
  expect([lists, events]).toEqual([times, told]);
  expect(run.pinned.tools).toEqual(before);
});
