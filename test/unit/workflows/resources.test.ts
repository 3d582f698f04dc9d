import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/run/limits/limits.js';
import { textOf } from '../../../src/run/messages/message.js';
import type { JournalEvent } from '../../../src/run/state/journal.js';
import { addWorkflowTools } from '../../../src/run/tools/workflow-tools.js';
import { runTeam, type TeamGiven, type TeamReply, type TeamRun } from '../../support/scripted-team.js';
import { fileTool, testRole } from '../../support/small-run.js';

const task = (id: string, more: object = {}) => ({
  id,
  description: `Do ${id}.`,
  completionCriteria: 'It is there.',
  ...more,
});
const plan = (...todos: object[]): TeamReply => ({
  text: JSON.stringify({ summary: '', needsMorePlanning: false, todos }),
});
const done = (summary: string, takesMs = 0): TeamReply => ({
  text: JSON.stringify({ summary, taskCompleted: true }),
  takesMs,
});
const SUMMARY: TeamReply = { text: 'What came about.' };
const NEEDS_WEB = task('t1', { requiredCapabilities: ['web'] });

const runPlan = (replies: readonly TeamReply[], given: TeamGiven = {}) =>
  runTeam(replies, { ...given, settings: { mode: 'plan', ...given.settings } });

const statuses = ({ run }: TeamRun) =>
  run.state.tasks.map(({ id, status, reason }) => [id, status, reason].filter(Boolean).join(' '));
const said = ({ run }: TeamRun) =>
  Object.values(run.state.threads).flatMap(({ messages }) =>
    messages.flatMap(message => (message.kind === 'user' ? [textOf(message)] : [])),
  );
const events = <T extends JournalEvent['type']>({ run }: TeamRun, type: T) =>
  run.state.log.journal.events.filter(event => event.type === type);

describe('a plan whose task needs what nothing has', () => {
  test('told once what there is, the planner plans otherwise → that plan is carried out (A10)', async () => {
    const ran = await runPlan([plan(NEEDS_WEB), plan(task('t1')), done('One.'), SUMMARY]);
    expect(ran.asked).toEqual(['planner', 'planner', 'executor', 'summary']);
    const [reask] = events(ran, 'reask');
    expect(reask).toMatchObject({ role: 'planner' });
    expect(JSON.stringify(reask)).toMatch(
      /"t1\\" must name what there is \(executor, put, read, files\), got \\"web/,
    );
    expect(ran.end.cause).toBe('carried_out');
  });

  test('it asks for it still → the task is blocked and says what is missing; the rest is carried out (A10)', async () => {
    const todos = [NEEDS_WEB, task('t2', { dependencies: ['t1'] }), task('t3')];
    const ran = await runPlan([plan(...todos), plan(...todos), done('Three.'), SUMMARY]);
    expect(ran.asked).toEqual(['planner', 'planner', 'executor', 'summary']);
    expect(statuses(ran)).toEqual([
      't1 blocked not available: web',
      't2 blocked dependency_failed',
      't3 completed',
    ]);
    expect(events(ran, 'task_ended')).toMatchObject([
      { taskId: 't1', status: 'blocked', reason: 'not available: web' },
      { taskId: 't2' },
      { taskId: 't3' },
    ]);
    expect(said(ran).at(-1)).toContain('- t1 [blocked (not available: web)');
    expect(ran.end.cause).toBe('carried_out_partly');
  });

  test('a person looks at the plan → they are told what can not be carried out', async () => {
    const todos = [NEEDS_WEB, task('t3')];
    const ran = await runPlan([plan(...todos), plan(...todos), done('Three.'), SUMMARY], {
      settings: { attended: true },
      answers: [{ kind: 'plan', decision: 'approve' }],
    });
    const [gate] = events(ran, 'gate_opened');
    expect(gate).toMatchObject({
      body: expect.stringContaining('t1 cannot be carried out (not available: web)'),
    });
    expect(gate).toMatchObject({ title: 'Carry out this plan of 1 task(s)?' });
  });

  test('plans are reviewed → it is sent back as long as there are plans, then it is blocked', async () => {
    const rejected = [plan(NEEDS_WEB), plan(NEEDS_WEB)];
    const ran = await runPlan([...rejected, plan(task('t1b')), done('One.'), SUMMARY], {
      pinned: { review: { plans: true, results: false, actions: false } },
    });
    expect(said(ran).join()).toContain('t1 needs web, which is not available.');
    expect(statuses(ran)).toEqual(['t1b completed']);
  });

  test.each([[[]], [['READ']], [['files']]])(
    'tasks that need %j → nothing is said (A10)',
    async requiredCapabilities => {
      const ran = await runPlan([plan(task('t1', { requiredCapabilities })), done('One.'), SUMMARY]);
      expect(ran.asked).toEqual(['planner', 'executor', 'summary']);
    },
  );
});

describe('a role that has what a task needs', () => {
  const roles = {
    planner: testRole('planner', { tools: [], output: 'plan' }),
    executor: testRole('executor'),
    artist: testRole('artist', { capabilities: ['Pictures'] }),
    summary: testRole('summary', { tools: [], output: 'text' }),
  };
  const drawn = task('t2', { requiredCapabilities: ['pictures', 'put'] });

  test.each([1, 2])(
    '%i at a time → it carries that task out, the executor all others (A10)',
    async parallelTasks => {
      const ran = await runPlan(
        [
          plan(task('t1'), drawn),
          ...(parallelTasks === 1 ? [done('One.'), done('Two.')] : [done('A.'), done('B.')]),
          SUMMARY,
        ],
        { pinned: { roles, limits: { ...DEFAULT_LIMITS, parallelTasks } } },
      );
      expect(ran.asked).toEqual(['planner', 'executor', 'artist', 'summary']);
      expect(said(ran).join()).toContain('may name: Pictures.');
      expect(ran.end.cause).toBe('carried_out');
    },
  );

  test('a message for the executor → read by who carries out the task', async () => {
    const ran = await runPlan([plan(drawn), { calls: ['read'], said: 'In blue.' }, done('Two.'), SUMMARY], {
      pinned: { roles },
    });
    expect(ran.asked).toEqual(['planner', 'artist', 'artist', 'summary']);
    expect(said(ran)).toContain('In blue.');
  });

  test.each([
    [
      'its memory is private',
      { artist: testRole('artist', { capabilities: ['pictures'], memory: 'private' }) },
    ],
    ['its output is another', { artist: testRole('artist', { capabilities: ['pictures'], output: 'text' }) }],
  ])('%s → the task is blocked', async (_name, other) => {
    const ran = await runPlan([plan(task('t1'), drawn), plan(task('t1'), drawn), done('One.'), SUMMARY], {
      pinned: { roles: { ...roles, ...other } },
    });
    expect(statuses(ran)).toEqual(['t1 completed', 't2 blocked not available: pictures']);
  });
});

describe('a capability of which there is one', () => {
  test('tasks side by side require it → one after the other holds it, others go on beside them (A8)', async () => {
    const needsPut = (id: string) => task(id, { requiredCapabilities: ['put'] });
    const planned = plan(needsPut('t1'), needsPut('t2'), task('t3'));
    const ran = await runPlan([planned, done('A.'), done('B.'), done('C.'), SUMMARY], {
      pinned: { limits: { ...DEFAULT_LIMITS, parallelTasks: 3 }, resources: { Put: 1 } },
    });
    expect(ran.end.cause).toBe('carried_out');
    const told = ran.run.state.log.journal.events.flatMap(event =>
      event.type === 'task_started' || event.type === 'task_ended' ? [`${event.type} ${event.taskId}`] : [],
    );
    expect(told.slice(0, 2)).toEqual(['task_started t1', 'task_started t3']);
    expect(told.indexOf('task_started t2')).toBeGreaterThan(told.indexOf('task_ended t1'));
  });
});

describe('agents of a role that carries out tasks', () => {
  const tools = ['*', 'call_subagent'];
  const pinned = {
    tools: addWorkflowTools([fileTool('read')], [{ tools }]).tools,
    roles: {
      planner: testRole('planner', { tools: [], output: 'plan' }),
      executor: testRole('executor', { tools, agents: ['*'] }),
      summary: testRole('summary', { tools: [], output: 'text' }),
    },
    agents: [
      { name: 'lawyer', description: 'Reads contracts.', requires: [], capabilities: ['law', 'tax'] },
      { name: 'search', description: 'Searches.', requires: [] },
    ],
  };

  test('a task needs what one of them has → the planner may ask for it, and the role knows whom to call (A1, A10, T15)', async () => {
    const needsLaw = task('t1', { requiredCapabilities: ['Law'] });
    const ran = await runPlan([plan(needsLaw), done('One.'), SUMMARY], { pinned });
    expect(ran.asked).toEqual(['planner', 'executor', 'summary']);
    const [toPlan, toWork] = ['Plan the goal', 'Do task `t1` now'].map(begin =>
      said(ran).find(text => text.includes(begin)),
    );
    expect(toPlan).toContain('may name: lawyer, law, tax, search.');
    expect(toWork).toContain('- lawyer (law, tax): Reads contracts.\n- search: Searches.\n');
  });

  test('the tool that calls them is denied → nobody is told of any, and no task may need one (T9)', async () => {
    const denied = { ...pinned, permissions: { auto: [], confirm: [], deny: ['call_subagent'] } };
    const needsLaw = plan(task('t1', { requiredCapabilities: ['Law'] }));
    const ran = await runPlan([needsLaw, needsLaw, SUMMARY], { pinned: denied });
    expect(statuses(ran)).toEqual(['t1 blocked not available: Law']);
    expect(said(ran).join()).not.toMatch(/may name|lawyer/);
    const alone = await runPlan([plan(task('t1')), done('One.'), SUMMARY], { pinned: denied });
    expect(said(alone).join()).toContain('There are no agents in this run');
  });

  test('a role that may call none → is told of none', async () => {
    const ran = await runPlan([plan(task('t1')), done('One.'), SUMMARY]);
    expect(said(ran).join()).not.toMatch(/call_subagent|no agents/);
  });
});

describe('a task that takes longer than its estimate', () => {
  const calls = (takesMs: number): TeamReply => ({ calls: ['read'], takesMs });
  const overdueLines = (ran: TeamRun) => said(ran).filter(text => text.includes('was estimated at'));

  test('at its next turn its role is told once, and goes on (F18)', async () => {
    const ran = await runPlan([
      plan(task('t1', { estimatedDuration: 10_000 }), task('t2')),
      calls(9_000),
      calls(2_000),
      calls(60_000),
      done('One.'),
      done('Two.', 60_000),
      SUMMARY,
    ]);
    expect(events(ran, 'task_overdue')).toMatchObject([
      { taskId: 't1', estimatedMs: 10_000, takenMs: 11_000 },
    ]);
    expect(overdueLines(ran)).toEqual([
      expect.stringContaining('t1 was estimated at 10 s and has taken 11 s.'),
    ]);
    expect(statuses(ran)).toEqual(['t1 completed', 't2 completed']);
    expect(ran.run.state.tasks.map(({ overdue }) => overdue ?? false)).toEqual([true, false]);
  });

  test('in Chinese → in Chinese', async () => {
    const todos = plan(task('t1', { estimatedDuration: 1_000 }));
    const ran = await runPlan([todos, calls(120_000), done('One.'), SUMMARY], { pinned: { language: 'zh' } });
    expect(said(ran).join()).toContain('t1 预计 1 s，已用 2 min。');
  });

  test.each([
    ['no time', 0],
    ['its last reply takes long', 60_000],
  ])('%s → nothing is said', async (_name, ms) => {
    const todos = plan(task('t1', { estimatedDuration: 10_000 }));
    const ran = await runPlan([todos, calls(0), done('One.', ms), SUMMARY]);
    expect(events(ran, 'task_overdue')).toEqual([]);
    expect(overdueLines(ran)).toEqual([]);
  });
});
