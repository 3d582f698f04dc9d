/**
 * The schema of `steersman.yaml`: every key, its default and its effect. `node scripts/schema.mjs` makes
 * `steersman.schema.json` from it, and a test keeps the two equal.
 */
import { z } from 'zod';
import { CONTENT_BYTES } from '../../base/sizes/bounds.js';
import * as featureKeys from '../../features/keys.js';
import {
  CHECK_TIMEOUT_MS,
  type Check,
  checksFault,
  MOST_CHECK_MS,
  MOST_CHECKS,
} from '../../run/checks/check.js';
import { BUILT_IN_TRANSFORMS } from '../../run/limits/context-rules.js';
import type { Limits } from '../../run/limits/limits.js';
import { DEFAULT_LIMITS, MOST_PARALLEL_TASKS, MOST_PARALLEL_TOOLS } from '../../run/limits/limits.js';
import { STEP_FAILURE_POLICIES } from '../../run/plan/plan.js';
import { DEFAULT_TOOL_POLICY } from '../../run/tools/tool.js';
import { modelsSchema } from './models-schema.js';
import { storeSchema } from './store-schema.js';

function whole(name: keyof Limits, min: number, description: string, most?: number) {
  const schema = most === undefined ? z.int().min(min) : z.int().min(min).max(most);
  return schema.meta({ description, default: DEFAULT_LIMITS[name] }).exactOptional();
}

/** Limits as in `steersman.yaml` and in a run's settings: all are optional. */
const limitsSchema = z.strictObject({
  planning: whole('planning', 1, 'Planner rounds a cycle.'),
  execution: whole('execution', 1, 'Executor rounds for each task, and for each step of a declared mode.'),
  replies: whole(
    'replies',
    1,
    'Replies with tool calls of a role that works on a goal alone, as in react; its answer is one more.',
  ),
  verification: whole('verification', 1, 'Verifications of a goal, and plans that it gets without a person.'),
  looks: whole(
    'looks',
    0,
    'Replies of the verifier that may call read-only tools before its verdict, each is one more model call.',
  ),
  taskRetries: whole(
    'taskRetries',
    0,
    'Times a failed task is tried again when the orchestrator proposes it.',
  ),
  tasks: whole('tasks', 1, 'Tasks a plan may hold.'),
  totalTurns: whole('totalTurns', 1, 'Model replies over all goals of a run.'),
  turns: whole('turns', 1, 'Model replies a goal may take, over all roles.'),
  toolCallsPerTurn: whole('toolCallsPerTurn', 1, 'Tool calls of one reply that are run.'),
  parallelTools: whole(
    'parallelTools',
    1,
    'Calls of one reply that run at the same time, where they may; 1: one after the other.',
    MOST_PARALLEL_TOOLS,
  ),
  parallelTasks: whole(
    'parallelTasks',
    1,
    'Tasks of a plan that run at the same time, where none needs the other; 1: one after the other.',
    MOST_PARALLEL_TASKS,
  ),
  argumentCorrections: whole(
    'argumentCorrections',
    0,
    'Times that a bad call of one tool is sent back for correction in one task before the advice changes.',
  ),
  tokens: whole('tokens', 1, 'Tokens a goal may use: new input, cached input at its price, and output.'),
  wallTimeMs: whole('wallTimeMs', 1, 'Milliseconds a goal may take; waits on people are not counted.'),
  costUsd: z
    .number()
    .positive()
    .nullable()
    .meta({
      description: 'US dollars that a goal may cost. Default: no limit.',
      default: DEFAULT_LIMITS.costUsd,
    })
    .exactOptional(),
});

/** An optional key: its description, and its default if that is a value. */
function key<T extends z.ZodType>(schema: T, description: string, preset?: unknown) {
  return schema.meta({ description, ...(preset !== undefined && { default: preset }) }).optional();
}

const toolOverrideSchema = z.strictObject({
  readOnly: key(z.boolean(), 'The tool changes nothing: it runs without asking and may be retried.'),
  idempotent: key(z.boolean(), 'Running it twice does what running it once does: it may be retried.'),
  attempts: key(
    z.int().min(1).max(10),
    'Tries for read-only and idempotent tools; all others get one.',
    DEFAULT_TOOL_POLICY.attempts,
  ),
  timeoutMs: key(z.int().min(1), 'Milliseconds one try may take.', DEFAULT_TOOL_POLICY.timeoutMs),
  cache: key(
    z.enum(['goal', 'conversation', 'none']),
    'goal: a result may be reused within a goal; conversation: it lasts, also from what the run began with; none: volatile, never reused.',
    DEFAULT_TOOL_POLICY.cache,
  ),
  concurrent: key(
    z.boolean(),
    'Calls of one reply may run at the same time. Default: calls of read-only tools do; false if the server keeps a state between calls.',
  ),
  callsPerTurn: key(
    z.int().min(1),
    'Calls of the tool in one reply that are run. Default: limits.toolCallsPerTurn.',
  ),
  cacheTtlMs: key(z.int().min(1), 'Milliseconds for which a result may be reused. Default: for the goal.'),
  corrections: key(
    z.int().min(0),
    'Bad calls in a task that are sent back for correction. Default: limits.argumentCorrections.',
  ),
  stoppable: key(
    z.boolean(),
    'The tool ends its work when its call is cancelled: a stop cuts it off. Default: as the tool says, else the run waits for a call that may have effects.',
  ),
});

const contextTokens = z.int().min(1_000);
const contextShare = z.number().min(0.1).max(1);

const transformNames = z.array(z.string().min(1).max(100)).max(20);

const contextSchema = z.strictObject({
  maxTokens: contextTokens
    .optional()
    .describe(
      'Tokens of a conversation that are worth sending, even if the model takes more. Default: half of what it takes. Needs a store of conversations: what is left out is read again with the tool `recall`.',
    ),
  threshold: contextShare
    .default(0.8)
    .describe('Share of `maxTokens` from which old results are left out, where that is cheaper.'),
  roles: z
    .record(
      z.string().min(1),
      z.strictObject({
        maxTokens: key(contextTokens, 'As context.maxTokens, for this role.'),
        threshold: key(contextShare, 'As context.threshold, for this role.'),
        transforms: key(transformNames, 'As context.transforms, for this role.'),
      }),
    )
    .default({})
    .describe('By role, such as planner: what is left out stands above.'),
  failedGoals: z
    .enum(['mark', 'leave_out'])
    .default('mark')
    .describe(
      'What the next run of a conversation gets of a goal that failed: its messages with a note, or nothing.',
    ),
  transforms: transformNames
    .default([...BUILT_IN_TRANSFORMS])
    .describe(
      'What is done to a conversation before each call, in this order, where it is due: `thin` leaves old results out, `compact` has a model summarise, other names are functions of the worker’s program (`createWorker({ transforms })`). `trim` comes last, named or not.',
    ),
});

const toolResultsSchema = z
  .strictObject({
    wholeBytes: z
      .int()
      .min(1024)
      .max(CONTENT_BYTES)
      .default(16_384)
      .describe('A result up to this size is given whole.'),
    headBytes: z.int().min(0).default(6_144).describe('Of a larger one: how much of its beginning is given.'),
    tailBytes: z.int().min(0).default(2_048).describe('Of a larger one: how much of its end is given.'),
  })
  .refine(sizes => sizes.headBytes + sizes.tailBytes <= sizes.wholeBytes, {
    error: 'headBytes and tailBytes together must not be more than wholeBytes',
  });

const globs = z.array(z.string().min(1)).default([]);

const permissionsSchema = z.strictObject({
  auto: globs.describe(
    'Calls that run without asking: globs over tool names, with one over their arguments in parentheses, such as write(src/**).',
  ),
  confirm: globs.describe('Calls that always ask: as auto.'),
  deny: globs.describe('Calls that never run: as auto, such as *(**/.env).'),
});

const gatesSchema = z.strictObject({
  timeoutMs: z
    .int()
    .min(1_000)
    .default(86_400_000)
    .describe('Milliseconds a gate waits for a person before the safe answer.'),
  onBudget: z
    .enum(['ask', 'wrap_up'])
    .default('wrap_up')
    .describe('When a budget is used up: ask whether to raise it, where a person can be asked, or wrap up.'),
});

const reviewSchema = z.strictObject({
  plans: z.boolean().default(false).describe('Plans before they run.'),
  results: z.boolean().default(false).describe('Results of tasks before they count as completed.'),
  actions: z.boolean().default(false).describe('Calls of tools that are not read-only, before they run.'),
});

const modeSchema = z.strictObject({
  steps: z
    .array(z.string().min(1))
    .min(1, 'expected at least one role')
    .max(20)
    .describe(
      'Roles that work on the goal one after the other, each on what the one before it answered; the last answers.',
    ),
  does: z
    .string()
    .min(1)
    .max(500)
    .nullable()
    .default(null)
    .describe('What it is for, in a sentence. Without it the mode auto never chooses this mode.'),
});

const notBlank = z.string().meta({ pattern: '\\S' });

/** Says the form of a check to somebody who wrote its command alone. */
const checkForm = ({ input }: { input?: unknown }) =>
  typeof input === 'string' ? 'expected a list of checks, such as "- run: npm test"' : undefined;

/** One kind for each check; `checksFault` ensures that there is exactly one, and checks the other keys. */
const checkSchema = z
  .strictObject(
    {
      run: key(notBlank, 'A command line, run in the workspace: exit code 0 passes.'),
      timeoutMs: key(
        z.int().meta({ minimum: 1, maximum: MOST_CHECK_MS }),
        'For a command: milliseconds that it may take.',
        CHECK_TIMEOUT_MS,
      ),
      file: key(notBlank, 'A file of the workspace that must be there.'),
      tool: key(notBlank, 'A tool that only reads, called with the arguments.'),
      arguments: key(z.record(z.string(), z.unknown()), 'For a tool: the arguments of the call.'),
      matches: key(
        z.string(),
        'For a file or a tool: a regular expression that its text, or the result, must match; ^ and $ are of a line.',
      ),
      json: key(z.record(z.string(), z.unknown()), 'For a file: a JSON Schema that it must fit.'),
      function: key(notBlank, 'A function of the program that the worker belongs to, by its name.'),
    },
    { error: checkForm },
  )
  .meta({
    oneOf: ['run', 'file', 'tool', 'function'].map(kind => ({ required: [kind] })),
    dependentRequired: { timeoutMs: ['run'], json: ['file'], arguments: ['tool'] },
    not: { required: ['matches'], anyOf: [{ required: ['run'] }, { required: ['function'] }] },
  })
  .check(({ value, issues }) => {
    // The path before the message already tells which check it is.
    const message = checksFault([value], 'checks')?.replace('checks[0]', 'check');
    if (message !== undefined) issues.push({ code: 'custom', message, input: value });
  })
  .transform(check => check as Check);

const consoleSchema = z.strictObject({
  components: key(
    z
      .string()
      .regex(/^(?!\/)(?!.*\.\.)[^\\]+\.m?js$/, 'expected a script (.js, .mjs) in this folder or below it'),
    'A module that draws components of answers and results in the browser: it and the scripts beside it are served.',
  ),
  unsafeHtml: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'MCP servers whose HTML is shown as it is, in a frame without scripts or network, instead of cleaned in the page.',
    ),
});

export const settingsSchema = z
  .strictObject({
    language: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'expected a folder name below prompts/core, such as zh')
      .default('en')
      .describe('Language of the prompts: en, or the name of a folder below prompts/core.'),
    models: modelsSchema.prefault({}).describe('Which models answer.'),
    modes: z
      .record(z.string(), modeSchema)
      .default({})
      .describe('Modes of your own, by name: a start names one as it names a built-in one.'),
    limits: limitsSchema.default({}).describe('Caps of a goal. A run may set others when it starts.'),
    checks: z
      .array(checkSchema, { error: checkForm })
      .max(MOST_CHECKS)
      .default([])
      .describe(
        'What each goal must pass before it counts as completed, whatever a model says: commands, files, calls of tools. Those of a start come after them.',
      ),
    ceilings: limitsSchema
      .default({})
      .describe(
        'The highest value of each limit that a start, a person or a role may set: for workers on which others start runs.',
      ),
    dedupe: z
      .enum(['enforce', 'advise', 'off'])
      .default('enforce')
      .describe(
        "Repeated tool calls. enforce: a read-only tool's result is reused, others get a note; advise: only notes; off: neither.",
      ),
    tools: z
      .record(z.string(), toolOverrideSchema)
      .default({})
      .describe(
        'Facts about tools, by glob over their names; they override what their servers declare. Later entries win.',
      ),
    permissions: permissionsSchema
      .prefault({})
      .describe('Which tool calls run, ask a person, or are denied.'),
    gates: gatesSchema.prefault({}).describe('Where a run waits for a person.'),
    review: reviewSchema
      .prefault({})
      .describe('What the reviewer role looks at before it goes on; each costs a model call.'),
    orchestrate: z
      .boolean()
      .default(false)
      .describe('Whether the orchestrator role is asked how to go on when a task has failed.'),
    onStepFailure: z
      .enum(STEP_FAILURE_POLICIES)
      .default('skip')
      .describe(
        'In the mode plan, when a task has failed. skip: the others go on; abort: the goal is summed up; replan: the planner mends the plan; ask: a person says which.',
      ),
    resources: z
      .record(z.string().trim().min(1).max(60), z.int().min(1).max(MOST_PARALLEL_TASKS))
      .default({})
      .describe(
        'How many tasks may hold a capability at the same time, by its name, such as browser: 1. A task that requires one waits until it is free.',
      ),
    projectNotes: z
      .boolean()
      .default(false)
      .describe(
        "Whether the workspace's AGENTS.md goes to the roles, as information about the project. A start may override this.",
      ),
    steering: z
      .enum(['understand', 'note'])
      .optional()
      .describe(
        'Messages to a running goal. understand: the understanding and router roles read them first; note: they go straight to the role at work. Default: understand in modes with a plan and in auto, note in modes whose roles work on the goal itself.',
      ),
    context: contextSchema.prefault({}).describe('When a long conversation is shortened before it is sent.'),
    toolResults: toolResultsSchema.prefault({}).describe('How large tool results are shortened.'),
    ...featureKeys,
    store: storeSchema.prefault({}).describe('Where conversations are kept when their runs have ended.'),
    blobs: z
      .strictObject({
        retentionDays: z
          .int()
          .min(1)
          .default(30)
          .describe(
            'Days that large results are kept after their run has ended, where no conversation has it.',
          ),
      })
      .prefault({})
      .describe('The store of large results.'),
    liveText: z
      .strictObject({
        throttleMs: key(
          z.int().min(50),
          'Milliseconds between two updates. Default: 250 on the local stack, 1000 elsewhere.',
        ),
      })
      .prefault({})
      .describe('Streaming text. Hosted Temporal bills each update.'),
    console: consoleSchema.prefault({}).describe('What the console shows in addition to its own parts.'),
    workspaces: z
      .array(z.string().min(1))
      .default([])
      .describe(
        'Folders below which runs may work; relative ones start at this file. Default: any on the local stack, none elsewhere.',
      ),
  })
  .meta({ title: 'steersman.yaml', description: 'Configuration of Steersman.' });

/** `steersman.yaml` with its defaults filled in, except limits, which are merged with those of a run. */
export type Settings = z.output<typeof settingsSchema>;
export type LimitOverrides = z.output<typeof limitsSchema>;
export type ToolOverride = z.output<typeof toolOverrideSchema>;
