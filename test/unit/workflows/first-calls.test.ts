import { describe, expect, test } from 'vitest';
import type { ToolResultMessage } from '../../../src/run/messages/message.js';
import { textOf } from '../../../src/run/messages/message.js';
import { runTeam, type TeamGiven, type TeamReply, type TeamRun } from '../../support/scripted-team.js';
import { testRole } from '../../support/small-run.js';

const todo = (id: string) => ({ id, description: `Do ${id}.` });
const planOf = (todos: object[], begin: unknown): TeamReply => ({
  text: JSON.stringify({ summary: 'As asked.', needsMorePlanning: false, todos, begin }),
});
const READ = { tool: 'read', arguments: { path: 'a' } };
const PUT = { tool: 'put', arguments: { path: 'b' } };
const DONE: TeamReply = { text: JSON.stringify({ summary: 'The file says 42.', taskCompleted: true }) };
const VERDICT: TeamReply = {
  text: JSON.stringify({
    allCompleted: true,
    userNeedsSatisfied: true,
    overallFeedback: 'Well.',
    summary: 'It says 42.',
    tasks: ['t1', 't2'].map(id => ({ id, completed: true, feedback: 'Seen.' })),
  }),
};

const ONE = [todo('t1')];
const runPlanned = (todos: object[], begin: unknown, given: TeamGiven = {}) =>
  runTeam([planOf(todos, begin), ...todos.map(() => DONE), VERDICT], given);

const said = ({ requests }: TeamRun) => JSON.stringify(requests[0]);
const results = ({ run }: TeamRun) =>
  Object.values(run.state.threads)
    .flatMap(({ messages }) => messages)
    .filter((message): message is ToolResultMessage => message.kind === 'tool_result')
    .flatMap(({ content }) => content);

describe('the first calls of a plan of one task', () => {
  test('nobody looks at the plan → they are made, as the executor, before it is asked', async () => {
    const ran = await runPlanned(ONE, [READ, PUT], { settings: { autoApprove: true } });
    expect(ran.ran.map(({ tool, arguments: given }) => [tool, given])).toEqual([
      ['read', { path: 'a' }],
      ['put', { path: 'b' }],
    ]);
    expect(ran.asked).toEqual(['planner', 'executor', 'verifier']);
    const kinds = ran.run.state.threads.main?.messages.map(message =>
      message.kind === 'assistant' ? message.role : message.kind,
    );
    // Calls and their results stand together, before the executor hears of its task.
    expect(kinds?.slice(2, 8)).toEqual(['user', 'planner', 'executor', 'tool_result', 'tool_result', 'user']);
    expect(said(ran)).toContain('may give its first calls');
  });

  test('what needs leave is asked about or denied as any call of the executor', async () => {
    const ran = await runPlanned(ONE, [PUT]);
    expect(ran.ran).toEqual([]);
    expect(results(ran)).toMatchObject([{ toolName: 'put', ending: 'denied' }]);
  });

  test('the task that they belong to is only named, for the plan stands above', async () => {
    const ran = await runPlanned(ONE, [READ]);
    const texts = ran.run.state.threads.main?.messages.map(textOf) ?? [];
    expect(texts.filter(text => text.includes('Do task `t1` now.'))).toHaveLength(1);
    expect(texts.join()).not.toContain('still hold');
  });

  const PERSON = { decision: 'approve' } as never;
  const REVIEWER = testRole('reviewer', { tools: [], output: 'review' });
  test.each<[string, object[], unknown, TeamGiven]>([
    ['two tasks', [todo('t1'), todo('t2')], [READ], {}],
    ['none given', ONE, [], {}],
    ['no list', ONE, 'read a', {}],
    ['calls without a tool', ONE, [{ arguments: { path: 'a' } }], {}],
    ['arguments that are none', ONE, [{ tool: 'read', arguments: 'a' }], {}],
    ['too large to be kept whole', ONE, [{ tool: 'read', arguments: { path: 'x'.repeat(5_000) } }], {}],
    [
      'a person approves the plan',
      ONE,
      [READ],
      { settings: { attended: true, approvePlan: true }, answers: [PERSON] },
    ],
    ['roles apart', ONE, [READ], { pinned: { roles: apart() } }],
  ])('%s → nothing is made before the executor asks', async (_name, todos, begin, given) => {
    const ran = await runPlanned(todos, begin, given);
    expect(ran.ran).toEqual([]);
    expect(ran.asked.filter(role => role === 'executor')).toHaveLength(todos.length);
  });

  test('arguments as the text of an object, as strict endpoints give them → read', async () => {
    const ran = await runPlanned(ONE, [{ tool: 'read', arguments: '{"path":"a"}' }]);
    expect(ran.ran).toMatchObject([{ arguments: { path: 'a' } }]);
  });

  test('within the only task in place of beside it → read all the same', async () => {
    const ran = await runPlanned([{ ...todo('t1'), begin: [READ] }], undefined);
    expect(ran.ran).toMatchObject([{ tool: 'read', arguments: { path: 'a' } }]);
  });

  test('a plan that somebody looks at → the planner is not told of them', async () => {
    const roles = { ...apart('shared'), reviewer: REVIEWER };
    const reviewed = { approved: true, score: 90, feedback: 'Well.', requiredFixes: [] };
    const given = { pinned: { roles, review: { plans: true, results: false, actions: false } } };
    const ran = await runTeam(
      [planOf(ONE, [READ]), { text: JSON.stringify(reviewed) }, DONE, VERDICT],
      given,
    );
    expect(said(ran)).not.toContain('may give its first calls');
    expect(ran.ran).toEqual([]);
  });

  test('a tool that is not there → a result that says so, and the executor goes on', async () => {
    const ran = await runPlanned(ONE, [{ tool: 'teleport', arguments: {} }, READ]);
    expect(results(ran).map(({ toolName, ending }) => [toolName, ending])).toEqual([
      ['teleport', 'unavailable'],
      ['read', 'executed'],
    ]);
    expect(ran.end.outcome).toBe('completed');
  });
});

function apart(memory: 'private' | 'shared' = 'private') {
  return {
    planner: testRole('planner', { tools: [], output: 'plan' }),
    executor: testRole('executor', { memory }),
    verifier: testRole('verifier', { tools: [], output: 'verdict' }),
    summary: testRole('summary', { tools: [], output: 'text' }),
  };
}
