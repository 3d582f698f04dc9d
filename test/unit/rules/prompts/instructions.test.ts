import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import { choiceInstruction } from '../../../../src/rules/prompts/answer-instructions.js';
import {
  agentsText,
  planningInstruction,
  reviewFixesInstruction,
  taskInstruction,
  verificationInstruction,
  wrapUpInstruction,
} from '../../../../src/rules/prompts/instructions.js';
import { DEFAULT_LIMITS } from '../../../../src/run/limits/limits.js';
import type { Message } from '../../../../src/run/messages/message.js';
import type { Task } from '../../../../src/run/plan/plan.js';
import type { Improvements, Planning } from '../../../../src/run/position/position.js';
import { planningAt, verificationAt } from '../../../../src/run/position/position.js';
import type { RunState } from '../../../../src/run/state/run-state.js';
import { newRunState } from '../../../../src/run/state/run-state.js';
import type { Thread } from '../../../../src/run/state/thread.js';
import { newThread } from '../../../../src/run/state/thread.js';
import { ledgerKey } from '../../../../src/run/tools/ledger.js';
import { pinnedRun, task } from '../../../support/core-values.js';
import { fileTool, testRole } from '../../../support/small-run.js';

function stateWith(tasks: Task[] = []): RunState {
  const state = newRunState('The goal', { mode: 'team', workspace: '/w', autoApprove: false }, 1);
  return { ...state, tasks };
}

/** A later plan, which is to mend this. */
function laterPlan(wanted: string[], from: Improvements['from'] = 'verification', cycle = 2): Planning {
  return planningAt(cycle, { from, wanted, reading: null });
}

const WHY = 'the turns are used up';
/** It may call no agents. */
const NOBODY = { agents: [], tools: ['*'], memory: 'shared' as const };

/** What stands between the one prefix and the one closing tag; fails when there is more than one of either. */
function wrapped(tag: string, text: string): string {
  const pieces = text.split(new RegExp(`<[\\s/]*${tag}[^>]*>`, 'i'));
  expect(pieces, `one <${tag}> and its end`).toHaveLength(3);
  return pieces[1]?.trim() ?? '';
}

describe('planningInstruction', () => {
  test('planningInstruction: first plan → short, whatever is left from before (F13)', () => {
    expect(planningInstruction(stateWith([task('task-1')]), planningAt(1))).toBe(
      'Plan the goal. Answer with the plan as JSON.',
    );
  });

  test('planningInstruction: a later plan → every improvement, as data, in order, and the tasks so far (F13, K2)', () => {
    const tasks = [
      task('task-1', { status: 'completed', completionCriteria: 'it runs' }),
      task('task-2', {
        status: 'failed',
        reason: 'max_rounds',
        priority: 2,
        dependencies: ['task-1', 'task-0'],
      }),
      task('task-3', { status: 'skipped', reason: 'echoed' }),
    ];
    const instruction = planningInstruction(
      stateWith(tasks),
      laterPlan(['name the file', 'count the lines']),
    );
    expect(wrapped('improvements', instruction)).toBe('- name the file\n- count the lines');
    expect(instruction).toContain('- task-1 [completed] Do task-1\n');
    expect(instruction).toContain('- task-2 [failed (max_rounds)] Do task-2');
    expect(instruction).toContain('- task-3 [skipped (by the report on another task)] Do task-3');
    expect(instruction).not.toMatch(/This is plan|repeat an id/);
  });

  test('planningInstruction: a later plan without tasks → no empty list of tasks (F13)', () => {
    const instruction = planningInstruction(stateWith(), laterPlan(['more']));
    expect(instruction).not.toContain('Tasks so far');
    expect(instruction).not.toContain('\n\n\n');
  });

  test.each<[Improvements['from'], RegExp]>([
    ['verification', /^A verification found that the goal is not met yet/],
    ['user', /^The person wants the plan changed/],
    ['review', /^A review did not accept the plan, and no part of it is kept: give the whole plan/],
    ['gate', /^The person did not approve the plan, and no part of it is kept: give the whole plan/],
    ['orchestrator', /^A task has failed, and the orchestrator wants another plan/],
  ])('planningInstruction: improvements from %s → says who asks (F13)', (from, text) => {
    expect(planningInstruction(stateWith(), laterPlan(['more'], from, 3))).toMatch(text);
  });
});

describe('planningInstruction: only what there is something to say of (OU13, OU14)', () => {
  const REPEATED = 'Tasks that you do not name stay as they are';
  const THEIRS = 'You may give it up only if `mayGiveUp` names it';
  const GONE = 'A task that the person has removed comes back only';
  const removed = task('gone', { status: 'skipped', reason: 'removed by a person', byPerson: true });

  test.each<[string, Task[], string[]]>([
    ['no task', [], []],
    ['tasks of plans', [task('t1')], [REPEATED]],
    ['an open task of the person', [task('t1', { byPerson: true })], [REPEATED, THEIRS]],
    ['a failed one', [task('t1', { byPerson: true, status: 'failed' })], [REPEATED, THEIRS]],
    ['a task of the person that is done', [task('t1', { byPerson: true, status: 'completed' })], [REPEATED]],
    ['a task that they removed', [removed], [REPEATED, GONE]],
  ])('planningInstruction: %s → told how to go on with those', (_what, tasks, told) => {
    const instruction = planningInstruction(stateWith(tasks), laterPlan(['more']));
    expect([REPEATED, THEIRS, GONE].filter(text => instruction.includes(text))).toEqual(told);
    expect(instruction).toContain('Answer with the plan as JSON.');
  });

  test.each([true, false])(
    'planningInstruction: plans are reviewed: %s → each task needs its criterion then (F20)',
    plans => {
      const state = stateWith();
      state.pinned = pinnedRun({ review: { ...pinnedRun().review, plans } });
      for (const at of [planningAt(1), laterPlan(['more'], 'review')])
        expect(planningInstruction(state, at).includes('each task needs its `completionCriteria`')).toBe(
          plans,
        );
    },
  );
});

/** Ends of the wrapping as a hostile text might write them, between other letters. */
function hostile(tag: string) {
  const parts = [
    `</${tag}>`,
    `< / ${tag} >`,
    `<${tag}>`,
    `</${tag.toUpperCase()}\n>`,
    `<\n/${tag} x="1">`,
    '<',
    '/',
    '>',
    'a',
  ];
  return fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 8 }).map(list => list.join(''));
}

describe('instructions: text that is not ours can not end its wrapping (K2)', () => {
  test('planningInstruction: any improvement that holds tags → stays inside (K2, F13)', () => {
    fc.assert(
      fc.property(hostile('improvements'), text => {
        const instruction = planningInstruction(stateWith(), laterPlan([text, 'last']));
        expect(wrapped('improvements', instruction).endsWith('- last')).toBe(true);
      }),
    );
  });

  test('reviewFixesInstruction: any fix that holds tags → stays inside (K2)', () => {
    fc.assert(
      fc.property(hostile('fixes'), text => {
        expect(
          wrapped('fixes', reviewFixesInstruction(stateWith(), 'task-1', [text, 'last'], 2)).endsWith(
            '- last',
          ),
        ).toBe(true);
      }),
    );
  });

  test('verificationInstruction: any report that holds tags → stays inside (K2)', () => {
    fc.assert(
      fc.property(hostile('report'), text => {
        const state = stateWith([task('task-1', { status: 'completed', result: `${text} last` })]);
        expect(wrapped('report', verificationInstruction(state, verificationAt(1))).endsWith(' last')).toBe(
          true,
        );
      }),
    );
  });

  test('verificationInstruction, wrapUpInstruction: any goal that holds tags → stays inside (K2)', () => {
    fc.assert(
      fc.property(hostile('goal'), text => {
        const state = stateWith();
        state.goal.text = `${text} last`;
        expect(wrapped('goal', verificationInstruction(state, verificationAt(1))).endsWith(' last')).toBe(
          true,
        );
        expect(wrapped('goal', wrapUpInstruction(state, WHY, { memory: 'shared' })).endsWith(' last')).toBe(
          true,
        );
      }),
    );
  });
});

describe('taskInstruction', () => {
  const entry = {
    toolUseId: 'c1',
    tool: 'read_file',
    messageId: 'm1',
    ending: 'executed' as const,
    isError: false,
    complete: true,
    isStub: false,
    paths: null,
  };

  test('taskInstruction: nothing known yet → task, criterion, the other tasks and rounds, no word of results (F12)', () => {
    const one = task('task-1', { completionCriteria: 'it runs' });
    const instruction = taskInstruction(stateWith([one, task('task-2')]), one, NOBODY, 7);
    expect(instruction).toMatch(/^Do this task now: task-1 — Do task-1\n\nIt is done when: it runs\n\n/);
    expect(instruction).toContain('\n- task-2 [pending]\n');
    expect(instruction).not.toContain('- task-1');
    expect(instruction).toContain(
      'Replies, with your report as JSON: at most 7. Calls in a reply: at most 16.',
    );
    expect(instruction).not.toContain('still hold');
    expect(instruction).not.toContain('\n\n\n');
  });

  test('taskInstruction: earlier calls → the youngest 20 that hold are named, and none is forbidden (F12, OU12)', () => {
    const state = stateWith([task('task-1')]);
    for (let index = 1; index <= 25; index += 1)
      state.tools.ledger.entries[ledgerKey('read_file', { n: index })] = entry;
    const instruction = taskInstruction(state, task('task-1'), NOBODY, 3);
    expect(instruction).toMatch(/- read_file: \{"n":6\}(; \{"n":\d+\}){18}; \{"n":25\}\n/);
    expect(instruction).toContain('need it anew, call again');
    expect(instruction).not.toMatch(/do not call/i);
    expect(instruction).not.toContain('{"n":5}');
  });
});

test('agents: what they may and have → stands with each, as far as it is known (A1)', () => {
  const state = stateWith();
  const agents = [
    { name: 'search', description: 'Searches.', requires: [], readOnly: true as const, rounds: 3 },
    { name: 'writer', description: 'Writes.', requires: [], capabilities: ['style'] },
  ];
  const tool = { ...fileTool('call_subagent'), origin: { type: 'workflow' as const } };
  state.pinned = pinnedRun({ agents, tools: [tool] });
  const text = agentsText(state, { agents: ['*'], tools: ['call_subagent'] });
  expect(text).toContain('- search (only reads; replies: at most 3): Searches.\n- writer (style): Writes.');
});

describe('what an instruction says once (OU13)', () => {
  const planned = (texts: string[], thread: Partial<Thread> = {}) => {
    const [one, two] = ['task-1', 'task-2'].map(id =>
      task(id, { description: `Read "${id}"`, completionCriteria: 'it is read' }),
    ) as [Task, Task];
    const state = stateWith([one, two]);
    const messages = texts.map((text, at) => ({ ...said(text), id: `m${at}` }));
    state.threads.main = { ...newThread('main'), messages, ...thread };
    state.pinned = pinnedRun({ roles: { executor: testRole('executor'), verifier: testRole('verifier') } });
    return { state, one, two };
  };
  const said = (text: string): Message => ({
    kind: 'user',
    id: 'm',
    purpose: 'goal',
    at: 0,
    content: [{ type: 'text', text }],
  });
  const PLAN = JSON.stringify(['Read "task-1"', 'Read "task-2"', 'it is read']);

  test('taskInstruction: right after the plan that says it → the task is named; later, or edited since → said whole', () => {
    const { state, one, two } = planned(['The goal', PLAN]);
    expect(taskInstruction(state, one, NOBODY, 7)).toBe(
      'Do task `task-1` now.\n\nReplies, with your report as JSON: at most 7. Calls in a reply: at most 16.',
    );
    const edited = { ...one, description: 'Read it twice' };
    expect(taskInstruction(state, edited, NOBODY, 7)).toContain('task-1 — Read it twice');
    const later = planned(['The goal', PLAN, 'Done.']);
    expect(taskInstruction(later.state, two, NOBODY, 7)).toContain('task-2 — Read "task-2"');
    expect(taskInstruction(state, one, { ...NOBODY, memory: 'private' }, 7)).toContain('task-1 — Read');
  });

  test('taskInstruction: the checks are told above, and were red since → only that they were red is new (SE8)', () => {
    const { state, one } = planned(['The goal', PLAN]);
    state.goal.checks.approved = [{ run: 'npm test' }];
    const checks = taskInstruction(state, one, NOBODY, 7).split('\n\n')[1] ?? '';
    expect(checks).toContain('The goal is met only if these checks pass.');
    // A role that works alone reads this, too.
    expect(checks).not.toContain('role');
    const again = planned(['The goal', `To planner: ${checks}`, PLAN]);
    again.state.goal.checks = {
      ...state.goal.checks,
      before: { made: 1, red: [{ index: 0, why: 'exit code 1' }] },
    };
    const told = taskInstruction(again.state, again.one, NOBODY, 7).split('\n\n')[1] ?? '';
    expect(told).toMatch(/^Before anything was changed, these failed already\..*`npm test` \(exit code 1\)$/);
  });

  test('taskInstruction: no other task is executing → not a word of one beside', () => {
    const { state, one } = planned([]);
    expect(taskInstruction(state, one, NOBODY, 7)).not.toContain('at the same time');
    state.tasks[1] = task('task-2', { status: 'executing' });
    expect(taskInstruction(state, one, NOBODY, 7)).toContain('executing run at the same time as yours');
  });

  test.each<[string, string[], Partial<Thread>, boolean]>([
    ['says goal and plan', ['The goal', PLAN], {}, false],
    ['is long', ['The goal', PLAN], { tokens: 20_000 }, true],
    ['was trimmed', ['The goal', PLAN], { dropped: 1 }, true],
    ['says neither', ['Done.'], {}, true],
  ])(
    'verificationInstruction: the conversation %s → goal and tasks are said again: %j %j %j',
    (_, texts, thread, again) => {
      const { state } = planned(texts, thread);
      const instruction = verificationInstruction(state, verificationAt(1));
      expect(instruction.includes('<goal>')).toBe(again);
      expect(instruction.includes('Read "task-1"')).toBe(again);
      expect(instruction).toContain('- task-1 [');
      expect(wrapUpInstruction(state, WHY, { memory: 'shared' }).includes('<goal>')).toBe(again);
    },
  );

  const tasks = [
    task('task-1', {
      status: 'completed',
      description: 'Read alpha',
      completionCriteria: 'alpha is read',
      result: 'Alpha: 3',
    }),
    task('task-2', { status: 'executing', description: 'Read beta', completionCriteria: 'beta is read' }),
    task('task-3', { description: 'Read gamma', completionCriteria: 'gamma is read' }),
    task('task-4', { description: 'Read delta', byPerson: true }),
  ];
  const briefsOf = (state: RunState) => ({
    plan: planningInstruction(state, laterPlan(['more'])),
    task: taskInstruction(state, tasks[1] ?? task('x'), NOBODY, 5),
    verify: verificationInstruction(state, verificationAt(1)),
    wrapUp: wrapUpInstruction(state, WHY, { memory: 'shared' }),
  });
  const times = (text: string, part: string) => text.split(part).length - 1;

  test.each(Object.keys(BUILT_IN_WORDS))(
    'instructions (%s): every description, criterion and report → at most once',
    language => {
      const state = stateWith(tasks);
      state.pinned = pinnedRun({ language });
      for (const [name, instruction] of Object.entries(briefsOf(state)))
        for (const said of tasks.flatMap(({ description, completionCriteria, result }) => [
          description,
          completionCriteria,
          result,
        ]))
          if (said !== null) expect(times(instruction, said), `${said} in ${name}`).toBeLessThan(2);
    },
  );

  test('taskInstruction: the task at hand whole, others by state alone, but what a person has set', () => {
    const { task: instruction } = briefsOf(stateWith(tasks));
    expect(instruction).toContain('task-2 — Read beta');
    expect(instruction).toContain(
      '- task-1 [completed]\n- task-3 [pending]\n- task-4 [pending, set by the person, priority 1] Read delta',
    );
    for (const other of ['alpha', 'gamma']) expect(instruction).not.toContain(other);
  });

  test.each<[string, Partial<Task>, string]>([
    ['skipped, for the reason "skipped"', { status: 'skipped', reason: 'skipped' }, '- task-9 [skipped]'],
    [
      'skipped, set by the person',
      { status: 'skipped', reason: 'skipped', byPerson: true },
      '- task-9 [skipped, set by the person]',
    ],
    [
      'skipped by the orchestrator',
      { status: 'skipped', reason: 'orchestrated' },
      '- task-9 [skipped (orchestrated)]',
    ],
  ])('a task that is %s → its line says so, once, also by its state alone', (_, more, line) => {
    const state = stateWith([...tasks, task('task-9', more)]);
    expect(`${briefsOf(state).task}\n`).toContain(`${line}\n`);
    expect(briefsOf(state).verify).toContain(`${line} Do task-9`);
  });

  test('planningInstruction, wrapUpInstruction: a finished task → without its criterion; the verifier has it', () => {
    const instructions = briefsOf(stateWith(tasks));
    for (const instruction of [instructions.plan, instructions.wrapUp]) {
      expect(instruction).not.toContain('alpha is read');
      expect(instruction).toContain('gamma is read');
    }
    expect(instructions.verify).toContain('alpha is read');
  });

  test.each([
    ['all of it', {}, false],
    ['a part of it was trimmed away', { dropped: 1 }, true],
    ['so long that it may be trimmed', { tokens: 60_000 }, true],
  ])(
    'verificationInstruction: the conversation holds %s → reports stand in the instruction: %j → %j',
    (_, thread, said) => {
      const state = stateWith(tasks);
      const roles = { executor: testRole('executor'), verifier: testRole('verifier', { output: 'verdict' }) };
      state.pinned = pinnedRun({ roles });
      state.threads.main = { id: 'main', epoch: 0, messages: [], tokens: 0, dropped: 0, ...thread };
      expect(verificationInstruction(state, verificationAt(1)).includes('Alpha: 3')).toBe(said);
      state.pinned.roles.verifier = testRole('verifier', { memory: 'private' });
      expect(verificationInstruction(state, verificationAt(1))).toContain('Alpha: 3');
    },
  );
});

test.each([
  ['said all that is told', {}, false],
  ['said more', { cut: true as const }, true],
])(
  'verificationInstruction: a verifier with a memory of its own, and a call that %s → the report: %j %s (C8)',
  (_, more, told) => {
    const state = stateWith([task('task-1', { status: 'completed', result: 'Counted 12 lines.' })]);
    state.pinned = pinnedRun({ roles: { verifier: testRole('verifier', { memory: 'private' }) } });
    const item = { id: 'e1', taskIds: ['task-1'], supports: true, ...more };
    const looked = { text: 'e1', items: [item] };
    const instruction = verificationInstruction(state, { looked, anew: false });
    expect(instruction.includes('Counted 12 lines.')).toBe(told);
  },
);

test('verificationInstruction: reports that are too long together → cut, and the verifier is told how long each is (C8)', () => {
  const long = 'It says so. '.repeat(6_000);
  const tasks = ['task-1', 'task-2'].map(id => task(id, { status: 'completed', result: long }));
  const instruction = verificationInstruction(stateWith(tasks), verificationAt(1));
  expect(instruction.match(/you see \d+ of its 72000 characters/g)).toHaveLength(2);
});

test('verificationInstruction: what failed under an earlier plan → named as replaced, not listed to be judged (OU14)', () => {
  const tasks = [
    task('task-1', { status: 'failed', cycle: 1 }),
    task('task-2', { status: 'completed', cycle: 2 }),
  ];
  const instruction = verificationInstruction(stateWith(tasks), verificationAt(1));
  expect(instruction).toContain(
    'that were replaced: task-1. They are not judged, but what they changed stays.',
  );
  expect(instruction).not.toContain('- task-1');
  expect(instruction).toContain('- task-2 [completed] Do task-2');
});

test('instructions: wishes of the person → in every instruction of who plans, works, judges or ends (OU10)', () => {
  const state = stateWith([task('task-1')]);
  state.goal.userNotes = ['as CSV, please'];
  for (const instruction of [
    planningInstruction(state, laterPlan(['more'])),
    taskInstruction(state, task('task-1'), NOBODY, 3),
    verificationInstruction(state, verificationAt(1)),
    wrapUpInstruction(state, WHY, { memory: 'shared' }),
  ])
    expect(wrapped('user_notes', instruction)).toBe('- as CSV, please');
});

test('reviewFixesInstruction: in its turn → names what it is about and what is left (L3)', () => {
  const instruction = reviewFixesInstruction(stateWith(), 'task-1', ['a', 'b'], 2);
  for (const text of ['task-1', '- a\n- b', 'Replies left: 2.']) expect(instruction).toContain(text);
});

describe('verificationInstruction and wrapUpInstruction', () => {
  test('verificationInstruction: reports of some tasks → those, with id and status; none → says so', () => {
    const tasks = [task('task-1', { status: 'completed', result: 'Found 3' }), task('task-2')];
    const instruction = verificationInstruction(stateWith(tasks), verificationAt(1));
    expect(instruction).toContain('task-1 (completed):\n<report>\nFound 3\n</report>');
    expect(instruction).not.toContain('task-2 (');
    expect(verificationInstruction(stateWith([task('task-2')]), verificationAt(1))).toContain(
      'No task left a report.',
    );
  });

  test.each([
    [0, 3, false],
    [1, 3, false],
    [2, 3, true],
    [0, 1, true],
  ])('verificationInstruction: %i of %i are made → told that it is the last: %s', (made, limit, told) => {
    const state = stateWith([task('task-1')]);
    state.pinned = pinnedRun({ limits: { ...DEFAULT_LIMITS, verification: limit } });
    state.goal.counters.verification = made;
    expect(verificationInstruction(state, verificationAt(1)).includes('This is the last verification')).toBe(
      told,
    );
  });

  test('wrapUpInstruction: a reason → says why the work ends, and asks for an answer without tools', () => {
    const state = stateWith();
    const instruction = wrapUpInstruction(state, WHY, { memory: 'shared' });
    expect(instruction).toContain('ends here: the turns are used up.');
    expect(instruction).toContain('No tools, no JSON.');
    expect(instruction).not.toContain('Tasks:');
    expect(wrapUpInstruction({ ...state, tasks: [task('task-1')] }, WHY, { memory: 'shared' })).toContain(
      'Tasks:\n- task-1',
    );
  });
});

test('checks of the goal: there are some → told to who begins its work, and no word where there are none', () => {
  const state = stateWith([]);
  const first = { cycle: 1, improvements: null };
  expect(planningInstruction(state, first)).not.toContain('pass');
  state.goal.checks.approved = [{ run: 'npm test' }, { file: 'a.md' }];
  expect(planningInstruction(state, first)).toContain('only if these checks pass');
  expect(planningInstruction(state, first)).toContain('`npm test`, `file a.md`');
});

test('choiceInstruction: a mode of the project that says what it does → told; others are not', () => {
  const state = stateWith();
  const told = (modes: Record<string, string | null>) => {
    const declared = Object.entries(modes).map(([name, does]) => [name, { does, steps: ['react'] }]);
    state.pinned = pinnedRun({ modes: Object.fromEntries(declared) });
    return choiceInstruction(state, { memory: 'shared' });
  };
  expect(told({ review: 'Checks a text.', look: null })).toContain('\n- review: Checks a text.\n');
  expect(told({ look: null })).toBe(told({}));
});
