import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import { Secrets } from '../../src/secrets.js';
import { redactActivities } from '../../src/worker/redact-activities.js';
import { pack, unpack } from '../../src/workflows/packed.js';

const KEY = 'sk-proj-4f9Zq/1+x"7Lm0';

function knowing(variables: Record<string, string>): Secrets {
  const secrets = new Secrets();
  secrets.addVariables(variables);
  return secrets;
}

/** Runs `work` as an activity behind the border; heartbeats are kept. */
function behind(secrets: Secrets, work: (input: unknown) => Promise<unknown>, input: unknown = {}) {
  const environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
  const beats: unknown[] = [];
  environment.on('heartbeat', details => beats.push(details));
  const result = environment.run(async () => {
    const { inbound } = redactActivities(secrets)(Context.current());
    return inbound?.execute?.({ args: [input], headers: {} }, given => work(given.args[0]));
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

  test('activity: result, with texts and keys at any depth → redacted; packed ones too', async () => {
    const value = { content: [{ text: `It is ${KEY}`, [KEY]: 1 }], n: null };
    const expected = {
      content: [{ text: 'It is [secret OPENAI_API_KEY]', '[secret OPENAI_API_KEY]': 1 }],
      n: null,
    };
    expect(await behind(secrets, async () => value).result).toEqual(expected);
    const packed = (await behind(secrets, async () => pack(value)).result) as ReturnType<typeof pack>;
    expect(unpack(packed)).toEqual(expected);
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

  test("activity: a tool reads the workspace's .env → its keys are known", async () => {
    const workspace = await mkdtemp(join(tmpdir(), 'steersman-secrets-'));
    await writeFile(join(workspace, '.env'), 'STRIPE_SECRET="live-77-abcdef"\nNAME=somebody-1\n');
    const said = { text: 'live-77-abcdef somebody-1' };
    expect(await behind(new Secrets(), async () => said, { workspace }).result).toEqual({
      text: '[secret STRIPE_SECRET] somebody-1',
    });
  });
});
