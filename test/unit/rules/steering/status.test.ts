import { describe, expect, test } from 'vitest';
import { searchAttributesOf } from '../../../../src/rules/steering/search-attributes.js';
import { phaseOf, statusMarkdown } from '../../../../src/rules/steering/status.js';
import type { Gate } from '../../../../src/run/gates/gate.js';
import { answeringAt, executionAt } from '../../../../src/run/position/position.js';
import { record } from '../../../../src/run/state/journal.js';
import { newPeople, type People } from '../../../../src/run/state/people.js';
import type { RunState } from '../../../../src/run/state/run-state.js';
import { newRunState } from '../../../../src/run/state/run-state.js';
import { pinnedRun, task } from '../../../support/core-values.js';

const PINNED = pinnedRun();

function stateWith(more: Partial<RunState> = {}): RunState {
  const state = newRunState('The goal', { mode: 'team', workspace: '/w', autoApprove: false }, 1);
  return { ...state, pinned: PINNED, ...more };
}

function approval(gateId: string, body = 'With these arguments'): Gate {
  return {
    id: gateId,
    kind: 'approval',
    title: 'Run write_file?',
    body,
    openedAt: 1,
    deadline: Date.UTC(2026, 0, 2),
    subject: { tool: 'write_file', callId: 'c1', arguments: '{}' },
  };
}

const people = (more: Partial<People>): Partial<RunState> => ({ people: { ...newPeople(), ...more } });

const firstLine = (state: RunState) => statusMarkdown(state).split('\n')[0];
const end = { outcome: 'unverified' as const, cause: 'tasks_failed' as const, answer: 'Done' };
const ENDED = '**Ended: unverified**. The verification accepted the answer, but tasks of the plan failed.';
const stop = { at: 1, reason: 'enough\nof it' };

describe('statusMarkdown: its first line', () => {
  test.each<[string, Partial<RunState>, string]>([
    ['not loaded yet → loading', { pinned: null }, '**Loading** prompts, tools and limits'],
    ['at work → phase, goal, plan and round', {}, '**Phase: planning** · goal 1 · plan 1 · round 0'],
    ['paused → how to go on', people({ pausedAt: 5 }), '**Paused**: send the signal `resume`'],
    ['stopping → why, on one line', people({ stop }), '**Stopping** enough of it'],
    ['stopping while paused → stopping', people({ stop, pausedAt: 5 }), '**Stopping** enough of it'],
    [
      'waiting for a follow-up → idle',
      { idleSince: 5 },
      '**Idle**: the goal is answered; a `followUp` begins the next',
    ],
    [
      'waiting for a person → says so (TE4)',
      people({ gates: [{ key: 'k', gate: approval('g1'), answer: null }] }),
      '**Waiting** for an answer of yours',
    ],
    ['ended → the outcome and why (OU1)', { end }, ENDED],
    ['ended before it was loaded → ended', { end, pinned: null }, ENDED],
    ['ended after a stop, while paused → ended', { end, ...people({ stop, pausedAt: 5 }) }, ENDED],
  ])('statusMarkdown: %s (O1)', (_, more, line) => {
    expect(firstLine(stateWith(more))).toBe(line);
  });

  test('statusMarkdown: in a task → the task and its round stand in the line', () => {
    const state = stateWith();
    state.cursor.position = executionAt(2, { kind: 'work', taskId: 'task-3' });
    state.cursor.position.turns.round = 4;
    state.goal.number = 2;
    expect(firstLine(state)).toBe('**Phase: execution** · goal 2 · plan 2 · task-3 · round 4');
  });
});

test('statusMarkdown: a mode without a plan → neither plan nor verifications (O1)', () => {
  const state = stateWith({});
  state.goal.mode = 'direct';
  state.cursor.position = answeringAt();
  expect(firstLine(state)).toBe('**Phase: answering** · goal 1 · round 0');
  expect(statusMarkdown(state)).not.toContain('verifications');
});

describe('statusMarkdown: what follows', () => {
  test('statusMarkdown: sub-agents → each with how it stands and what it was told, as plain text (A1)', () => {
    const state = stateWith({});
    state.children = {
      paused: [],
      started: 2,
      list: [
        {
          id: 'search/1',
          agent: 'search',
          callId: 'c1',
          instruction: 'Find *it*.',
          outcome: 'unverified',
          cause: 'execution_cap',
        },
        { id: 'crawl/2', agent: 'crawl', callId: 'c2', instruction: 'Read it.', outcome: null, cause: null },
      ],
    };
    const text = statusMarkdown(state);
    expect(text).toContain('Agents:');
    expect(text).toMatch(/- search\/1 · unverified \(execution_cap\) · Find \\\*it\\\*\./);
    expect(text).toContain('- crawl/2 · running · Read it.');
  });

  test('statusMarkdown: not loaded → nothing else', () => {
    expect(statusMarkdown(stateWith({ pinned: null }))).not.toContain('\n');
  });

  test('statusMarkdown: an open gate → before tasks and limits, with every answer as JSON (C23)', () => {
    const text = statusMarkdown(
      stateWith({
        ...people({ gates: [{ key: 'k', gate: approval('g1'), answer: null }] }),
        tasks: [task('task-1')],
      }),
    );
    expect(text).toContain('**g1: Run write_file?**\n\n> With these arguments');
    for (const decision of ['approve', 'deny', 'always'])
      expect(text).toContain(`- update \`answerGate\`: \`{"gateId":"g1","decision":"${decision}"}\``);
    expect(text).toContain('without an answer by 2026-01-02T00:00:00.000Z: denied');
    expect(text.indexOf('g1')).toBeLessThan(text.indexOf('Tasks:'));
    expect(text.indexOf('Tasks:')).toBeLessThan(text.indexOf('Limits:'));
  });

  test('statusMarkdown: a gate that is answered → no longer shown, the open one is (C23)', () => {
    const answer = { kind: 'approval' as const, decision: 'deny' as const, reason: null, arguments: null };
    const gates = [
      { key: 'a', gate: approval('g1'), answer },
      { key: 'b', gate: approval('g2'), answer: null },
    ];
    const text = statusMarkdown(stateWith(people({ gates })));
    expect(text).not.toContain('g1');
    expect(text).toContain('g2');
  });

  test('statusMarkdown: a task that takes longer than estimated → its line says so (F18)', () => {
    const text = statusMarkdown(
      stateWith({ tasks: [task('task-1', { status: 'executing', overdue: true })] }),
    );
    expect(text).toContain('- task-1 · executing · takes longer than estimated · ');
  });

  test('statusMarkdown: tasks → one line each, with status and reason, descriptions short', () => {
    const tasks = [
      task('task-1', { status: 'completed' }),
      task('task-2', {
        status: 'failed',
        reason: 'max_rounds',
        description: `two\nlines ${'x'.repeat(100)}`,
      }),
    ];
    const text = statusMarkdown(stateWith({ tasks }));
    expect(text).toContain('- task-1 · completed · Do task-1\n');
    expect(text).toMatch(/- task-2 · failed \(max_rounds\) · two lines x{69}…\n/);
  });

  test('statusMarkdown: limits → used of allowed, cost in dollars or unknown (L19)', () => {
    const state = stateWith();
    state.goal.counters = { ...state.goal.counters, turns: 4, verification: 1 };
    state.goal.usage = { ...state.goal.usage, inputTokens: 900, outputTokens: 100 };
    state.total.usage = { ...state.total.usage, costUsd: 0.01234 };
    const text = statusMarkdown(state);
    expect(text).toContain(
      '- turns 4 of 100\n- verifications 1 of 3\n- tokens 1000 of 1000000\n- cost $0.0123',
    );
    state.total.usage = { ...state.total.usage, costUsd: null };
    expect(statusMarkdown(state)).toContain('- cost unknown');
    state.goal.usage = { ...state.goal.usage, cachedInputTokens: 800, cacheDiscountTokens: 720 };
    expect(statusMarkdown(state)).toContain('- tokens 280 of 1000000, cached input at its price\n');
  });

  test('statusMarkdown: input from the cache → its share in one line, and that of each role (M9)', () => {
    const state = stateWith();
    expect(statusMarkdown(state)).not.toContain('cached');
    state.total.usage = { ...state.total.usage, inputTokens: 200, cachedInputTokens: 83 };
    state.total.usageBy = [
      { role: 'planner', model: 'p/a', calls: 1, inputTokens: 100, cachedInputTokens: 83 },
      { role: 'executor', model: 'p/a', calls: 1, inputTokens: 100 },
      { role: 'verifier', model: 'p/a', calls: 1, inputTokens: 0 },
    ];
    const roles = 'planner 83 %, executor 0 %, verifier 0 %';
    expect(statusMarkdown(state)).toContain(`- cached 41 % of the input (${roles})`);
  });

  test('statusMarkdown: several receipts → the last one only', () => {
    const state = stateWith();
    record(state.log.journal, 1, 'receipt', { id: 's1', state: 'applied', how: 'The first.' });
    record(state.log.journal, 2, 'receipt', { id: 's2', state: 'queued', how: 'The second.' });
    record(state.log.journal, 3, 'paused', { reason: '' });
    const text = statusMarkdown(state);
    expect(text).toMatch(/Last message s2: queued\. The second\.$/);
    expect(text).not.toContain('s1');
  });

  test('statusMarkdown: more than fits → cut at the end, headline and gate stay', () => {
    const gates = [{ key: 'k', gate: approval('g1'), answer: null }];
    const tasks = Array.from({ length: 400 }, (_, index) => task(`task-${index}`));
    const text = statusMarkdown(
      stateWith({
        ...people({ gates }),
        tasks: tasks.map(each => ({ ...each, description: 'd'.repeat(90) })),
      }),
    );
    expect(text.length).toBe(6_000);
    expect(text).toMatch(/^\*\*Waiting\*\*/);
    expect(text).toContain('"decision":"always"');
  });
});

describe('what lists say of a run', () => {
  const gates = [{ key: 'k', gate: approval('g1'), answer: null }];
  const denied = { kind: 'approval' as const, decision: 'deny' as const, reason: null, arguments: null };
  const answered = [{ key: 'k', gate: approval('g1'), answer: denied }];

  const calledAs = (name: string) => ({
    ...people({ gates }),
    settings: { ...stateWith().settings, calledAs: name },
  });

  test.each<[string, Partial<RunState>, string, string | null]>([
    ['not loaded yet', { pinned: null }, 'loading', null],
    ['at work', {}, 'planning', null],
    ['at an open gate', people({ gates }), 'waiting', 'g1 approval: Run write_file?'],
    ['at a gate that is answered', people({ gates: answered }), 'planning', null],
    ['paused at a gate', people({ gates, pausedAt: 1 }), 'paused', 'g1 approval: Run write_file?'],
    ['open for a follow-up', { idleSince: 1 }, 'idle', null],
    ['ended', { end, idleSince: 1 }, 'ended', null],
    ['that a run called, at a gate that it asks too', calledAs('search/1'), 'waiting', null],
    ['that a workflow called, at a gate', calledAs('run'), 'waiting', 'g1 approval: Run write_file?'],
  ])('a run %s → phase and what it waits for (TE4)', (_name, more, phase, waiting) => {
    const state = stateWith(more);
    expect(phaseOf(state)).toBe(phase);
    expect(searchAttributesOf(state)).toMatchObject({ AgentPhase: phase, AgentWaiting: waiting });
  });
});

describe('what lists say of how a run ended', () => {
  const ofGoal = (number: number) => [
    { number, text: 'The goal', outcome: 'unverified', cause: 'turn_cap', answer: '', turns: 1 } as const,
  ];
  const earlier = { ...PINNED, behaviour: 4 };

  test.each<[string, Partial<RunState>, string]>([
    ['at work', {}, 'open'],
    ['open for a follow-up', { idleSince: 1, goals: ofGoal(1) }, 'unverified'],
    ['at work on its next goal', { goals: ofGoal(0) }, 'open'],
    ['whose answer is about to be recorded', { idleSince: 1, goals: ofGoal(0) }, 'open'],
    [
      'open for a follow-up, begun by earlier code',
      { idleSince: 1, goals: ofGoal(1), pinned: earlier },
      'open',
    ],
    ['ended', { end, goals: ofGoal(1) }, 'unverified'],
  ])('a run %s → its outcome (TE4)', (_name, more, outcome) => {
    expect(searchAttributesOf(stateWith(more)).AgentOutcome).toBe(outcome);
  });
});

test('statusMarkdown: roles went on with other models → each with its last change and why (M5, O1)', () => {
  const state = stateWith();
  const to = (role: string, toModel: string, why: string) =>
    record(state.log.journal, 1, 'provider_switch', { role, fromModel: 'p/a', toModel, why });
  to('executor', 'p/b', 'overloaded');
  to('planner', 'p/b', 'rule 1');
  to('executor', 'p/c', 'a person\nchose *it*');
  const text = statusMarkdown(state);
  expect(text).toContain(
    'Models:\n\n- planner · p/b instead of p/a · rule 1\n- executor · p/c instead of p/a',
  );
  expect(text.match(/instead of/g)).toHaveLength(2);
});

test('statusMarkdown: a goal with checks → each with how it ended, and those that are still to be made (O1)', () => {
  const checks = [{ run: 'npm run lint' }, { run: 'npm test' }, { file: 'a.md' }];
  const state = stateWith({ pinned: pinnedRun({ checks }) });
  state.goal.checks.results = [
    { id: 'c1', check: 'npm run lint', status: 'passed', why: 'exit code 0', ms: 3 },
    { id: 'c2', check: 'npm test', status: 'failed', why: 'exit code 1', ms: 3 },
  ];
  expect(statusMarkdown(state)).toContain(
    'Checks:\n\n- c1 · passed · npm run lint\n- c2 · failed (exit code 1) · npm test\n- c3 · to be made · file a.md',
  );
});
