import { describe, expect, it } from 'vitest';
import { execution, plan, verdict } from '../../../packages/test-kit/role-outputs.js';
import { shortenThread } from '../../../src/conversation/handover.js';
import type { ModelRequestPage } from '../../../src/rules/prompts/model-request.js';
import { DEFAULT_LIMITS } from '../../../src/run/limits/limits.js';
import { isPromptOf } from '../../../src/run/state/thread.js';
import { instruct, nameRole } from '../../../src/workflows/say/instruct.js';
import { modelFacts } from '../../support/core-values.js';
import type { TeamReply } from '../../support/scripted-team.js';
import { runTeam } from '../../support/scripted-team.js';
import { fileTool, runAtCalls, testRole } from '../../support/small-run.js';

const done: TeamReply = { text: execution({ summary: 'The file says 42.', taskCompleted: true }) };
const judged = (completed: boolean) => [{ id: 't1', completed, feedback: 'Seen.' }];

/** Two plans, a task whose rounds are used up, a role that calls tools which it has not, a reply sent back. */
const SCRIPT: TeamReply[] = [
  { calls: ['read'] },
  { text: plan({ todos: [{ id: 't1', description: 'Read it' }] }) },
  { text: 'I read it.', calls: ['read'] },
  { text: 'What a file.', calls: ['read'] },
  { text: execution({ summary: 'Not much.', taskCompleted: false }) },
  { text: verdict({ improvements: ['Read it whole.'], tasks: judged(false) }) },
  { text: plan({ todos: [{ id: 't1', description: 'Read it whole' }] }) },
  { text: 'It is as I said.' },
  done,
  { text: verdict({ summary: 'It says 42.', tasks: judged(true) }) },
];
const team = ({ script = SCRIPT, contextTokens = 100_000 } = {}) => {
  const roles = {
    planner: testRole('planner', { tools: [], output: 'plan', prompt: '# Planner' }),
    executor: testRole('executor', { prompt: '# Executor', temperature: 0.3 }),
    verifier: testRole('verifier', { tools: [], output: 'verdict', prompt: '# Verifier' }),
    summary: testRole('summary', { tools: [], output: 'text', prompt: '# Summary' }),
  };
  const prefix = { system: 'You are a team.' };
  const limits = { ...DEFAULT_LIMITS, execution: script === SCRIPT ? 2 : 20 };
  const modelInfo = { 'p/a': modelFacts(contextTokens, true) };
  return runTeam(script, { pinned: { roles, prefix, limits, modelInfo } });
};

describe('what a run sends', () => {
  it('each request → but for its end the beginning of the next, across roles, and opened alike', async () => {
    const { requests, asked } = await team();
    expect(new Set(asked)).toEqual(new Set(['planner', 'executor', 'verifier']));
    requests.slice(1).forEach((request, at) => {
      const before = requests[at] as ModelRequestPage;
      expect(request.messages.slice(0, before.messages.length)).toEqual(before.messages);
      expect(request.head).toMatchObject({
        prefix: 'shared',
        system: before.head?.system,
        tools: before.head?.tools,
      });
    });
  });

  it('a person speaks, the plan is made anew, the thread is trimmed → only a trim changes what was sent before', async () => {
    const long = 'The record says that all of it is in order. '.repeat(60);
    const reads: TeamReply[] = Array.from({ length: 12 }, () => ({ text: long, calls: ['read'] }));
    const [read = {}, ...more] = reads;
    const { run, requests } = await team({
      script: [
        { text: plan({ todos: [{ id: 't1', description: 'Read it' }] }) },
        ...[{ ...read, said: 'In French.' }, ...more, done],
        { text: verdict({ improvements: ['Read it once more.'], tasks: judged(false) }) },
        { text: plan({ todos: [{ id: 't2', description: 'Read it once more' }] }) },
        ...[...reads, done],
        {
          text: verdict({
            summary: 'It says 42.',
            tasks: [...judged(true), { id: 't2', completed: true, feedback: 'Seen.' }],
          }),
        },
      ],
      contextTokens: 8_000,
    });
    const trims = run.state.log.journal.events.filter(({ type }) => type === 'thread_trimmed').length;
    const changed = requests.slice(1).filter((request, at) => {
      const before = requests[at]?.messages ?? [];
      return JSON.stringify(request.messages.slice(0, before.length)) !== JSON.stringify(before);
    });
    expect(trims).toBeGreaterThan(0);
    expect(requests.length).toBeGreaterThan(5 * trims);
    expect(changed).toHaveLength(trims);
    expect(new Set(requests.map(({ head }) => JSON.stringify([head?.system, head?.tools]))).size).toBe(1);
  });

  it('tools → a block that stays; who has none, or has used up the rounds, is told to call none (L9)', async () => {
    const { requests, asked, ran } = await team();
    const choices = requests.map(({ head }, at) => `${asked[at]} ${head?.toolChoice}`);
    expect(choices.slice(0, 6)).toEqual([
      ...['planner none', 'planner none', 'executor auto', 'executor auto', 'executor none', 'verifier none'],
    ]);
    expect(requests.every(({ head }) => head?.tools.length === 2)).toBe(true);
    // The planner's own call was closed.
    expect(ran.length).toBeLessThan(3);
  });

  it("a role that comes on → its prompt once, and above each instruction the role's name", async () => {
    const { run } = await team();
    const said = run.mainThread().messages.flatMap(message => (message.kind === 'user' ? [message] : []));
    expect(said.filter(({ purpose }) => purpose === 'role').map(({ role }) => role)).toEqual([
      'planner',
      'executor',
      'verifier',
    ]);
    const instructions = said.filter(({ purpose }) => purpose === 'instruction');
    expect(instructions.every(({ role, content }) => content[0]?.text.startsWith(`To \`${role}\`:`))).toBe(
      true,
    );
  });
});

describe('a role whose prompt stands in the thread', () => {
  const executor = testRole('executor', { prompt: '# Executor' });
  const verifier = testRole('verifier', { prompt: '# Verifier', tools: [] });
  const thread = () => {
    const { run } = runAtCalls([{ name: 'read', input: {} }], { pinned: { roles: { executor, verifier } } });
    run.state.cursor.position.turns.batch = null;
    return run;
  };

  it('another has spoken since → it is named again, and not given its prompt twice', () => {
    const run = thread();
    instruct(run, executor, 'Do it.');
    instruct(run, verifier, 'Check it.');
    nameRole(run, executor);
    nameRole(run, executor);
    const { messages } = run.mainThread();
    expect(messages.at(-1)).toMatchObject({ role: 'executor', content: [{ text: 'To `executor`: go on.' }] });
    expect(messages.filter(message => isPromptOf(message, 'executor'))).toHaveLength(1);
  });

  it('the thread is trimmed → the prompt of the role at hand stays, another is given again when it comes on', () => {
    const run = thread();
    instruct(run, verifier, 'Check it.');
    run.say(run.mainThread(), 'goal', 'Another goal.');
    instruct(run, executor, 'Do it.');
    expect(shortenThread(run.state, run.mainThread(), 10, { why: 'test', at: 0 })).toBe(true);
    const prompts = () =>
      run
        .mainThread()
        .messages.flatMap(each => (each.kind === 'user' && each.purpose === 'role' ? [each.role] : []));
    expect(prompts()).toEqual(['executor']);
    nameRole(run, verifier);
    expect(prompts()).toEqual(['executor', 'verifier']);
  });

  it('it has some of the tools → it is told which', () => {
    const run = thread();
    const reader = testRole('reader', { tools: ['re*'], prompt: '# Reader' });
    run.pinned.roles.reader = reader;
    instruct(run, reader, 'Read.');
    const prompt = run.mainThread().messages.find(message => isPromptOf(message, 'reader'));
    expect(JSON.stringify(prompt)).toContain('# Reader\\n\\nThis role may call only these tools: read.');
  });

  it('it has recall alone → its prompt does not name it, for nothing may be left out (SE2)', () => {
    const run = thread();
    const judge = testRole('judge', { tools: ['recall'], prompt: '# Judge' });
    run.pinned.roles.judge = judge;
    run.pinned.tools.push(fileTool('recall', { readOnly: true }));
    instruct(run, judge, 'Judge.');
    const prompt = run.mainThread().messages.find(message => isPromptOf(message, 'judge'));
    expect(JSON.stringify(prompt)).toContain('The tools are for other roles: a call by this one is not run.');
    expect(JSON.stringify(prompt)).not.toContain('recall');
  });
});
