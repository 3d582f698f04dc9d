import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readIntent } from '../../../packages/demo-model/goal.js';
import { BUILT_IN_WORDS } from '../../../src/base/words/words.js';
import { toolResult } from '../../../src/conversation/tool-result.js';
import { parseRoleOutput } from '../../../src/rules/outputs/parse-output.js';
import { answerInstruction } from '../../../src/rules/prompts/answer-instructions.js';
import { taskInstruction } from '../../../src/rules/prompts/instructions.js';
import { intentInstruction, routeInstruction } from '../../../src/rules/prompts/steering-instructions.js';
import { decideRoute } from '../../../src/rules/steering/route.js';
import type { ToolResultBlock, ToolUseBlock } from '../../../src/run/messages/message.js';
import { newSteering } from '../../../src/run/position/position.js';
import { task as newTask } from '../../support/core-values.js';
import { DemoConversation, FILE_TOOLS } from '../../support/demo-conversation.js';
import { testRole } from '../../support/small-run.js';
import { handsOn } from '../../support/workspace-tools.js';

const HARBOUR: Record<string, string> = {
  'README.md': '# Harbour\n\nBerths and tides for a small marina.\n',
  'readme.ts': 'export const noReadme = true;\n',
  'package.json': '{\n  "name": "harbour"\n}\n',
  'src/plan.ts': 'plan();\n// TODO the table\n',
  'src/Über.ts': 'tide();',
  'docs/总结.md': '# 总结\n\n潮汐表在这里。\n',
  'sales.csv': 'region,price\nnorth,3\nsouth,5\n',
  '.gitignore': 'node_modules\n',
  'node_modules/x/x.js': '// TODO not ours\n',
};
async function at(goal: string, files: Record<string, string> = HARBOUR): Promise<DemoConversation> {
  const hands = await handsOn();
  for (const [path, text] of Object.entries(files)) hands.put(path, text);
  return new DemoConversation(hands, goal);
}

const LABEL = '*Demo model: rules, not intelligence.*';
const OVERVIEW = 'What is in this folder, and what is left to do?';

describe('demo model: what it can do', () => {
  const overview = [
    { kind: 'files', folder: '.' },
    { kind: 'readme' },
    { kind: 'marks', of: 'TODO/FIXME/XXX' },
  ];

  test.each<[string, Record<string, unknown>[]]>([
    [OVERVIEW, overview],
    ['Summarise what is in this folder', overview],
    ['Summarize the contents of this folder.', overview],
    ['summarise this repo', overview],
    ['Tell me about this project', overview],
    ['Please give me a short overview!', overview],
    ['这个文件夹里有什么，还有什么要做？', overview],
    ['总结一下这个项目', overview],
    ['介绍一下这个项目', overview],
    ["What's in here?", [{ kind: 'files' }, { kind: 'readme' }]],
    ['What files are here?', [{ kind: 'files', folder: '.' }]],
    ['List the files', [{ kind: 'files', folder: '.' }]],
    ['list files in src/models', [{ kind: 'files', folder: 'src/models' }]],
    ['How many files are in the src folder?', [{ kind: 'files', folder: 'src' }]],
    ['有多少个文件？', [{ kind: 'files', folder: '.' }]],
    ['docs里有哪些文件', [{ kind: 'files', folder: 'docs' }]],
    ['列出文件', [{ kind: 'files', folder: '.' }]],
    ['Show me the README', [{ kind: 'read', of: 'README.md' }]],
    ['What does the README say?', [{ kind: 'read', of: 'README.md' }]],
    ['显示README', [{ kind: 'read', of: 'README.md' }]],
    ['List the TODOs', [{ kind: 'marks', of: 'TODO', folder: '.' }]],
    ['List all TODOs in src', [{ kind: 'marks', of: 'TODO', folder: 'src' }]],
    ['What is left to do in src?', [{ kind: 'marks', folder: 'src' }]],
    ['列出src里的所有TODO', [{ kind: 'marks', of: 'TODO', folder: 'src' }]],
    ['还需要做什么', [{ kind: 'marks', of: 'TODO/FIXME/XXX' }]],
    ['Find TODO and list the TODOs', [{ kind: 'marks', of: 'TODO' }]],
    ['Show `docs/a b.md`.', [{ kind: 'read', of: 'docs/a b.md' }]],
    ['总结.md 里有什么？', [{ kind: 'read', of: '总结.md' }]],
    ['Please show me package.json', [{ kind: 'read', of: 'package.json' }]],
    ['Write a summary of this folder to SUMMARY.md', [...overview, { kind: 'write', of: 'SUMMARY.md' }]],
    ['Give me an overview and save it to "my notes.md"', [...overview, { kind: 'write', of: 'my notes.md' }]],
    ['总结这个文件夹，写入总结.md', [...overview, { kind: 'write', of: '总结.md' }]],
  ])('the goal "%s" → what is asked for (FC2)', (goal, wants) => {
    expect(readIntent([goal]).wants).toEqual(wants.map(want => expect.objectContaining(want)));
  });

  test.each([
    'Compute the average price per region in sales.csv',
    'Count the files and deploy the site',
    'deploy the site',
    'fix the failing test',
    'what does src/plan.ts do',
    'What does this project do?',
    'What is this project?',
    'Explain this codebase',
    'translate README.md to French',
    'Summarize README.md',
    'Summarise the README',
    'list the biggest files',
    'List all files',
    'How many test files are in this folder?',
    'How many TypeScript files are there?',
    'How many lines of code are there?',
    'How many lines has this folder?',
    'delete all logs',
    'Write a poem to POEM.md',
    'Save a summary to the file notes',
    'Show me the first 3 lines of README.md',
    'What is in this folder that should not be there?',
    'Hello',
    'hi',
    'help',
    '',
    '你好',
    '帮我修复这个错误',
    '这个项目是做什么的？',
    '把README翻译成英文',
    '删除所有日志文件',
    '统计每个地区的平均价格',
    '总结一下README.md',
  ])('any other, "%s" → nothing is planned, and the answer is one line (FC2)', async goal => {
    const run = await at(goal);
    expect(await run.team()).toEqual([]);
    const answer = await run.wrapUp(BUILT_IN_WORDS.en.whyNoPlan);
    expect(answer).not.toContain('\n');
    expect(answer).toMatch(/(?:It can't do this: “.*”|它做不到：“.*”).*OPENAI_API_KEY=…/);
    expect(run.called).toEqual([]);
  });
});

describe('demo model: team', () => {
  test('an overview → three tasks, one exact call each, and a verified answer (FC1)', async () => {
    const run = await at(OVERVIEW);
    const plan = await run.team();
    const verdict = await run.verify();
    expect(plan.map(({ id }) => id)).toEqual(['files', 'readme', 'marks']);
    expect(run.called).toEqual(['list', 'read', 'grep']);
    expect(verdict).toMatchObject({ done: true, cause: 'verified' });
    expect(verdict.summary.startsWith(LABEL)).toBe(true);
    for (const text of [
      '**8 files**',
      '\nsrc/ (2 files)\n',
      '\n[Left out, as git ignores it: node_modules/]\n',
      'Berths and tides',
      '**1 line**\n\n```\nsrc/plan.ts:2: // TODO the table\n```',
    ])
      expect(verdict.summary).toContain(text);
    expect(verdict.summary).not.toMatch(/not ours|noReadme/);
  });

  test.each([
    ['another part', 'Also count the files in docs, please.', '**1 file**'],
    ['a file', 'also look at src/plan.ts', '\nplan();\n'],
  ])(
    'a message after the work that names %s → sent back for it, and verified then',
    async (_, later, text) => {
      const run = await at(OVERVIEW);
      await run.team();
      run.say('steer', later);
      const verdict = await run.verify();
      expect(verdict).toMatchObject({ done: false, improvements: [expect.stringMatching(/^(Count|Show)/)] });
      for (const { id } of await run.plan(verdict.improvements)) await run.task(id);
      const last = await run.verify();
      expect(last).toMatchObject({ done: true, cause: 'verified' });
      for (const part of [text, '**8 files**']) expect(last.summary).toContain(part);
    },
  );

  test('thanks amid the work → nothing more is asked for; what is not on the list → not verified (FC2)', async () => {
    const [thanked, asked] = [await at(OVERVIEW), await at(OVERVIEW)];
    await thanked.team('Thank you!');
    expect((await thanked.verify()).cause).toBe('verified');
    await asked.team('Then deploy the site');
    const answer = await asked.unjudged();
    for (const text of ["It can't do this: “Then deploy the site”", '**8 files**'])
      expect(answer).toContain(text);
  });

  test.each([
    ['SUMMARY.md', 'Write a summary of this folder to SUMMARY.md', LABEL],
    ['docs/概述.md', '总结这个文件夹，写入「docs/概述.md」', '*演示模型'],
  ])(
    'a goal that names the file %s → what is there is read, then one call that asks writes it, with the answer, and it is verified (TE10)',
    async (file, goal, begins) => {
      const run = await at(goal);
      const plan = await run.team();
      const verdict = await run.verify();
      expect(plan.at(-1)).toMatchObject({ id: 'write' });
      expect(run.called.filter(name => name === 'write')).toHaveLength(1);
      const written = run.hands.get(file);
      expect(written.startsWith(begins)).toBe(true);
      expect(written).toContain('src/plan.ts:2: // TODO the table');
      // What changes something waits for a person, unless they said otherwise.
      const { tools } = await run.hands.client.listTools();
      const asks = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true);
      expect(run.called.filter(called => asks.some(({ name }) => name === called))).toEqual(['write']);
      expect(verdict.summary.startsWith(written)).toBe(true);
      expect(verdict).toMatchObject({ done: true, cause: 'verified' });
    },
  );

  test('a message after the file was written → what it asks for stands below, and the file stays', async () => {
    const run = await at('Write a summary of this folder to SUMMARY.md');
    await run.team();
    run.say('steer', 'also look at src/plan.ts');
    const { improvements } = await run.verify();
    const again = await run.plan(improvements);
    expect(again.map(({ id }) => id)).toEqual(['read']);
    for (const { id } of again) await run.task(id);
    const { cause, summary } = await run.verify();
    expect(cause).toBe('verified');
    expect(summary.split('All above was written to SUMMARY.md.')[1]).toContain('\nplan();\n');
    expect(run.called).toEqual(['list', 'read', 'grep', 'write', 'read']);
  });

  test('a write that is denied → asked once, accepted, not verified, and no word of the run in the answer (TE10, FC10)', async () => {
    const run = await at('Write a summary of this folder to SUMMARY.md');
    const note =
      'Not run: write is not read-only. The reason: "no". Go on without it, and say in your report.';
    run.instead = call => (call.name === 'write' ? toolResult(call, 'denied', { note }) : null);
    await run.team();
    const answer = await run.unjudged();
    expect(answer.split('\n').at(-1)).toBe('**Write the answer to SUMMARY.md: not allowed**');
    expect(answer).not.toMatch(/Not run|in your report/);
    expect(await run.plan(['again'])).toEqual([]);
    await run.ask('text');
    expect(run.called.filter(name => name === 'write')).toHaveLength(1);
  });

  test.each<[string, (call: ToolUseBlock) => ToolResultBlock]>([
    [
      'left out since',
      call => toolResult(call, 'executed', { note: 'Left out since, to fit the context: 900' }),
    ],
    [
      'shortened',
      call =>
        toolResult(call, 'executed', {
          content: [{ type: 'text', text: '(12 files)\n[… 900 characters left out …]\nz.ts  1 B' }],
        }),
    ],
    [
      'cut, with a reference to the rest',
      call =>
        toolResult(call, 'executed', {
          content: [{ type: 'text', text: '(12 files)\na.ts  1 B', ref: 'blob:1', totalBytes: 90_000 }],
        }),
    ],
    [
      'in a form of another tool',
      call => toolResult(call, 'executed', { content: [{ type: 'text', text: '12' }] }),
    ],
    ['lost', call => toolResult(call, 'unavailable', { note: 'its server was not reached' })],
  ])(
    'a result that is %s → no figure comes of it, and the answer is not verified (FC1)',
    async (_, result) => {
      const run = await at('How many files are in this folder?');
      run.instead = result;
      await run.team();
      const answer = await run.unjudged();
      expect(answer).toMatch(/\*\*Count the files: not/);
      expect(answer).not.toMatch(/12|900|Left out|files\*\*/);
    },
  );

  test.each([
    ['What does gone.md say?', /\*\*Show gone\.md: gone\.md does not exist\.\*\*/],
    ['Show me the README', /\*\*Show README\.md: README\.md does not exist\.\*\*/],
    ['How many files are in gone?', /\*\*Count the files \(gone\): gone does not exist\.\*\*/],
    ['Show long.txt', /\*\*Show long\.txt: not all of it was seen\*\*\n\n```\nTODO a line\n/],
    ['Find TODO', /\*\*Find TODO: not all of it was seen\*\*$/],
  ])('"%s", which tools do not show whole → said, and not verified (FC1)', async (goal, says) => {
    const run = await at(goal, { 'long.txt': 'TODO a line\n'.repeat(300) });
    await run.team();
    expect(await run.unjudged()).toMatch(says);
  });

  test('calls that a message skipped → made again', async () => {
    const run = await at('Find TODO');
    const [task] = await run.plan();
    run.instead = call => toolResult(call, 'skipped', {});
    await run.reply('execution', FILE_TOOLS);
    run.instead = () => null;
    expect(await run.task(task?.id ?? '')).toMatchObject({ taskCompleted: true });
  });

  test('rounds that are used up → sent back with what is missing, and planned anew', async () => {
    const run = await at(OVERVIEW);
    const plan = await run.plan();
    expect((await run.task('marks', 0)).taskCompleted).toBe(false);
    Object.assign(run.state.tasks[2] ?? {}, { status: 'failed', reason: 'max_rounds' });
    for (const { id } of plan.slice(0, 2)) await run.task(id);
    const verdict = await run.verify();
    expect(verdict).toMatchObject({ done: false, improvements: ['Find TODO/FIXME/XXX'] });
    const again = await run.plan(verdict.improvements);
    expect(again.map(({ id }) => id)).toEqual(['marks']);
    await run.task('marks');
    expect((await run.verify()).summary).toContain('**1 line**');
  });

  test('no tool that counts → the task is given up, and nothing was seen', async () => {
    const run = await at('Find TODO');
    run.say('instruction', taskInstruction(run.state, newTask('marks'), testRole('executor'), 3), 'marks');
    const report = await run.value('execution', ['read_result']);
    expect(report).toMatchObject({ taskCompleted: false, nextAction: 'skip', summary: 'not seen' });
  });

  test('a write whose turn comes first → it looks first, so that the whole answer is written', async () => {
    const run = await at('Write a summary of this folder to SUMMARY.md');
    await run.plan();
    for (const id of ['write', 'files', 'readme', 'marks']) await run.task(id);
    expect(run.called).toEqual(['list', 'read', 'grep', 'write']);
    expect(run.hands.get('SUMMARY.md')).toContain('// TODO the table');
    expect((await run.verify()).cause).toBe('verified');
  });

  test('a task of somebody else → not done by it', async () => {
    const run = await at(OVERVIEW);
    await run.plan();
    run.state.tasks.push(newTask('deploy', { description: 'Deploy the site' }));
    expect((await run.task('deploy')).taskCompleted).toBe(false);
    expect(run.called).toEqual([]);
  });
});

describe('demo model: other modes', () => {
  const worker = { memory: 'shared', tools: ['*'], agents: [] } as const;
  const step = { number: 1, of: 1, rounds: 10, next: null };

  test.each([
    ['What does src/plan.ts say?', '\nplan();\n'],
    ['打开src/Über.ts', '\ntide();\n'],
    ['docs里有多少个文件？', '**1 个文件**'],
    ['这里有什么？', '**8 个文件**'],
  ])('react: "%s" → answered in the language of the goal', async (goal, says) => {
    const run = await at(goal);
    run.say('instruction', answerInstruction(run.state, { ...worker, tools: ['*'], agents: [] }, step));
    expect(await run.ask('text')).toContain(says);
  });

  test('direct, and a step without tools → not seen; after a step with tools, what that found', async () => {
    const run = await at('Show README.md');
    run.say('instruction', answerInstruction(run.state, { memory: 'shared', tools: [], agents: [] }, step));
    expect(await run.ask('text', [])).toContain('**Show README.md: not seen**');
    await run.ask('text');
    expect(await run.ask('text', [])).toContain('# Harbour');
  });

  test.each([
    ['Show README.md', 'react'],
    [OVERVIEW, 'team'],
    ['Tell me a joke', 'team'],
  ])('auto: "%s" → %s', async (goal, mode) => {
    const read = parseRoleOutput('choice', await (await at(goal)).ask('choice', []));
    expect(read).toMatchObject({ ok: true, value: { mode } });
  });

  test('what the run tells beside its instructions, such as notes on the project → no wish', async () => {
    const run = await at('Find TODO');
    run.say('notes', 'Also read README.md.');
    expect((await run.plan()).map(({ id }) => id)).toEqual(['marks']);
  });

  test('a follow-up goal → what was found for the goal before does not count', async () => {
    const run = await at(OVERVIEW);
    await run.team();
    run.state.tasks = [];
    run.say('goal', 'Find TODO');
    expect((await run.plan()).map(({ id }) => id)).toEqual(['marks']);
    expect((await run.verify()).done).toBe(false);
  });

  test('a role with a conversation of its own → goes by the goal that it is told', async () => {
    const run = await at('Find TODO');
    run.messages.length = 0;
    const own = { memory: 'private', tools: ['*'], agents: [] } as const;
    run.say('instruction', answerInstruction(run.state, { ...own, tools: ['*'], agents: [] }, step));
    expect(await run.ask('text')).toContain('**1 line**');
  });
});

describe('demo model: roles that steer', () => {
  const routed = async (text: string, idle = false, answers: string[] = []) => {
    const run = await at(OVERVIEW);
    const item = { id: 's1', kind: 'steer', text, when: 'skip', to: null, at: 1 } as const;
    const steering = { ...newSteering([item], 'executor'), idle, answers };
    run.say('instruction', intentInstruction(run.state, steering));
    const intent = await run.value('intent', []);
    run.say('instruction', routeInstruction(run.state, { ...steering, intent }));
    const proposal = await run.value('route', []);
    const { en: words } = BUILT_IN_WORDS;
    return decideRoute({
      intent,
      proposal,
      clarification: null,
      concerns: [],
      items: steering.items,
      idle,
      paused: false,
      hasPlan: true,
      isOnlyTask: false,
      words,
    });
  };

  test.each([
    ['stop', 'cancel'],
    ['Please stop!', 'cancel'],
    ['停止。', 'cancel'],
    ['pause please', 'pause'],
    ['请暂停', 'pause'],
    ['Go on', 'continue'],
    ['继续', 'continue'],
    ['Status?', 'status'],
    ['进度', 'status'],
  ])('message "%s" → the instruction %s', async (text, control) => {
    expect(await routed(text)).toMatchObject({ act: 'control', control, noted: false });
  });

  test.each(['Stop counting and look at src', 'continue with the README', 'Also count the lines'])(
    'message "%s" → a note',
    async text => {
      expect(await routed(text)).toMatchObject({ act: 'continue' });
    },
  );

  test('a message to an answered goal → the next goal', async () => {
    expect(await routed('Find TODO', true)).toMatchObject({ act: 'next_goal' });
  });

  test.each(['review', 'orchestration'] as const)('%s → left to a person', async form => {
    const reply = parseRoleOutput(form, await (await at(OVERVIEW)).ask(form, []));
    expect(reply.special).toMatchObject({ kind: 'escalate', message: expect.stringContaining('Rules') });
  });
});

test.each(['start-and-watch', 'steer'])('example %s: without a key → its goal is one that is begun', name => {
  const program = readFileSync(new URL(`../../../examples/${name}/main.ts`, import.meta.url), 'utf8');
  const goal = /'([A-Z][^']* folder[^']*)'/.exec(program)?.[1] ?? '';
  expect(readIntent([goal])).toMatchObject({ unknown: null });
});
