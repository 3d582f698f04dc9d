import { describe, expect, test } from 'vitest';
import { execution, plan, verdict } from '../../packages/test-kit/role-outputs.js';
import type { ScriptedReply } from '../support/endpoint/model.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, toolTexts } from '../support/run-views.js';

const rig = rigOfFile({ workspace: { 'a.txt': 'alpha\n', 'b.txt': 'beta\n', 'c.txt': 'gamma\n' } });

const read = (path: string): ScriptedReply => ({
  toolCalls: [{ name: 'read_text_file', arguments: { path } }],
});
const done = (summary: string): ScriptedReply => ({ text: execution({ summary, taskCompleted: true }) });
const accepted: ScriptedReply = { text: verdict({ summary: 'The files say alpha, beta and gamma.' }) };
const WRAP_UP = 'So far: a.txt says alpha. The rest was not read.';

describe('planning', () => {
  test('planning rounds: more planning asked for to the end → the plan as it stands is executed (L2)', async () => {
    const script = rig.play([
      { text: plan({ needsMorePlanning: true, todos: ['Read a.txt'] }) },
      { text: plan({ needsMorePlanning: true, todos: ['Read a.txt', 'Read b.txt'] }) },
      done('a.txt says alpha.'),
      done('b.txt says beta.'),
      accepted,
    ]);
    const { handle, result } = await rig.run('Read the files', { limits: { planning: 2 } });
    expect(result).toMatchObject({ outcome: 'completed', counters: { planning: 2, turns: 5 } });
    expect(await eventsOf(handle, 'limit_reached')).toMatchObject([{ limit: 'planning', taskId: null }]);
    expect(script.requests).toHaveLength(5);
  });

  test('the same plan twice → planning stops, though it asks for more (F7)', async () => {
    const again = { text: plan({ needsMorePlanning: true, todos: ['Read a.txt'] }) };
    rig.play([again, again, done('a.txt says alpha.'), accepted]);
    const { result } = await rig.run('Read a.txt');
    expect(result).toMatchObject({ outcome: 'completed', counters: { planning: 2, turns: 4 } });
  });

  test('no task at all → one re-ask, then one direct answer without tools, unverified (L8)', async () => {
    const script = rig.play([
      { text: plan({ todos: [] }) },
      { text: plan({ todos: [] }) },
      { text: WRAP_UP },
    ]);
    const { handle, result } = await rig.run('Say hello');
    expect(result).toMatchObject({
      outcome: 'unverified',
      text: WRAP_UP,
      tasks: [],
      counters: { reasks: 1, planning: 1, verification: 0 },
    });
    expect(script.requests[1]?.lastUser).toMatch(
      /could not be used:\n- `todos` must be .* at least one task/,
    );
    expect(script.requests[2]?.toolNames).toEqual([]);
    expect(JSON.stringify(script.requests[2]?.body.messages)).toContain('Say hello');
    expect(await eventsOf(handle, 'reask')).toMatchObject([{ role: 'planner' }]);
  });

  test('a plan that can not be read, twice → a fallback in the journal and a direct answer (L8, G13)', async () => {
    rig.play([{ text: 'I shall look into it.' }, { text: 'Still looking.' }, { text: WRAP_UP }]);
    const { handle, result } = await rig.run('Read the files');
    expect(result).toMatchObject({ outcome: 'unverified', text: WRAP_UP });
    expect(await eventsOf(handle, 'output_fallback')).toMatchObject([{ role: 'planner' }]);
  });

  test('a plan over the limit of tasks → cut, with the cut ids in the journal (F18)', async () => {
    rig.play([
      { text: plan({ todos: ['Read a.txt', 'Read b.txt', 'Read c.txt', 'Read all'] }) },
      done('a.txt says alpha.'),
      done('b.txt says beta.'),
      accepted,
    ]);
    const { handle, result } = await rig.run('Read the files', { limits: { tasks: 2 } });
    expect(result.tasks.map(task => task.id)).toEqual(['task-1', 'task-2']);
    expect(await eventsOf(handle, 'plan_updated')).toMatchObject([{ cut: ['task-3', 'task-4'] }]);
  });

  test('a planner that calls a tool → the call is closed with a result, nothing runs (L9, G7)', async () => {
    const script = rig.play([
      read('a.txt'),
      { text: plan({ todos: ['Read a.txt'] }) },
      done('a.txt says alpha.'),
      accepted,
    ]);
    const { result } = await rig.run('Read a.txt');
    expect(toolTexts(script.requests[1])).toEqual([expect.stringContaining('no tools are available here')]);
    expect(result).toMatchObject({ outcome: 'completed', trace: { usedTools: {} } });
  });
});

describe('execution', () => {
  test('execution rounds used up → a report without tools, task failed, dependants blocked, next task runs (L3, L6)', async () => {
    const script = rig.play([
      {
        text: plan({
          todos: [
            { id: 'one', description: 'Read a.txt and more' },
            { id: 'two', description: 'Read b.txt' },
            { id: 'three', description: 'Compare', dependencies: ['one'] },
          ],
        }),
      },
      read('a.txt'),
      read('b.txt'),
      { text: execution({ summary: 'a.txt says alpha, and more is missing.', taskCompleted: false }) },
      done('b.txt says beta.'),
      accepted,
    ]);
    const { handle, result } = await rig.run('Read the files', { limits: { execution: 2 } });
    expect(script.requests[2]?.toolNames).toContain('read_text_file');
    expect(script.requests[3]).toMatchObject({
      toolNames: [],
      lastUser: expect.stringContaining('are used up'),
    });
    expect(result.tasks).toMatchObject([
      {
        id: 'one',
        status: 'failed',
        reason: 'max_rounds',
        result: expect.stringContaining('more is missing'),
      },
      { id: 'two', status: 'completed', rounds: 1 },
      { id: 'three', status: 'blocked', reason: 'dependency_failed', rounds: 0 },
    ]);
    expect(await eventsOf(handle, 'limit_reached')).toMatchObject([{ limit: 'execution', taskId: 'one' }]);
  });

  test('a report at the cap that calls tools twice → closed with results, asked again once, then failed without a report (L6, OU2)', async () => {
    const script = rig.play([
      { text: plan({ todos: ['Read a.txt', 'Read c.txt'] }) },
      read('a.txt'),
      read('b.txt'),
      read('b.txt'),
      done('c.txt says gamma.'),
      accepted,
    ]);
    const { result } = await rig.run('Read both', { limits: { execution: 1 } });
    expect(toolTexts(script.requests[3]).at(-1)).toContain('no tools are available here');
    expect(script.requests[3]?.lastUser).toContain('No tools are available here');
    expect(result.tasks).toMatchObject([{ status: 'failed', reason: 'max_rounds' }, { status: 'completed' }]);
    expect(result).toMatchObject({ outcome: 'unverified', cause: 'tasks_failed' });
  });

  test('decisions: skip, gave up, retry, taskCompleted false with nextAction complete → as the table says (F1–F3)', async () => {
    const script = rig.play([
      { text: plan({ todos: ['Skip me', 'Give me up', 'Retry me', 'Not yet done'] }) },
      { text: execution({ summary: 'There is no such thing.', nextAction: 'skip' }) },
      { text: execution({ summary: 'No way is left.', taskCompleted: false, shouldContinue: false }) },
      read('a.txt'),
      { text: execution({ summary: 'That looks old.', taskCompleted: false, nextAction: 'retry' }) },
      read('a.txt'),
      done('a.txt says alpha.'),
      { text: execution({ summary: 'Half of it.', taskCompleted: false, nextAction: 'complete' }) },
      done('b.txt says beta.'),
      accepted,
    ]);
    const { result } = await rig.run('Four things');
    expect(result.tasks.map(({ status, reason, rounds }) => [status, reason, rounds])).toEqual([
      ['skipped', 'skipped', 1],
      ['failed', 'gave_up', 1],
      ['completed', null, 4],
      ['completed', null, 2],
    ]);
    expect(script.requests[5]?.lastUser).toContain('start it again');
    expect(script.requests[8]?.lastUser).toContain('task-4 is not finished yet');
    // The retry cleared the ledger: the second read of the task really ran.
    expect(result.trace.usedTools).toMatchObject({ read_text_file: { count: 2 } });
  });

  test('an executor report that can not be read, twice → the task failed as bad output, the run goes on (F6)', async () => {
    rig.play([
      { text: plan({ todos: ['Read a.txt', 'Read b.txt'] }) },
      { text: 'done, completed!' },
      { text: 'Everything is finished.' },
      done('b.txt says beta.'),
      accepted,
    ]);
    const { handle, result } = await rig.run('Read the files');
    expect(result.tasks).toMatchObject([
      { status: 'failed', reason: 'bad_output', result: 'Everything is finished.' },
      { status: 'completed' },
    ]);
    expect(await eventsOf(handle, 'output_fallback')).toMatchObject([{ role: 'executor' }]);
    expect(result.counters.reasks).toBe(1);
  });

  test('an empty phrase as a result → asked for once, then taken (F11)', async () => {
    const script = rig.play([
      { text: plan({ todos: ['Read a.txt'] }) },
      done('The task is completed.'),
      done('a.txt says alpha.'),
      accepted,
    ]);
    const { result } = await rig.run('Read a.txt');
    expect(script.requests[2]?.lastUser).toContain('`summary` must hold the task result itself');
    expect(result.tasks).toMatchObject([{ status: 'completed', result: 'a.txt says alpha.', rounds: 1 }]);
  });
});

describe('verification', () => {
  const rejected = (improvement: string, summary?: string): ScriptedReply => ({
    text: verdict({
      improvements: [improvement],
      allCompleted: false,
      userNeedsSatisfied: false,
      ...(summary === undefined ? {} : { summary }),
    }),
  });
  const plans = (id: string): ScriptedReply => ({ text: plan({ todos: [{ id, description: `Do ${id}` }] }) });

  test('verifications used up, a summary among them → the last summary is the answer, unverified (L5, C9)', async () => {
    rig.play([
      ...[plans('one'), done('a.txt says alpha.'), rejected('Read b.txt too.', 'Only alpha so far.')],
      ...[plans('two'), done('b.txt says beta.'), rejected('Read c.txt too.')],
    ]);
    const { handle, result } = await rig.run('Read the files', { limits: { verification: 2 } });
    expect(result).toMatchObject({
      outcome: 'unverified',
      text: 'Only alpha so far.',
      counters: { verification: 2, turns: 6 },
    });
    expect(await eventsOf(handle, 'limit_reached')).toMatchObject([{ limit: 'verification' }]);
  });

  test('verifications used up without a summary → the reports of the tasks, unverified (L5)', async () => {
    rig.play([plans('one'), done('a.txt says alpha.'), rejected('More.')]);
    const { result } = await rig.run('Read the files', { limits: { verification: 1 } });
    expect(result.outcome).toBe('unverified');
    expect(result.text).toContain('a.txt says alpha.');
  });

  test('a verdict against itself → the stricter reading, back to the planner (F10)', async () => {
    const script = rig.play([
      ...[plans('one'), done('a.txt says alpha.')],
      {
        text: verdict({
          summary: 'All is well.',
          tasks: [{ id: 'one', completed: false, feedback: 'It names no file.' }],
        }),
      },
      ...[plans('one'), done('The file a.txt says alpha.'), accepted],
    ]);
    const { handle, result } = await rig.run('Read the files');
    expect(result).toMatchObject({ outcome: 'completed', counters: { verification: 2 } });
    const [first] = await eventsOf(handle, 'verdict');
    expect(first).toMatchObject({ done: false, contradictions: [expect.any(String)] });
    expect(script.requests[3]?.lastUser).toContain('It names no file.');
  });

  test('a verdict that can not be read, twice → an unverified answer from a last call (F9)', async () => {
    const script = rig.play([
      ...[plans('one'), done('a.txt says alpha.')],
      ...[{ text: 'Looks fine to me.' }, { text: 'Yes, fine.' }, { text: WRAP_UP }],
    ]);
    const { handle, result } = await rig.run('Read the files');
    expect(result).toMatchObject({ outcome: 'unverified', text: WRAP_UP });
    expect(script.requests[4]?.toolNames).toEqual([]);
    expect(await eventsOf(handle, 'output_fallback')).toMatchObject([{ role: 'verifier' }]);
  });
});

describe('budgets of a goal', () => {
  const used = (reply: ScriptedReply): ScriptedReply => ({
    ...reply,
    usage: { inputTokens: 90, outputTokens: 10 },
  });
  const start = [{ text: plan({ todos: ['Read the files'] }) }, read('a.txt'), read('b.txt')].map(used);

  test('turns used up → one wrap-up call without tools, outside the limit, unverified (L11, L19)', async () => {
    const script = rig.play([...start, { text: WRAP_UP }]);
    const { handle, result } = await rig.run('Read the files', { limits: { turns: 3 } });
    expect(result).toMatchObject({ outcome: 'unverified', text: WRAP_UP });
    expect(script.requests).toHaveLength(4);
    expect(script.requests[3]).toMatchObject({
      toolNames: [],
      lastUser: expect.stringContaining('turns is used up'),
    });
    expect(await eventsOf(handle, 'limit_reached')).toMatchObject([{ limit: 'turns' }]);
    expect(await eventsOf(handle, 'phase_started')).toMatchObject([{}, {}, { phase: 'wrap_up' }]);
  });

  test('a wrap-up that calls tools → closed with results, the answer from what there is (L11, G7)', async () => {
    const finished = [{ text: plan({ todos: ['Read a.txt', 'Read b.txt'] }) }, done('a.txt says alpha.')];
    const script = rig.play([...finished, read('b.txt'), read('b.txt')]);
    const { result } = await rig.run('Read the files', { limits: { turns: 2 } });
    expect(script.requests).toHaveLength(4);
    expect(result).toMatchObject({ outcome: 'unverified', cause: 'turn_cap' });
    expect(result.text).toContain('a.txt says alpha.');
  });

  test('tokens used up → a warning at 80 %, then the wrap-up, budget_exhausted', async () => {
    const script = rig.play([...start, used({ text: WRAP_UP })]);
    const { handle, result } = await rig.run('Read the files', { limits: { tokens: 250 } });
    expect(result).toMatchObject({
      outcome: 'budget_exhausted',
      text: WRAP_UP,
      usage: { inputTokens: 360, outputTokens: 40 },
    });
    expect(script.requests).toHaveLength(4);
    expect(await eventsOf(handle, 'budget_warning')).toMatchObject([{ budget: 'tokens' }]);
    expect(await eventsOf(handle, 'limit_reached')).toMatchObject([{ limit: 'tokens' }]);
  });

  test('cost used up → budget_exhausted', async () => {
    rig.play([...start, { text: WRAP_UP }]);
    const { handle, result } = await rig.run('Read the files', { limits: { costUsd: 0.000_1 } });
    expect(result.outcome).toBe('budget_exhausted');
    expect(await eventsOf(handle, 'limit_reached')).toMatchObject([{ limit: 'costUsd' }]);
  });

  test('time used up before the first call → only the wrap-up', async () => {
    const script = rig.play([{ text: WRAP_UP }]);
    const { handle, result } = await rig.run('Read the files', { limits: { wallTimeMs: 1 } });
    expect(result).toMatchObject({ outcome: 'budget_exhausted', text: WRAP_UP });
    expect(script.requests).toHaveLength(1);
    expect(await eventsOf(handle, 'limit_reached')).toMatchObject([{ limit: 'wallTimeMs' }]);
  });
});
