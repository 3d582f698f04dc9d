import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLAN_BYTES } from '../../../../src/base/sizes/bounds.js';
import { causeOfPlan } from '../../../../src/rules/plan/decide.js';
import { mergePlan } from '../../../../src/rules/plan/merge-plan.js';
import { blockDependants, inRunOrder, nextTask } from '../../../../src/rules/plan/plan-order.js';
import {
  adoptOpenTasks,
  applyEcho,
  isOpen,
  type PlannedTask,
  planCycles,
  planInForce,
  REMOVED,
  REPLANNED,
  rejectTasks,
  setStatus,
  TASK_STATUSES,
  type Task,
  type TaskStatus,
  withoutUnreleased,
} from '../../../../src/run/plan/plan.js';
import { task as newTask, plannedTask as planned } from '../../../support/core-values.js';

function task(id: string, status: TaskStatus = 'pending', fields: Partial<Task> = {}): Task {
  return newTask(id, { status, ...fields });
}

const statuses = (tasks: readonly Task[]) => Object.fromEntries(tasks.map(each => [each.id, each.status]));
const ids = (tasks: readonly { id: string }[]) => tasks.map(each => each.id);

const anyStatus = fc.constantFrom(...TASK_STATUSES);
/** Tasks t0… with arbitrary states and dependencies, circles and unknown ids included. */
const anyTasks = fc
  .array(
    fc.record({
      status: anyStatus,
      priority: fc.integer({ min: 0, max: 3 }),
      needs: fc.array(fc.nat(7), { maxLength: 3 }),
    }),
    {
      maxLength: 7,
    },
  )
  .map(list =>
    list.map(({ status, priority, needs }, index) =>
      task(`t${index}`, status, { priority, dependencies: needs.map(need => `t${need}`) }),
    ),
  );
/** A plan in which tasks need only earlier ones, shuffled. */
const soundPlan = fc
  .array(
    fc.record({ priority: fc.integer({ min: 0, max: 3 }), needs: fc.array(fc.nat(20), { maxLength: 3 }) }),
    { maxLength: 12 },
  )
  .map(list =>
    list.map(({ priority, needs }, index) =>
      planned(`t${index}`, {
        priority,
        dependencies: needs.filter(need => need < index).map(need => `t${need}`),
      }),
    ),
  )
  .chain(list => fc.shuffledSubarray(list, { minLength: list.length }));

describe('mergePlan', () => {
  const options = { cycle: 1, maxTasks: 20 };

  it('G15 mergePlan: a first plan → pending tasks in plan order', () => {
    const { tasks, changed, cut } = mergePlan([], [planned('b'), planned('a')], options);
    expect(tasks).toEqual(['b', 'a'].map(id => task(id, 'pending', { before: null })));
    expect([changed, cut]).toEqual([true, []]);
  });

  it('F7 mergePlan: the identical plan again → unchanged', () => {
    const plan = [planned('a'), planned('b', { dependencies: ['a'] })];
    const first = mergePlan([], plan, options).tasks;
    expect(mergePlan(first, plan, options)).toEqual({ tasks: first, changed: false, cut: [] });
    expect(mergePlan(first, plan.slice(1), options).changed).toBe(false);
  });

  it('F7 mergePlan: a refined task → the new definition, the old position', () => {
    const { tasks, changed } = mergePlan(
      [task('a'), task('b')],
      [planned('a', { description: 'new' })],
      options,
    );
    expect(changed).toBe(true);
    expect(tasks.map(each => each.description)).toEqual(['new', 'Do b']);
  });

  it.each([
    ['pending', 1, 'pending', true],
    ['pending', 2, 'pending', true],
    ['executing', 1, 'executing', false],
    ['executing', 2, 'executing', false],
    ['completed', 1, 'completed', false],
    ['completed', 2, 'completed', false],
    ['failed', 1, 'failed', false],
    ['failed', 2, 'pending', true],
    ['skipped', 1, 'skipped', false],
    ['skipped', 2, 'pending', true],
    ['blocked', 1, 'blocked', false],
    ['blocked', 2, 'pending', true],
  ] as const)(
    'F5 F7 mergePlan: a %s task planned anew in cycle %d → %s, changed %s',
    (before, cycle, after, changed) => {
      const old = task('a', before, { rounds: 4, result: 'r', reason: 'max_rounds' });
      const merged = mergePlan([old], [planned('a', { description: 'new' })], { cycle, maxTasks: 20 });
      expect(merged.changed).toBe(changed);
      expect(merged.tasks[0]?.status).toBe(after);
      if (!changed) expect(merged.tasks).toEqual([old]);
      if (changed && before !== 'pending') {
        const { description, status, rounds, result, reason } = old;
        const was = { description, status, rounds, result, reason, cycle: 1 };
        expect(merged.tasks).toEqual([task('a', 'pending', { description: 'new', cycle, before: was })]);
      }
    },
  );

  it.each<[string, Partial<PlannedTask>]>([
    ['nothing', {}],
    ['a description', { description: 'Otherwise' }],
    ['a priority', { priority: 9 }],
    ['no dependencies', { dependencies: [] }],
    ['no criterion', { completionCriteria: null }],
    ['no time', { estimatedDuration: null }],
    ['needs', { requiredCapabilities: ['web'] }],
  ])('F7 L17 mergePlan: a change that gives %s → the task keeps what it leaves out', (_, given) => {
    const old = task('b', 'pending', {
      ...{ priority: 3, dependencies: ['a'], requiredCapabilities: ['read'] },
      ...{ completionCriteria: 'Seen', estimatedDuration: 5_000 },
    });
    for (const byPerson of [{}, { byPerson: true }] as const) {
      const { tasks } = mergePlan([old], [{ id: 'b', ...given }], { ...options, ...byPerson });
      const was = Object.entries(old).filter(([key]) => Object.hasOwn(given, key));
      const marks = 'byPerson' in byPerson ? byPerson : { before: Object.fromEntries(was) };
      expect(tasks).toEqual([{ ...old, ...given, ...(was.length > 0 && marks) }]);
    }
  });

  it.each(['failed', 'skipped', 'blocked'] as const)(
    'PR2 mergePlan: a %s task of a person, named by a later plan → open again, in their words',
    status => {
      const theirs = { ...{ description: 'As I said', dependencies: ['a'] }, byPerson: true } as const;
      const old = task('b', status, { ...theirs, reason: 'why', result: 'r', rounds: 4 });
      const other = planned('b', { description: 'Otherwise', priority: 7 });
      const later = { cycle: 2, maxTasks: 20 };
      const before = { status, rounds: 4, result: 'r', reason: 'why', cycle: 1 };
      expect(mergePlan([old], [other], later).tasks).toEqual([
        task('b', 'pending', { ...theirs, cycle: 2, before }),
      ]);
    },
  );

  it('PR2 mergePlan: a task that a person removed, named by a later plan → stays so, and is told as left out', () => {
    const gone = task('b', 'skipped', { reason: REMOVED });
    expect(mergePlan([gone], [planned('b'), planned('c')], { cycle: 2, maxTasks: 1 })).toEqual({
      tasks: [gone, task('c', 'pending', { cycle: 2, before: null })],
      changed: true,
      cut: ['b'],
    });
  });

  it.each(['pending', 'completed', 'failed'] as const)(
    'PR2 mergePlan: more text than a plan holds, beside a %s task of a person → theirs stays whole, those of roles give way',
    status => {
      const long = 'x'.repeat(10_000);
      const theirs = task('p', status, { description: long, completionCriteria: long, byPerson: true });
      const plan = Array.from({ length: 20 }, (_, index) =>
        planned(`t${index}`, { description: 'y'.repeat(3_000) }),
      );
      const { tasks } = mergePlan([theirs], plan, { cycle: 2, maxTasks: 30 });
      expect(tasks[0]).toBe(theirs);
      expect(tasks).toHaveLength(21);
      expect(tasks[1]?.description).toContain('[cut: ');
    },
  );

  it('PR2 mergePlan: a task of a person that fills the plan → it is there whole, and new ones of roles are left out', () => {
    const theirs = planned('p', { description: 'x'.repeat(PLAN_BYTES - 2_000) });
    const { tasks } = mergePlan([task('a')], [theirs], { ...options, byPerson: true });
    const plan = Array.from({ length: 9 }, (_, index) =>
      planned(`t${index}`, { description: 'y'.repeat(400) }),
    );
    const merged = mergePlan(tasks, plan, options);
    expect(merged.tasks[1]).toMatchObject(theirs);
    expect(merged.cut.length).toBeGreaterThan(0);
  });

  it('F18 mergePlan: more tasks than may be open → cut from the end of the run order, ended ones not counted', () => {
    const plan = [
      planned('c', { dependencies: ['b'], priority: 0 }),
      planned('b', { priority: 5 }),
      planned('a'),
    ];
    const { tasks, cut } = mergePlan([task('done', 'completed')], plan, { cycle: 2, maxTasks: 2 });
    expect([ids(tasks), cut]).toEqual([['done', 'b', 'a'], ['c']]);
  });

  it('mergePlan: any sound plan, any cap → kept tasks never wait for cut ones, and the cap holds', () => {
    fc.assert(
      fc.property(soundPlan, fc.nat(12), (plan, maxTasks) => {
        const { tasks, cut } = mergePlan([], plan, { cycle: 1, maxTasks });
        expect(tasks.filter(isOpen).length).toBe(Math.min(maxTasks, plan.length));
        for (const each of tasks) expect(each.dependencies.filter(id => cut.includes(id))).toEqual([]);
      }),
    );
  });

  it('F5 F7 mergePlan: any tasks, any plan → completed ones untouched, none lost, twice as once', () => {
    fc.assert(
      fc.property(anyTasks, soundPlan, fc.integer({ min: 1, max: 3 }), (tasks, plan, cycle) => {
        const merged = mergePlan(tasks, plan, { cycle, maxTasks: 20 });
        for (const each of tasks.filter(({ status }) => status === 'completed'))
          expect(merged.tasks).toContain(each);
        expect(ids(merged.tasks).slice(0, tasks.length)).toEqual(ids(tasks));
        const again = mergePlan(merged.tasks, plan, { cycle, maxTasks: 20 });
        expect(again).toEqual({ tasks: merged.tasks, changed: false, cut: merged.cut });
        expect(JSON.parse(JSON.stringify(merged))).toEqual(merged);
      }),
    );
  });
});

describe('withoutUnreleased', () => {
  type Step = (tasks: readonly Task[]) => readonly Task[];
  const byRole =
    (cycle: number, ...changes: PlannedTask[]): Step =>
    tasks =>
      mergePlan(tasks, changes, { cycle, maxTasks: 99 }).tasks;
  const byPerson =
    (...changes: PlannedTask[]): Step =>
    tasks =>
      mergePlan(tasks, changes, { cycle: 2, maxTasks: 99, byPerson: true }).tasks;
  const other = (id: string, description = 'Otherwise') => planned(id, { description });
  const OLD = [task('a', 'failed', { reason: 'gave_up', rounds: 3, overdue: true }), task('b')];
  const left = (tasks: readonly Task[], steps: readonly Step[]) =>
    withoutUnreleased(steps.reduce<readonly Task[]>((now, step) => step(now), tasks));

  it.each<[string, Step[], Task[]]>([
    ['a plan that takes up, changes and adds', [byRole(2, other('a'), other('b'), other('c'))], OLD],
    ['a second plan over it', [byRole(2, other('a'), other('b')), byRole(2, other('b', 'Anew'))], OLD],
    ['a plan that changes a task that it added', [byRole(2, other('c')), byRole(2, other('c', 'Anew'))], OLD],
    [
      'a person changes what it added and what it changed',
      [byRole(2, other('b'), other('c')), byPerson(other('b', 'Mine'), other('c', 'Mine'))],
      [
        ...OLD.slice(0, 1),
        task('b', 'pending', { description: 'Mine', byPerson: true }),
        task('c', 'pending', { description: 'Mine', byPerson: true, cycle: 2 }),
      ],
    ],
    [
      'a task of a person waits for one that it added',
      [byRole(2, other('c')), byPerson(planned('mine', { dependencies: ['b', 'c'] }))],
      [...OLD, task('mine', 'pending', { dependencies: ['b'], byPerson: true, cycle: 2 })],
    ],
  ])('PR2 withoutUnreleased: %s → the tasks as they were, and what a person set', (_, steps, tasks) => {
    expect(left(OLD, steps)).toEqual(tasks);
  });

  it('PR2 withoutUnreleased: any tasks, any plans of roles → the tasks as they were', () => {
    const cycles = fc.integer({ min: 1, max: 3 });
    fc.assert(
      fc.property(anyTasks, fc.array(fc.tuple(cycles, soundPlan), { maxLength: 3 }), (tasks, plans) => {
        const steps = plans.map(([cycle, plan]) => byRole(cycle, ...plan));
        const ownIds = new Set(ids(tasks));
        const known = tasks.map(each => ({
          ...each,
          dependencies: each.dependencies.filter(id => ownIds.has(id)),
        }));
        expect(left(known, steps)).toEqual(known);
      }),
    );
  });

  it('PR2 withoutUnreleased: tasks with long reports, all taken up again → the plan is taken, and keeps them in brief', () => {
    const done = Array.from({ length: 20 }, (_, at) =>
      task(`t${at}`, 'failed', { result: 'r'.repeat(4_000) }),
    );
    const taken = byRole(2, ...done.map(({ id }) => planned(id)))(done);
    expect(new Set(taken.map(({ status }) => status))).toEqual(new Set(['pending']));
    expect(withoutUnreleased(taken)[0]?.result).toMatch(/^r{200,300}… \[cut: /);
  });
});

describe('nextTask', () => {
  it.each([
    ['no task', [], null],
    ['all ended', [task('a', 'completed'), task('b', 'failed')], null],
    ['L7 priorities', [task('a', 'pending', { priority: 2 }), task('b', 'pending', { priority: 1 })], 'b'],
    ['L7 equal priorities', [task('b'), task('a')], 'b'],
    ['one executing', [task('a', 'pending', { priority: 0 }), task('b', 'executing', { priority: 9 })], 'b'],
    [
      'C20 dependency before priority',
      [task('a', 'pending', { priority: 1, dependencies: ['b'] }), task('b', 'pending', { priority: 9 })],
      'b',
    ],
    [
      'C20 dependency completed',
      [task('a', 'pending', { dependencies: ['b'] }), task('b', 'completed')],
      'a',
    ],
    ['C20 dependency skipped', [task('a', 'pending', { dependencies: ['b'] }), task('b', 'skipped')], 'a'],
    ['C20 dependency unknown', [task('a', 'pending', { dependencies: ['ghost'] })], 'a'],
    ['C20 dependency failed', [task('a', 'pending', { dependencies: ['b'] }), task('b', 'failed')], null],
    ['C20 dependency blocked', [task('a', 'pending', { dependencies: ['b'] }), task('b', 'blocked')], null],
    [
      'C20 a circle',
      [
        task('z', 'pending', { priority: 0, dependencies: ['a'] }),
        task('a', 'pending', { priority: 2, dependencies: ['b'] }),
        task('b', 'pending', { priority: 1, dependencies: ['a'] }),
      ],
      'b',
    ],
  ])('%s → as the order says', (_name, tasks, id) => {
    expect(nextTask(tasks)?.id ?? null).toBe(id);
  });

  it('C20 nextTask: any tasks, run to the end → it ends, and every task has ended', () => {
    fc.assert(
      fc.property(
        anyTasks,
        fc.infiniteStream(fc.constantFrom('completed' as const, 'failed' as const, 'skipped' as const)),
        (start, ends) => {
          let { tasks } = blockDependants(start);
          for (let steps = 0; ; steps += 1) {
            expect(steps).toBeLessThanOrEqual(start.length);
            const next = nextTask(tasks);
            if (next === null) break;
            tasks = blockDependants(setStatus(tasks, next.id, ends.next().value)).tasks;
          }
          expect(tasks.filter(isOpen)).toEqual([]);
        },
      ),
    );
  });

  it('C20 L7 nextTask: any sound plan → no task before its dependencies, in the order inRunOrder gives', () => {
    fc.assert(
      fc.property(soundPlan, plan => {
        let { tasks } = mergePlan([], plan, { cycle: 1, maxTasks: 99 });
        const order: string[] = [];
        for (let next = nextTask(tasks); next !== null; next = nextTask(tasks)) {
          expect(next.dependencies.filter(id => !order.includes(id))).toEqual([]);
          order.push(next.id);
          tasks = setStatus(tasks, next.id, 'completed');
        }
        expect(order).toEqual(ids(inRunOrder(plan)));
        expect(order).toHaveLength(plan.length);
      }),
    );
  });
});

describe('blockDependants', () => {
  it('C20 blockDependants: a failure → everything pending behind it, over any distance', () => {
    const { tasks, blocked } = blockDependants([
      task('d', 'pending', { dependencies: ['c'] }),
      task('c', 'pending', { dependencies: ['b'] }),
      task('b', 'failed'),
      task('free'),
      task('ran', 'completed', { dependencies: ['b'] }),
    ]);
    expect(statuses(tasks)).toEqual({
      d: 'blocked',
      c: 'blocked',
      b: 'failed',
      free: 'pending',
      ran: 'completed',
    });
    expect(tasks[0]?.reason).toBe('dependency_failed');
    expect([...blocked].sort()).toEqual(['c', 'd']);
  });

  it('C20 blockDependants: a skipped dependency → does not block', () => {
    const tasks = [task('a', 'skipped'), task('b', 'pending', { dependencies: ['a'] })];
    expect(blockDependants(tasks)).toEqual({ tasks, blocked: [] });
  });
});

describe('setStatus', () => {
  it('setStatus: reason, result and rounds → replaced where given', () => {
    const before = [task('a', 'executing', { rounds: 1, result: 'old', reason: 'r' }), task('b')];
    expect(setStatus(before, 'a', 'failed', { reason: 'max_rounds', rounds: 10 })).toEqual([
      task('a', 'failed', { rounds: 10, result: 'old', reason: 'max_rounds' }),
      task('b'),
    ]);
    expect(setStatus(before, 'a', 'completed', { result: 'new' })[0]).toMatchObject({
      result: 'new',
      reason: null,
    });
  });

  it('F5 setStatus: a completed task, or an unknown id → nothing changes', () => {
    const tasks = [task('a', 'completed', { result: 'r' })];
    for (const status of TASK_STATUSES.filter(each => each !== 'completed')) {
      expect(setStatus(tasks, 'a', status)).toEqual(tasks);
    }
    expect(setStatus(tasks, 'ghost', 'failed')).toEqual(tasks);
  });
});

describe('applyEcho', () => {
  it('F5 OU2 applyEcho: all 36 pairs of statuses → a task that has not begun may be given up by an echo, and nothing else', () => {
    for (const before of TASK_STATUSES) {
      for (const echo of TASK_STATUSES) {
        const applied = applyEcho([task('a', before)], [{ id: 'a', status: echo }], 'current')[0];
        const follows = before === 'pending' && ['failed', 'skipped', 'blocked'].includes(echo);
        expect([before, echo, applied?.status]).toEqual([before, echo, follows ? echo : before]);
      }
    }
  });

  it('F5 applyEcho: the current task and unknown ids → not by echo', () => {
    const tasks = [task('a', 'executing'), task('b')];
    const echoed = ['a', 'b', 'ghost'].map(id => ({ id, status: 'skipped' as const }));
    const applied = applyEcho(tasks, echoed, 'a');
    expect(statuses(applied)).toEqual({ a: 'executing', b: 'skipped' });
    expect(applied[1]?.reason).toBe('echoed');
  });

  it('F5 applyEcho: any echo → never un-completes, never adds or loses a task', () => {
    const echo = fc.array(fc.record({ id: fc.nat(9).map(n => `t${n}`), status: anyStatus }));
    fc.assert(
      fc.property(anyTasks, echo, (tasks, echoed) => {
        const applied = applyEcho(tasks, echoed, 't0');
        expect(ids(applied)).toEqual(ids(tasks));
        applied.forEach((after, index) => {
          if (tasks[index]?.status === 'completed') expect(after).toEqual(tasks[index]);
        });
        expect(applied[0]).toEqual(tasks[0]);
      }),
    );
  });
});

describe('rejectTasks', () => {
  it('F13 rejectTasks: a completed task that a verdict found wanting → failed, and a later plan revives it', () => {
    const rejected = rejectTasks(
      [task('a', 'completed'), task('b', 'skipped'), task('c', 'completed')],
      ['a', 'b'],
    );
    expect(statuses(rejected)).toEqual({ a: 'failed', b: 'skipped', c: 'completed' });
    expect(rejected[0]?.reason).toBe('rejected');
    expect(mergePlan(rejected, [planned('a')], { cycle: 2, maxTasks: 9 }).tasks[0]?.status).toBe('pending');
  });
});

describe('planCycles', () => {
  const edges = (text: string) =>
    text.split(' ').map(part => {
      const [id = '', needs = ''] = part.split('>');
      return planned(id, { dependencies: needs === '' ? [] : needs.split(',') });
    });

  it.each([
    ['a b>a c>a,b', []],
    ['a>ghost', []],
    ['a>a', [['a']]],
    ['a>b b>a', [['a', 'b']]],
    ['x>a a>b b>c c>a', [['a', 'b', 'c']]],
    [
      'a>b b>a c>d d>c',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['free a>free,b b>a last>b', [['a', 'b']]],
  ])('F18 planCycles: %s → %j', (text, cycles) => {
    expect(planCycles(edges(text))).toEqual(cycles);
  });

  it('F18 planCycles: any graph → circles are real, and found exactly when no order exists', () => {
    fc.assert(
      fc.property(anyTasks, tasks => {
        const cycles = planCycles(tasks);
        const byId = new Map(tasks.map(each => [each.id, each]));
        for (const cycle of cycles) {
          cycle.forEach((id, index) => {
            expect(byId.get(id)?.dependencies).toContain(cycle[(index + 1) % cycle.length]);
          });
        }
        const placed: string[] = [];
        const sound = inRunOrder(tasks).every(each => {
          const ready = each.dependencies.every(id => !byId.has(id) || placed.includes(id));
          placed.push(each.id);
          return ready;
        });
        expect(cycles.length === 0).toBe(sound);
      }),
    );
  });

  it('F18 planCycles: a chain of 10,000 tasks → no call stack used', () => {
    const chain = Array.from({ length: 10_000 }, (_, index) =>
      planned(`t${index}`, { dependencies: [`t${index + 1}`] }),
    );
    expect(planCycles(chain)).toEqual([]);
  });
});

describe('planInForce', () => {
  const later = task('z', 'completed', { cycle: 2 });

  it.each<[string, Task, boolean]>([
    ['completed under an earlier plan', task('a', 'completed'), true],
    ['failed under an earlier plan', task('a', 'failed'), false],
    ['failed under an earlier plan, of a person', task('a', 'failed', { byPerson: true }), true],
    ['blocked under an earlier plan, of a person', task('a', 'blocked', { byPerson: true }), true],
    ['skipped under an earlier plan, of a person', task('a', 'skipped', { byPerson: true }), true],
    ['failed under this plan', task('a', 'failed', { cycle: 2 }), true],
    ['given up by a plan', task('a', 'skipped', { cycle: 2, reason: REPLANNED }), false],
    ['removed by a person', task('a', 'skipped', { cycle: 2, reason: REMOVED }), false],
    ['of a person, removed', task('a', 'skipped', { cycle: 2, reason: REMOVED, byPerson: true }), false],
  ])('PR2 planInForce: a task %s → counts as it should', (_, one, counts) => {
    expect(ids(planInForce([one, later]))).toEqual(counts ? ['a', 'z'] : ['z']);
  });
});

describe('adoptOpenTasks', () => {
  const failed = task('a', 'failed', { cycle: 1 });
  const open = task('b', 'pending', { cycle: 1 });

  it('C20 adoptOpenTasks: a plan that brought a task → the open ones are its own, what failed before is replaced', () => {
    const tasks = adoptOpenTasks([failed, open, task('c', 'pending', { cycle: 2 })], 2);
    expect(tasks.map(each => each.cycle)).toEqual([1, 2, 2]);
    expect(ids(planInForce(tasks))).toEqual(['b', 'c']);
  });

  it('C20 adoptOpenTasks: a plan that brought none → nothing is replaced, so not all was carried out', () => {
    const tasks = adoptOpenTasks([failed, open], 2);
    expect(tasks).toEqual([failed, open]);
    expect(causeOfPlan(setStatus(tasks, 'b', 'completed'))).toBe('carried_out_partly');
  });
});
