/** Checks of a goal in a whole run in memory: what they are made of, and how long they hold. */
import { describe, expect, test } from 'vitest';
import { execution, plan, verdict } from '../../../../packages/test-kit/role-outputs.js';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import { checks as checksFeature } from '../../../../src/features/checks/feature.js';
import { BEHAVIOUR, type PinnedRun } from '../../../../src/run/agents/run-config.js';
import type { Check } from '../../../../src/run/checks/check.js';
import { DEFAULT_LIMITS } from '../../../../src/run/limits/limits.js';
import { receive, requestPause, requestResume } from '../../../../src/workflows/inbox/inbox-handlers.js';
import { showGate } from '../../../../src/workflows/run/gates.js';
import type { Run } from '../../../../src/workflows/run/run.js';
import { runNextCalls } from '../../../../src/workflows/turn/tools/run-tools.js';
import { runTeam, type TeamGiven, type TeamReply } from '../../../support/scripted-team.js';
import { answer, fileTool, runAtCalls, testRole } from '../../../support/small-run.js';
import { CONTENT, teamRun } from '../../../support/team-run.js';
import { eventually } from '../../../support/wait.js';

const PASSED = { status: 'passed' as const, why: 'ok' };
const checks: Check[] = [{ run: 'npm test' }];
const pinned: Partial<PinnedRun> = {
  checks,
  modes: { review: { does: null, steps: ['editor'] } },
  roles: { editor: testRole('editor', { output: 'text' }) },
};
const settings = { mode: 'review', autoApprove: true } as const;

/** A person says something while the first check is made, which passes. */
function saidMeanwhile(): NonNullable<TeamGiven['runCheck']> {
  let made = 0;
  return run => {
    made += 1;
    if (made === 1) receive(run, { text: 'Rename it as well.' }, 'steer');
    return PASSED;
  };
}

describe('checks that passed before something changed', () => {
  /** An envelope without an answer. */
  const risk = { level: 'low', reasons: [] };
  const said = { thought: 'Hm.', action: 'COMPLETE', expectedOutcome: 'None.', risk, confidence: 1 };
  const UNUSABLE: TeamReply = { text: JSON.stringify({ ...said, params: {} }) };

  test.each<[string, TeamReply[]]>([
    ['a call that changes something', [{ calls: ['put'] }]],
    ['nothing', []],
  ])(
    'steps: a message comes while they are made, then %s and no answer that can be read → not completed',
    async (_, work) => {
      const replies = [{ text: 'It is done.' }, ...work, UNUSABLE, UNUSABLE, { text: 'It is renamed.' }];
      const { end } = await runTeam(replies, { settings, pinned, runCheck: saidMeanwhile() });
      expect(end).toMatchObject({ outcome: 'unverified', cause: 'checks_not_run' });
    },
  );

  test('steps: the answer to the message is checked anew → completed', async () => {
    const replies = [{ text: 'It is done.' }, { calls: ['put'] }, { text: 'It is renamed.' }];
    const { end, run } = await runTeam(replies, { settings, pinned, runCheck: saidMeanwhile() });
    expect(end).toMatchObject({ outcome: 'completed', cause: 'checked', answer: 'It is renamed.' });
    expect(run.state.goal.checks.results).toHaveLength(1);
  });
});

test('steps: a check fails again after each change → the work goes back while verifications are left, and never as if nothing had changed', async () => {
  const change = (text: string): TeamReply => ({ calls: ['put'], input: { text } });
  const answered: TeamReply = { text: 'It is done.' };
  const replies = [answered, change('1'), answered, change('2'), answered];
  const runCheck = () => ({ status: 'failed' as const, why: 'exit code 1' });
  const { run, end, ran } = await runTeam(replies, { settings, pinned, runCheck });
  expect(ran).toHaveLength(2);
  expect(run.state.goal.counters.verification).toBe(DEFAULT_LIMITS.verification);
  expect(end).toMatchObject({ outcome: 'unverified', cause: 'checks_failed' });
  expect(end.answer).not.toContain('Nothing had changed');
  const { events } = run.state.log.journal;
  expect(events.filter(({ type }) => type === 'limit_reached')).toMatchObject([{ limit: 'verification' }]);
});

test.each<[string, Check, number]>([
  ['a command fails again → nothing has changed for it', { run: 'npm test' }, 2],
  ['a function, which may judge the answer alone, fails again → the work goes back', { function: 'sums' }, 3],
])('steps: another answer, and nothing but that; %s', async (_, check, answers) => {
  const replies = ['One.', 'Two.', 'Three.'].map(text => ({ text }));
  const runCheck = () => ({ status: 'failed' as const, why: 'no' });
  const given = { settings, pinned: { ...pinned, checks: [check] }, runCheck };
  const { asked, end } = await runTeam(replies, given);
  expect([asked.length, end.cause]).toEqual([answers, 'checks_failed']);
});

test.each([
  ['passes', 'passed', 'completed', 'checked'],
  ['cannot be made', 'not_run', 'unverified', 'checks_not_run'],
] as const)(
  'team: the planner answers without a plan, and the check %s → %4$s',
  async (_, status, outcome, cause) => {
    const empty = { text: plan({ todos: [], summary: 'It is 42.' }) };
    const { end } = await runTeam([empty, empty, { text: 'It is 42.' }], {
      pinned: { checks },
      runCheck: () => ({ status, why: 'so' }),
    });
    expect(end).toMatchObject({ outcome, cause, answer: expect.stringMatching(/^It is 42\./) });
  },
);

describe('a verifier that changes something after the checks', () => {
  test('team: it is content → not completed, for what passed was another state', async () => {
    const content = verdict({
      summary: 'It is so.',
      tasks: [{ id: 'task-1', completed: true, feedback: 'Seen.', evidence: [] }],
    });
    const replies = [
      { text: plan({ todos: ['Look at it'] }) },
      { text: execution({ summary: 'The report of it all.', taskCompleted: true }) },
      { calls: ['put'] },
      { text: content },
    ];
    const roles = {
      planner: testRole('planner', { tools: [], output: 'plan' }),
      executor: testRole('executor'),
      verifier: testRole('verifier', { output: 'verdict' }),
      summary: testRole('summary', { tools: [], output: 'text' }),
    };
    const { ran, end } = await runTeam(replies, {
      settings: { autoApprove: true },
      pinned: { checks, roles, limits: { ...DEFAULT_LIMITS, looks: 1 } },
    });
    expect(ran.map(({ tool }) => tool)).toEqual(['put']);
    expect(end).toMatchObject({ outcome: 'unverified', cause: 'checks_not_run' });
  });
});

describe('a tool whose result is seen in part', () => {
  const tool = fileTool('read', { readOnly: true });
  const found = (more: object) => async () => {
    const content = [{ type: 'text' as const, text: 'All is well.', ...more }];
    return {
      ok: true as const,
      value: { ending: 'executed' as const, content, isError: false, durationMs: 1 },
    };
  };

  test.each([
    ['whole', {}, 'passed'],
    ['in part', { ref: 'blob:x', totalBytes: 900_000 }, 'not_run'],
  ])('seen %s → %3$s', async (_, more, status) => {
    const { run } = await runTeam([{ text: 'It is done.' }], {
      settings,
      pinned: { ...pinned, tools: [tool], checks: [{ tool: 'read', matches: '^(?!.*ERROR)' }] },
      callTool: found(more),
    });
    expect(run.state.goal.checks.results).toMatchObject([{ id: 'c1', status }]);
  });
});

test('a check by a tool of the application, with arguments that do not fit it → not made, and the faults are its reason (T6)', async () => {
  const tool = {
    ...fileTool('find', { readOnly: true }),
    ...{ origin: { type: 'activity', activity: 'find' } as const },
    inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  };
  const { run, ran } = await runTeam([{ text: 'It is done.' }], {
    settings,
    pinned: { ...pinned, tools: [tool], checks: [{ tool: 'find', arguments: { id: 7 } }] },
  });
  expect(ran).toEqual([]);
  expect(run.state.goal.checks.results).toMatchObject([
    { status: 'not_run', why: expect.stringContaining('id: expected string, got number 7') },
  ]);
});

describe('commands that a planner proposes', () => {
  const command = `echo ${'x'.repeat(1_500)}; touch hidden`;

  test.each([
    ['whole', 0, [{ run: command }]],
    ['cut, for others take the room', 15_500, []],
  ])('the gate shows them %s → a yes counts for what was seen', async (_, chars, approved) => {
    const { run } = await teamRun({
      settings: { approvePlan: true, attended: true, autoApprove: false },
      answer: ({ role, run: asking }) => {
        if (role !== 'planner') return undefined;
        for (let n = 0; n < (chars > 0 ? 4 : 0); n += 1) {
          const subject = { role: 'executor' };
          const about = { title: '', body: 'x'.repeat(chars), subject, openedAt: 1, deadline: 9e9 };
          showGate(asking, {
            key: `o:${n}`,
            gate: { id: `o${n}`, kind: 'question', ...about },
            answer: null,
          });
        }
        return { ...(CONTENT.planner as object), checks: [command] };
      },
      waits: waiting => {
        const [open] = waiting.state.people.gates;
        if (open?.gate.kind === 'plan' && open.answer === null)
          answer(waiting, { gateId: open.gate.id, decision: 'approve' });
      },
    });
    expect(run.state.goal.checks.approved).toEqual(approved);
  });
});

test.each([
  ['left out', BEHAVIOUR, ['npm test']],
  // Its recorded plan gate has them.
  ['in a run of an earlier version, kept', 4, ['true', 'npm test', 'echo ok', 'pytest --collect-only']],
] as const)(
  'commands that a planner proposes: those that can not fail → %s (SE1)',
  async (_, behaviour, kept) => {
    const { run } = await teamRun({
      behaviour,
      settings: { approvePlan: true, attended: true, autoApprove: false },
      answer: ({ role }) =>
        role === 'planner'
          ? {
              ...(CONTENT.planner as object),
              checks: ['true', 'npm test', 'echo ok', 'pytest --collect-only'],
            }
          : undefined,
      waits: waiting => {
        const [open] = waiting.state.people.gates;
        if (open?.gate.kind === 'plan' && open.answer === null)
          answer(waiting, { gateId: open.gate.id, decision: 'approve' });
      },
    });
    expect(run.state.goal.checks.approved).toEqual(kept.map(line => ({ run: line })));
  },
);

describe('SE8: checks before the first change', () => {
  const RED = { status: 'failed' as const, why: 'exit code 1', output: 'not ok 3' };
  const first = { ...pinned, listsStart: true as const };
  const change: TeamReply = { calls: ['put'], input: { text: 'a' } };
  const answered: TeamReply = { text: 'It is done.' };
  /** The statuses of the goal's checks in the order in which they are made. */
  const inTurn = (...ends: ReturnType<NonNullable<TeamGiven['runCheck']>>[]) => {
    let made = 0;
    return () => ends[made++] ?? PASSED;
  };

  test('one that fails, before and at the end → told as red before to who is to mend it, and in the answer', async () => {
    const given = { settings, pinned: first, runCheck: inTurn(RED, RED, RED) };
    const { run, end, requests } = await runTeam([change, answered, answered], given);
    expect(JSON.stringify(requests.at(-1))).toContain('It failed before the work began, too');
    expect(end).toMatchObject({ outcome: 'unverified', cause: 'checks_failed' });
    expect(end.answer).toContain('npm test [failed: exit code 1; it failed before the work began, too]');
    expect(run.state.goal.checks.results).toMatchObject([{ redBefore: true }]);
    const told = run.state.log.journal.events.filter(({ type }) => /^(check|tool_call)_(s|e)/.test(type));
    expect(told.map(({ type, ...event }) => ('before' in event ? `${type} before` : type))).toEqual([
      'tool_call_started',
      'check_started before',
      'check_ended before',
      'tool_call_ended',
      'check_started',
      'check_ended',
      'check_started',
      'check_ended',
    ]);
  });

  test.each(['skip', 'interrupt'])(
    'a message (%s) comes while they are made → the change is not made: its role reads the message first',
    async when => {
      let made = 0;
      const runCheck = (run: Run) => {
        made += 1;
        if (made === 1) receive(run, { text: 'Change nothing.', when }, 'steer');
        return PASSED;
      };
      const { ran, requests } = await runTeam([change, answered], { settings, pinned: first, runCheck });
      expect(ran).toEqual([]);
      expect(JSON.stringify(requests[1])).toContain('Change nothing.');
      expect(JSON.stringify(requests[1])).toContain('skipped');
    },
  );

  test('a pause while they are made → the change is made when the run is resumed', async () => {
    const small = runAtCalls([{ name: 'put', input: {} }], {
      pinned: { checks, listsStart: true },
      settings: { autoApprove: true },
      ports: {
        runCheck: async () => {
          requestPause(small.run, null);
          return { ok: true, value: PASSED };
        },
      },
    });
    const { batch } = small.run.state.cursor.position.turns;
    const turning = runNextCalls(small.run, batch as NonNullable<typeof batch>);
    await eventually(() => expect(small.run.state.goal.checks.before?.made).toBe(1));
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    expect(small.ran).toEqual([]);
    requestResume(small.run, null);
    await turning;
    expect(small.ran).toHaveLength(1);
  });

  test.each([
    ['the same output', 'not ok 3', 'It failed before the work began, too'],
    ['another output', 'not ok 2', 'It failed before the work began, but with another output'],
  ])('one that was red before, with %s → told so, and nothing else is asked for', async (_, output, told) => {
    const given = { settings, pinned: first, runCheck: inTurn(RED, { ...RED, output }, PASSED) };
    const { requests } = await runTeam([change, answered, change, answered], given);
    const asked = JSON.stringify(requests.at(-1));
    expect([asked.includes(told), asked.includes('Mend what they found')]).toEqual([true, false]);
  });

  test('a task that begins after it → its instruction names what was red', async () => {
    const done = { text: execution({ summary: 'Did it.', taskCompleted: true }) };
    const replies = [{ text: plan({ todos: ['First.', 'Second.'] }) }, change, done, done, answered];
    const { requests } = await runTeam(replies, {
      pinned: { checks, listsStart: true },
      settings: { autoApprove: true, mode: 'plan' },
      runCheck: inTurn(RED),
    });
    expect(JSON.stringify(requests[1])).not.toContain('these failed already');
    expect(JSON.stringify(requests[3])).toContain('these failed already');
    expect(JSON.stringify(requests[3])).toContain('`npm test` (exit code 1)');
  });

  test('one that passes → one that fails later is not told as red before', async () => {
    const given = { settings, pinned: first, runCheck: inTurn(PASSED, RED, PASSED) };
    const { end, requests } = await runTeam([change, answered, change, answered], given);
    expect(JSON.stringify(requests)).not.toContain('It failed before');
    expect(end).toMatchObject({ outcome: 'completed', cause: 'checked' });
  });

  test('nothing was changed before they fail at the end → that was before the first change, and they are made no more often', async () => {
    const given = { settings, pinned: first, runCheck: inTurn(RED, RED) };
    const { run, end, requests } = await runTeam([answered, change, answered, answered], given);
    expect(JSON.stringify(requests[1])).not.toContain('It failed before');
    expect(JSON.stringify(requests[3])).toContain('It failed before the work began, too');
    expect(end.cause).toBe('checked');
    expect(run.state.log.journal.events.filter(event => 'before' in event)).toEqual([]);
  });

  test.each<[string, Partial<PinnedRun>, TeamReply[], number]>([
    ['a goal that changes nothing', first, [answered], 1],
    ['a goal whose tools change nothing', pinned, [change, answered], 1],
    ['a run that began with an earlier version', { ...first, behaviour: 2 }, [change, answered], 1],
    [
      'a check that is a function, which judges an answer',
      { ...first, checks: [{ function: 'sums' }] },
      [change, answered],
      1,
    ],
    ['two changes', first, [change, { ...change, input: { text: 'b' } }, answered], 2],
  ])('%s → its check is made so often', async (_what, given, replies, times) => {
    let made = 0;
    const runCheck = () => {
      made += 1;
      return PASSED;
    };
    await runTeam(replies, { settings, pinned: given, runCheck });
    expect(made).toBe(times);
  });
});

describe('SE9: a call that may be one of the goal’s checks', () => {
  const origin = { type: 'mcp' as const, server: 'ws', own: true as const };
  const run = { ...fileTool('run'), name: 'ws__run', origin };
  const confirm = (pattern: string) => ({ permissions: { auto: [], confirm: [pattern], deny: [] } });
  const { mayDestroy } = BUILT_IN_WORDS.en;
  interface Given {
    tool?: ReturnType<typeof fileTool>;
    input?: Record<string, unknown>;
    concerns?: string[];
    start?: { ref: string | null } | null;
    pinned?: Partial<PinnedRun>;
  }

  test.each<[what: string, given: Given, mayRun: boolean]>([
    ['in its words', {}, true],
    ['in its words, with a time limit', { input: { command: 'npm test', timeoutMs: 5 } }, true],
    ['in its words, by a tool that may destroy something', { concerns: [mayDestroy] }, true],
    ['in its words, with a doubt', { concerns: [mayDestroy, 'It is cut off.'] }, false],
    ['with another word', { input: { command: 'npm test -u' } }, false],
    ['with its beginning', { input: { command: 'npm' } }, false],
    ['of a second check', { pinned: { checks: [{ file: 'a' }, ...checks] } }, true],
    [
      'without a command, where a check is of a file',
      { input: {}, pinned: { checks: [{ file: 'a' }] } },
      false,
    ],
    ['of a goal without checks', { pinned: { checks: [] } }, false],
    ['by a tool of another server', { tool: { ...run, origin: { type: 'mcp', server: 'ws' } } }, false],
    ['by another of our tools', { tool: { ...run, serverToolName: 'write' } }, false],
    ['that `confirm` names', { pinned: confirm('ws__run(npm *)') }, false],
    ['that `confirm` names as its server does', { pinned: confirm('run(npm *)') }, false],
    ['by a tool that `confirm` names', { pinned: confirm('run') }, false],
    ['where `confirm` names another command', { pinned: confirm('run(git *)') }, true],
    ['where the files of the beginning are unknown', { start: { ref: null } }, false],
    ['where nobody looked at the beginning', { start: null }, false],
  ])('%s (%j) → may run unasked: %s', (_what, given, mayRun) => {
    const { tool = run, input = { command: 'npm test' }, concerns = [], start = { ref: 'r' } } = given;
    const small = runAtCalls([{ name: tool.name, input }], {
      pinned: { tools: [tool], checks, ...given.pinned },
    });
    if (start !== null) small.run.state.goal.start = start;
    const call = { type: 'tool_use' as const, id: 't1', name: tool.name, input };
    const found = checksFeature.unasked?.(small.run, call, { kind: 'ask', tool, note: null, concerns });
    expect(found !== null).toBe(mayRun);
  });
});
