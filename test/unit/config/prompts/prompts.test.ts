import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { wordsOf } from '../../../../src/base/words/words.js';
import { listRoles, promptRoots } from '../../../../src/config/files/prompt-files.js';
import { loadPrefix, loadRoles } from '../../../../src/config/prompts/prompts.js';
import {
  aloneAmong,
  renderAlone,
  renderPrefix,
  renderRole,
} from '../../../../src/config/prompts/render-prompts.js';
import { ENDING_WORDS } from '../../../../src/conversation/tool-notes.js';
import { outputSchema } from '../../../../src/models/request/output-schemas.js';
import { parseRoleOutput } from '../../../../src/rules/outputs/parse-output.js';
import { DEFAULT_LIMITS } from '../../../../src/run/limits/limits.js';
import type { ToolDefinition } from '../../../../src/run/tools/tool.js';
import { DEFAULT_TOOL_POLICY } from '../../../../src/run/tools/tool.js';

const SHIPPED = new URL('../../../../prompts', import.meta.url).pathname;
const values = {
  limits: DEFAULT_LIMITS,
  tools: [] as ToolDefinition[],
  today: '2026-11-22',
  workspace: '/home/me/tea',
};
const HEAD = '---\ndescription: d\noutput: text\n---\n';
/** Of a role whose prompt is its system text. */
const OWN = HEAD.replace('output', 'prefix: own\noutput');

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
  return renderRole(found, values, { systemMessage }).prompt;
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
    await put('core/a.md', `${OWN}# A\n\n{{businessContext}}\n\nEnd.\n`);
    await put('business/default.md', 'We sell tea.\n');
    expect(await systemOf('a')).toBe('# A\n\nWe sell tea.\n\nEnd.');
  });

  test('business context: a role has its own → it wins over the default; others get the default (P4)', async () => {
    await put('core/a.md', `${OWN}{{businessContext}}`);
    await put('core/b.md', `${OWN}{{businessContext}}`);
    await put('business/default.md', 'for all');
    await put('business/a.md', 'for a');
    expect(await systemOf('a')).toBe('for a');
    expect(await systemOf('b')).toBe('for all');
  });

  test('business context: braces and dollars in it → stay as they are, never filled in (P10)', async () => {
    await put('core/a.md', `${OWN}{{businessContext}} / {{executionRounds}}`);
    await put('business/default.md', "{{executionRounds}} {{nothing}} $& $1 $' {x}");
    expect(await systemOf('a')).toBe("{{executionRounds}} {{nothing}} $& $1 $' {x} / 10");
  });

  test('system prompt: a placeholder used twice → filled in both times (P10)', async () => {
    await put('core/a.md', `${OWN}{{businessContext}} {{maxTasks}} {{maxTasks}} {{planningRounds}}`);
    expect(await systemOf('a')).toBe('20 20 3');
  });

  test('extra system text of a run → stands in front of the prompt (P5)', async () => {
    await put('core/a.md', `${OWN}Core. {{businessContext}}`);
    expect(await systemOf('a', 'en', '  Be brief. {{x}} \n')).toBe('Be brief. {{x}}\n\nCore.');
    expect(await systemOf('a', 'en', '   ')).toBe('Core.');
  });

  test('tool overview: names and first sentences, on one line each, marked as data (K2)', async () => {
    await put('core/a.md', `${OWN}{{businessContext}}{{toolOverview}}`);
    const [role] = await loadRoles([root], 'en');
    if (!role) throw new Error('no role');
    const tools = [tool('read', 'Reads\n a file. Then more {{maxTasks}}.'), tool('long', 'x'.repeat(500))];
    const { prompt: system } = renderRole(role, { ...values, tools });
    expect(system).toContain('- read: Reads a file.\n');
    expect(system).not.toContain('Then more');
    expect(system.length).toBeLessThan(400);
    expect(renderRole(role, values).prompt).toBe('(No tools are connected.)');
  });
});

describe('front matter', () => {
  test("profile: every key given → taken over; the name is the file's (P6)", async () => {
    const head =
      '---\ndescription: Looks twice.\nmemory: private\ntools: ["read_*"]\nreadOnly: true\nagents: [search]\nrequires: [url]\noutput: text\nmaxRounds: 3\ntoolCallsPerTurn: 1\nmodels: openai/a\ntemperature: 0.2\ntopP: 0.9\nreasoning: low\ntoolSyntax: xml\nstop: [END]\nmaxOutputTokens: 900\nstreaming: false\nmaxRetries: 0\nretryDelayMs: 250\nfinalResponse: "{{content}}!"\n---\n';
    await put('core/reviewer.md', `${head}{{businessContext}}`);
    const [role] = await loadRoles([root], 'en');
    expect(role?.profile).toEqual({
      name: 'reviewer',
      description: 'Looks twice.',
      memory: 'private',
      prefix: 'own',
      tools: ['read_*'],
      readOnly: true,
      agents: ['search'],
      requires: ['url'],
      output: 'text',
      maxRounds: 3,
      toolCallsPerTurn: 1,
      dialect: 'component',
      models: ['openai/a'],
      temperature: 0.2,
      topP: 0.9,
      reasoning: 'low',
      toolSyntax: 'xml',
      stop: ['END'],
      maxOutputTokens: 900,
      streaming: false,
      maxRetries: 0,
      retryDelayMs: 250,
      finalResponse: '{{content}}!',
    });
  });

  test('profile: only what is required → shared memory and prefix, no tools, default model (L9, Y2)', async () => {
    await put('core/a.md', `${HEAD}{{businessContext}}`);
    const [role] = await loadRoles([root], 'en');
    expect(role?.profile).toMatchObject({ memory: 'shared', prefix: 'shared', tools: [], models: [] });
  });

  test('file with byte order mark and Windows line ends → read like any other', async () => {
    await put('core/a.md', `\uFEFF${OWN}Hi {{businessContext}}.`.replaceAll('\n', '\r\n'));
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
      'more retries than are taken (A3)',
      '---\ndescription: d\noutput: text\nmaxRetries: 11\n---\n{{businessContext}}',
      'a.md:4: maxRetries',
    ],
    [
      'a delay that is none (A3)',
      '---\ndescription: d\noutput: text\nretryDelayMs: 1.5\n---\n{{businessContext}}',
      'a.md:4: retryDelayMs',
    ],
    [
      'streaming in other words (A3)',
      '---\ndescription: d\noutput: text\nstreaming: never\n---\n{{businessContext}}',
      'a.md:4: streaming',
    ],
    [
      'a final response with a name that means nothing (P12)',
      '---\ndescription: d\noutput: text\nfinalResponse: |\n  {{content}}\n  {{calls}}\n---\n{{businessContext}}',
      'a.md:4: finalResponse: {{calls}} is not a known variable (known: content, toolHistory, toolCount).',
    ],
    [
      'a final response of a role whose reply is no answer (P12)',
      '---\ndescription: d\noutput: plan\nfinalResponse: "{{content}}"\n---\n{{businessContext}}',
      'a.md:4: finalResponse: its output is "plan"',
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
      remedy: expect.stringMatching(/./),
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

describe('placeholders that vary while a run lasts', () => {
  test('renderRole: its prompt names some → the names stay, and are pinned to be told with each instruction (P9, P10)', async () => {
    await put(
      'core/a.md',
      `${HEAD}{{businessContext}} {{HISTORY}}, {{SYSTEM_STATE}}, {{ HISTORY }} {"a": {}}`,
    );
    const [role] = await loadRoles([root], 'en');
    if (!role) throw new Error('no role');
    const { prompt, context } = renderRole(role, values);
    expect(prompt).toBe('`HISTORY`, `SYSTEM_STATE`, `HISTORY` {"a": {}}');
    expect(context).toEqual(['SYSTEM_STATE', 'HISTORY']);
  });

  test('renderPrefix: what all requests begin with names one → refused, with file, line and what to do (P10)', async () => {
    await put('core/shared-prefix.md', '{{businessContext}}\n\n{{AVAILABLE_TOOLS}} {{USER_GOAL}}');
    await put('core/team-prefix.md', 'A team.');
    const prefix = await loadPrefix([root], 'en');
    expect(() => renderPrefix(prefix, values)).toThrow('prefix.md:3: {{USER_GOAL}} varies from request');
  });
});

describe('languages and folders', () => {
  test('language: a role has a translation → its text, with the profile of the role (P13)', async () => {
    await put(
      'core/a.md',
      '---\ndescription: d\noutput: plan\nprefix: own\ntools: ["*"]\n---\nHello {{businessContext}}',
    );
    await put('core/zh/a.md', '---\ndescription: 说明\n---\n你好 {{businessContext}}');
    await put('core/b.md', `${OWN}Only English {{businessContext}}`);
    await put('business/default.md', 'tea');
    await put('business/zh/default.md', '茶');
    expect(await systemOf('a', 'zh')).toBe('你好 茶');
    expect(await systemOf('b', 'zh')).toBe('Only English 茶');
    const [role] = await loadRoles([root], 'zh');
    expect(role?.profile).toMatchObject({ description: '说明', output: 'plan', tools: ['*'] });
  });

  test('language: there is no such folder → an error that names the languages there are', async () => {
    await put('core/zh/a.md', `${HEAD}{{businessContext}}`);
    await expect(loadRoles([root], 'fr')).rejects.toMatchObject({
      remedy: expect.stringContaining('en, zh'),
    });
  });

  test('own prompts folder: holds one role only → that one is used, all others are the shipped ones', async () => {
    await put('prompts/core/planner.md', `${HEAD}Mine {{businessContext}}`);
    const roots = promptRoots(root);
    expect(await listRoles(roots, 'en')).toEqual(await listRoles([SHIPPED], 'en'));
    const roles = await loadRoles(roots, 'en');
    const own = roles.filter(role => role.file.startsWith(root));
    expect(own.map(role => role.profile.name)).toEqual(['planner']);
    const withContext = roles.filter(role => role.businessContext.length > 0);
    expect(withContext.map(role => role.profile.prefix)).toEqual(Array(6).fill('own'));
  });

  test.each<[string, string, string, object]>([
    ['nothing but its text', 'executor', 'description: Mine', { tools: ['*'], output: 'execution' }],
    ['the same output', 'executor', 'output: execution', { tools: ['*'] }],
    ['no tools', 'executor', 'tools: []', { tools: [], output: 'execution' }],
    ['a memory of its own', 'lead', 'memory: private', { memory: 'private', maxRounds: 5, agents: ['*'] }],
    [
      'another output',
      'executor',
      'description: Mine\noutput: text',
      { tools: [], output: 'text', memory: 'shared' },
    ],
  ])(
    'role file of a shipped name: says %s → has the rest as that was shipped (CF5)',
    async (_, name, head, wanted) => {
      await put(`prompts/core/${name}.md`, `---\n${head}\n---\n{{businessContext}}`);
      const roles = await loadRoles(promptRoots(root), 'en');
      expect(roles.find(({ profile }) => profile.name === name)?.profile).toMatchObject(wanted);
      const inCode = { roles: [{ name: 'verifier', prompt: '{{businessContext}}' }] };
      const given = await loadRoles(promptRoots(null), 'en', inCode);
      expect(given.find(({ profile }) => profile.name === 'verifier')?.profile).toMatchObject({
        output: 'verdict',
      });
    },
  );

  test('role file of a coding agent, by chance of a shipped name → nothing is added to what it says (CF5)', async () => {
    await put('prompts/core/search.md', '---\nname: search\ndescription: Looks\n---\nLook well.');
    const roles = await loadRoles(promptRoots(root), 'en');
    const { profile } = roles.find(role => role.profile.name === 'search') ?? {};
    expect(profile).toMatchObject({ output: 'text', maxRounds: null, temperature: null });
  });
});

/** The JSON examples of a prompt, as text. */
function exampleTexts(system: string): string[] {
  return [...system.matchAll(/```json\n(.*?)```/gs)].map(match => match[1] ?? '');
}

/** Every field name, and every word of a closed list, that a schema holds. */
function wordsOfSchema(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(wordsOfSchema);
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, enum: words = [], const: word = [], ...rest } = schema as Record<string, unknown>;
  const named = [words, word].flat().filter(value => typeof value === 'string');
  return [
    ...Object.keys(properties as object),
    ...named,
    ...wordsOfSchema(Object.values(properties as object)),
    ...wordsOfSchema(Object.values(rest)),
  ];
}

function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const keys = Array.isArray(value) ? [] : Object.keys(value);
  return [...keys, ...Object.values(value).flatMap(keysOf)];
}

/** Each with all that a request brings it: what the team's conversation begins with, and its prompt. */
async function shippedRoles(language: string) {
  const roles = await loadRoles([SHIPPED], language);
  const prefix = renderPrefix(await loadPrefix([SHIPPED], language), values).system;
  return roles.map(role => {
    const { prompt } = renderRole(role, values);
    const system = role.profile.prefix === 'own' ? prompt : `${prefix}\n${prompt}`;
    return { ...role, name: role.profile.name, system };
  });
}

/** The templates of what requests begin with. */
async function openings(language: string) {
  const { shared, team } = await loadPrefix([SHIPPED], language);
  return [shared, team];
}

const LANGUAGES = ['en', 'zh'];

describe.each(LANGUAGES)('shipped prompts (%s)', language => {
  async function shipped(name: string) {
    const role = (await shippedRoles(language)).find(candidate => candidate.name === name);
    if (!role) throw new Error(`no role ${name}`);
    return role;
  }

  test('all: each field and each word that its schema asks for is named, and examples hold no others (OU14)', async () => {
    for (const { name, profile, system } of await shippedRoles(language)) {
      const schema = outputSchema(profile.output, profile.dialect);
      const asked = new Set(wordsOfSchema(schema));
      expect(schema === null, name).toBe(profile.output === 'text');
      const missing = [...asked].filter(word => !new RegExp(`[\\x60".]${word}[\\x60":]`).test(system));
      expect(missing, `${name} does not name`).toEqual([]);
      const shown = exampleTexts(system).flatMap(text => keysOf(JSON.parse(text)));
      expect(
        shown.filter(key => !asked.has(key)),
        `${name} shows`,
      ).toEqual([]);
    }
  });

  test("all: examples are read by the parser of the role's output without an error, one a form (G9, G10, G11)", async () => {
    for (const { name, profile, system } of await shippedRoles(language)) {
      const { output, dialect } = profile;
      const texts = exampleTexts(system);
      expect(texts, name).toHaveLength(output === 'text' ? 0 : output === 'verdict' ? 2 : 1);
      for (const text of texts) {
        const read = parseRoleOutput(output, text, { dialect });
        expect(read).toMatchObject({ ok: true, envelope: { dialect } });
      }
    }
  });

  test('profiles: memory, tools and contract of each role (P6, P7, L9)', async () => {
    const roles = await shippedRoles(language);
    const wanted = {
      planner: ['shared', [], 'plan', 'component'],
      executor: ['shared', ['*'], 'execution', 'component'],
      verifier: ['shared', [], 'verdict', 'component'],
      summary: ['shared', [], 'text', 'component'],
      react: ['shared', ['*'], 'text', 'component'],
      lead: ['shared', ['*', 'call_subagent', '*_artifact', 'list_artifacts'], 'text', 'component'],
      search: ['private', ['*'], 'text', 'component'],
      crawl: ['private', ['*'], 'text', 'component'],
      direct: ['shared', [], 'text', 'component'],
      selector: ['shared', [], 'choice', 'component'],
      understanding: ['private', [], 'intent', 'envelope'],
      router: ['private', [], 'route', 'envelope'],
      reviewer: ['private', [], 'review', 'envelope'],
      orchestrator: ['private', [], 'orchestration', 'envelope'],
    };
    const found = roles.map(({ name, profile }) => [
      name,
      [profile.memory, profile.tools, profile.output, profile.dialect],
    ]);
    expect(Object.fromEntries(found)).toEqual(wanted);
  });

  test('profiles: search and crawl → rounds, temperature, tools that only read and what an instruction must hold; the prompt says the rounds (A4, L12)', async () => {
    const roles = await shippedRoles(language);
    const found = ['search', 'crawl'].map(name => roles.find(role => role.name === name));
    expect(found.map(role => role?.profile)).toMatchObject([
      { maxRounds: 3, temperature: 0.5, requires: [], readOnly: true },
      { maxRounds: 2, temperature: 0.3, requires: ['url'], readOnly: true },
    ]);
    const said = language === 'zh' ? [/3 ?轮/, /2 ?轮/] : [/at most 3 rounds/, /at most 2 rounds/];
    for (const [index, role] of found.entries()) expect(role?.system).toMatch(said[index] ?? '');
  });

  test.each(['executor', 'react', 'lead'])(
    '%s: every ending of a tool call that it may meet (P7)',
    async name => {
      const { system } = await shipped(name);
      const endings = Object.keys(ENDING_WORDS).filter(word => word !== 'executed');
      for (const word of endings) expect(system).toContain(`\`${word}\``);
    },
  );

  test('all: the four sections, in order, with the business context in the second (P8)', async () => {
    const wanted = {
      en: ['Identity', 'Input context', 'Output requirements', 'Error handling'],
      zh: ['身份', '输入上下文', '输出要求', '错误处理'],
    };
    for (const { name, template } of await shippedRoles(language)) {
      const sections = template.split(/^## /m).slice(1);
      const headings = sections.map(section => section.split('\n')[0]);
      expect(headings, name).toEqual(language === 'en' ? wanted.en : wanted.zh);
      expect(sections[1], name).toContain('{{businessContext}}');
      if (name !== 'verifier') expect(sections[0]).toContain(`\`${name}-agent\``);
    }
  });

  test('all: rendered → no placeholder left, and before each the day and the business context of the language, once (P1, OU7)', async () => {
    const folder = language === 'en' ? 'business' : `business/${language}`;
    const business = (await readFile(join(SHIPPED, folder, 'default.md'), 'utf8')).trim();
    for (const { name, system } of await shippedRoles(language)) {
      expect(system, name).not.toMatch(/\{\{|\}\}/);
      expect(system.split('2026-11-22'), name).toHaveLength(2);
      expect(system.split(business), name).toHaveLength(2);
      if (!['understanding', 'router', 'orchestrator'].includes(name))
        expect(system, name).toContain('`/home/me/tea`');
    }
  });

  test('prefix: says how the run names a role, in the words that it does (P7)', async () => {
    const { system } = renderPrefix(await loadPrefix([SHIPPED], language), values);
    const { takeRole, asRole } = wordsOf({ pinned: { language } });
    const named = (text: string) => text.replaceAll('{role}', 'planner');
    expect(system).toContain(named(asRole));
    expect(system).toContain(named(takeRole).split(/[.。]/)[0]);
  });

  test('all: budgets are said in rounds and calls, confidences in percent alone (OU7)', async () => {
    for (const { name, system } of await shippedRoles(language)) {
      expect(system.replace(/"go on in ten minutes"|“十分钟后继续”/, ''), name).not.toMatch(
        /\bminutes?\b|分钟/,
      );
      for (const text of exampleTexts(system))
        for (const [, number] of text.matchAll(/"confidence": ([\d.]+)/g))
          expect(Number(number)).toBeGreaterThan(1);
    }
  });

  test('all: short enough to be read: 2,400 characters each (OU7)', async () => {
    const long = (await shippedRoles(language)).filter(({ template }) => template.length > 2_400);
    expect(long.map(({ name, template }) => `${name}: ${template.length}`)).toEqual([]);
    for (const { template } of await openings(language)) expect(template.length).toBeLessThan(1_500);
  });

  test('a role that speaks alone: no word of a team, planner or verifier, and no heading without a text', async () => {
    const opening = renderAlone(await loadPrefix([SHIPPED], language), values);
    const roles = await loadRoles([SHIPPED], language);
    for (const name of ['react', 'lead', 'direct']) {
      const role = roles.filter(({ profile }) => profile.name === name);
      const { prefix, prompt } = renderRole(role[0] as never, values, { opening, isAlone: true });
      expect(prefix).toBe('own');
      expect(prompt.endsWith(opening)).toBe(true);
      expect(prompt).not.toMatch(/planner|executor|verifier|小组|规划者/);
      expect(prompt.replace(/--mode team/, '')).not.toMatch(/\bteam\b/);
      expect(prompt).not.toMatch(/^(#+) .*\n\s*\1 /m);
    }
  });
});

test.each([
  ['one role of the shared conversation, others apart', ['react', 'understanding', 'router'], 'react'],
  ['several', ['planner', 'executor'], null],
  ['none', ['search'], null],
])('aloneAmong: %s', async (_case, names, alone) => {
  const roles = (await loadRoles([SHIPPED], 'en')).filter(({ profile }) => names.includes(profile.name));
  expect(aloneAmong(roles)?.profile.name ?? null).toBe(alone);
});

test('shipped prompts: a translation → the same placeholders and the same words of the framework as the base (P13)', async () => {
  const marks = (text: string) => {
    const spans = text.match(/\{\{\w+\}\}|`[^`\n]+`/g) ?? [];
    return [...new Set(spans.flatMap(span => span.match(/[A-Za-z_]{3,}/g) ?? []))].sort();
  };
  const [base, other] = await Promise.all(LANGUAGES.map(shippedRoles));
  const [inBase, inOther] = await Promise.all(
    LANGUAGES.map(async language => (await openings(language)).map(({ template }) => marks(template))),
  );
  expect(inOther).toEqual(inBase);
  for (const role of base ?? []) {
    const translated = other?.find(({ name }) => name === role.name);
    expect(translated?.file).not.toBe(role.file);
    expect(marks(translated?.template ?? ''), role.name).toEqual(marks(role.template));
  }
});
