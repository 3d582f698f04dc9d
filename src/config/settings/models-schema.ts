/** The section `models` of `steersman.yaml`: endpoints, models of roles, and facts about models. */
import { z } from 'zod';
import { baseUrlFault, knownEndpoint, PROTOCOLS } from '../../models/provider/endpoint.js';
import { TOOL_SYNTAXES } from '../../run/agents/role.js';
import { MODEL_FAILURES } from '../../run/limits/failure.js';
import { STOP_REASONS } from '../../run/messages/message.js';
import { MODEL_ID } from '../../run/models/model-id.js';
import { PHASES } from '../../run/position/position.js';

/** The only model whose id is its provider's name. */
const SHORT_MODEL_IDS: Readonly<Record<string, string>> = { demo: 'demo/rules' };

const modelId = z.string().regex(MODEL_ID, 'expected endpoint/model, such as openai/gpt-5-mini');

/** One model id, or a chain in order of preference. */
export const modelChainSchema = z
  .union([modelId, z.array(modelId).min(1)], {
    error: 'expected endpoint/model (such as openai/gpt-5-mini), or a list of such names',
  })
  .transform(value => (typeof value === 'string' ? [value] : value).map(id => SHORT_MODEL_IDS[id] ?? id));

/** A key that only gives an error: its value must not be in a file. */
const NO_KEY_HERE = 'a key must not stand here: put it into .env or the environment';
const KEY_HEADER = /^(authorization|proxy-authorization|cookie|(.*-)?(api-?)?(key|token|auth|secret))$/i;
const KEY_PARAMETER = /^(.*[_-])?(api[_-]?)?(key|token|secret)$/i;

/** The same rule for `steersman.schema.json`, so that editors know what code checks here (SU6). */
const ADDRESS = { pattern: '^[hH][tT][tT][pP][sS]?://(?![^/?#]*@)[^\\s/?#]+' };

const baseUrl = z
  .string()
  .superRefine((text, { addIssue }) => {
    const fault = baseUrlFault(text);
    if (fault !== null) return addIssue(fault);
    const names = [...new URL(text).searchParams.keys()];
    if (names.some(name => KEY_PARAMETER.test(name))) addIssue(`${NO_KEY_HERE}, and name it as keyVariable`);
  })
  .meta(ADDRESS);

/** A variable in a header, as in `.mcp.json`. */
const VARIABLE = /\$\{([A-Za-z_]\w*)\}/;

function inAnyCase({ source }: RegExp): string {
  return source.replace(/[a-z]/g, letter => `[${letter}${letter.toUpperCase()}]`);
}

const headers = z
  .record(z.string().regex(/^[\w-]+$/), z.string(), {
    error: ({ code }) =>
      code === 'invalid_key' ? 'the name of a header has letters, digits, - and _ alone' : undefined,
  })
  .superRefine((given, { addIssue }) => {
    for (const [name, value] of Object.entries(given)) {
      if (!KEY_HEADER.test(name) || VARIABLE.test(value)) continue;
      addIssue({
        code: 'custom',
        path: [name],
        message: `${NO_KEY_HERE}, and name it here, as in \${MY_KEY}`,
      });
    }
  })
  .meta({ patternProperties: { [inAnyCase(KEY_HEADER)]: { type: 'string', pattern: VARIABLE.source } } });

/** An optional key with its description. */
function key<T extends z.ZodType>(schema: T, description: string) {
  return schema.describe(description).exactOptional();
}

/** Fields that only the run writes: a request with another value would do something else. */
const OWN_FIELDS = ['model', 'messages', 'input', 'system', 'instructions', 'tools', 'stream'];

const extraBody = z.record(z.string(), z.unknown()).superRefine((given, { addIssue }) => {
  for (const name of Object.keys(given).filter(each => OWN_FIELDS.includes(each)))
    addIssue({ code: 'custom', path: [name], message: 'the run writes this field itself' });
});

const endpointSchema = z.strictObject({
  protocol: key(
    z.enum(PROTOCOLS),
    'Protocol of the endpoint. Default: openai-compatible (chat completions), for openai and anthropic their own.',
  ),
  baseUrl: key(baseUrl, "Address, such as http://localhost:11434/v1. Default: the provider's own."),
  keyVariable: key(
    z
      .string()
      .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'expected the name of an environment variable, such as PROXY_KEY'),
    'Environment variable that holds the key. Default: no key is sent.',
  ),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the file's own placeholder.
  headers: headers.describe('Sent with every request; ${VAR} is filled in.').default({}),
  extraBody: key(
    extraBody,
    'Fields of the body of every request, such as provider options of a router; they replace those of the same name.',
  ),
  contextTokens: key(z.int().min(1_024), 'Tokens that fit its models, as the server was started.'),
  toolSyntax: key(
    z.enum(TOOL_SYNTAXES),
    'How its models call tools, if their role does not say. Default: native.',
  ),
  apiKey: key(
    z.never({ error: `${NO_KEY_HERE}, and name its variable as keyVariable` }),
    'Not allowed: a key belongs in the environment.',
  ),
});

const endpointsSchema = z
  .record(z.string().regex(/^[a-z][a-z0-9_-]*$/), endpointSchema, {
    error: ({ code }) =>
      code === 'invalid_key'
        ? 'the name of an endpoint begins its model ids: lower-case letters, digits, - and _, a letter first'
        : undefined,
  })
  .superRefine((endpoints, { addIssue }) => {
    for (const [name, { protocol = 'openai-compatible', ...entry }] of Object.entries(endpoints)) {
      const fault = (message: string) => addIssue({ code: 'custom', path: [name], message });
      if (name === 'demo') fault('demo is the built-in model: take another name');
      if (entry.baseUrl !== undefined || knownEndpoint(name)) continue;
      if (protocol === 'openai-compatible' || entry.keyVariable === undefined)
        fault('expected a baseUrl, such as http://localhost:11434/v1');
    }
  });

const rolesSchema = z.record(z.string(), modelChainSchema);

const configurationSchema = z.strictObject({
  default: key(modelChainSchema, 'In place of models.default.'),
  roles: rolesSchema.default({}).describe('Overrides models.roles and the front matter of roles.'),
});

const share = z.number().min(0).max(1);
const part = share.exactOptional();
const count = z.int().min(1);

const rowSchema = z.strictObject({
  when: z
    .strictObject({
      role: key(z.string(), 'The role that is called.'),
      mode: key(z.string(), 'How the goal is pursued: a mode of Steersman, or one of modes.'),
      phase: key(z.enum(PHASES), 'Where the run stands.'),
      roundFrom: key(count, 'From this round of the role at its position on.'),
      turnFrom: key(count, 'From this reply of the run on.'),
      budgetFrom: key(
        z.union([share, z.strictObject({ tokens: part, costUsd: part, wallTimeMs: part, turns: part })]),
        "From this share of any of the goal's budgets on, such as 0.8, or of each that is named.",
      ),
      lastStop: key(z.enum(STOP_REASONS), "How the role's last reply ended."),
      lastFailure: key(z.enum(MODEL_FAILURES), 'The model failure that the role met last in this goal.'),
      creditsBelow: key(z.number(), 'While the account of the run has less than this: see credits.'),
      inputTokensFrom: key(count, 'From this many tokens of the request on, estimated.'),
    })
    .describe('What must hold, all of it.'),
  use: modelChainSchema.describe('Model or list in place of any chain.'),
});

const dollars = z.number().min(0);

const pricesSchema = z.strictObject({
  input: dollars,
  output: dollars,
  cachedInput: key(dollars, 'Input read from a cache. Default: as input.'),
  cacheWriteInput: key(dollars, 'Input written to a cache. Default: as input.'),
});

const tierSchema = pricesSchema.extend({
  above: z.int().min(1).describe('Tokens of input over which a request costs this, as a whole.'),
});

const infoSchema = z.strictObject({
  extraBody: key(
    extraBody,
    'Fields of the body of every request, such as provider options of a router; they replace those of the same name.',
  ),
  contextTokens: key(z.int().min(1_024), 'Tokens that a request may have.'),
  maxOutputTokens: key(count, 'Tokens that a reply may have.'),
  prices: key(
    pricesSchema.extend({
      longContext: key(
        z.array(tierSchema).transform(tiers => tiers.toSorted((a, b) => a.above - b.above)),
        'Prices of long requests.',
      ),
    }),
    'US dollars for a million tokens; 0 where it costs nothing.',
  ),
  capabilities: z
    .strictObject({
      tools: key(z.boolean(), 'It calls tools. false: they are written as text.'),
      vision: key(z.boolean(), 'It sees images: images of tools are sent to it. Default: they are not.'),
      json: key(z.boolean(), 'Its replies can be held to a JSON Schema. false: none is sent.'),
      reasoning: key(z.boolean(), 'It reasons before it answers. false: no role asks it to.'),
    })
    .exactOptional(),
});

export const modelsSchema = z.strictObject({
  default: modelChainSchema
    .describe('Model of every role that names none: endpoint/model, or a list tried in order when one fails.')
    .optional(),
  roles: rolesSchema.default({}).describe('Model or list by role, such as verifier.'),
  endpoints: endpointsSchema
    .default({})
    .describe('Where models are reached, by the first part of their ids; openai and anthropic by variables.'),
  compaction: key(
    modelId,
    'Model that summarises long conversations: a cheap one will do. Default: the model of the role at work.',
  ),
  resolver: z
    .array(rowSchema)
    .max(50)
    .default([])
    .describe('Chooses a model before each call: the first row whose conditions all hold.'),
  configurations: z
    .record(z.string().min(1), configurationSchema)
    .default({})
    .describe('Choices of models that a run may name, such as cheap.'),
  info: z
    .record(modelId, infoSchema)
    .default({})
    .describe('Facts about models, by endpoint/model; they override what Steersman knows.'),
  timeoutMs: z.int().min(1).default(600_000).describe('Milliseconds a model call may take.'),
  stallMs: z.int().min(1).default(60_000).describe('Milliseconds a model stream may be silent.'),
  firstPartMs: z
    .int()
    .min(1)
    .default(180_000)
    .describe('Milliseconds to the first part of a reply: local models and long prompts take their time.'),
});

export type ModelSettings = z.output<typeof modelsSchema>;

/** Returns every model id in the settings, with the path of its key. */
export function namedModels(
  models: Pick<ModelSettings, 'default' | 'roles' | 'configurations' | 'resolver' | 'info' | 'compaction'>,
) {
  const named: { path: (string | number)[]; id: string }[] = [];
  const add = (path: (string | number)[], chain: readonly string[] = []) => {
    for (const id of chain) named.push({ path, id });
  };
  const addChoice = (path: string[], choice: { default?: string[] | undefined; roles: ByRole }) => {
    add([...path, 'default'], choice.default);
    for (const [role, chain] of Object.entries(choice.roles)) add([...path, 'roles', role], chain);
  };
  addChoice(['models'], models);
  for (const [name, choice] of Object.entries(models.configurations))
    addChoice(['models', 'configurations', name], choice);
  if (models.compaction !== undefined) add(['models', 'compaction'], [models.compaction]);
  for (const [index, { use }] of models.resolver.entries()) add(['models', 'resolver', index, 'use'], use);
  for (const id of Object.keys(models.info)) add(['models', 'info', id], [id]);
  return named;
}

/** Returns every model that settings or roles may call, once; models that are only described are left out. */
export function callableModels(
  models: Parameters<typeof namedModels>[0],
  roles: readonly { name: string; models: readonly string[] }[],
): string[] {
  const named = namedModels({ ...models, info: {} }).map(({ id }) => id);
  const own = roles.filter(({ name }) => !Object.hasOwn(models.roles, name));
  return [...new Set([...named, ...own.flatMap(role => role.models)])];
}

type ByRole = Record<string, string[]>;
