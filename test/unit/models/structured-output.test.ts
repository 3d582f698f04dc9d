import { afterEach, describe, expect, it } from 'vitest';
import { envelope, execution, plan, verdict } from '../../../packages/test-kit/role-outputs.js';
import type { JsonSchema } from '../../../src/base/json/json.js';
import { parseRoleOutput } from '../../../src/rules/outputs/parse-output.js';
import type { ModelRequestHead } from '../../../src/rules/prompts/model-request.js';
import { ENVELOPE_FIELDS } from '../../../src/run/outputs/role-form.js';
import { validateArguments } from '../../../src/shared/schema/validate-arguments.js';
import {
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from '../../support/endpoint/model.js';
import { runCall, tool } from '../../support/model-calls.js';
import { intent, proposal, review, route } from '../../support/steering.js';

const open: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => server.close()));
});

async function scripted(
  reply: ScriptedModelOptions['reply'],
  options: Omit<ScriptedModelOptions, 'reply'> = {},
): Promise<ScriptedModel> {
  const server = await startScriptedModel({ reply, ...options });
  open.push(server);
  return server;
}

const FORMED = ['plan', 'execution', 'verdict', 'intent', 'route', 'review', 'orchestration'] as const;
const RISK = { level: 'high', description: 'd', mitigation: 'm' } as const;

describe('structured output', () => {
  it('contract plan → strict JSON schema; text → none', async () => {
    const server = await scripted([{ text: plan({ todos: ['a'] }) }, { text: 'free' }]);
    await runCall({
      baseUrl: server.baseUrl,
      head: { output: 'plan', temperature: 0.2, maxOutputTokens: 99 },
    });
    await runCall({ baseUrl: server.baseUrl });
    const [first, second] = server.requests.map(request => request.body);
    expect(first?.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { name: 'plan', strict: true },
    });
    expect(first).toMatchObject({ temperature: 0.2, max_tokens: 99 });
    expect(second).not.toHaveProperty('response_format');
  });

  it('a role asks for a longer reply than its model gives → as long as that gives (M8)', async () => {
    const server = await scripted([{ text: 'a' }, { text: 'b' }]);
    const head = { maxOutputTokens: 20_000 };
    await runCall({ baseUrl: server.baseUrl, head, model: 'openai/gpt-4o-mini' });
    await runCall({ baseUrl: server.baseUrl, head, model: 'openai/nobody-knows' });
    expect(server.requests.map(({ body }) => body.max_tokens)).toEqual([16_384, 20_000]);
  });

  it('a model is known to take no schema and not to think → it is asked for neither; where nothing is known, for both (M8)', async () => {
    const server = await scripted(() => ({ text: '{}' }));
    const head = { output: 'plan', reasoning: 'low' } as const;
    await runCall({ baseUrl: server.baseUrl, head, model: 'openai/gpt-audio' });
    await runCall({ baseUrl: server.baseUrl, head, model: 'openai/nobody-knows' });
    const asked = server.requests.map(({ body }) => Object.keys(body));
    const options = ['response_format', 'reasoning_effort'];
    expect(asked.map(keys => options.filter(option => keys.includes(option)))).toEqual([[], options]);
  });

  it('schemas: every object closed and every field required, as strict endpoints want', async () => {
    const server = await scripted(() => ({ text: '{}' }));
    for (const output of FORMED) {
      for (const dialect of ['component', 'envelope'] as const)
        await runCall({ baseUrl: server.baseUrl, head: { output, dialect } });
    }
    const schemas = server.requests.map(request => request.body.response_format?.json_schema?.schema);
    const objects = schemas.flatMap(schema => objectsIn(schema));
    expect(schemas).toHaveLength(2 * FORMED.length);
    expect(objects.length).toBeGreaterThanOrEqual(6 * FORMED.length);
    for (const object of objects) {
      expect(object.additionalProperties).toBe(false);
      expect(object.required).toEqual(Object.keys(object.properties as object));
    }
  });

  it.each(FORMED)(
    'contract %s → a schema of the role’s own form, with room for the error envelopes (C1, G12)',
    async output => {
      const flat = JSON.stringify(await schemaOf({ output, dialect: 'component' }));
      const envelope = await schemaOf({ output, dialect: 'envelope' });
      expect(flat).toContain('"const":"component"');
      expect(flat).not.toContain('"expectedOutcome"');
      expect(envelope?.required).toEqual(expect.arrayContaining([...ENVELOPE_FIELDS]));
      expect(JSON.stringify(envelope)).not.toContain('"const":"component"');
      for (const word of ['CLARIFICATION_REQUIRED', 'ESCALATE', '"question"', '"errorType"'])
        expect(JSON.stringify(envelope)).toContain(word);
    },
  );

  it.each([
    ['plan', 'component', plan({ todos: ['a'] })],
    ['execution', 'component', execution({ summary: 's', taskCompleted: true })],
    ['verdict', 'component', verdict({ summary: 's', tasks: [{ id: 't', completed: true, feedback: '' }] })],
    ['intent', 'envelope', intent('control_instruction', { action: 'cancel' }).text],
    ['route', 'envelope', route('control_action', { control: 'pause', risk: RISK }).text],
    ['review', 'envelope', review(false, ['Mend it.']).text],
    ['orchestration', 'envelope', proposal('PHASE_TRANSITION', { to: 'wrap_up' }).text],
    ['orchestration', 'envelope', proposal('EXCEPTION_HANDLE', { handling: 'stop' }).text],
    [
      'orchestration',
      'envelope',
      proposal('RESOURCE_ALLOCATE', { resource: 'turns', amount: 150 }, { userMessage: 'More.' }).text,
    ],
    ['plan', 'envelope', envelope('CLARIFICATION_REQUIRED', { question: 'Which one?' })],
  ] as const)(
    '%s in the %s form, with nulls for what is left out → fits its schema',
    async (output, dialect, text) => {
      const schema = await schemaOf({ output, dialect });
      expect(
        validateArguments(schema ?? {}, fill(schema ?? {}, JSON.parse(text)) as Record<string, unknown>),
      ).toEqual([]);
    },
  );

  it('executor that writes calls as JSON, tools offered → no schema, not even at OpenAI itself (F19)', async () => {
    const server = await scripted(() => ({ text: '{}' }));
    const head = { output: 'execution', dialect: 'envelope', tools: [tool('read')] } as const;
    await runCall({ baseUrl: server.baseUrl, head: { ...head, tools: [...head.tools] } });
    expect(server.requests[0]?.body).not.toHaveProperty('response_format');
  });

  it('tools offered at an endpoint that is not OpenAI → no schema, so that the model can call them', async () => {
    const server = await scripted([{ text: '{}' }]);
    await runCall({ baseUrl: server.baseUrl, head: { output: 'execution', tools: [tool('read')] } });
    expect(server.requests[0]?.body).not.toHaveProperty('response_format');
  });

  it('endpoint refuses options with 400 → same try without them, later calls leave them out at once', async () => {
    const rejects = ['response_format', 'stream_options', 'temperature'] as const;
    const server = await scripted(() => ({ text: 'fine' }), { rejects });
    const { createProvider } = await import('../../../src/models/protocols.js');
    const { createProviders } = await import('../../../src/models/provider/providers.js');
    const provider = createProvider({ name: 'openai', baseUrl: server.baseUrl });
    const providers = createProviders({ openai: () => provider });
    const head = { output: 'plan', temperature: 0.5 } as const;
    const result = await runCall({ baseUrl: server.baseUrl, head, deps: { providers } });
    expect(result.content).toEqual([{ type: 'text', text: 'fine' }]);
    // A format without a schema is tried before none.
    expect(server.requests.map(({ body }) => body.response_format?.type)).toEqual([
      'json_schema',
      'json_object',
      undefined,
      undefined,
      undefined,
    ]);
    await runCall({ baseUrl: server.baseUrl, head, deps: { providers } });
    expect(server.requests).toHaveLength(6);
    for (const option of rejects) expect(server.requests[5]?.body).not.toHaveProperty(option);
  });

  it('endpoint refuses max_tokens → goes on as max_completion_tokens', async () => {
    const server = await scripted(() => ({ text: 'fine' }), { rejects: ['max_tokens'] });
    await runCall({ baseUrl: server.baseUrl, head: { maxOutputTokens: 77 } });
    expect(server.requests[1]?.body).toMatchObject({ max_completion_tokens: 77 });
    expect(server.requests[1]?.body).not.toHaveProperty('max_tokens');
  });

  it('endpoint refuses both names of the token limit → goes on without it, bounded', async () => {
    const server = await scripted(() => ({ text: 'fine' }), {
      rejects: ['max_tokens', 'max_completion_tokens'],
    });
    await runCall({ baseUrl: server.baseUrl, head: { maxOutputTokens: 77 } });
    expect(server.requests).toHaveLength(3);
    expect(server.requests[2]?.body).not.toHaveProperty('max_completion_tokens');
  });

  it('endpoint refuses an effort → the least effort for none, then no word of it', async () => {
    const server = await scripted(() => ({ text: 'fine' }), { rejects: ['reasoning_effort'] });
    await runCall({ baseUrl: server.baseUrl, head: { reasoning: 'off' } });
    const efforts = server.requests.map(({ body }) => body.reasoning_effort);
    expect(efforts).toEqual(['none', 'minimal', undefined]);
  });

  it('helpers of role outputs → read by the parser of the core (G10)', () => {
    expect(
      parseRoleOutput('plan', plan({ todos: ['look', { id: 'b', description: 'tell' }] })),
    ).toMatchObject({ ok: true });
    expect(
      parseRoleOutput('execution', execution({ summary: 'Found 3 files.', taskCompleted: true })),
    ).toMatchObject({ ok: true });
    expect(
      parseRoleOutput('verdict', verdict({ summary: 'There are 3 files: a, b, c.', tasks: [] })),
    ).toMatchObject({
      ok: true,
    });
    expect(parseRoleOutput('verdict', verdict({ improvements: ['Count again.'] }))).toMatchObject({
      ok: true,
    });
    const whole = { ok: true, envelope: { dialect: 'envelope' } };
    expect(parseRoleOutput('intent', intent('different_task', { confidence: 0.4 }).text)).toMatchObject({
      ...whole,
      value: { taskRelation: { type: 'different_task', confidence: 40 } },
    });
    expect(parseRoleOutput('route', route('control_action', { control: 'pause' }).text)).toMatchObject({
      ...whole,
      value: { route: 'control_action', payload: { control: 'pause', requiresConfirmation: false } },
    });
    expect(parseRoleOutput('review', review(false, ['Mend it.']).text)).toMatchObject({
      ...whole,
      value: { approved: false, requiredFixes: ['Mend it.'] },
    });
    expect(
      parseRoleOutput('orchestration', proposal('EXCEPTION_HANDLE', { handling: 'replan' }).text),
    ).toMatchObject({ ...whole, value: { action: 'EXCEPTION_HANDLE', handling: 'replan', taskId: null } });
    expect(
      parseRoleOutput('plan', envelope('CLARIFICATION_REQUIRED', { question: 'Which one?' })),
    ).toMatchObject({ special: { kind: 'clarification', question: 'Which one?' } });
  });
});

type Head = Pick<ModelRequestHead, 'output' | 'dialect'>;

async function schemaOf(head: Head): Promise<Record<string, unknown> | undefined> {
  const server = await scripted([{ text: '{}' }]);
  await runCall({ baseUrl: server.baseUrl, head });
  return server.requests[0]?.body.response_format?.json_schema?.schema as Record<string, unknown> | undefined;
}

/** The value with null in all fields that the schema wants and the value lacks, as a strict endpoint writes it. */
function fill(schema: unknown, value: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || typeof value !== 'object' || value === null)
    return value;
  if ('anyOf' in schema && Array.isArray(schema.anyOf)) {
    const filled = schema.anyOf.map((choice: unknown) => [choice, fill(choice, value)] as const);
    return (
      filled.find(
        ([choice, one]) =>
          validateArguments(choice as JsonSchema, one as Record<string, unknown>).length === 0,
      )?.[1] ?? value
    );
  }
  if (Array.isArray(value)) return value.map(item => fill('items' in schema ? schema.items : {}, item));
  const properties = 'properties' in schema ? Object.entries(schema.properties as object) : [];
  const given: Record<string, unknown> = { ...value };
  return {
    ...given,
    ...Object.fromEntries(properties.map(([key, inner]) => [key, fill(inner, given[key] ?? null)])),
  };
}

function objectsIn(schema: unknown): Record<string, unknown>[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const inner = Object.values(schema).flatMap(objectsIn);
  return 'properties' in schema && 'type' in schema ? [schema as Record<string, unknown>, ...inner] : inner;
}
