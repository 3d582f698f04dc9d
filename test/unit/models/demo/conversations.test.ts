import { describe, expect, test } from 'vitest';
import type { OutputContract, OutputOf } from '../../../../src/core/outputs/contracts.js';
import { parseRoleOutput } from '../../../../src/core/outputs/parse-output.js';
import { answerInstruction } from '../../../../src/core/prompts/answer-instructions.js';
import {
  planningInstruction,
  taskInstruction,
  verificationInstruction,
  wrapUpInstruction,
} from '../../../../src/core/prompts/instructions.js';
import { intentInstruction, routeInstruction } from '../../../../src/core/prompts/steering-instructions.js';
import { BUILT_IN_WORDS } from '../../../../src/core/prompts/words.js';
import {
  type Message,
  NO_USAGE,
  type ToolResultBlock,
  type UserMessage,
} from '../../../../src/core/state/message.js';
import { newSteering, planningAt, verificationAt } from '../../../../src/core/state/position.js';
import { newRunState, type RunState } from '../../../../src/core/state/run-state.js';
import { decideRoute } from '../../../../src/core/steering/route.js';
import { toolResult } from '../../../../src/core/tools/tool-result.js';
import { PLAIN_REQUEST } from '../../../../src/models/complete.js';
import { replyTo } from '../../../../src/models/demo/roles.js';
import { task as newTask, pinnedRun } from '../../../support/core-values.js';
import { testRole } from '../../../support/small-run.js';

const HARBOUR = {
  'README.md': '[![badge](b)](c)\n\n# Harbour\n\nBerths and tides for a small marina.\n\nRun it.\n',
  'package.json': '{ "name": "harbour" }\n',
  'src/plan.ts': 'plan();\n// TODO the table\n',
  'src/Über.ts': 'tide();',
  'docs/总结.md': '# 总结\n\n潮汐表在这里。\n',
  'node_modules/x/x.js': '// TODO not ours\n',
};
const FILE_TOOLS = ['list_directory_with_sizes', 'read_text_file', 'write_file'];

/** A run of one conversation, as its thread has it: the model is asked, and its calls are made on files in memory. */
class Conversation {
  readonly messages: Message[] = [];
  readonly files: Record<string, string>;
  readonly state: RunState;
  deniesWrites = false;
  #ids = 0;

  constructor(
    goal: string,
    { files = HARBOUR, language = 'en' }: { files?: object; language?: string } = {},
  ) {
    this.files = { ...files };
    this.state = newRunState(goal, { mode: 'team', workspace: '/w', autoApprove: false }, 0);
    this.state.pinned = pinnedRun({ language });
    this.say('goal', goal);
  }

  say(purpose: UserMessage['purpose'], text: string, taskId?: string): void {
    const content: UserMessage['content'] = [{ type: 'text', text }];
    this.messages.push({ ...this.#head(), kind: 'user', purpose, content, ...(taskId ? { taskId } : {}) });
  }

  /** Asks until there is a reply without calls, as often as a task has rounds. */
  ask(output: OutputContract, tools: readonly string[] = FILE_TOOLS, rounds = 10): string {
    for (let round = 0; round < rounds; round += 1) {
      const { text, calls } = this.reply(output, tools);
      if (calls.length === 0) return text;
    }
    return this.reply(output, []).text;
  }

  reply(output: OutputContract, tools: readonly string[]) {
    const offered = tools.map(name => ({
      name,
      description: '',
      inputSchema: {},
      validation: 'strict' as const,
    }));
    const reply = replyTo({
      ...PLAIN_REQUEST,
      model: 'rules',
      messages: this.messages,
      output,
      tools: offered,
    });
    const blocks = reply.calls.map(({ name, arguments: input }) => {
      return { type: 'tool_use' as const, id: `c${this.#ids++}`, name, input };
    });
    const said = { role: 'demo', stopReason: 'end_turn', action: 'thinking', model: 'demo/rules' } as const;
    const content = [{ type: 'text' as const, text: reply.text }, ...blocks];
    this.messages.push({ ...this.#head(), ...said, kind: 'assistant', content, usage: NO_USAGE });
    for (const block of blocks)
      this.messages.push({ ...this.#head(), kind: 'tool_result', content: [this.run(block)] });
    return reply;
  }

  run(call: { id: string; name: string; input: Record<string, unknown> }): ToolResultBlock {
    const path = String(call.input.path);
    const said = (text: string) => toolResult(call, 'executed', { content: [{ type: 'text', text }] });
    if (call.name === 'read_text_file') return said(this.files[path] ?? '');
    if (call.name === 'list_directory_with_sizes') return said(this.#listing(path));
    if (this.deniesWrites) return toolResult(call, 'denied', { note: 'Not run. The reason: "not here".' });
    this.files[path] = String(call.input.content);
    return said(`Successfully wrote to ${path}`);
  }

  /** All of the mode `team`, with what is said after the plan. */
  team(...later: string[]) {
    const plan = this.plan();
    for (const text of later) this.say('steer', text);
    const reports = plan.map(({ id }) => this.task(id));
    return { plan, reports, verdict: this.verify() };
  }

  plan(improvements?: string[]) {
    const wanted = improvements && { from: 'verification' as const, wanted: improvements, reading: null };
    const place = planningAt(improvements ? 2 : 1, wanted ?? null);
    if (place.phase !== 'planning') throw new Error('the run does not plan');
    this.say('instruction', planningInstruction(this.state, place));
    const plan = this.value('plan', []);
    const isNew = ({ id }: { id: string }) => this.state.tasks.every(known => known.id !== id);
    this.state.tasks.push(
      ...plan.tasks
        .filter(isNew)
        .map(({ id, description }) => newTask(id, { description: description ?? id })),
    );
    return plan.tasks;
  }

  task(id: string, rounds = 10): OutputOf['execution'] {
    const task = this.state.tasks.find(known => known.id === id) ?? newTask(id);
    this.say('instruction', taskInstruction(this.state, task, testRole('executor'), rounds), id);
    const report = this.value('execution', FILE_TOOLS, rounds);
    task.status = report.taskCompleted ? 'completed' : 'failed';
    return report;
  }

  verify(): OutputOf['verdict'] {
    this.say('instruction', verificationInstruction(this.state, verificationAt(1)));
    return this.value('verdict', []);
  }

  value<C extends OutputContract>(form: C, tools: readonly string[], rounds = 10): OutputOf[C] {
    const names = this.state.tasks.map(({ id }) => id);
    const read = parseRoleOutput(form, this.ask(form, tools, rounds), { names });
    expect(read).toMatchObject({ ok: true, special: null });
    if (read.value === null) throw new Error('no value');
    return read.value;
  }

  #head() {
    return { id: `m${this.#ids++}`, at: 1 };
  }

  #listing(folder: string): string {
    const root = folder === '.' ? '' : `${folder}/`;
    const below = Object.keys(this.files).filter(path => path.startsWith(root));
    const names = new Set(below.map(path => path.slice(root.length).replace(/\/.*/, '/')));
    return [...names]
      .map(name => (name.endsWith('/') ? `[DIR] ${name.slice(0, -1)}` : `[FILE] ${name}      7 B`))
      .join('\n');
  }
}

const LABEL = '*Demo model: rules, not intelligence.';
const OVERVIEW = 'What is in this folder, and what is left to do?';

describe('demo model: team', () => {
  test('an overview → a plan of three tasks, reports, and a verified answer from the real files', () => {
    const { plan, reports, verdict } = new Conversation(OVERVIEW).team();
    expect(plan.map(({ id }) => id)).toEqual(['survey', 'read', 'source']);
    expect(reports.map(({ taskCompleted }) => taskCompleted)).toEqual([true, true, true]);
    expect(verdict).toMatchObject({ allCompleted: true, userNeedsSatisfied: true });
    const answer = verdict.summary ?? '';
    expect(answer.startsWith(LABEL)).toBe(true);
    expect(answer).toContain('> **Harbour**\n> \n> Berths and tides for a small marina.');
    expect(answer).toContain(
      '5 files in 2 folders, left out: `node_modules`:\n\n- `README.md`\n- `docs/` — 1 file',
    );
    expect(answer).toContain('1 line · 5 of 5 text files read\n\n- `src/plan.ts:2` `// TODO the table`');
    expect(answer).not.toContain('not ours');
  });

  test.each([
    ['a file', 'also look at src/plan.ts', ['plan();', 'Berths and tides', '5 files']],
    ['another part', 'Count the lines too', ['**14 lines**', 'Berths and tides', '5 files']],
    ['nothing that rules know', 'Thank you!', ['Berths and tides', '5 files']],
  ])(
    'a message amid the work that names %s → added to what the goal asks, and verified',
    (_, later, wanted) => {
      const run = new Conversation(OVERVIEW);
      const { reports, verdict } = run.team(later);
      for (const { summary } of reports) expect(summary).not.toMatch(/direct|Nothing was looked at/);
      for (const text of wanted) expect(verdict.summary).toContain(text);
      expect(verdict.userNeedsSatisfied).toBe(true);
    },
  );

  test.each([
    ['SUMMARY.md', 'Write a summary of this folder to SUMMARY.md', LABEL],
    ['Über.md', 'Write a summary of this folder to Über.md, please', LABEL],
    ['总结.md', '总结这个文件夹，写入总结.md', '*演示模型'],
    ['docs/概述.md', 'Save an overview to `docs/概述.md`', LABEL],
    ['my notes.md', 'Write what is in here to "my notes.md"', LABEL],
  ])('a goal that names the file %s → it is written, with the answer, and verified', (file, goal, begins) => {
    const run = new Conversation(goal);
    const { plan, verdict } = run.team();
    expect(plan.at(-1)?.id).toBe('write');
    expect(run.files[file]?.startsWith(begins)).toBe(true);
    expect(verdict.userNeedsSatisfied).toBe(true);
    expect(verdict.summary).toContain(`\`${file}\``);
  });

  test.each([
    ['denied', 'Write a summary to SUMMARY.md', true, /`SUMMARY\.md` was not written\*\*: `.*not here/],
    ['to a name that rules can not read', 'Save a summary to the file notes', false, /with “save”/],
    ['the same in Chinese', '把总结写入笔记', false, /“写入”/],
  ])('a write %s → not verified, and the answer says so', (_, goal, denies, says) => {
    const run = new Conversation(goal);
    run.deniesWrites = denies;
    const { verdict } = run.team();
    expect(verdict.userNeedsSatisfied).toBe(false);
    expect(verdict.summary).toMatch(says);
    expect(run.plan(verdict.improvements)).toEqual([]);
  });

  test('more folders than it lists → each task is done in its rounds, and the answer says how many were not listed', () => {
    const leaf = (_: unknown, at: number) => [`a${at % 9}/b${at}/c.txt`, 'Left.\n'] as const;
    const files = Object.fromEntries(Array.from({ length: 160 }, leaf));
    const run = new Conversation(OVERVIEW, { files: { 'README.md': '# Tree\n', ...files } });
    // Of ten rounds the last is the report.
    const reports = run.plan().map(({ id }) => run.task(id, 9));
    expect(reports.map(({ taskCompleted }) => taskCompleted)).toEqual([true, true, true]);
    expect(run.verify().summary).toMatch(/in 169 folders, .*74 not listed whole/);
  });

  test.each(['What is in this folder, and what is left to do?', OVERVIEW])(
    'a role alone, of %j → no call is made twice',
    goal => {
      const run = new Conversation(goal);
      run.ask('text');
      const blocks = run.messages.flatMap(message => (message.kind === 'assistant' ? message.content : []));
      const calls = blocks.flatMap(block =>
        block.type === 'tool_use' ? [JSON.stringify([block.name, block.input])] : [],
      );
      expect(calls.length).toBeGreaterThan(2);
      expect(new Set(calls).size).toBe(calls.length);
    },
  );

  test('a goal for which no write was called → not verified', () => {
    const run = new Conversation('Write a summary to SUMMARY.md');
    run.state.tasks = [newTask('survey'), newTask('read'), newTask('source')];
    for (const { id } of run.state.tasks) run.task(id);
    expect(run.verify()).toMatchObject({ allCompleted: false, userNeedsSatisfied: false });
  });

  test('rounds that are used up → not completed, sent back with what is missing, and planned anew', () => {
    const run = new Conversation(OVERVIEW);
    run.plan();
    expect(run.task('survey', 1).taskCompleted).toBe(false);
    run.task('read');
    run.task('source');
    const verdict = run.verify();
    expect(verdict.improvements).toEqual(
      ['List the files and folders: src,docs', expect.stringContaining('TODO')].slice(
        0,
        verdict.improvements.length,
      ),
    );
    expect(verdict.allCompleted).toBe(false);
    const again = run.plan(verdict.improvements);
    expect(again[0]?.id).toBe('survey-4');
    for (const { id } of again) run.task(id);
    const last = run.verify();
    for (const { id } of run.plan(last.improvements)) run.task(id);
    expect(run.verify().userNeedsSatisfied).toBe(true);
  });

  test('calls that a message skipped → made again', () => {
    const run = new Conversation(OVERVIEW);
    run.plan();
    const made = run.run.bind(run);
    run.run = call => toolResult(call, 'skipped', {});
    run.reply('execution', FILE_TOOLS);
    run.run = made;
    expect(run.task('survey')).toMatchObject({
      taskCompleted: true,
      summary: expect.stringContaining('5 files'),
    });
  });

  test.each([
    ['Fix the bug in src/plan.ts', 'with “fix”', 'plan();'],
    ["What's the weather in Paris?", 'with “weather”', 'Berths and tides'],
    ['Hello', 'cannot do what the goal asks:', 'Berths and tides'],
    ['帮我修复这个错误', '“修复”本模型做不到', 'Berths and tides'],
  ])(
    'the goal "%s" → says that rules can not do it, and shows what they saw; not verified',
    (goal, says, shows) => {
      const { verdict } = new Conversation(goal).team();
      expect(verdict.userNeedsSatisfied).toBe(false);
      expect(verdict.summary).toContain(says);
      expect(verdict.summary).toContain(shows);
    },
  );

  test('no tools that see files → says so, and not of a mode that it is not in', () => {
    const run = new Conversation(OVERVIEW);
    run.plan();
    run.say('instruction', taskInstruction(run.state, newTask('survey'), testRole('executor'), 3), 'survey');
    const report = run.value('execution', ['read_result']);
    expect(report).toMatchObject({
      taskCompleted: false,
      summary: expect.stringContaining('Nothing was looked at'),
    });
    expect(report.summary).not.toMatch(/mode direct/);
    expect(run.verify().userNeedsSatisfied).toBe(false);
  });
});

describe('demo model: other modes', () => {
  const worker = { memory: 'shared', tools: ['*'], agents: [] } as const;

  test.each([
    ['What does plan.ts say?', '## src/plan.ts\n\n~~~~\nplan();'],
    ['总结一下README.md', '## README.md\n\n> [![badge]'],
    ['总结.md 里有什么？', '> # 总结'],
    ['What does gone.md say?', '## gone.md\n\nThere is no `gone.md` that could be read.'],
    ['统计代码行数', '**14 行**'],
    ['这里有哪些文件？', '共 5 个文件、2 个文件夹，未计入：`node_modules`'],
  ])('react: "%s" → looked for, and answered in the language of the goal', (goal, says) => {
    const run = new Conversation(goal);
    run.say(
      'instruction',
      answerInstruction(
        run.state,
        { ...worker, tools: ['*'], agents: [] },
        { number: 1, of: 1, rounds: 10, next: null },
      ),
    );
    expect(run.ask('text')).toContain(says);
  });

  test('direct, and a step without tools → nothing was looked at; after a step with tools, what that found', () => {
    const run = new Conversation('What does README.md say?');
    run.say(
      'instruction',
      answerInstruction(
        run.state,
        { memory: 'shared', tools: [], agents: [] },
        { number: 1, of: 1, rounds: 1, next: null },
      ),
    );
    expect(run.ask('text', [])).toContain('Nothing was looked at');
    run.ask('text');
    expect(run.ask('text', [])).toContain('# Harbour');
  });

  test.each([
    ['What does README.md say?', 'react'],
    [OVERVIEW, 'team'],
    ['Tell me a joke', 'react'],
  ])('auto: "%s" → %s', (goal, mode) => {
    const read = parseRoleOutput('choice', new Conversation(goal).ask('choice', []));
    expect(read).toMatchObject({ ok: true, value: { mode } });
  });

  test.each([
    ['the tokens are used up', 'The work ended early: the tokens are used up. What is missing below'],
    [BUILT_IN_WORDS.en.whyCarriedOut, null],
  ])(
    'plan: wrapped up because %s → the answer says what was not looked at, and nothing of it where all was',
    (why, says) => {
      const run = new Conversation(OVERVIEW);
      if (says === null) run.team();
      run.say('instruction', wrapUpInstruction(run.state, why, { memory: 'shared' }));
      const answer = run.ask('text', []);
      if (says === null) expect(answer).not.toContain('ended early');
      else expect(answer).toContain(says);
    },
  );

  test('lead: several pieces of work → a plan, an agent for each, one answer with their texts, and the file', () => {
    const run = new Conversation('Write an overview of this project to OVERVIEW.md');
    run.say('instruction', 'Do what the goal asks.\n\nAgents:\n- search: Searches.');
    const tools = [...FILE_TOOLS, 'call_subagent', 'create_artifact'];
    const made = run.run.bind(run);
    const asked: string[] = [];
    run.run = call => {
      if (call.name !== 'call_subagent') return made(call);
      asked.push(String(call.input.instruction));
      const agent = new Conversation(String(call.input.instruction));
      return toolResult(call, 'executed', { content: [{ type: 'text', text: agent.ask('text') }] });
    };
    const answer = run.ask('text', tools, 5);
    expect(asked).toHaveLength(3);
    for (const text of [
      'This was written to `OVERVIEW.md`',
      '5 files',
      'Berths and tides',
      '14 lines',
      'src/plan.ts:2',
    ])
      expect(answer).toContain(text);
    expect(answer.split(LABEL)).toHaveLength(2);
    expect(run.files['OVERVIEW.md']).toContain('Berths and tides');
  });

  test('what the run tells beside its instructions, such as notes on the project → no wish', () => {
    const run = new Conversation('Count the lines');
    run.say('notes', 'Also list the TODOs and read README.md.');
    expect(run.plan().map(({ id }) => id)).toEqual(['survey', 'source']);
    expect(run.team().verdict.summary).not.toContain('TODO');
  });

  test('a follow-up goal → what was found for the goal before does not count', () => {
    const run = new Conversation(OVERVIEW);
    run.team();
    run.state.tasks = [];
    run.say('goal', 'Count the lines');
    expect(run.plan().map(({ id }) => id)).toEqual(['survey', 'source']);
    expect(run.verify().allCompleted).toBe(false);
  });

  test('a role with a conversation of its own → goes by the goal that it is told', () => {
    const run = new Conversation('Count the lines');
    run.messages.length = 0;
    run.say(
      'instruction',
      answerInstruction(
        run.state,
        { memory: 'private', tools: ['*'], agents: [] },
        { number: 1, of: 1, rounds: 5, next: null },
      ),
    );
    expect(run.ask('text')).toContain('**14 lines**');
  });
});

describe('demo model: roles that steer', () => {
  const routed = (text: string, idle = false, answers: string[] = []) => {
    const run = new Conversation(OVERVIEW);
    const item = { id: 's1', kind: 'steer', text, when: 'skip', to: null, at: 1 } as const;
    const steering = { ...newSteering([item], 'executor'), idle, answers };
    run.say('instruction', intentInstruction(run.state, steering));
    const intent = run.value('intent', []);
    run.say('instruction', routeInstruction(run.state, { ...steering, intent }));
    const proposal = run.value('route', []);
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
    ['Please stop the run now!', 'cancel'],
    ['停止运行。', 'cancel'],
    ['pause please', 'pause'],
    ['Stop for a moment.', 'pause'],
    ['请暂停一下', 'pause'],
    ['OK, go on', 'continue'],
    ['继续', 'continue'],
    ['Status?', 'status'],
    ['进度', 'status'],
  ])('message "%s" → the instruction %s', (text, control) => {
    expect(routed(text)).toMatchObject({ act: 'control', control });
  });

  test.each(['Stop counting and look at src', 'continue with the README', 'Also count the lines'])(
    'message "%s" → a note',
    text => {
      expect(routed(text)).toMatchObject({ act: 'continue' });
    },
  );

  test('a message to an answered goal → the next goal', () => {
    expect(routed('Count the lines', true)).toMatchObject({ act: 'next_goal' });
  });

  test.each(['review', 'orchestration'] as const)('%s → left to a person', form => {
    const reply = parseRoleOutput(form, new Conversation(OVERVIEW).ask(form, []));
    expect(reply.special).toMatchObject({ kind: 'escalate', message: expect.stringContaining('Demo model') });
  });
});
