import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { promptRoots } from '../../../src/config/files/prompt-files.js';
import { loadPrefix, loadRoles } from '../../../src/config/prompts/prompts.js';
import { loadSettings } from '../../../src/config/settings/settings.js';

let dir = '';

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'steersman-in-code-'));
  mkdirSync(join(dir, 'prompts', 'business'), { recursive: true });
  writeFileSync(join(dir, 'prompts', 'business', 'default.md'), 'From the file.');
  writeFileSync(join(dir, 'prompts', 'business', 'planner.md'), 'Planner, from the file.');
  writeFileSync(
    join(dir, 'steersman.yaml'),
    'language: zh\nlimits: { tasks: 3, turns: 40 }\npermissions: { auto: [read_*] }\n',
  );
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('settings in code', () => {
  test('beside a file → over it, key by key', async () => {
    const settings = await loadSettings(dir, {
      settings: { limits: { tasks: 5 }, models: { default: 'acme/large' } },
      providers: [{ name: 'acme' }],
    });
    expect(settings).toMatchObject({
      language: 'zh',
      limits: { tasks: 5, turns: 40 },
      models: { default: ['acme/large'] },
      permissions: { auto: ['read_*'] },
    });
  });

  test('without a folder → with the defaults; workspaces begin at the current folder', async () => {
    const settings = await loadSettings(null, { settings: { workspaces: ['orders'] } });
    expect(settings).toMatchObject({ language: 'en', workspaces: [join(process.cwd(), 'orders')] });
  });

  test('wrong → the error names the code, not the file', async () => {
    const settings = { limits: { task: 5 } } as object;
    await expect(loadSettings(dir, { settings })).rejects.toThrow(
      /^settings \(in code\): unknown key "limits.task"\. Did you mean "tasks"/,
    );
  });
});

describe('roles and contexts in code', () => {
  const roots = () => promptRoots(dir);

  test('a role → in place of the file of its name; the others stay', async () => {
    const prompt = 'You sum up in one line.\n{{businessContext}}';
    const roles = [{ name: 'summary', description: 'Sums up.', output: 'text' as const, prompt }];
    const loaded = await loadRoles(roots(), 'en', { roles });
    expect(loaded.find(({ profile }) => profile.name === 'summary')).toMatchObject({
      template: prompt,
      profile: { description: 'Sums up.', output: 'text', memory: 'shared' },
      // The default one stands in the prefix that it shares.
      businessContext: '',
    });
    expect(loaded.map(({ profile }) => profile.name)).toEqual(
      expect.arrayContaining(['planner', 'verifier']),
    );
  });

  test('a template without the business context → refused, with its place', async () => {
    const roles = [{ name: 'summary', description: 'Sums up.', output: 'text' as const, prompt: 'Sum up.' }];
    await expect(loadRoles(roots(), 'en', { roles })).rejects.toThrow(/role summary \(in code\)/);
  });

  test("contexts → the role's own first, be it a file's; then the default one, the code's before the file's", async () => {
    const inCode = { prompts: { default: 'All.', executor: 'Executor.' } };
    const loaded = await loadRoles(roots(), 'en', inCode);
    const context = (role: string) => loaded.find(({ profile }) => profile.name === role)?.businessContext;
    expect(['planner', 'executor', 'verifier', 'router'].map(context)).toEqual([
      'Planner, from the file.',
      'Executor.',
      '',
      'All.',
    ]);
    expect((await loadPrefix(roots(), 'en', inCode)).shared.businessContext).toBe('All.');
  });
});

describe('transforms', () => {
  const settings = {
    context: { transforms: ['thin', 'redact'], roles: { planner: { transforms: ['own'] } } },
  };

  test('transforms: names that the program has → taken; without a program nobody knows which there are (X1)', async () => {
    const loaded = await loadSettings(null, { settings, transforms: { redact: 1, own: 1 } });
    expect(loaded.context.transforms).toEqual(['thin', 'redact']);
    expect((await loadSettings(null, { settings })).context.roles.planner?.transforms).toEqual(['own']);
  });

  test.each<[string, string, RegExp]>([
    [
      'an unknown name',
      'transforms: [thin, redakt]',
      /steersman\.yaml:2: context\.transforms\.1: there is no transform "redakt"\. The transforms are: thin, compact, trim, redact\./,
    ],
    [
      'an unknown name of a role',
      'roles: { planner: { transforms: [own] } }',
      /:2: context\.roles\.planner\.transforms\.0: there is no transform "own"/,
    ],
    ['a name twice', 'transforms: [redact, redact]', /:2: context\.transforms\.1: "redact" is named twice/],
    [
      'one after the last',
      'transforms: [trim, redact]',
      /:2: context\.transforms\.0: "trim" is always the last/,
    ],
  ])('transforms: %s → refused with its path in the file (X1)', async (_what, line, fault) => {
    const own = mkdtempSync(join(tmpdir(), 'steersman-transforms-'));
    writeFileSync(join(own, 'steersman.yaml'), `context:\n  ${line}\n`);
    await expect(loadSettings(own, { transforms: { redact: 1 } })).rejects.toThrow(fault);
  });

  test('transforms: a function by the name of a built-in one → refused (X1)', async () => {
    await expect(loadSettings(null, { transforms: { thin: 1 } })).rejects.toThrow(
      /the name thin, which is taken/,
    );
  });
});
