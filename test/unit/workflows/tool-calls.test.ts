import { describe, expect, test } from 'vitest';
import { OWN_TOOLS } from '../../../src/features/workers.js';
import { offeredTools } from '../../../src/run/agents/run-config.js';
import { newConsultation } from '../../../src/run/position/position.js';
import { stepsOf } from '../../../src/run/state/trace.js';
import type { Permissions } from '../../../src/run/tools/permission.js';
import { addWorkflowTools } from '../../../src/run/tools/workflow-tools.js';
import { requestStop } from '../../../src/workflows/inbox/inbox-handlers.js';
import type { Run } from '../../../src/workflows/run/run.js';
import { closeOpenCalls, supersedeCalls } from '../../../src/workflows/turn/tools/finish-call.js';
import { runNextCalls } from '../../../src/workflows/turn/tools/run-tools.js';
import { NO_PERMISSIONS } from '../../support/core-values.js';
import { pairingFaults } from '../../support/pairing.js';
import type { SmallRun } from '../../support/small-run.js';
import { answer as answerAt, fileTool, runAtCalls, testRole } from '../../support/small-run.js';

const write = (path: string) => ({ name: 'put', input: { path } });

/** Works the batch off; what was recorded at the gates before it goes on is there already. */
async function workOff({ run }: SmallRun): Promise<void> {
  const { turns } = run.state.cursor.position;
  while (turns.batch) await runNextCalls(run, turns.batch);
}

function answer(run: Run, index: number, input: Record<string, unknown>): void {
  const gate = run.state.people.gates[index]?.gate;
  answerAt(run, { gateId: gate?.id, ...input });
}

function closings({ run }: SmallRun): string[] {
  return run.state.log.journal.events.flatMap(event =>
    event.type === 'gate_closed'
      ? [
          `${event.by}: ${event.decision}${event.edited ? ' edited' : ''}${event.reason ? ` · ${event.reason}` : ''}`,
        ]
      : [],
  );
}

/** Answers as soon as the gates are open: the loop waits at the first of them. */
async function whenAsked(small: SmallRun, act: (run: Run) => void): Promise<void> {
  const working = workOff(small);
  while (small.run.state.people.gates.length === 0) await new Promise(setImmediate);
  act(small.run);
  await working;
}

describe('answers at the gates of a batch', () => {
  test('gate: the second call denied, then the first allowed always → the second does not run, and its reason stays with the goal (PR1, SE10)', async () => {
    const small = runAtCalls([write('a'), write('b')]);
    await whenAsked(small, run => {
      answer(run, 1, { decision: 'deny', reason: 'Not b.' });
      answer(run, 0, { decision: 'always' });
    });
    expect(small.ran.map(call => call.arguments)).toEqual([{ path: 'a' }]);
    expect(small.results().map(result => result.ending)).toEqual(['executed', 'denied']);
    expect(small.results()[1]?.note).toContain('"Not b".');
    expect(small.run.state.goal.userNotes).toEqual([
      'A call of put {"path":"b"} was refused, with this reason: Not b.',
    ]);
    expect(closings(small)).toEqual(['person: always', 'person: deny · Not b.']);
  });

  test('gate: the second call approved with other arguments, then the first allowed always → it runs with those (PR1)', async () => {
    const small = runAtCalls([write('a'), write('b')]);
    await whenAsked(small, run => {
      answer(run, 1, { decision: 'approve', arguments: { path: 'c' } });
      answer(run, 0, { decision: 'always' });
    });
    expect(small.ran.map(call => call.arguments)).toEqual([{ path: 'a' }, { path: 'c' }]);
    expect(closings(small)).toEqual(['person: always', 'person: approve edited']);
  });

  test('gate: one of three answered with always → the two without an answer close by rule and run (PR1)', async () => {
    const small = runAtCalls([write('a'), write('b'), write('c')]);
    await whenAsked(small, run => answer(run, 1, { decision: 'always' }));
    expect(small.ran).toHaveLength(3);
    expect(closings(small)).toEqual([
      'rule: put is allowed for this run',
      'rule: put is allowed for this run',
      'person: always',
    ]);
  });

  test('WK9: gate of a command: it says what "always" allows, which closes gates of the same command alone', async () => {
    const run = (command: string) => ({ name: 'put', input: { command } });
    const small = runAtCalls([run('ls'), run('ls'), run('rm a')]);
    await whenAsked(small, asking => {
      const [first] = asking.state.people.gates;
      expect(first?.gate.body).toContain('“Always” allows this command with these arguments');
      expect(first?.gate.subject).toMatchObject({ always: 'put(ls)' });
      answer(asking, 2, { decision: 'deny' });
      answer(asking, 0, { decision: 'always' });
    });
    expect(small.ran.map(call => call.arguments)).toEqual([{ command: 'ls' }, { command: 'ls' }]);
    expect(closings(small)).toEqual([
      'rule: put(ls) is allowed for this run',
      'person: always',
      'person: deny',
    ]);
    expect(small.run.state.people.allowedTools).toEqual(['put(ls)']);
  });

  test('gate: always, for a tool that nobody lists → the next call of it runs, and no listed tool of its name is meant (T3)', async () => {
    const calls = [1, 2].map(nth => ({ name: 'guess', input: { nth } }));
    const small = runAtCalls(calls, { pinned: { fallbackServer: 'default' } });
    await whenAsked(small, run => answer(run, 0, { decision: 'always' }));
    expect(small.ran.map(call => [call.tool, call.serverToolName])).toEqual([
      ['default__guess', 'guess'],
      ['default__guess', 'guess'],
    ]);
    expect(small.run.state.people.allowedTools).toEqual(['default__guess']);
  });

  test('gate: approved and then stopped → not run, and the gate says what overtook the approval (PR1)', async () => {
    const small = runAtCalls([write('a'), write('b')]);
    await whenAsked(small, run => {
      answer(run, 1, { decision: 'approve' });
      requestStop(run, null);
    });
    expect(small.ran).toEqual([]);
    expect(small.results().map(result => result.ending)).toEqual(['cancelled', 'cancelled']);
    expect(closings(small)).toContain('superseded: approve, overtaken: stop');
  });

  test('gate: approved, and a message skips the rest → the gate says what overtook the approval (PR1)', () => {
    const small = runAtCalls([write('a'), write('b')]);
    const { batch } = small.run.state.cursor.position.turns;
    void runNextCalls(small.run, batch as NonNullable<typeof batch>);
    answer(small.run, 1, { decision: 'approve' });
    supersedeCalls(small.run, batch as NonNullable<typeof batch>);
    expect(closings(small)).toContain('superseded: approve, overtaken: a message of the user');
  });

  test('client tool: its result came before a message skips the rest → the result stands (PR1)', async () => {
    const shop = { ...fileTool('shop'), origin: { type: 'client' as const } };
    const small = runAtCalls([{ name: 'shop', input: {} }, write('b')], { pinned: { tools: [shop] } });
    const { batch } = small.run.state.cursor.position.turns;
    void runNextCalls(small.run, batch as NonNullable<typeof batch>);
    while (small.run.state.people.gates.length === 0) await new Promise(setImmediate);
    answerAt(small.run, { callId: 't1', content: 'open' }, 'submitToolResult');
    supersedeCalls(small.run, batch as NonNullable<typeof batch>);
    expect(small.results().map(result => result.ending)).toEqual(['executed', 'skipped']);
  });
});

test('offeredTools: a denied tool → not offered; called by name → denied (TR7)', async () => {
  const permissions = { auto: [], confirm: [], deny: ['{put,drop}'] };
  const small = runAtCalls([write('a')], { pinned: { permissions } });
  const role = small.run.role('executor');
  expect(offeredTools(small.run.pinned, role).map(({ name }) => name)).toEqual(['read']);
  await workOff(small);
  expect(small.results().map(({ ending }) => ending)).toEqual(['denied']);
});

test('workflow tool: named by the role → the run carries it out itself, and asks nobody', async () => {
  const role = testRole('executor', { tools: ['list_artifacts'] });
  const tools = addWorkflowTools([], [role], OWN_TOOLS).tools;
  const small = runAtCalls([{ name: 'list_artifacts', input: {} }], {
    pinned: { tools, roles: { executor: role } },
  });
  await workOff(small);
  expect(small.ran).toEqual([]);
  expect(small.results()).toMatchObject([{ ending: 'executed', isError: false }]);
});

describe('ends of calls that do not run', () => {
  test('a role takes one call of a reply → the first runs, the others are skipped (T13)', async () => {
    const roles = { executor: testRole('executor', { toolCallsPerTurn: 1 }) };
    const small = runAtCalls(
      [
        { name: 'read', input: { path: 'a' } },
        { name: 'read', input: {} },
      ],
      {
        pinned: { roles },
      },
    );
    await workOff(small);
    expect(small.results().map(({ ending }) => ending)).toEqual(['executed', 'skipped']);
    expect(small.results()[1]?.note).toContain('at most 1 tool calls of one reply');
  });

  test('arguments that could not be read: tool that takes none → invalid, never run with {} (TR3)', async () => {
    const small = runAtCalls([{ name: 'put', input: {}, raw: '{"path": "a', argsParseFailed: true }], {
      settings: { autoApprove: true },
    });
    await workOff(small);
    expect(small.ran).toEqual([]);
    expect(small.results().map(result => result.ending)).toEqual(['invalid']);
    expect(small.results()[0]?.note).toMatch(/cut off or are not readable as JSON/);
  });

  test('cancelled: a batch waits behind a question to another role → each call has its result (ST8)', () => {
    const small = runAtCalls([write('a'), write('b')]);
    const { state } = small.run;
    small.run.interrupt(
      newConsultation({ key: 'review:x', role: 'reviewer', output: 'review', instruction: '' }),
    );
    closeOpenCalls(small.run);
    expect(small.results().map(result => result.ending)).toEqual(['cancelled', 'cancelled']);
    expect(pairingFaults(state.threads.main?.messages ?? [])).toEqual({ open: [], stray: [] });
  });

  test.each([
    ['skipped', supersedeCalls],
    ['cancelled', (run: Run) => closeOpenCalls(run)],
  ] as const)(
    '%s: two open calls → two trace steps, two ends in the journal, two counted (ST8)',
    (ending, close) => {
      const { run } = runAtCalls([write('a'), write('b')]);
      const { batch } = run.state.cursor.position.turns;
      close(run, batch as NonNullable<typeof batch>);
      expect(stepsOf(run.state.log.journal.events).map(step => step.ending)).toEqual([ending, ending]);
      const ends = run.state.log.journal.events.filter(event => event.type === 'tool_call_ended');
      expect(ends).toHaveLength(2);
      expect(run.state.goal.counters.toolCalls).toBe(2);
      expect(run.state.cursor.position.turns.batch).toBeNull();
    },
  );
});

describe('patterns over the arguments of a reply', () => {
  const patterns = Array.from({ length: 13 }, (_, n) => `*(**/secret${n}/**)`);
  const put = (count: number, path = (n: number) => `${n}/${n}/${n}`) => ({
    name: 'put',
    input: { paths: Array.from({ length: count }, (_, n) => path(n)) },
  });
  const few = () => put(2);
  /** More than half of what may be compared. */
  const many = () => put(5_000);
  const all = { autoApprove: true };

  test('deny: calls that are more together than can be compared → what is within it runs, the rest is denied for that (T9)', async () => {
    const permissions = { ...NO_PERMISSIONS, deny: patterns };
    const alone = runAtCalls([many(), few(), few()], { pinned: { permissions }, settings: all });
    await workOff(alone);
    expect(alone.results().map(({ ending }) => ending)).toEqual(['executed', 'executed', 'executed']);
    const small = runAtCalls([many(), few(), many(), few()], { pinned: { permissions }, settings: all });
    await workOff(small);
    expect(small.results().map(({ ending }) => ending)).toEqual(['executed', 'executed', 'denied', 'denied']);
    expect(small.results()[2]?.note).toContain('too long to be compared');
  });

  test('auto, confirm: calls that are more together than can be compared → the rest asks (T9)', async () => {
    const asked = (permissions: Partial<Permissions>, call: () => ReturnType<typeof put>) => {
      const { run } = runAtCalls([call(), call()], {
        pinned: { permissions: { ...NO_PERMISSIONS, ...permissions } },
      });
      const { batch } = run.state.cursor.position.turns;
      void runNextCalls(run, batch as NonNullable<typeof batch>);
      return run.state.people.gates.map(({ key }) => key);
    };
    expect(asked({ confirm: patterns }, () => ({ ...many(), name: 'read' }))).toEqual(['approval:t2']);
    expect(asked({ auto: ['*(src/**)'] }, () => put(24_000, n => `src/${'a/'.repeat(20)}${n}`))).toEqual([
      'approval:t2',
    ]);
  });

  test('deny: a call that was compared, and approved with other arguments → those are compared for themselves (T9)', async () => {
    const small = runAtCalls([many(), many()], {
      pinned: { permissions: { ...NO_PERMISSIONS, deny: patterns } },
    });
    await whenAsked(small, run => {
      answer(run, 0, { decision: 'approve', arguments: few().input });
    });
    expect(small.results().map(({ ending }) => ending)).toEqual(['executed', 'denied']);
  });
});

test('WK18: four wrong calls in one reply → each is to be corrected; they count as one', async () => {
  const wrong = { name: 'read', input: {}, argErrors: ['path: missing'] };
  const small = runAtCalls([wrong, wrong, wrong, wrong]);
  await workOff(small);
  for (const { ending, note } of small.results()) {
    expect(ending).toBe('invalid');
    expect(note).toContain('Correct the arguments and call again.');
  }
  expect(small.run.line.tools.badCalls).toEqual({ read: 1 });
});

test('CF8 a call that takes its time and fails → its result and the trace count that time', async () => {
  let clock = 1_000;
  const { run, results } = runAtCalls([{ name: 'read', input: { path: 'a' } }], {
    ports: {
      now: () => clock,
      callTool: async () => {
        clock += 60_000;
        return { ok: false, failure: { kind: 'timedOut', type: '', message: 'It took too long.' } };
      },
    },
  });
  const { batch } = run.state.cursor.position.turns;
  await runNextCalls(run, batch as NonNullable<typeof batch>);
  expect(results()).toMatchObject([{ ending: 'timed_out', durationMs: 60_000 }]);
});
