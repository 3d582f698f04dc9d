/** Calls that apps ask for: which are taken, who is asked, and what the run remembers of them. */
import { describe, expect, test } from 'vitest';
import type { CallToolInput } from '../../../src/activities/types.js';
import { closeAppCalls, resumeAppCalls, takeAppCall } from '../../../src/features/apps/calls.js';
import { appCallReader } from '../../../src/features/apps/feature.js';
import { type AppUse, appUse, withShown } from '../../../src/features/apps/rules.js';
import { recordCall } from '../../../src/run/tools/ledger.js';
import type { ToolDefinition } from '../../../src/run/tools/tool.js';
import { requestStop } from '../../../src/workflows/inbox/inbox-handlers.js';
import { closeGates } from '../../../src/workflows/run/gates.js';
import type { Ports } from '../../../src/workflows/run/ports.js';
import type { Run } from '../../../src/workflows/run/run.js';
import { answer, fileTool, runAtCalls, testRole } from '../../support/small-run.js';
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
  Object.assign(small.run.pinned.roles, { worker: testRole('worker') });
  appUse.set(small.run.state, { ...appUse.of(small.run.state), shown: [{ callId: 'c1', server: 'files' }] });
  return small;
}

function ask(run: Run, tool: string, args: Record<string, unknown> = {}): string {
  const read = appCallReader(run)({ of: 'c1', tool, arguments: args });
  if ('error' in read) throw new Error(read.error);
  return takeAppCall(run, read.ok.ask, read.ok.tool).callId;
}

function deny({ pinned }: Run, tool: string): void {
  pinned.permissions = { auto: [], confirm: [], deny: [tool] };
}

/** All roles have this tool alone. */
function only({ pinned }: Run, tool: string): void {
  for (const role of Object.values(pinned.roles)) role.tools = [tool];
}

function gateOf({ state }: Run): string {
  return state.people.gates[0]?.gate.id ?? '';
}

/** The next part of a run, with the state of the one before. */
function nextPart({ state }: Run) {
  const next = runWithApp();
  Object.assign(next.run.state, JSON.parse(JSON.stringify(state)));
  return next;
}

function isAllowed({ state }: Run): boolean {
  return appUse.of(state).calls[0]?.approved === true;
}

function endOf({ state }: Run, callId: string) {
  return state.log.journal.events.find(event => event.type === 'app_call_ended' && event.callId === callId) as
    | Record<string, unknown>
    | undefined;
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
    expect(appUse.of(run.state).calls).toEqual([]);
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
    expect(endOf(run, id)?.text).toContain('"Not now".');
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
    ['of a call without an app', { of: 'c9', tool: 'tick' }, /knows no app of the call c9/, () => {}],
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
    ['in a run that is being loaded', { of: 'c1', tool: 'tick' }, /load/, run => (run.state.pinned = null)],
    ['in a run that is paused', { of: 'c1', tool: 'tick' }, /paused/, run => (run.state.people.pausedAt = 1)],
    ['in a run that is stopping', { of: 'c1', tool: 'tick' }, /has ended/, run => requestStop(run, 'enough')],
    ['that configuration denies', { of: 'c1', tool: 'tick' }, /denied by the conf/, run => deny(run, 'tick')],
    [
      'that a person has to allow, where nobody attends',
      { of: 'c1', tool: 'put' },
      /is unattended/,
      run => (run.state.settings.attended = false),
    ],
    ['no role has', { of: 'c1', tool: 'put' }, /No role of this run has put/, run => only(run, 'read')],
    [
      'in a run that goes on in another part',
      { of: 'c1', tool: 'tick' },
      /in another part/,
      run => (run.ports.handoverSuggested = () => true),
    ],
    [
      'in a run that is about to end',
      { of: 'c1', tool: 'tick' },
      /has ended/,
      run => (run.memory.isResting = true),
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
    expect(run.line.handoverDue()).toBe(true);
    const id = ask(run, 'tick');
    expect(run.line.handoverDue()).toBe(false);
    closeAppCalls(run);
    expect(endOf(run, id)).toMatchObject({ ending: 'outcome_unknown' });
    expect(run.line.handoverDue()).toBe(true);
  });

  test('the next part of a run → what waited goes on, and what was sent is not sent again', async () => {
    const { run, ran } = runWithApp();
    const calls: AppUse['calls'] = [
      { callId: 'c7', of: 'c1', tool: 'tick', input: { n: 1 } },
      { callId: 'c8', of: 'c1', tool: 'tick', input: { n: 2 }, begun: true },
    ];
    appUse.set(run.state, { ...appUse.of(run.state), calls });
    resumeAppCalls(run);
    expect(await ended(run, 'c7')).toMatchObject({ ending: 'executed' });
    expect(endOf(run, 'c8')).toMatchObject({ ending: 'outcome_unknown' });
    expect(ran.map(({ callId }) => callId)).toEqual(['c7']);
  });

  test('a message changes the plan while a person is asked → closed unanswered, and not run', async () => {
    const { run, ran } = runWithApp();
    const id = ask(run, 'put', { path: 'a' });
    closeGates(run, () => true, 'a message of the user');
    expect(await ended(run, id)).toMatchObject({ ending: 'skipped', isError: true });
    expect(ran).toEqual([]);
  });

  test('allowed for the run at another gate → runs', async () => {
    const { run, ran } = runWithApp();
    const [first, second] = [ask(run, 'put', { n: 1 }), ask(run, 'put', { n: 2 })];
    answer(run, { gateId: gateOf(run), decision: 'always' });
    await ended(run, first);
    expect(await ended(run, second)).toMatchObject({ ending: 'executed' });
    expect(ran).toHaveLength(2);
  });

  test('allowed while the run is paused → the next part runs it as it was allowed, and asks nobody again', async () => {
    const { run, ran } = runWithApp();
    const id = ask(run, 'put', { path: 'a' });
    run.state.people.pausedAt = 1;
    answer(run, { gateId: gateOf(run), decision: 'approve', arguments: { path: 'b' } });
    await until('it is allowed', () => isAllowed(run));
    const next = nextPart(run);
    next.run.state.people.pausedAt = null;
    resumeAppCalls(next.run);
    expect(await ended(next.run, id)).toMatchObject({ ending: 'executed' });
    expect(ran).toEqual([]);
    expect(next.ran).toMatchObject([{ tool: 'put', arguments: { path: 'b' } }]);
    expect(next.run.state.people.gates).toEqual([]);
  });

  test('a person edits the arguments → the edited ones are told, and noted as what was done', async () => {
    const { run } = runWithApp({ settings: { calledAs: 'agent/1' } });
    const id = ask(run, 'put', { path: 'secret.txt' });
    answer(run, { gateId: gateOf(run), decision: 'approve', arguments: { path: 'other.txt' } });
    await ended(run, id);
    const told = run.state.log.journal.events.find(({ type }) => type === 'app_call_started');
    expect(told).toMatchObject({
      callId: id,
      askedBy: 'c1',
      arguments: '{"path":"other.txt"}',
      edited: true,
    });
    expect(run.state.tools.effects.join()).toContain('other.txt');
    expect(run.state.tools.effects.join()).not.toContain('secret.txt');
  });

  test('cancelled before it was sent → not sent, and no effect of it is noted', async () => {
    let cancel: (why: Error) => void = () => {};
    const wait = () => new Promise<never>((_, reject) => (cancel = reject));
    const { run, ran } = runWithApp({ settings: { autoApprove: true }, ports: { wait } });
    const id = ask(run, 'put');
    run.state.people.pausedAt = 1;
    const held = takeAppCall(run, { of: 'c1', tool: 'put', input: {} }, tools[0] as ToolDefinition);
    cancel(new Error('cancelled'));
    await ended(run, id);
    closeAppCalls(run);
    expect(endOf(run, held.callId)).toMatchObject({ ending: 'cancelled' });
    expect([ran.length, run.state.goal.checks.effects]).toEqual([1, 1]);
  });

  test('the run ends while one is in flight → what it may have done is noted', () => {
    const { run } = runWithApp({ ...held(), settings: { autoApprove: true, calledAs: 'agent/1' } });
    ask(run, 'put', { path: 'a' });
    closeAppCalls(run);
    expect(run.state.tools.effects).toHaveLength(1);
  });

  test('allowed while the run is about to end → not begun', async () => {
    const { run, ran } = runWithApp();
    const id = ask(run, 'put');
    run.memory.isResting = true;
    answer(run, { gateId: gateOf(run), decision: 'approve' });
    await until('it is allowed', () => isAllowed(run));
    closeAppCalls(run);
    expect(endOf(run, id)).toMatchObject({ ending: 'cancelled' });
    expect(ran).toEqual([]);
  });

  test('more than 60 in a minute → refused until the next', async () => {
    let now = 1_000;
    const { run, ran } = runWithApp({ ports: { now: () => now } });
    for (let n = 0; n < 60; n += 1) await ended(run, ask(run, 'tick', { n }));
    expect(() => ask(run, 'tick')).toThrow('at most 60 calls of apps a minute');
    now += 60_000;
    await ended(run, ask(run, 'tick'));
    expect(ran).toHaveLength(61);
  });
});

test('results with an app → the latest 40 are kept, and none of a server with a long name', () => {
  const none = appUse.of(runAtCalls([]).run.state);
  const ids = Array.from({ length: 41 }, (_, at) => `c${at}`);
  const { shown } = ids.reduce((use, id) => withShown(use, id, 'files'), none);
  expect(shown.map(({ callId }) => callId)).toEqual(ids.slice(1));
  expect(withShown(none, 'c1', 's'.repeat(101))).toEqual(none);
});
