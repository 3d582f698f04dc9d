import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { listRoles, loadRoles, promptRoots, renderRole } from '../../../src/config/prompts.js';
import {
  CONTROLS,
  HANDLINGS,
  INTENT_ACTIONS,
  INTENT_SCOPES,
  RESOURCES,
  ROUTES,
  TASK_RELATIONS,
  URGENCIES,
} from '../../../src/core/intent.js';
import { DEFAULT_LIMITS } from '../../../src/core/limits.js';
import { PHASES } from '../../../src/core/orchestrate.js';
import { parseRoleOutput } from '../../../src/core/parse-output.js';
import { ERROR_TYPES } from '../../../src/core/special-output.js';
import type { ToolDefinition } from '../../../src/core/tool.js';
import { DEFAULT_TOOL_POLICY } from '../../../src/core/tool.js';

const SHIPPED = new URL('../../../prompts', import.meta.url).pathname;
const values = { limits: DEFAULT_LIMITS, tools: [] as ToolDefinition[] };
const HEAD = '---\ndescription: d\noutput: text\n---\n';

let root: string;

async function put(path: string, text: string): Promise<void> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function systemOf(role: string, language = 'en', systemMessage?: string): Promise<string> {
  const roles = await loadRoles([root], language);
  const found = roles.find(candidate => candidate.profile.name === role);
  if (!found) throw new Error(`no role ${role}`);
  return renderRole(found, values, systemMessage).system;
}

function tool(name: string, description: string): ToolDefinition {
  return {
    name,
    serverToolName: name,
    origin: { type: 'mcp', server: 's' },
    description,
    inputSchema: {},
    validation: 'strict',
    policy: DEFAULT_TOOL_POLICY,
  };
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'steersman-prompts-'));
});

describe('two layers', () => {
  test('system prompt: core template and business context → joined where the placeholder stands (P1)', async () => {
    await put('core/a.md', `${HEAD}# A\n\n{{businessContext}}\n\nEnd.\n`);
    await put('business/default.md', 'We sell tea.\n');
    expect(await systemOf('a')).toBe('# A\n\nWe sell tea.\n\nEnd.');
  });

  test('business context: a role has its own → it wins over the default; others get the default (P4)', async () => {
    await put('core/a.md', `${HEAD}{{businessContext}}`);
    await put('core/b.md', `${HEAD}{{businessContext}}`);
    await put('business/default.md', 'for all');
    await put('business/a.md', 'for a');
    expect(await systemOf('a')).toBe('for a');
    expect(await systemOf('b')).toBe('for all');
  });

  test('business context: braces and dollars in it → stay as they are, never filled in (P10)', async () => {
    await put('core/a.md', `${HEAD}{{businessContext}} / {{executionRounds}}`);
    await put('business/default.md', "{{executionRounds}} {{nothing}} $& $1 $' {x}");
    expect(await systemOf('a')).toBe("{{executionRounds}} {{nothing}} $& $1 $' {x} / 10");
  });

  test('system prompt: a placeholder used twice → filled in both times (P10)', async () => {
    await put('core/a.md', `${HEAD}{{businessContext}} {{maxTasks}} {{maxTasks}} {{planningRounds}}`);
    expect(await systemOf('a')).toBe('20 20 3');
  });

  test('extra system text of a run → stands in front of the prompt (P5)', async () => {
    await put('core/a.md', `${HEAD}Core. {{businessContext}}`);
    expect(await systemOf('a', 'en', '  Be brief. {{x}} \n')).toBe('Be brief. {{x}}\n\nCore.');
    expect(await systemOf('a', 'en', '   ')).toBe('Core.');
  });

  test('tool overview: names and first sentences, on one line each, marked as data (K2)', async () => {
    await put('core/a.md', `${HEAD}{{businessContext}}{{toolOverview}}`);
    const [role] = await loadRoles([root], 'en');
    if (!role) throw new Error('no role');
    const tools = [tool('read', 'Reads\n a file. Then more {{maxTasks}}.'), tool('long', 'x'.repeat(500))];
    const { system } = renderRole(role, { ...values, tools });
    expect(system).toContain('- read: Reads a file.\n');
    expect(system).not.toContain('Then more');
    expect(system.length).toBeLessThan(400);
    expect(renderRole(role, values).system).toBe('(No tools are connected.)');
  });
});

describe('front matter', () => {
  test("profile: every key given → taken over; the name is the file's (P6)", async () => {
    const head =
      '---\ndescription: Looks twice.\nmemory: private\ntools: ["read_*"]\noutput: verdict\nmodels: openai/a\ntemperature: 0.2\nmaxOutputTokens: 900\n---\n';
    await put('core/reviewer.md', `${head}{{businessContext}}`);
    const [role] = await loadRoles([root], 'en');
    expect(role?.profile).toEqual({
      name: 'reviewer',
      description: 'Looks twice.',
      memory: 'private',
      tools: ['read_*'],
      output: 'verdict',
      dialect: 'component',
      models: ['openai/a'],
      temperature: 0.2,
      maxOutputTokens: 900,
    });
  });

  test('profile: only what is required → shared memory, no tools, default model (L9, Y2)', async () => {
    await put('core/a.md', `${HEAD}{{businessContext}}`);
    const [role] = await loadRoles([root], 'en');
    expect(role?.profile).toMatchObject({ memory: 'shared', tools: [], models: [], temperature: null });
  });

  test('file with byte order mark and Windows line ends → read like any other', async () => {
    await put('core/a.md', `\uFEFF${HEAD}Hi {{businessContext}}.`.replaceAll('\n', '\r\n'));
    await put('business/default.md', 'a\r\nb');
    expect(await systemOf('a')).toBe('Hi a\nb.');
  });

  test.each([
    ['no front matter', '# A\n{{businessContext}}', 'a.md:1: front matter is missing'],
    [
      'front matter without an end',
      '---\noutput: text\n{{businessContext}}',
      'a.md:1: the front matter that begins here',
    ],
    [
      'an unknown key',
      '---\ndescription: d\noutptu: text\noutput: text\n---\n{{businessContext}}',
      'a.md:3: unknown key "outptu". Did you mean "output"?',
    ],
    [
      "a name, which is the file's",
      '---\nname: a\ndescription: d\noutput: text\n---\n{{businessContext}}',
      'a.md:2: unknown key "name"',
    ],
    ['a missing key', '---\noutput: text\n---\n{{businessContext}}', 'a.md:2: description: '],
    [
      'an output that does not exist',
      '---\ndescription: d\noutput: poem\n---\n{{businessContext}}',
      'a.md:3: output: ',
    ],
    [
      'tools as text',
      '---\ndescription: d\noutput: text\ntools: all\n---\n{{businessContext}}',
      'a.md:4: tools: expected array',
    ],
    ['bad YAML', '---\ndescription: "d\noutput: text\n---\n{{businessContext}}', 'not valid YAML'],
    ['no {{businessContext}} (P2)', `${HEAD}# A\nNothing here.`, 'businessContext'],
    ['an unknown placeholder (P10)', `${HEAD}# A\n{{businessContext}}\n{{buisness}}`, 'a.md:7'],
  ])('prompt file: %s → an error with file and line, and what to do', async (_case, text, message) => {
    await put('core/a.md', text);
    await expect(systemOf('a')).rejects.toMatchObject({
      name: 'SteersmanError',
      message: expect.stringContaining(message),
      hint: expect.stringMatching(/./),
    });
    await expect(systemOf('a')).rejects.toThrow('core/a.md');
  });
});

test('prompt files: faults in two of them → both in one error (TE8)', async () => {
  await put('core/a.md', 'no front matter');
  await put('core/b.md', '---\ndescription: d\noutput: poem\n---\n{{businessContext}}');
  const fault: unknown = await loadRoles([root], 'en').catch((error: unknown) => error);
  expect(fault).toMatchObject({
    message: expect.stringMatching(/core\/a\.md:1: front matter is missing.*core\/b\.md:3: output: /s),
  });
});

describe('languages and folders', () => {
  test('language: a role has a translation → its text, with the profile of the role (P13)', async () => {
    await put('core/a.md', '---\ndescription: d\noutput: plan\ntools: ["*"]\n---\nHello {{businessContext}}');
    await put('core/zh/a.md', '---\ndescription: 说明\n---\n你好 {{businessContext}}');
    await put('core/b.md', `${HEAD}Only English {{businessContext}}`);
    await put('business/default.md', 'tea');
    await put('business/zh/default.md', '茶');
    expect(await systemOf('a', 'zh')).toBe('你好 茶');
    expect(await systemOf('b', 'zh')).toBe('Only English 茶');
    const [role] = await loadRoles([root], 'zh');
    expect(role?.profile).toMatchObject({ description: '说明', output: 'plan', tools: ['*'] });
  });

  test('language: there is no such folder → an error that names the languages there are', async () => {
    await put('core/zh/a.md', `${HEAD}{{businessContext}}`);
    await expect(loadRoles([root], 'fr')).rejects.toMatchObject({ hint: expect.stringContaining('en, zh') });
  });

  test('own prompts folder: holds one role only → that one is used, all others are the shipped ones', async () => {
    await put('prompts/core/planner.md', `${HEAD}Mine {{businessContext}}`);
    const roots = promptRoots(root);
    const names = ['executor', 'orchestrator', 'planner', 'reviewer', 'router', 'summary', 'understanding'];
    expect(await listRoles(roots, 'en')).toEqual([...names, 'verifier']);
    const roles = await loadRoles(roots, 'en');
    const own = roles.filter(role => role.file.startsWith(root));
    expect(own.map(role => role.profile.name)).toEqual(['planner']);
    expect(roles.every(role => role.businessContext.length > 0)).toBe(true);
  });
});

describe.each(['en', 'zh'])('shipped prompts (%s)', language => {
  async function shipped(name: string) {
    const role = (await loadRoles([SHIPPED], language)).find(candidate => candidate.profile.name === name);
    if (!role) throw new Error(`no role ${name}`);
    return { profile: role.profile, system: renderRole(role, values).system };
  }

  /** The JSON examples of a prompt, as text. */
  function exampleTexts(system: string): string[] {
    return [...system.matchAll(/```json\n(.*?)```/gs)].map(match => match[1] ?? '');
  }

  const examples = (system: string): Record<string, unknown>[] =>
    exampleTexts(system).map(text => JSON.parse(text));

  test("examples: read by the parser of the role's output → taken without an error (G10, G11)", async () => {
    for (const name of ['planner', 'executor', 'verifier']) {
      const { profile, system } = await shipped(name);
      const texts = exampleTexts(system);
      expect(texts).toHaveLength(name === 'verifier' ? 2 : 1);
      for (const text of texts) expect(parseRoleOutput(profile.output, text)).toMatchObject({ ok: true });
    }
  });

  test('planner: no tools, plan contract, and an example with criterion and dependencies (P7, F18)', async () => {
    const { profile, system } = await shipped('planner');
    expect(profile).toMatchObject({ memory: 'shared', tools: [], output: 'plan', temperature: null });
    const [example, ...more] = examples(system);
    expect(more).toEqual([]);
    expect(example).toMatchObject({
      type: 'component',
      component: 'planner-response',
      needsMorePlanning: false,
    });
    expect(example?.todos).toEqual([
      expect.objectContaining({ id: 'task-1', priority: 1, status: 'pending', dependencies: [] }),
      expect.objectContaining({ completionCriteria: expect.any(String), dependencies: ['task-1'] }),
    ]);
    for (const rule of ['improvements', 'needsMorePlanning', 'completionCriteria', '3', '20']) {
      expect(system).toContain(rule);
    }
  });

  test('executor: all tools, execution contract, the round limit and every ending it may meet (P7, F12)', async () => {
    const { profile, system } = await shipped('executor');
    expect(profile).toMatchObject({ memory: 'shared', tools: ['*'], output: 'execution' });
    expect(examples(system)).toEqual([
      expect.objectContaining({
        type: 'component',
        component: 'executor-response',
        summary: expect.any(String),
        taskCompleted: true,
        shouldContinue: false,
        nextAction: 'complete',
      }),
    ]);
    expect(system).toMatch(language === 'en' ? 'at most 10 rounds' : '最多 10 轮');
    const endings = [
      'reused',
      'invalid',
      'denied',
      'skipped',
      'cancelled',
      'timed_out',
      'unavailable',
      'outcome_unknown',
    ];
    for (const word of [...endings, 'read_result', '"skip"', '"retry"', '"continue"', 'isCurrent']) {
      expect(system).toContain(word);
    }
  });

  test('verifier: no tools, verdict contract, one example of each outcome (P7, F8, F9)', async () => {
    const { profile, system } = await shipped('verifier');
    expect(profile).toMatchObject({ memory: 'shared', tools: [], output: 'verdict' });
    const [done, open] = examples(system);
    expect(done).toMatchObject({
      component: 'verifier-response',
      allCompleted: true,
      userNeedsSatisfied: true,
    });
    expect(done?.summary).toEqual(expect.any(String));
    expect(open).toMatchObject({ component: 'verifier-response', allCompleted: false });
    expect(open?.improvements).toEqual([expect.any(String)]);
  });

  test.each([
    ['understanding', 'intent', 1],
    ['router', 'route', 2],
    ['reviewer', 'review', 2],
    ['orchestrator', 'orchestration', 3],
  ] as const)(
    '%s: private, no tools, envelopes of its contract, then a question and an error (P7, P8, G9, G12)',
    async (name, output, forms) => {
      const { profile, system } = await shipped(name);
      expect(profile).toMatchObject({ memory: 'private', tools: [], output, dialect: 'envelope' });
      expect(system).toContain(`\`${name}-agent\``);
      const texts = exampleTexts(system);
      expect(texts).toHaveLength(forms + 2);
      for (const text of texts.slice(0, forms)) {
        const read = parseRoleOutput(output, text, { dialect: 'envelope' });
        expect(read).toMatchObject({ ok: true, envelope: { dialect: 'envelope', absent: [] } });
      }
      const specials = texts.slice(forms).map(text => parseRoleOutput(output, text));
      expect(specials[0]).toMatchObject({ special: { kind: 'clarification' }, envelope: { absent: [] } });
      expect(specials[1]?.special?.kind).toMatch(/^(error|escalate)$/);
      expect(specials[1]?.envelope.absent).toEqual([]);
    },
  );

  test.each(['planner', 'executor', 'understanding', 'router', 'reviewer', 'orchestrator'])(
    '%s: the four sections, in order, with the business context in the second (P8, OU9)',
    async name => {
      const { system } = await shipped(name);
      const sections = [...system.matchAll(/^## (.*)$/gm)].map(match => match[1]);
      const wanted = {
        en: ['Identity', 'Input context', 'Output requirements', 'Error handling'],
        zh: ['身份', '输入上下文', '输出要求', '错误处理'],
      };
      expect(sections).toEqual(language === 'en' ? wanted.en : wanted.zh);
    },
  );

  test('steering roles: every word that the core reads is named (F15, F16, F21)', async () => {
    const words = {
      understanding: [...INTENT_ACTIONS, ...INTENT_SCOPES, ...TASK_RELATIONS, ...URGENCIES],
      router: [...ROUTES, ...CONTROLS, ...TASK_RELATIONS],
      orchestrator: [...RESOURCES, ...HANDLINGS, ...PHASES],
    };
    for (const [name, known] of Object.entries(words)) {
      const { system } = await shipped(name);
      for (const word of [...known, ...ERROR_TYPES, 'ERROR', 'ESCALATE']) expect(system).toContain(word);
    }
  });

  test('what tools return and what the user may be asked: said to those it concerns (K2, F17, C34)', async () => {
    for (const name of ['planner', 'executor', 'verifier', 'summary']) {
      expect((await shipped(name)).system).toContain('`<tool_output>`');
    }
    for (const name of ['planner', 'executor']) {
      const { system } = await shipped(name);
      expect(system).toContain(`${name}-agent`);
      const [, form] =
        /holds? (`"action".*?`) and|含有 (`"action".*?`) 和/.exec(system)?.filter(Boolean) ?? [];
      expect(form).toBe('`"action": "CLARIFICATION_REQUIRED"`');
    }
  });

  test('all: rendered → no placeholder is left, and the business context is in (P1)', async () => {
    for (const { profile } of await loadRoles([SHIPPED], language)) {
      const { system } = await shipped(profile.name);
      expect(system).not.toMatch(/\{\{|\}\}/);
      expect(system).toContain((await readFile(join(SHIPPED, 'business/default.md'), 'utf8')).trim());
    }
  });
});
