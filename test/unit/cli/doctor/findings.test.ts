import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pc from 'picocolors';
import { describe, expect, test } from 'vitest';
import {
  checkConfiguration,
  checkWorkspaceFolder,
} from '../../../../packages/cli/doctor/check-configuration.js';
import { checkModels } from '../../../../packages/cli/doctor/check-models.js';
import { checkNode, checkTexts } from '../../../../packages/cli/doctor/examine.js';
import {
  failed,
  failedBy,
  findingLines,
  ok,
  skipped,
  summarize,
  summaryLine,
  warning,
} from '../../../../packages/cli/doctor/finding.js';
import { ModelCallError } from '../../../../src/models/provider/model-call-error.js';
import { modelInfo } from '../../../../src/models/provider/model-info.js';
import type { ModelProvider } from '../../../../src/models/provider/provider.js';
import { SteersmanError } from '../../../../src/shared/process/errors.js';
import { noColors } from '../../../../src/shared/process/output.js';

function folder(files: Record<string, string> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'steersman-doctor-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
}

describe('lines', () => {
  test('finding: failed → mark, what was found, and below it what to do', () => {
    expect(findingLines(failed('Temporal', 'no answer', 'Start it.'), noColors)).toEqual([
      '✖ Temporal           no answer',
      '                     → Start it.',
    ]);
  });

  test('finding: text of several lines → indented below the first; control characters are gone', () => {
    const [first, second] = findingLines(ok('tools', 'one\u001b[31m\ntwo'), noColors);
    expect(first).toBe('✔ tools              one');
    expect(second).toBe('                     two');
  });

  test('finding: in a terminal → the mark has a colour for each status', () => {
    const colors = pc.createColors(true);
    const marks = [ok('a', ''), warning('a', '', null), failed('a', '', null), skipped('a', '')].map(
      finding => findingLines(finding, colors)[0]?.split(' ')[0],
    );
    expect(marks).toEqual([colors.green('✔'), colors.yellow('!'), colors.red('✖'), colors.dim('–')]);
  });

  test('summary: several failures → named once each and in order, warnings counted', () => {
    const findings = [
      ok('Node', ''),
      failed('model', '', null),
      failed('model', '', null),
      failed('tools', '', null),
    ];
    const summary = summarize([...findings, warning('workspace', '', null)]);
    expect(summary).toEqual({ failed: ['model', 'tools'], warnings: 1 });
    expect(summaryLine(summary, noColors)).toBe('Not ready: model, tools. 1 warning. Begin with the first.');
    expect(summaryLine(summarize([ok('Node', '')]), noColors)).toBe('Ready.');
  });

  test('error of ours: message and remedy → found and what to do', () => {
    const finding = failedBy('Temporal', new SteersmanError('It is off.', 'Switch it on.'));
    expect(finding).toEqual({
      check: 'Temporal',
      status: 'failed',
      found: 'It is off.',
      todo: 'Switch it on.',
    });
  });
});

describe('host', () => {
  test.each([
    ['18.20.4', 'failed'],
    ['20.18.3', 'failed'],
    ['20.19.0', 'ok'],
    ['24.1.0', 'ok'],
  ])('Node %s → %s', (version, status) => {
    expect(checkNode(version).status).toBe(status);
  });

  test('folder of large results: can be written → ok, nothing is left in it', async () => {
    const home = folder();
    expect(await checkTexts(join(home, 'store', 'texts'))).toMatchObject({ status: 'ok' });
    expect(readdirSync(join(home, 'store', 'texts'))).toEqual([]);
  });

  test('folder of large results: a file is in its place → failed, names it and STEERSMAN_HOME', async () => {
    const home = folder({ texts: 'not a folder' });
    const finding = await checkTexts(join(home, 'texts'));
    expect(finding.status).toBe('failed');
    expect(finding.found).toContain(join(home, 'texts'));
    expect(finding.todo).toContain('STEERSMAN_HOME');
  });
});

describe('configuration', () => {
  const ELSEWHERE = { localStack: false, ownWorker: true, standIn: undefined };

  test('folder without files, on the local stack without a key → the model that stands in and the shipped tools, as for a run', async () => {
    const here = { localStack: true, ownWorker: false, standIn: 'demo' };
    const { models, mcp, findings } = await checkConfiguration(folder(), here);
    expect(findings.map(({ check, status }) => [check, status])).toEqual([
      ['steersman.yaml', 'ok'],
      ['prompts', 'ok'],
      ['.mcp.json', 'ok'],
    ]);
    expect(models).toEqual(['demo/rules']);
    expect(mcp?.servers.map(({ name }) => name)).toEqual(['workspace']);
  });

  test('folder without files, on other workers → defaults and the shipped prompts; which model answers is looked at with the models (FC3)', async () => {
    const { settings, models, findings } = await checkConfiguration(folder(), ELSEWHERE);
    expect(settings).not.toBeNull();
    expect(models).toEqual([]);
    expect(findings.map(({ check, status }) => [check, status])).toEqual([
      ['steersman.yaml', 'ok'],
      ['prompts', 'ok'],
      ['.mcp.json', 'warning'],
    ]);
  });

  test('steersman.yaml: a provider and a role that only a program can give → a warning that names both, and the rest is looked at (CF4)', async () => {
    const yaml = 'models:\n  default: acme/x\nmodes:\n  tea: { steps: [brewer] }\n';
    const { settings, models, findings } = await checkConfiguration(
      folder({ 'steersman.yaml': yaml }),
      ELSEWHERE,
    );
    expect(settings?.models.default).toEqual(['acme/x']);
    expect(models).toEqual(['acme/x']);
    expect(findings[0]).toMatchObject({ check: 'steersman.yaml', status: 'warning' });
    expect(findings[0]?.found).toMatch(/no role "brewer"[\s\S]*no endpoint "acme"/);
  });

  test('steersman.yaml: an endpoint that there is not, on the local stack → failed, as no run starts (FC3)', async () => {
    const dir = folder({ 'steersman.yaml': 'models:\n  default: opanai/gpt-5-mini\n' });
    const { findings } = await checkConfiguration(dir, { ...ELSEWHERE, localStack: true, ownWorker: false });
    expect(findings[0]).toMatchObject({ check: 'steersman.yaml', status: 'failed' });
    expect(findings[0]?.found).toContain('steersman.yaml:2: models.default: there is no endpoint "opanai"');
  });

  test('steersman.yaml: unknown key → failed with its line; the prompts wait, .mcp.json is looked at', async () => {
    const yaml = 'models:\n  default: openai/m\nlimit: 3\n';
    const { settings, findings } = await checkConfiguration(folder({ 'steersman.yaml': yaml }), ELSEWHERE);
    expect(settings).toBeNull();
    expect(findings.map(({ status }) => status)).toEqual(['failed', 'skipped', 'warning']);
    expect(findings[0]?.found).toContain('steersman.yaml:3');
  });

  test('.mcp.json: not JSON → failed with its line', async () => {
    const { mcp, findings } = await checkConfiguration(
      folder({ '.mcp.json': '{\n  "mcpServers": {,}\n}' }),
      ELSEWHERE,
    );
    expect(mcp).toBeNull();
    expect(findings[2]).toMatchObject({ check: '.mcp.json', status: 'failed' });
    expect(findings[2]?.found).toContain('line 2');
  });

  test('models: default, roles, configurations, rows and files of roles → every model that a run may call, each once (M4)', async () => {
    const models = {
      default: ['openai/a', 'openai/b'],
      roles: { verifier: ['openai/b', 'openai/c'] },
      configurations: { cheap: { default: 'openai/d', roles: { planner: 'openai/a' } } },
      resolver: [{ when: { roundFrom: 3 }, use: ['openai/e', 'openai/c'] }],
      info: { 'openai/only-priced': { prices: { input: 1, output: 1 } } },
    };
    const dir = folder({ 'steersman.yaml': JSON.stringify({ models }) });
    mkdirSync(join(dir, 'prompts', 'core'), { recursive: true });
    const file = (model: string) =>
      `---\ndescription: works\noutput: plan\nmodels: openai/${model}\n---\n{{businessContext}}\n`;
    writeFileSync(join(dir, 'prompts', 'core', 'planner.md'), file('f'));
    // What models.roles says goes before it: it is never called.
    writeFileSync(join(dir, 'prompts', 'core', 'verifier.md'), file('never'));
    const found = await checkConfiguration(dir, ELSEWHERE);
    expect(found.models?.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map(name => `openai/${name}`));
  });

  test('models: more than are asked at once → each asked once, a finding for each in order', async () => {
    const asked: string[] = [];
    let open = 0;
    let most = 0;
    const provider: ModelProvider = {
      name: 'home',
      endpoint: 'http://home',
      async *stream({ model }) {
        asked.push(model);
        open += 1;
        most = Math.max(most, open);
        await Promise.resolve();
        open -= 1;
        if (model === 'm3') throw new ModelCallError('model.auth', 'Wrong key.');
        yield { type: 'text', offset: 0, text: 'Hello.' };
      },
      listModels: async () => [],
    };
    const ids = Array.from({ length: 20 }, (_, index) => `home/m${index}`);
    const resolve = (id: string) => ({ provider, model: id.slice('home/'.length), info: modelInfo(id) });
    const found = await checkModels(ids, { resolve });
    expect(asked.toSorted()).toEqual(ids.map(id => id.slice('home/'.length)).toSorted());
    expect(most).toBe(8);
    expect(found.map(finding => finding.found.split(/[ :]/)[0])).toEqual(ids);
    expect(found.filter(({ status }) => status === 'failed')).toMatchObject([
      { found: 'home/m3: Wrong key.' },
    ]);
  });

  test('P2 prompt: a core template without its context → failed with file and line', async () => {
    const dir = folder({ 'steersman.yaml': 'models:\n  default: openai/m\n' });
    mkdirSync(join(dir, 'prompts', 'core'), { recursive: true });
    writeFileSync(
      join(dir, 'prompts', 'core', 'planner.md'),
      '---\ndescription: plans\noutput: plan\n---\nYou plan.\n',
    );
    const { models, findings } = await checkConfiguration(dir, ELSEWHERE);
    expect(models).toBeNull();
    expect(findings[1]).toMatchObject({ check: 'prompts', status: 'failed' });
    expect(findings[1]?.found).toContain('planner.md');
  });

  test('workspace: no root configured → any folder on the local stack; a warning for workers elsewhere', async () => {
    const { settings } = await checkConfiguration(folder(), ELSEWHERE);
    if (settings === null) throw new Error('defaults are settings');
    const workspace = folder();
    expect(await checkWorkspaceFolder(workspace, settings, true)).toMatchObject({ status: 'ok' });
    const elsewhere = await checkWorkspaceFolder(workspace, settings, false);
    expect(elsewhere).toMatchObject({ status: 'warning' });
    expect(elsewhere.todo).toContain('workspaces');
    expect(await checkWorkspaceFolder(join(workspace, 'gone'), settings, true)).toMatchObject({
      status: 'failed',
    });
  });
});
