/** What a person makes of a plan stays so: at its gate, by an update, through failures and later plans. */
import { describe, expect, test } from 'vitest';
import { REMOVED, withoutUnreleased } from '../../../src/run/plan/plan.js';
import { dropTasks } from '../../../src/workflows/changes/update-plan.js';
import { editPlan, receive } from '../../../src/workflows/inbox/inbox-handlers.js';
import { answerReader, planEditReader } from '../../../src/workflows/inbox/read-input.js';
import type { Run } from '../../../src/workflows/run/run.js';
import { task as newTask } from '../../support/core-values.js';
import { answer, runAtCalls } from '../../support/small-run.js';
import type { ModelCall, TeamRun } from '../../support/team-run.js';
import { CONTENT, intentOf, teamRun } from '../../support/team-run.js';

const plan = (...todos: object[]) => ({ summary: 'A plan.', needsMorePlanning: false, todos });
const task = (id: string, more: object = {}) => ({ id, description: `Do ${id}`, ...more });
const BACKUP = task('backup', { priority: 1, completionCriteria: 'The copy is there.' });
const REMOVE = task('remove', { priority: 2, dependencies: ['backup'] });
const REPORT = task('report', { priority: 3, dependencies: ['remove'] });
const GAVE_UP = { summary: 'No room on the disk.', taskCompleted: false, shouldContinue: false };
const SKIP = { summary: 'It is not needed.', nextAction: 'skip' };
/** A verdict that is content with every task, whatever became of it. */
const content = ({ run }: ModelCall) => ({
  ...(CONTENT.verifier as object),
  tasks: run.state.tasks.map(({ id }) => ({ id, completed: true, feedback: 'Seen.' })),
});

/** As the update does: what its reader lets pass is handled. */
function edit(run: Run, ...tasks: object[]): void {
  const read = planEditReader(run.state)({ tasks });
  if ('error' in read) throw new Error(read.error);
  editPlan(run, read.ok);
}

function answerFirst(run: Run, given: object): void {
  answer(run, { gateId: run.state.people.gates[0]?.gate.id, ...given });
}

const statuses = ({ run }: TeamRun) =>
  run.state.tasks.map(({ id, status, reason }) => [id, status, reason].filter(Boolean).join(' '));
const done = ({ run }: TeamRun) =>
  run.state.log.journal.events.flatMap(event => (event.type === 'task_started' ? [event.taskId] : []));
const requestsOf = ({ calls }: TeamRun, role: string) =>
  calls.flatMap(call => (call.role === role ? [call.request] : []));
const taskOf = (run: Run, id: string) => run.state.tasks.find(each => each.id === id);

const attended = { settings: { attended: true, approvePlan: true, autoApprove: false } } as const;
const byRole = (replies: Record<string, readonly unknown[]>) => (call: ModelCall) => {
  if (call.role === 'verifier') return replies.verifier?.[call.times - 1] ?? content(call);
  return replies[call.role]?.[call.times - 1];
};

describe('a plan edited at its gate', () => {
  test('edit: a list that leaves tasks out → they are not done, and every role is told who removed them (L17, PR2)', async () => {
    const team = await teamRun({
      ...attended,
      answer: byRole({ planner: [plan(BACKUP, REMOVE, REPORT)] }),
      waits: run => answerFirst(run, { decision: 'edit', tasks: [BACKUP, { id: 'report' }] }),
    });
    expect(done(team)).toEqual(['backup', 'report']);
    expect(statuses(team)).toEqual([
      'backup completed',
      'remove skipped removed by a person',
      'report completed',
    ]);
    expect(taskOf(team.run, 'report')?.dependencies).toEqual([]);
    expect(requestsOf(team, 'executor')[0]).toContain('- remove [skipped (removed by a person)]');
    expect(requestsOf(team, 'verifier')[0]).toContain(
      'Removed from the plan by the person, so neither judged nor missed: remove (Do remove).',
    );
    expect(team.end).toMatchObject({ outcome: 'completed', answer: 'It says 42.' });
  });

  test.each([
    ['approves it', { decision: 'approve' }],
    ['saves an edit', { decision: 'edit', tasks: [{ id: 'backup' }], shown: ['backup', 'remove'] }],
    ['rejects it', { decision: 'reject', reason: 'Too much.' }],
  ])(
    'WB4 a plan is changed elsewhere while a person %s → that is refused, and the new plan is asked for under a new id',
    async (_what, given) => {
      const faults: unknown[] = [];
      const shown: (string | undefined)[] = [];
      const team = await teamRun({
        ...attended,
        answer: byRole({ planner: [plan(BACKUP, REMOVE)] }),
        waits: (run, times) => {
          const [open] = run.state.people.gates;
          shown.push(open?.gate.body);
          if (times > 1) return void answerFirst(run, { decision: 'approve' });
          edit(run, { id: 'remove', description: 'Remove all copies' }, task('more'));
          faults.push(answerReader(run.state, 'answerGate')({ gateId: open?.gate.id, ...given }));
        },
      });
      expect(faults).toEqual([
        { error: 'Gate g6 is closed: the run no longer waits for an answer (the plan was changed).' },
      ]);
      expect(shown[0]).toContain('Do remove');
      expect(shown[1]).toContain('Remove all copies');
      expect(shown[1]).toContain('Do more');
      expect(done(team)).toEqual(['backup', 'remove', 'more']);
      const events = team.run.state.log.journal.events.filter(({ type }) => /^gate_/.test(type));
      expect(events).toMatchObject([
        { type: 'gate_opened', gateId: 'g6' },
        { type: 'gate_closed', gateId: 'g6', by: 'superseded', decision: 'the plan was changed' },
        { type: 'gate_opened', gateId: 'g7' },
        { type: 'gate_closed', gateId: 'g7', by: 'person' },
      ]);
    },
  );

  test('WB4 a plan is changed while its answer waits to be read → the answer stands, with the change (L17)', async () => {
    const team = await teamRun({
      ...attended,
      answer: byRole({ planner: [plan(BACKUP, REMOVE)] }),
      waits: run => {
        answerFirst(run, { decision: 'edit', tasks: [{ id: 'backup' }], shown: ['backup', 'remove'] });
        edit(run, task('more'));
      },
    });
    expect(done(team)).toEqual(['backup', 'more']);
    expect(taskOf(team.run, 'remove')?.reason).toBe('removed by a person');
  });

  test('edit: a later plan names a task that the person removed → it stays removed, and the planner knew (L17)', async () => {
    const team = await teamRun({
      ...attended,
      answer: byRole({
        planner: [plan(BACKUP, REMOVE), plan(REMOVE, task('more'))],
        verifier: [{ ...(CONTENT.verifier as object), allCompleted: false, improvements: ['Do more.'] }],
      }),
      waits: (run, times) =>
        answerFirst(run, times === 1 ? { decision: 'edit', tasks: [BACKUP] } : { decision: 'approve' }),
    });
    expect(done(team)).toEqual(['backup', 'more']);
    expect(requestsOf(team, 'planner')[1]).toContain('- remove [skipped (removed by a person)] Do remove');
    const last = team.run.state.log.journal.events.findLast(event => event.type === 'plan_updated');
    expect(last).toMatchObject({ cut: ['remove'] });
    expect(team.end.outcome).toBe('completed');
  });

  test('edit: in the mode plan, a task left out → the rest is all of the plan, carried out (L17)', async () => {
    const team = await teamRun({
      settings: { ...attended.settings, mode: 'plan' },
      answer: byRole({ planner: [plan(BACKUP, REMOVE)] }),
      waits: run => answerFirst(run, { decision: 'edit', tasks: [{ id: 'backup' }] }),
    });
    expect(done(team)).toEqual(['backup']);
    expect(team.end.cause).toBe('carried_out');
  });
});

describe('tasks removed while the run works', () => {
  const removing = (read: (run: Run) => void) =>
    teamRun({
      answer: call => {
        if (call.role === 'executor' && call.times === 1) read(call.run);
        return byRole({ planner: [plan(BACKUP, REMOVE, REPORT)] })(call);
      },
    });

  test('editPlan: a task is removed and another changed → it is not done, what waited for it is, and the verdict does not miss it (L17)', async () => {
    const team = await removing(run => {
      const read = planEditReader(run.state)({
        remove: ['remove'],
        tasks: [{ id: 'report', description: 'Say it shortly' }],
      });
      if ('error' in read) throw new Error(read.error);
      editPlan(run, read.ok);
    });
    expect(done(team)).toEqual(['backup', 'report']);
    expect(statuses(team)).toContain('remove skipped removed by a person');
    expect(taskOf(team.run, 'report')).toMatchObject({ description: 'Say it shortly', dependencies: [] });
    expect(team.end.outcome).toBe('completed');
  });

  test.each<[string, unknown, string]>([
    ['nothing', { tasks: [], remove: [] }, 'at least one task'],
    ['what is no list of ids', { remove: 'report' }, '`remove` must be a list of ids of tasks'],
    ['what is no id', { remove: [7] }, '`remove` must be a list of ids of tasks'],
    ['a task that is not there', { remove: ['other'] }, 'There is no task other.'],
    ['one that has begun', { remove: ['backup'] }, 'Task backup has begun already and cannot be removed.'],
    [
      'one that it changes',
      { remove: ['report'], tasks: [task('report')] },
      'Task report is changed and removed.',
    ],
  ])('editPlan: %s is removed → refused with the reason (L17, PR2)', async (_what, input, fault) => {
    const faults: unknown[] = [];
    await removing(run => faults.push(planEditReader(run.state)(input)));
    expect(faults).toEqual([{ error: expect.stringContaining(fault) }]);
  });

  test('editPlan: all that is left of a plan that has not begun is removed → refused, for a plan has a task (L17)', async () => {
    const faults: unknown[] = [];
    await teamRun({
      ...attended,
      answer: byRole({ planner: [plan(BACKUP, REMOVE)] }),
      waits: run => {
        faults.push(planEditReader(run.state)({ remove: ['backup', 'remove'] }));
        answerFirst(run, { decision: 'approve' });
      },
    });
    expect(faults).toEqual([{ error: expect.stringContaining('Nothing would be left of the plan') }]);
  });
});

describe('fields that an edit leaves out', () => {
  const changed = { ...REMOVE, description: 'Do it gently', completionCriteria: 'None is left.' };
  test.each<[string, object, object]>([
    [
      'a description alone',
      { id: 'remove', description: 'Do it gently' },
      { dependencies: ['backup'], priority: 2, completionCriteria: 'None is left.' },
    ],
    [
      'a priority alone',
      { id: 'remove', priority: 7 },
      { description: 'Do remove', dependencies: ['backup'] },
    ],
    [
      'no dependency any more',
      { id: 'remove', dependencies: [] },
      { description: 'Do remove', priority: 2, dependencies: [] },
    ],
    [
      'no criterion any more',
      { id: 'remove', completionCriteria: null },
      { completionCriteria: null, dependencies: ['backup'] },
    ],
  ])('editPlan and edit: %s → the others keep their values (L17)', async (_, given, kept) => {
    const planned = plan(BACKUP, { ...changed, description: 'Do remove' });
    const ways: TeamRun[] = [
      await teamRun({
        ...attended,
        answer: byRole({ planner: [planned] }),
        waits: run => answerFirst(run, { decision: 'edit', tasks: [{ id: 'backup' }, given] }),
      }),
      await teamRun({
        answer: call => {
          if (call.role === 'executor' && call.times === 1) edit(call.run, given);
          return byRole({ planner: [planned] })(call);
        },
      }),
    ];
    for (const { run } of ways) {
      expect(taskOf(run, 'remove')).toMatchObject({ ...given, ...kept, byPerson: true });
      expect(taskOf(run, 'backup')).toMatchObject(BACKUP);
      expect(taskOf(run, 'backup')?.byPerson).toBeUndefined();
    }
  });

  test('editPlan: a new task without a description, or an empty one for an old → refused (L17)', async () => {
    const faults: unknown[] = [];
    await teamRun({
      answer: ({ role, run }) => {
        if (role !== 'executor') return undefined;
        for (const given of [{ id: 'new' }, { id: 't1', description: ' ' }])
          faults.push(planEditReader(run.state)({ tasks: [given] }));
        return undefined;
      },
    });
    expect(faults).toMatchObject([
      { error: expect.stringContaining('`tasks[0].description` must be a non-empty text') },
      { error: expect.stringContaining('`tasks[0].description` must be a non-empty text') },
    ]);
  });

  test('planner: a later plan that gives only what changes → the open task keeps the rest (F7)', async () => {
    const team = await teamRun({
      understands: true,
      answer: call => {
        if (call.role === 'executor' && call.times === 1)
          receive(call.run, { id: 'x', text: 'Gently.' }, 'steer');
        if (call.role === 'understanding') return intentOf('same_task_minor_change');
        return byRole({
          planner: [plan(BACKUP, REMOVE), plan({ id: 'remove', description: 'Do it gently' })],
        })(call);
      },
    });
    expect(taskOf(team.run, 'remove')).toMatchObject({
      ...{ description: 'Do it gently', priority: 2, dependencies: ['backup'] },
    });
  });
});

describe('a task of a person that is not done', () => {
  /** The person's task waits for one that fails; the next plan does that in another way, and all are content. */
  const behindFailure = (settings: object, verifier: readonly unknown[] = []) =>
    teamRun({
      settings,
      answer: call => {
        if (call.role === 'planner' && call.times === 1)
          edit(call.run, { id: 'mine', description: 'Keep a copy as I said', priority: 1 });
        if (call.role === 'executor' && call.times === 1)
          edit(call.run, { id: 'remove', description: 'Remove what I named' });
        return byRole({
          planner: [plan(BACKUP, REMOVE), plan(task('other'))],
          executor: [undefined, GAVE_UP],
          verifier,
        })(call);
      },
    });

  test('replan: blocked behind a failed task, and the next plan leaves it out → no verdict completes the goal, and the answer names it with the reason (PR2)', async () => {
    const notYet = { ...(CONTENT.verifier as object), allCompleted: false, improvements: ['Another way.'] };
    const team = await behindFailure({}, [notYet]);
    expect(statuses(team)).toContain('remove blocked dependency_failed');
    expect(requestsOf(team, 'verifier')[1]).toContain(
      '- remove [blocked (dependency_failed), set by the person',
    );
    expect(team.end).toMatchObject({ outcome: 'unverified', cause: 'tasks_open' });
    expect(team.end.answer).toContain('Not done: remove (Remove what I named) [blocked: dependency_failed].');
  });

  test('replan: its id in a later plan → done with the words and the order of the person (PR2)', async () => {
    const notYet = { ...(CONTENT.verifier as object), allCompleted: false, improvements: ['Again.'] };
    const team = await teamRun({
      answer: call => {
        if (call.role === 'planner' && call.times === 1)
          edit(call.run, { ...REMOVE, description: 'As I said', dependencies: [] });
        return byRole({
          planner: [plan(BACKUP), plan({ ...REMOVE, description: 'In another way', priority: 9 })],
          executor: [undefined, GAVE_UP],
          verifier: [notYet],
        })(call);
      },
    });
    expect(taskOf(team.run, 'remove')).toMatchObject({
      ...{ description: 'As I said', priority: 2, status: 'completed', byPerson: true },
    });
    expect(team.end.outcome).toBe('completed');
  });

  test.each([
    ['skips it', SKIP, 'tasks_open', '[skipped: It is not needed.]'],
    ['gives it up', GAVE_UP, 'tasks_failed', '[failed: gave_up]'],
  ])(
    'executor: %s, and the verdict is content → unverified, and named (PR2)',
    async (_, reply, cause, why) => {
      const team = await teamRun({
        answer: call => {
          if (call.role === 'planner') edit(call.run, task('mine', { priority: 9 }));
          return byRole({ executor: [undefined, reply] })(call);
        },
      });
      expect(team.end).toMatchObject({ outcome: 'unverified', cause });
      expect(team.end.answer).toContain(`Not done: mine (Do mine) ${why}.`);
    },
  );

  test('plan mode: it failed under an earlier plan → carried out in part, and named (PR2, L16)', async () => {
    const team = await teamRun({
      settings: { mode: 'plan' },
      onStepFailure: 'replan',
      answer: call => {
        if (call.role === 'planner' && call.times === 1) edit(call.run, task('mine', { priority: 9 }));
        return byRole({ planner: [undefined, plan(task('other'))], executor: [undefined, GAVE_UP] })(call);
      },
    });
    expect(done(team)).toEqual(['t1', 'mine', 'other']);
    expect(team.end.cause).toBe('carried_out_partly');
    expect(team.end.answer).toContain('Not done: mine (Do mine) [failed: gave_up].');
  });

  const replanned = (settings: object) =>
    teamRun({
      settings,
      understands: true,
      answer: call => {
        if (call.role === 'executor' && call.times === 1) {
          edit(call.run, task('mine'));
          receive(call.run, { id: 'x', text: 'All anew.' }, 'steer');
        }
        if (call.role === 'understanding') return intentOf('same_task_major_change');
        return byRole({ planner: [plan(task('t1'), task('t2')), plan(task('other'))] })(call);
      },
      waits: run => answerFirst(run, { decision: 'approve' }),
    });

  test('message: all is planned anew, as the person approves → its open tasks are removed by them (PR2)', async () => {
    const team = await replanned({ autoApprove: false, attended: true });
    expect(statuses(team)).toContain('mine skipped removed by a person');
    expect(statuses(team)).toContain('t2 skipped replanned');
    expect(team.end.outcome).toBe('completed');
  });

  test('message: all is planned anew, and only a rule approves → a task of the person stays, and is done (PR2)', async () => {
    const team = await replanned({ autoApprove: true });
    expect(statuses(team)).toContain('mine completed');
  });
});

describe('words said at gates', () => {
  const unsure = (type: string) => {
    const said = intentOf(type);
    return { ...said, taskRelation: { ...(said.taskRelation as object), confidence: 0.3 } };
  };

  test('question: how a message was meant is answered → the goal of the run that it starts has the answer (TR11)', async () => {
    const goals: string[] = [];
    await teamRun({
      settings: { attended: true, autoApprove: false },
      understands: true,
      startRun: goal => goals.push(goal),
      answer: ({ role, times, run }) => {
        if (role === 'executor' && times === 1) receive(run, { id: 'x', text: 'Book a table.' }, 'steer');
        if (role !== 'understanding') return undefined;
        return times === 1 ? unsure('different_task') : intentOf('different_task');
      },
      waits: run => {
        const [open] = run.state.people.gates;
        answerFirst(
          run,
          open?.gate.kind === 'question' ? { text: 'For four, at eight.' } : { decision: 'approve' },
        );
      },
    });
    expect(goals).toEqual(['Book a table.\nFor four, at eight.']);
  });

  test.each(['same_task_major_change', 'different_task'])(
    'route: %s is denied with a reason → the roles at work read the reason, and it is a part of the goal (S6)',
    async type => {
      const team = await teamRun({
        settings: { attended: true, autoApprove: false },
        understands: true,
        answer: ({ role, times, run }) => {
          if (role === 'executor' && times === 1) receive(run, { id: 'x', text: 'Do b.' }, 'steer');
          return role === 'understanding' ? intentOf(type) : undefined;
        },
        waits: run => answerFirst(run, { decision: 'deny', reason: 'Only after a.' }),
      });
      expect(team.calls.at(-1)?.request).toContain('Do b.\nOnly after a.');
      expect(requestsOf(team, 'verifier')[0]).toMatch(/<user_notes>[\s\S]*Only after a\./);
    },
  );
});

const asksSecond = ({ state }: Run) =>
  state.people.gates[0]?.gate.kind === 'plan' && state.cursor.position.cycle === 2;

describe.each([
  { when: 'where it was asked about', handsOver: () => false, parts: 1 },
  {
    when: 'after the run continued as new at its gate',
    handsOver: (run: Run) => run.state.segment === 1 && asksSecond(run),
    parts: 2,
  },
])('a plan that is rejected $when', ({ handsOver, parts }) => {
  const rejectsSecond = (run: Run) =>
    answerFirst(
      run,
      asksSecond(run) ? { decision: 'reject', reason: 'Not that way.' } : { decision: 'approve' },
    );

  test('reject: the plan takes up a failed task again → it stays failed, and no verdict completes the goal (PR2)', async () => {
    const notYet = { ...(CONTENT.verifier as object), allCompleted: false, improvements: ['Again.'] };
    const team = await teamRun({
      ...attended,
      handsOver,
      answer: byRole({
        planner: [plan(task('a'), task('b')), plan(task('a')), plan()],
        executor: [GAVE_UP],
        verifier: [notYet],
      }),
      waits: rejectsSecond,
    });
    expect(statuses(team)).toEqual(['a failed gave_up', 'b completed']);
    expect(team.end.cause).toBe('tasks_failed');
    expect(team.run.state.segment).toBe(parts);
  });

  test('reject: a small change of an approved plan → the tasks approved before it are done (PR2)', async () => {
    const team = await teamRun({
      ...attended,
      handsOver,
      understands: true,
      answer: call => {
        if (call.role === 'understanding') return intentOf('same_task_minor_change');
        if (call.role === 'executor' && call.times === 2)
          receive(call.run, { id: 'x', text: 'Do d as well.' }, 'steer');
        return byRole({
          planner: [
            plan(task('a'), task('b'), task('c'), task('e')),
            plan(task('d'), { id: 'e', status: 'skipped' }, { id: 'c', description: 'x' }),
            plan(),
          ],
        })(call);
      },
      waits: rejectsSecond,
    });
    expect(statuses(team)).toEqual(['a completed', 'b completed', 'c completed', 'e completed']);
    expect(taskOf(team.run, 'c')).toMatchObject({ description: 'Do c' });
    expect(requestsOf(team, 'planner')[2]).toContain('- c [pending');
  });
});

test('reject: a first plan, and a task of the person waits for one of it → it waits for nothing (PR2)', async () => {
  const team = await teamRun({
    ...attended,
    answer: byRole({ planner: [plan(task('a')), plan(task('c'))] }),
    waits: (run, times) => {
      // The plan that was changed is asked for anew.
      if (times === 1) return edit(run, task('mine', { dependencies: ['a'] }));
      answerFirst(run, times === 2 ? { decision: 'reject', reason: 'No.' } : { decision: 'approve' });
    },
  });
  expect(taskOf(team.run, 'mine')).toMatchObject({ dependencies: [], status: 'completed' });
  expect(statuses(team)).toEqual(['mine completed', 'c completed']);
});

test('reject: a task that the plan took up again, and a person removed since → it stays removed (PR2)', () => {
  const { run } = runAtCalls([]);
  run.state.tasks = [newTask('a', { before: { status: 'failed' } })];
  dropTasks(run, () => true, REMOVED);
  expect(withoutUnreleased(run.state.tasks)).toEqual([newTask('a', { status: 'skipped', reason: REMOVED })]);
});
