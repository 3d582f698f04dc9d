/** Calls that apps ask for: which are taken, who is asked, and what the run remembers of them. */
import { describe, expect, test } from 'vitest';
import type { CallToolInput } from '../../../src/activities/types.js';
import { recordCall } from '../../../src/core/tools/ledger.js';
import type { ToolDefinition } from '../../../src/core/tools/tool.js';
import { closeAppCalls, resumeAppCalls, takeAppCall } from '../../../src/workflows/app-calls.js';
import { requestStop } from '../../../src/workflows/platform/inbox-handlers.js';
import { appCallReader } from '../../../src/workflows/platform/read-input.js';
import type { Ports } from '../../../src/workflows/ports.js';
import type { Run } from '../../../src/workflows/run.js';
import { answer, fileTool, runAtCalls } from '../../support/small-run.js';
import { until } from '../../support/wait.js';

const tools: ToolDefinition[] = [
  fileTool('put'),
  fileTool('read', { readOnly: true }),
  { ...fileTool('tick', { readOnly: true }), appOnly: true },
  { ...fileTool('secret', { readOnly: true }), modelOnly: true },
  { ...fileTool('far', { readOnly: true }), origin: { type: 'mcp', server: 'other' } },
];

function runWithApp(given: Parameters<typeof runAtCalls>[1] = {}) {
  const small = runAtCalls([], { ...given, pinned: { tools, ...given.pinned } });
  small.run.state.tools.apps.shown = [{ callId: 'c1', server: 'files' }];
  return small;
}

function ask(run: Run, tool: string, args: Record<string, unknown> = {}): string {
  const read = appCallReader(run)({ of: 'c1', tool, arguments: args });
  if ('error' in read) throw new Error(read.error);
  return takeAppCall(run, read.ok.ask, read.ok.tool).callId;
}

function endOf({ state }: Run, callId: string) {
  return state.log.journal.events.find(
    event => event.type === 'tool_call_ended' && event.callId === callId,
  ) as Record<string, unknown> | undefined;
}

async function ended(run: Run, callId: string) {
  await until('the call has its result', () => endOf(run, callId) !== undefined);
  return endOf(run, callId);
}

/** Calls that do not come back, and what ends them. */
function held(): { ports: Partial<Ports>; sent: CallToolInput[] } {
  const sent: CallToolInput[] = [];
  const callTool: Ports['callTool'] = input => {
    sent.push(input);
    return new Promise(() => undefined);
  };
  return { ports: { callTool }, sent };
}

describe('calls that an app asks for', () => {
  test('a tool that only reads → runs, told as the app’s, in no conversation, its answer kept for the app (K1)', async () => {
    const app = { server: 'files', answer: 'blob:a' };
    const callTool: Ports['callTool'] = async () => ({
      ok: true,
      value: {
        ending: 'executed',
        content: [{ type: 'text', text: 'tock' }],
        isError: false,
        durationMs: 3,
        app,
      },
    });
    const { run } = runWithApp({ ports: { callTool } });
    const before = JSON.stringify(run.state.threads);
    const id = ask(run, 'tick', { n: 1 });
    expect(await ended(run, id)).toMatchObject({ askedBy: 'c1', ending: 'executed', text: 'tock', app });
    expect(JSON.stringify(run.state.threads)).toBe(before);
    expect(run.state.tools.apps.calls).toEqual([]);
  });

  test('the worker gets the arguments with the call, and keeps the answer for an app', async () => {
    const { run, ran } = runWithApp();
    await ended(run, ask(run, 'tick', { n: 1 }));
    expect(ran).toMatchObject([{ tool: 'tick', server: 'files', arguments: { n: 1 }, app: {} }]);
  });

  test('a tool with effects → a person is asked, and it runs as they say', async () => {
    const { run, ran } = runWithApp();
    const id = ask(run, 'put', { path: 'a' });
    const [{ gate } = { gate: null }] = run.state.people.gates;
    expect(gate?.body).toContain('The app of the tool server files asks for it');
    expect(ran).toEqual([]);
    answer(run, { gateId: gate?.id, decision: 'approve', arguments: { path: 'b' } });
    expect(await ended(run, id)).toMatchObject({ ending: 'executed' });
    expect(ran).toMatchObject([{ tool: 'put', arguments: { path: 'b' } }]);
    expect(run.state.goal.checks.effects).toBe(1);
  });

  test('what a person denies → does not run, and the app is told why', async () => {
    const { run, ran } = runWithApp();
    const id = ask(run, 'put');
    answer(run, { gateId: run.state.people.gates[0]?.gate.id, decision: 'deny', reason: 'Not now.' });
    expect(await ended(run, id)).toMatchObject({ ending: 'denied', isError: true });
    expect(endOf(run, id)?.text).toContain('Not now.');
    expect(ran).toEqual([]);
  });

  test('two at gates → one answered leaves the other open', async () => {
    const { run } = runWithApp();
    const [first, second] = [ask(run, 'put', { n: 1 }), ask(run, 'put', { n: 2 })];
    answer(run, { gateId: run.state.people.gates[1]?.gate.id, decision: 'approve' });
    await ended(run, second);
    expect(endOf(run, first)).toBeUndefined();
    expect(run.state.people.gates).toHaveLength(1);
  });

  test('nobody attends → what would be asked is denied', async () => {
    const { run, ran } = runWithApp({ settings: { attended: false } });
    expect(await ended(run, ask(run, 'put'))).toMatchObject({ ending: 'denied' });
    expect(ran).toEqual([]);
  });

  test('permissions.deny → denied, whoever asks', async () => {
    const permissions = { auto: [], confirm: [], deny: ['tick'] };
    const { run, ran } = runWithApp({ pinned: { permissions } });
    expect(await ended(run, ask(run, 'tick'))).toMatchObject({ ending: 'denied' });
    expect(ran).toEqual([]);
  });

  test('one that may have changed something → nothing read before is given again', async () => {
    const { run } = runWithApp({ settings: { autoApprove: true } });
    const call = { id: 't', name: 'read', input: {} };
    const result = { ending: 'executed' as const, content: [], isError: false };
    const policy = fileTool('read', { readOnly: true }).policy;
    recordCall(run.state.tools.ledger, { call, result, messageId: 'm1', policy, workspace: '/w', now: 1 });
    await ended(run, ask(run, 'put'));
    expect(run.state.tools.ledger.entries).toEqual({});
  });

  test.each<[string, Record<string, unknown>, RegExp, (run: Run) => void]>([
    ['of a call without an app', { of: 'c9', tool: 'tick' }, /No app of a call c9/, () => {}],
    ['of another server', { of: 'c1', tool: 'far' }, /has no tool far/, () => {}],
    ['for models alone', { of: 'c1', tool: 'secret' }, /has no tool secret/, () => {}],
    ['nobody has', { of: 'c1', tool: 'x'.repeat(900) }, /has no tool x{100} /, () => {}],
    [
      'with too much',
      { of: 'c1', tool: 'tick', arguments: { x: 'y'.repeat(9_000) } },
      /may give 8000/,
      () => {},
    ],
    ['that is none', { of: 'c1', tool: 7 }, /Give \{ "of"/, () => {}],
    ['in a run that is paused', { of: 'c1', tool: 'tick' }, /paused/, run => (run.state.people.pausedAt = 1)],
    ['in a run that is stopping', { of: 'c1', tool: 'tick' }, /has ended/, run => requestStop(run, 'enough')],
    [
      'in a run that is about to end',
      { of: 'c1', tool: 'tick' },
      /has ended/,
      run => (run.memory.takesAppCalls = false),
    ],
  ])('a call %s → refused, and nothing is noted', (_, input, why, prepare) => {
    const { run } = runWithApp();
    prepare(run);
    const before = run.state.log.journal.lastSeq;
    expect(appCallReader(run)(input)).toMatchObject({ error: expect.stringMatching(why) });
    expect(run.state.log.journal.lastSeq).toBe(before);
  });

  test('more than four at once → refused until one has its result', () => {
    const { run } = runWithApp(held());
    for (let n = 0; n < 4; n += 1) ask(run, 'tick', { n });
    expect(() => ask(run, 'tick')).toThrow('At most 4 calls of apps wait at once');
  });

  test('a stop → what waits at its gate ends, and does not run', async () => {
    const { run, ran } = runWithApp();
    const id = ask(run, 'put');
    requestStop(run, 'enough');
    expect(await ended(run, id)).toMatchObject({ ending: 'cancelled' });
    expect([ran, run.state.people.gates]).toEqual([[], []]);
  });

  test('one in flight → the run goes on in no other part; a run that is over waits for none', () => {
    const { run } = runWithApp({ ports: { ...held().ports, handoverDue: () => true } });
    expect(run.handoverDue()).toBe(true);
    const id = ask(run, 'tick');
    expect(run.handoverDue()).toBe(false);
    closeAppCalls(run);
    expect(endOf(run, id)).toMatchObject({ ending: 'outcome_unknown' });
    expect(run.handoverDue()).toBe(true);
  });

  test('the next part of a run → what waited goes on, and what was sent is not sent again', async () => {
    const { run, ran } = runWithApp();
    run.state.tools.apps.calls = [
      { callId: 'c7', of: 'c1', tool: 'tick', input: { n: 1 } },
      { callId: 'c8', of: 'c1', tool: 'tick', input: { n: 2 }, begun: true },
    ];
    resumeAppCalls(run);
    expect(await ended(run, 'c7')).toMatchObject({ ending: 'executed' });
    expect(endOf(run, 'c8')).toMatchObject({ ending: 'outcome_unknown' });
    expect(ran.map(({ callId }) => callId)).toEqual(['c7']);
  });
});
