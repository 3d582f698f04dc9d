/** A first start with the keys that somebody has, and a checkout that is linked into somebody's path. */
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopStack } from '../../packages/stack/local-stack.js';
import { markOf } from '../../src/config/trust/trust.js';
import { startCommand } from '../support/command-line.js';
import { type ScriptedModel, startScriptedModel } from '../support/endpoint/model.js';

const SAYS = { reply: () => ({ text: 'Two boats.' }) };

let dir: string;
/** Lists the usual models of both providers, and others. */
let many: ScriptedModel;
let one: ScriptedModel;

beforeAll(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'steersman-first-')));
  many = await startScriptedModel({ ...SAYS, models: ['gpt-5', 'gpt-5-mini', 'claude-sonnet-5'] });
  one = await startScriptedModel({ ...SAYS, models: ['qwen3:8b'] });
});

afterAll(async () => {
  await stopStack(join(dir, 'home'), () => {});
  await Promise.all([many.close(), one.close()]);
});

/** The `bin` of this checkout, as `npm link` has it, in a folder with these files that its user trusts. */
function linked(name: string, files: Record<string, string>, env: Record<string, string>, args: string[]) {
  const folder = join(dir, name);
  mkdirSync(folder);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  const state = join(dir, name, '.state');
  mkdirSync(join(state, 'steersman'), { recursive: true });
  writeFileSync(join(state, 'steersman', 'trusted.json'), JSON.stringify({ [folder]: markOf(folder) }));
  const own = { STEERSMAN_HOME: join(dir, 'home'), XDG_STATE_HOME: state };
  const unset = { OPENAI_API_KEY: '', OPENAI_BASE_URL: '', ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '' };
  return startCommand('cli', args, { cwd: folder, env: { ...unset, ...own, ...env } }).ended;
}

const GOAL = ['How many boats are there?', '--mode', 'direct'];
const openAi = (server: ScriptedModel) => ({ OPENAI_BASE_URL: server.baseUrl });
const anthropic = () => ({ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: many.baseUrl.replace('/v1', '') });
const HOME = () => `models: { endpoints: { home: { baseUrl: ${one.baseUrl} } } }\n`;

test.each<[string, () => Record<string, string>, () => string, RegExp]>([
  [
    'a key of Anthropic alone',
    anthropic,
    () => '{}\n',
    /anthropic\/claude-sonnet-5 answers: ANTHROPIC_API_KEY is set/,
  ],
  ['an address alone', () => openAi(one), () => '{}\n', /openai\/qwen3:8b answers: OPENAI_BASE_URL is set/],
  [
    'both keys',
    () => ({ ...anthropic(), ...openAi(many), OPENAI_API_KEY: 'k' }),
    () => '{}\n',
    /openai\/gpt-5-mini answers: OPENAI_API_KEY is set/,
  ],
  ['a declared endpoint alone', () => ({}), HOME, /home\/qwen3:8b answers: models\.endpoints has home/],
])('first start: %s → says which model answers, and it does (FC3)', async (name, env, file, says) => {
  const { code, stdout, stderr } = await linked(name, { 'steersman.yaml': file() }, env(), GOAL);
  expect(stderr).toMatch(says);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Two boats.\n' });
});

test('first start: an endpoint that lists several models → refused before anything starts, with the line to write (FC3)', async () => {
  const before = many.requests.length;
  const { code, stderr } = await linked('several', {}, { ...openAi(await several()) }, GOAL);
  expect(stderr).toMatch(
    /lists a, b\. Write it into steersman\.yaml, under "models:", as "default: openai\/a"/,
  );
  expect({ code, asked: many.requests.length - before }).toEqual({ code: 2, asked: 0 });
});

test('first start: a linked checkout in a folder of somebody → that folder’s models and permissions, not the checkout’s (WB6)', async () => {
  const yaml = `${HOME().replace('{ endpoints', '{ default: home/theirs, endpoints')}permissions: { deny: [list] }\n`;
  const server = await startScriptedModel(SAYS);
  const files = { 'steersman.yaml': yaml.replace(one.baseUrl, server.baseUrl) };
  const { code, stderr } = await linked('theirs', files, {}, ['Look', '--mode', 'react']);
  expect(stderr).not.toContain('npm');
  expect(code).toBe(0);
  const [request] = server.requests;
  expect(request?.body.model).toBe('theirs');
  const tools = JSON.stringify(request?.body.tools);
  expect(tools).toContain('"read"');
  expect(tools).not.toContain('"list"');
  await server.close();
});

let both: ScriptedModel | undefined;
async function several(): Promise<ScriptedModel> {
  both ??= await startScriptedModel({ ...SAYS, models: ['a', 'b'] });
  return both;
}
