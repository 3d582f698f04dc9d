import { describe, expect, test } from 'vitest';
import { parseRoleOutput } from '../../../../src/core/outputs/parse-output.js';
import { answerInstruction } from '../../../../src/core/prompts/answer-instructions.js';
import { taskInstruction } from '../../../../src/core/prompts/instructions.js';
import { intentInstruction, routeInstruction } from '../../../../src/core/prompts/steering-instructions.js';
import { BUILT_IN_WORDS } from '../../../../src/core/prompts/words.js';
import type { ToolResultBlock, ToolUseBlock } from '../../../../src/core/state/message.js';
import { newSteering } from '../../../../src/core/state/position.js';
import { decideRoute } from '../../../../src/core/steering/route.js';
import { toolResult } from '../../../../src/core/tools/tool-result.js';
import { readIntent } from '../../../../src/models/demo/goal.js';
import { WORDS } from '../../../../src/models/demo/words.js';
import { task as newTask } from '../../../support/core-values.js';
import { DemoConversation, FILE_TOOLS } from '../../../support/demo-conversation.js';
import { testRole } from '../../../support/small-run.js';
import { handsOn } from '../../../support/workspace-tools.js';

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
  test.each<[string, Record<string, unknown>[]]>([
    [OVERVIEW, [{ kind: 'files', of: '.' }, { kind: 'readme' }, { kind: 'marks', of: 'TODO/FIXME/XXX' }]],
    ['这个文件夹里有什么，还有什么要做？', [{ kind: 'files' }, { kind: 'readme' }, { kind: 'marks' }]],
    ['How many files are in src?', [{ kind: 'files', of: 'src' }]],
    ['List the TODOs', [{ kind: 'marks', of: 'TODO' }]],
    ['How many lines has package.json, and how many lines are in docs/a b.md', []],
    ['Count the lines of `docs/a b.md`.', [{ kind: 'lines', of: 'docs/a b.md' }]],
    ['统计package.json的行数', [{ kind: 'lines', of: 'package.json' }]],
    ['总结.md 里有什么？', [{ kind: 'read', of: '总结.md' }]],
    ['Please show me README.md', [{ kind: 'read', of: 'README.md' }]],
    ['Write a summary of this folder to SUMMARY.md', [{}, {}, {}, { kind: 'write', of: 'SUMMARY.md' }]],
    ['Give me an overview of this project and save it to "my notes.md"', [{}, {}, {}, { of: 'my notes.md' }]],
    ['总结这个文件夹，写入总结.md', [{}, {}, {}, { kind: 'write', of: '总结.md' }]],
  ])('the goal "%s" → what is asked for, or nothing (FC2)', (goal, wants) => {
    expect(readIntent([goal]).wants).toEqual(wants.map(want => expect.objectContaining(want)));
  });

  test.each([
    'Compute the average price per region in sales.csv',
    'Count the files and deploy the site',
    'deploy the site',
    'fix the failing test',
    'what does src/plan.ts do',
    'translate README.md to French',
    'Summarize README.md',
    'list the biggest files',
    'How many test files are in this folder?',
    'How many TypeScript files are there?',
    'What is left to do in src?',
    'How many lines has this folder?',
    'delete all logs',
    'Write a poem to POEM.md',
    'Save a summary to the file notes',
    'Show me the first 3 lines of README.md',
    'What is in this folder that should not be there?',
    'Hello',
    '',
    '帮我修复这个错误',
    '把README翻译成英文',
    '删除所有日志文件',
    '统计每个地区的平均价格',
    '总结一下README.md',
  ])('any other, "%s" → not begun: one line, and the run ends unverified (FC2)', async goal => {
    const run = await at(goal);
    expect(await run.team()).toMatchObject([{ id: 'none' }]);
    const answer = await run.unjudged();
    expect(answer).not.toContain('\n');
    expect(answer).toMatch(/(?:It can't do|它做不到).*OPENAI_API_KEY=…/);
    expect(run.called).toEqual([]);
  });

  test.each(['en', 'zh'] as const)(
    'each of its tasks, in %s → is on the list of goals too (FC2)',
    language => {
      const { write: _, ...tasks } = WORDS[language].tasks;
      for (const [kind, text] of Object.entries(tasks)) {
        const of = { files: 'src', marks: 'TODO/FIXME', readme: '.' }[kind] ?? 'docs/a.md';
        expect(readIntent([text(of)]).wants, text(of)).toEqual([{ id: kind, kind, of }]);
      }
    },
  );
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
      '- `src/` — 2 files',
      '`[Left out, as git ignores it: node_modules/]`',
      'Berths and tides',
      '**1 line**\n\n- `src/plan.ts:2` `// TODO the table`',
    ])
      expect(verdict.summary).toContain(text);
    expect(verdict.summary).not.toMatch(/not ours|noReadme/);
  });

  test.each([
    ['another part', 'Also count the lines of package.json, please.', '**3 lines**: `package.json`'],
    ['a file', 'also look at src/plan.ts', '\nplan();\n'],
  ])(
    'a message amid the work that names %s → sent back for it, and verified then',
    async (_, later, text) => {
      const run = await at(OVERVIEW);
      await run.team(later);
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
    for (const text of ["It can't do `Then deploy the site`", '**8 files**']) expect(answer).toContain(text);
  });

  test.each([
    ['SUMMARY.md', 'Write a summary of this folder to SUMMARY.md', LABEL],
    ['docs/概述.md', '总结这个文件夹，写入「docs/概述.md」', '*演示模型'],
  ])(
    'a goal that names the file %s → it is written last, with the answer, and verified',
    async (file, goal, begins) => {
      const run = await at(goal);
      const plan = await run.team();
      const verdict = await run.verify();
      expect(plan.at(-1)).toMatchObject({ id: 'write', dependencies: ['files', 'readme', 'marks'] });
      expect(run.called.filter(name => name === 'write')).toHaveLength(1);
      const written = run.hands.get(file);
      expect(written.startsWith(begins)).toBe(true);
      expect(verdict.summary.endsWith(written)).toBe(true);
      expect(verdict).toMatchObject({ done: true, cause: 'verified' });
    },
  );

  test('a message after the file was written → written once more, with what was asked for since', async () => {
    const run = await at('Write a summary of this folder to SUMMARY.md');
    const plan = await run.plan();
    for (const { id } of plan) await run.task(id);
    run.say('steer', 'also look at src/plan.ts');
    const { improvements } = await run.verify();
    const again = await run.plan(improvements);
    expect(again.map(({ id }) => id)).toEqual(['read-again', 'write-again']);
    for (const { id } of again) await run.task(id);
    expect(await run.verify()).toMatchObject({ done: true, cause: 'verified' });
    expect(run.called).toEqual(['list', 'read', 'grep', 'write', 'read', 'write']);
    expect(run.hands.get('SUMMARY.md')).toContain('Show src/plan.ts');
  });

  test('a write that is denied → asked once, accepted, not verified, and no word of the run in the answer (FC10)', async () => {
    const run = await at('Write a summary of this folder to SUMMARY.md');
    const note =
      'Not run: write is not read-only. The reason: "no". Go on without it, and say in your report.';
    run.instead = call => (call.name === 'write' ? toolResult(call, 'denied', { note }) : null);
    await run.team();
    const answer = await run.unjudged();
    expect(answer.split('\n')[0]).toBe('**Write the answer to SUMMARY.md: not allowed.**');
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
      expect(answer).toMatch(/\*\*Count the files: (?:not|the call)/);
      expect(answer).not.toMatch(/12|900|Left out|files\*\*/);
    },
  );

  test.each([
    ['What does gone.md say?', /\*\*Show gone\.md: `gone\.md does not exist\.`\.\*\*/],
    ['How many files are in gone?', /\*\*Count the files in gone: /],
    ['Show long.txt', /\*\*Show long\.txt: not all of it was seen\.\*\*/],
    ['Find TODO', /\*\*Find TODO: not all of it was seen\.\*\*/],
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
    for (const { id } of await run.plan(verdict.improvements)) await run.task(id);
    expect((await run.verify()).summary).toContain('**1 line**');
  });

  test('no tool that counts → the task is given up, and nothing was seen', async () => {
    const run = await at('Find TODO');
    run.say('instruction', taskInstruction(run.state, newTask('marks'), testRole('executor'), 3), 'marks');
    const report = await run.value('execution', ['read_result']);
    expect(report).toMatchObject({ taskCompleted: false, nextAction: 'skip', summary: 'not seen' });
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
    ['统计src/Über.ts的行数', '**1 行**: `src/Über.ts`'],
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
    expect(await run.ask('text', [])).toContain('**Show README.md: not seen.**');
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
      idle,
      paused: false,
      hasPlan: true,
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
    expect(await routed(text)).toMatchObject({ act: 'control', control });
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
    expect(reply.special).toMatchObject({ kind: 'escalate', message: expect.stringContaining('Demo model') });
  });
});
