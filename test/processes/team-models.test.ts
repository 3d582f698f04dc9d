import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { execution, plan, verdict } from '../../packages/test-kit/role-outputs.js';
import { PROTOCOLS } from '../../src/models/provider/endpoint.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import type { ChatRequest, ScriptedReply } from '../support/endpoint/model.js';
import { pairingFaults } from '../support/pairing.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, transcriptOf } from '../support/run-views.js';

const rig = rigOfFile({
  config: { 'steersman.yaml': 'models:\n  default: [openai/gpt-5-mini, openai/spare]\n' },
  workspace: { 'a.txt': `${'alpha '.repeat(500)}\n`, 'b.txt': `${'beta '.repeat(500)}\n` },
});

const read = (path: string): ScriptedReply => ({
  toolCalls: [{ name: 'read_text_file', arguments: { path } }],
});
const whole: ScriptedReply[] = [
  { text: plan({ todos: ['Say hello'] }) },
  { text: execution({ summary: 'Hello was said.', taskCompleted: true }) },
  { text: verdict({ summary: 'Hello to you.' }) },
];
/** Asks for a short wait, so that retries do not slow the test down. */
const outOfOrder: ScriptedReply = {
  error: { status: 500, message: 'Out of order.', headers: { 'retry-after-ms': '20' } },
};

async function failed(handle: WorkflowHandle): Promise<{ failure: ApplicationFailure; result: RunResult }> {
  const error = await handle.result().catch((reason: unknown) => reason);
  if (!(error instanceof WorkflowFailedError)) throw new Error(`expected a failed run, got ${String(error)}`);
  expect((await handle.describe()).status.name).toBe('FAILED');
  expect(error.cause).toBeInstanceOf(ApplicationFailure);
  const failure = error.cause as ApplicationFailure;
  return { failure, result: failure.details?.[0] as RunResult };
}

describe('a model that fails', () => {
  test('wrong key, no other model → Failed, with a message that says what to check', async () => {
    const script = rig.play(() => ({ error: { status: 401, message: 'Incorrect API key provided.' } }));
    const { failure, result } = await failed(await rig.start('Hello', { model: 'openai/gpt-5-mini' }));
    expect(failure.type).toBe('run.failed');
    expect(failure.message).toMatch(/openai\/gpt-5-mini at http:.* HTTP 401.*OPENAI_API_KEY/);
    expect(failure.message).not.toContain('test-key');
    expect(result).toMatchObject({ outcome: 'failed', text: '' });
    expect(script.requests).toHaveLength(1);
  });

  test('unknown model → Failed, and the message names the model', async () => {
    const error = { status: 404, message: 'The model `nope` does not exist.', code: 'model_not_found' };
    rig.play(() => ({ error }));
    const { failure } = await failed(await rig.start('Hello', { model: 'openai/nope' }));
    expect(failure.message).toContain('The endpoint does not know the model "nope"');
  });

  test('failure after a task was done → Failed, with the partial answer in its details', async () => {
    rig.play([...whole.slice(0, 2), { error: { status: 400, message: 'No.' } }]);
    const { result } = await failed(await rig.start('Hello', { model: 'openai/gpt-5-mini' }));
    expect(result.text).toContain('Hello was said.');
    expect(result.tasks).toMatchObject([{ status: 'completed' }]);
  });

  test('a chain of two, the first answers 500 → four tries, then the next model, told in the journal (M5, M6)', async () => {
    const script = rig.play((_, index) =>
      index < 4 ? outOfOrder : (whole[index - 4] ?? { error: { status: 400 } }),
    );
    const { handle, result } = await rig.run('Hello');
    expect(result).toMatchObject({ outcome: 'completed', text: 'Hello to you.', usage: { costUsd: null } });
    expect(await eventsOf(handle, 'provider_switch')).toMatchObject([
      { role: 'planner', fromModel: 'openai/gpt-5-mini', toModel: 'openai/spare' },
    ]);
    const models = script.requests.map(({ body }) => body.model);
    expect(models.slice(0, 5)).toEqual([...Array.from({ length: 4 }, () => 'gpt-5-mini'), 'spare']);
    const [first] = await eventsOf(handle, 'model_call_failed');
    expect(first).toMatchObject({ failure: 'model.server_error', next: 'next_model' });
  });

  test("a role's file says how often and how soon a failed call is tried again → the endpoint sees so many, so far apart, and the next model is asked (A3)", async () => {
    const file = join(rig.project.configDir, 'prompts/core/planner.md');
    const before = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      before.replace('---\n', '---\nmaxRetries: 1\nretryDelayMs: 1500\nstreaming: false\n'),
    );
    const times: number[] = [];
    const script = rig.play((_, index) => {
      times.push(performance.now());
      return index < 2 ? { error: { status: 500, message: 'Out of order.' } } : (whole[index - 2] ?? {});
    });
    const { result } = await rig.run('Hello');
    writeFileSync(file, before);
    expect(result).toMatchObject({ outcome: 'completed', text: 'Hello to you.' });
    const asked = script.requests.map(({ body }) => [body.model, body.stream]);
    const spare = ['spare', false];
    const first = ['gpt-5-mini', false];
    expect(asked.slice(0, 4)).toEqual([first, first, spare, ['gpt-5-mini', true]]);
    const [failedAt = 0, againAt = 0] = times;
    expect(againAt - failedAt).toBeGreaterThanOrEqual(1_490);
  });

  test('its provider is lost in the midst of a tool loop, each protocol with each other → the other goes on, and nobody calls the first again (G5, M5, M7)', async () => {
    const file = join(rig.project.configDir, 'steersman.yaml');
    const before = readFileSync(file, 'utf8');
    const endpoints = Object.fromEntries(
      PROTOCOLS.map(protocol => [protocol, { protocol, baseUrl: rig.model.baseUrl }]),
    );
    const pairs = PROTOCOLS.flatMap(from =>
      PROTOCOLS.filter(to => to !== from).map(to => [from, to] as const),
    );
    const named = pairs.map(
      ([from, to]) => [`${from}-${to}`, { default: [`${from}/m`, `${to}/m`] }] as const,
    );
    const configurations = Object.fromEntries(named);
    writeFileSync(file, JSON.stringify({ models: { endpoints, configurations } }));
    const [planned = {}, ...rest] = whole;
    const lost: ScriptedReply = { error: { status: 401, message: 'No.' } };
    const steps = [planned, read('a.txt'), lost, read('b.txt'), ...rest];
    const asked = new Map<string, ChatRequest[]>(named.map(([name]) => [name, []]));
    rig.play(request => {
      const said = JSON.stringify(request.body.messages);
      const requests = asked.get(named.find(([name]) => said.includes(`Hello ${name}!`))?.[0] ?? '') ?? [];
      return steps[requests.push(request) - 1] ?? { error: { status: 400, message: 'No more.' } };
    });
    const handles: WorkflowHandle[] = [];
    for (const [name] of named) handles.push(await rig.start(`Hello ${name}!`, { configuration: name }));
    const results = await Promise.all(handles.map(handle => handle.result()));
    writeFileSync(file, before);
    for (const [index, handle] of handles.entries()) {
      expect(results[index]).toMatchObject({ outcome: 'completed', cause: 'verified' });
      expect(pairingFaults(await transcriptOf(handle))).toEqual({ open: [], stray: [] });
      const [name = '', [from, to]] = [named[index]?.[0], pairs[index] ?? []];
      const requests = asked.get(name) ?? [];
      expect(requests.map(({ protocol }) => protocol)).toEqual([from, from, from, to, to, to]);
      expect(requests.map(({ refusal }) => refusal)).toEqual(requests.map(() => null));
      expect(JSON.stringify(requests[3]?.body.messages)).toContain('alpha');
    }
  });

  test('a chain over two protocols, written while the worker runs, the first refuses in mid-run → the other goes on with the conversation (M2, M11)', async () => {
    const file = join(rig.project.configDir, 'steersman.yaml');
    const before = readFileSync(file, 'utf8');
    const claude = { protocol: 'anthropic', baseUrl: rig.model.baseUrl.replace(/\/v1$/, '') };
    const mixed = { default: ['claude/claude-sonnet-5', 'openai/gpt-5-mini'] };
    writeFileSync(file, JSON.stringify({ models: { endpoints: { claude }, configurations: { mixed } } }));
    const [planned = {}, ...rest] = whole;
    const script = rig.play([planned, { error: { status: 400, message: 'No credit.' } }, ...rest]);
    const { handle, result } = await rig.run('Hello', { configuration: 'mixed' });
    writeFileSync(file, before);
    expect(result).toMatchObject({ outcome: 'completed', text: 'Hello to you.' });
    expect(result.usage.costUsd).toBeGreaterThan(0);
    const asked = script.requests.map(({ protocol, body }) => `${protocol} ${body.model}`);
    const other = 'openai-compatible gpt-5-mini';
    expect(asked.slice(0, 3)).toEqual(['anthropic claude-sonnet-5', 'anthropic claude-sonnet-5', other]);
    expect(JSON.stringify(script.requests[2]?.body.messages)).toContain('Say hello');
    expect(await eventsOf(handle, 'provider_switch')).toMatchObject([
      { role: 'executor', fromModel: 'claude/claude-sonnet-5', toModel: 'openai/gpt-5-mini' },
    ]);
  });

  test('429 with Retry-After → the same model again, not before that time', async () => {
    const times: number[] = [];
    const script = rig.play((_, index) => {
      times.push(performance.now());
      if (index === 0)
        return { error: { status: 429, message: 'Slow down.', headers: { 'retry-after': '2' } } };
      return whole[index - 1] ?? { error: { status: 400 } };
    });
    const { handle, result } = await rig.run('Hello');
    expect(result.outcome).toBe('completed');
    const [refused = 0, again = 0] = times;
    expect(again - refused).toBeGreaterThanOrEqual(1_990);
    expect(script.requests[1]?.body).toEqual(script.requests[0]?.body);
    expect(await eventsOf(handle, 'provider_switch')).toEqual([]);
  });

  test('a stream cut in the middle → asked again, and only the whole reply counts', async () => {
    const [first = {}] = whole;
    rig.play([{ ...first, fault: 'stream.cut-in-text' }, ...whole]);
    const { handle, result } = await rig.run('Hello', { model: 'openai/gpt-5-mini' });
    expect(result).toMatchObject({ outcome: 'completed', counters: { turns: 3 } });
    const replies = (await transcriptOf(handle)).filter(message => message.kind === 'assistant');
    expect(replies).toHaveLength(3);
  });
});

describe('a context that is too long for the model', () => {
  const tooLong: ScriptedReply = {
    error: { status: 400, message: 'Too long.', code: 'context_length_exceeded' },
  };
  const before = [{ text: plan({ todos: ['Read both'] }) }, read('a.txt'), read('b.txt')];

  test('once → trimmed with its calls and results paired, and asked again (X3)', async () => {
    const script = rig.play([
      ...before,
      tooLong,
      { text: execution({ summary: 'alpha and beta', taskCompleted: true }) },
      { text: verdict({ summary: 'They say alpha and beta.' }) },
    ]);
    const { handle, result } = await rig.run('Read both', { model: 'openai/gpt-5-mini' });
    expect(result.outcome).toBe('completed');
    const [, , , refused, again] = script.requests;
    const sizeOf = (request?: { body: { messages: unknown[] } }) =>
      JSON.stringify(request?.body.messages).length;
    expect(sizeOf(again)).toBeLessThan(sizeOf(refused));
    expect(again?.body.messages.map(message => message.role)).toContain('tool');
    expect(pairingFaults(await transcriptOf(handle))).toEqual({ open: [], stray: [] });
    expect((await eventsOf(handle, 'thread_trimmed'))[0]).toMatchObject({
      thread: 'main',
      why: 'the model found the context too long',
    });
    expect(await eventsOf(handle, 'model_call_failed')).toMatchObject([{ next: 'compact' }]);
  });

  test('again until nothing is left to trim → Failed, with what it said', async () => {
    rig.play([...before, ...Array.from({ length: 5 }, () => tooLong)]);
    const { failure } = await failed(await rig.start('Read both', { model: 'openai/gpt-5-mini' }));
    expect(failure.message).toContain('does not fit this model');
  });
});
