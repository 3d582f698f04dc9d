/** The API of the page: each path calls a method of the client, and does nothing else. */

import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { definedOptions } from '@steersman/print';
import type { RunFigures, StartAsk } from '@steersman/view';
import { type Context, Hono, type HonoRequest } from 'hono';
import { fenced } from 'steersman/base';
import {
  fromChatMessages,
  type GateReply,
  ownSeq,
  type Run,
  type RunEvent,
  type RunStart,
  Sessions,
  type SteersmanClient,
  SteersmanError,
  servedModels,
  startChoices,
} from 'steersman/client';
import { z } from 'zod';
import type { Components } from './components.js';
import { jsonOf } from './guard.js';
import type { Hub } from './hub.js';
import { frameStream } from './stream.js';

export interface RouteScope {
  client: () => Promise<SteersmanClient>;
  hub: Hub;
  workspace: string;
  /** Folder of the local stack with the conversations. Default: as for `connect`. */
  home: string | undefined;
  sandboxUrl: string | null;
  components: Components;
}

interface Ask extends RouteScope {
  request: HonoRequest;
  /** The response object, if a Node server handles the request. */
  outgoing: ServerResponse | undefined;
}

/** The environment of `@hono/node-server`; empty on other servers. */
export type Served = { Bindings: Partial<HttpBindings> };

/** Handlers by path below `/api`. */
type Handlers = Record<string, (ask: Ask) => unknown>;

const MOST_EVENTS = 500;
/** Limit for messages in one request. */
const MOST_MESSAGES = 500;
/** Limit for usages in one request, because each run's worker or result must be queried. */
const MOST_FIGURES = 20;

const TEXT = z.string().min(1);
const STEER = z.object({
  id: TEXT.optional(),
  text: TEXT,
  when: z.enum(['skip', 'after-batch', 'interrupt']).optional(),
  to: TEXT.optional(),
});
const ACTION = z.object({ id: TEXT.optional(), action: TEXT, label: TEXT, data: z.unknown() });
const ID = z.string().regex(/^\S{1,400}$/);
const STREAM = z.object({
  runs: z.record(ID, z.object({ since: z.number().int().min(0) })),
  most: z.number().int().min(1).optional(),
});
const SINCE = z.coerce.number().min(0);
const LIMIT = z.coerce.number().int().min(1);
const PLAN = z.object({
  tasks: z.array(z.looseObject({ id: TEXT })),
  remove: z.array(TEXT).optional(),
});
const WITHDRAW = z.object({ ids: z.array(TEXT).min(1).max(100) });
const APP_CALL = z.object({ of: TEXT, tool: TEXT, arguments: z.record(z.string(), z.unknown()).optional() });
const ANSWER = z.looseObject({ gateId: TEXT });
const BRANCH = z.object({ at: TEXT, to: ID.optional() });
const FILE = z.object({ name: TEXT.max(200), text: z.string() });
const PICTURE = z.object({
  name: TEXT.max(100),
  mimeType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
  base64: TEXT,
});
const LIMITS = z.record(TEXT, z.number().positive());
const START = z.object({
  goal: TEXT,
  mode: TEXT.optional(),
  model: TEXT.optional(),
  limits: LIMITS.optional(),
  /** Commands that the goal must pass. */
  checks: z.array(TEXT).max(50).optional(),
  attended: z.boolean().optional(),
  autoApprove: z.boolean().optional(),
  approvePlan: z.boolean().optional(),
  /** Texts that the run has read when it begins. */
  files: z.array(FILE).max(50).optional(),
  pictures: z.array(PICTURE).max(10).optional(),
  session: TEXT.optional(),
  after: TEXT.optional(),
  requestId: TEXT.max(200).optional(),
  workspace: TEXT.optional(),
  keepOpenSeconds: z.number().int().min(0).max(86_400).optional(),
});

const READ: Handlers = {
  '/about': async ({ client, workspace, home, sandboxUrl: sandbox }) => {
    const { address, namespace } = await client();
    return { address, namespace, workspace, sandbox, ...(await startChoices(home)) };
  },
  '/folders': async ({ client }) => (await client()).servedFolders(),
  '/models': () => servedModels(),
  '/components': ({ components }) => components.answer(),
  '/runs': async ({ client, request }) => {
    const { open, waiting, outcome, goal } = request.query();
    const limit = limitOf(request);
    const runs = [];
    const listed = (await client()).list({
      limit,
      open: open !== undefined,
      waiting: waiting !== undefined,
      ...definedOptions({ outcome: outcome as never, goal }),
    });
    for await (const run of listed) runs.push(run);
    return runs;
  },
  '/figures': async ({ client, request }) => {
    const ids = request.queries('run')?.slice(0, MOST_FIGURES) ?? [];
    const known = await client();
    const figures = ids.map(async id => [id, await figuresOf(known, id)]);
    return Object.fromEntries(await Promise.all(figures));
  },
  '/runs/:run': async ask => (await runOf(ask)).show(),
  '/runs/:run/start': async ask => {
    const start = await (await runOf(ask)).startedWith();
    return start && askedBy(start);
  },
  '/runs/:run/events': async ask => {
    const since = read(SINCE, ask.request.query('since') ?? 0);
    return eventsAfter(await runOf(ask), since);
  },
  '/runs/:run/transcript': async ask =>
    (await runOf(ask)).transcript(definedOptions({ thread: ask.request.query('thread') })),
  '/runs/:run/messages': async ask => {
    const ids = new Set(ask.request.queries('id')?.slice(0, MOST_MESSAGES));
    const threads = await (await runOf(ask)).transcript();
    // Threads share some messages.
    const found = threads.flatMap(({ messages }) => messages.filter(({ id }) => ids.has(id)));
    return [...new Map(found.map(message => [message.id, message])).values()];
  },
  '/runs/:run/request': async ask => (await runOf(ask)).modelRequest(ask.request.query('call') ?? ''),
  '/runs/:run/children': async ask => (await runOf(ask)).children(),
  '/runs/:run/stored': async ask => ({
    text: await (await runOf(ask)).stored(ask.request.query('ref') ?? ''),
  }),
  '/spent': ({ home, request }) => {
    const since = read(SINCE, request.query('since') ?? 0);
    return new Sessions(home).spent(new Date(since));
  },
  '/sessions': ({ home, request }) => {
    const text = request.query('text') || undefined;
    return new Sessions(home).list({ limit: limitOf(request), ...definedOptions({ text }) });
  },
  '/search': ({ home, request }) => new Sessions(home).search(request.query('text') ?? '', { limit: 50 }),
  '/sessions/:session': ({ home, request }) => new Sessions(home).show(request.param('session') ?? ''),
};

const WRITE: Handlers = {
  '/stream': async ({ hub, request, outgoing }) => {
    const asked = await bodyAs(STREAM, request);
    return frameStream(push => hub.listen(asked, push), outgoing && (() => outgoing.destroy()));
  },
  '/runs': async ({ client, request, workspace }) => {
    const { goal, files, checks, ...options } = await bodyAs(START, request);
    const run = await (await client()).start(goal, {
      ...{ workspace, attended: true },
      ...definedOptions(options),
      ...(checks && { checks: checks.map(command => ({ run: command })) }),
      ...(files && { messages: fromChatMessages(files.map(attached)) }),
    });
    return { id: run.id, joined: run.joined };
  },
  '/runs/:run/steer': async ask => {
    const { text, ...options } = await bodyAs(STEER, ask.request);
    return receipt(await (await runOf(ask)).steer(text, definedOptions(options)));
  },
  '/runs/:run/follow-up': async ask => {
    const { text, id } = await bodyAs(STEER, ask.request);
    return receipt(await (await runOf(ask)).followUp(text, definedOptions({ id })));
  },
  '/runs/:run/component-action': async ask => {
    const { id, ...action } = await bodyAs(ACTION, ask.request);
    return receipt(await (await runOf(ask)).componentAction(action, definedOptions({ id })));
  },
  '/runs/:run/pause': async ask => (await runOf(ask)).pause(),
  '/runs/:run/resume': async ask => (await runOf(ask)).resume(),
  '/runs/:run/stop': async ask => (await runOf(ask)).stop(),
  '/runs/:run/cancel': async ask => (await runOf(ask)).cancel(),
  '/runs/:run/finish': async ask => (await runOf(ask)).finish(),
  '/runs/:run/plan': async ask => {
    // The run's own validator checks the tasks.
    const { tasks, remove } = await bodyAs(PLAN, ask.request);
    return { tasks: await (await runOf(ask)).editPlan(tasks, definedOptions({ remove })) };
  },
  '/runs/:run/withdraw': async ask => {
    const { ids } = await bodyAs(WITHDRAW, ask.request);
    return { text: await (await runOf(ask)).withdraw(ids) };
  },
  '/runs/:run/call-tool': async ask => {
    const { of, tool, arguments: args = {} } = await bodyAs(APP_CALL, ask.request);
    return { callId: await (await runOf(ask)).callTool({ of, tool, arguments: args }) };
  },
  '/runs/:run/answer': async ask => {
    const { gateId, ...reply } = await bodyAs(ANSWER, ask.request);
    // The run's own validator checks the answer.
    await (await runOf(ask)).answerGate(gateId, reply as unknown as GateReply);
    return {};
  },
  '/sessions/:session/branch': async ({ home, request }) => {
    const { at, to } = await bodyAs(BRANCH, request);
    const session = request.param('session') ?? '';
    return { id: await new Sessions(home).branch(session, { at, ...definedOptions({ to }) }) };
  },
};

/** Returns the app for paths below `/api`: reads and writes of the page. */
export function apiOf(scope: RouteScope): Hono<Served> {
  const api = new Hono<Served>();
  const ask = ({ req: request, env }: Context<Served>) => ({ ...scope, request, outgoing: env.outgoing });
  for (const [path, answer] of Object.entries(READ))
    api.get(path, async c => jsonAnswer(await answer(ask(c))));
  for (const [path, answer] of Object.entries(WRITE))
    api.post(path, async c => {
      const answered = await answer(ask(c));
      const run = c.req.param('run');
      if (run !== undefined) scope.hub.changed(run);
      return answered instanceof Response ? answered : jsonAnswer(answered);
    });
  return api.all('*', () => {
    throw new SteersmanError('There is nothing here.', '', 'not_found');
  });
}

function jsonAnswer(answer: unknown): Response {
  return Response.json(answer, { headers: { 'cache-control': 'no-store' } });
}

function limitOf(request: HonoRequest): number {
  return Math.min(read(LIMIT, request.query('limit') ?? 50), 200);
}

/** Returns the events up to now. For an open run it stops at the last known event, because the iterator would wait for more. */
async function eventsAfter(run: Run, since: number): Promise<RunEvent[]> {
  const { lastEventSeq } = await run.show();
  const events: RunEvent[] = [];
  if (lastEventSeq !== null && since >= lastEventSeq) return events;
  for await (const event of run.events({ since, live: false })) {
    if (event.type === 'end' || events.length >= MOST_EVENTS) break;
    events.push(event);
    if (lastEventSeq !== null && ownSeq(event) === lastEventSeq) break;
  }
  return events;
}

/** Returns null if the run is unknown or no usage is reported. */
async function figuresOf(client: SteersmanClient, id: string): Promise<RunFigures> {
  const run = await client.attach(id).catch(() => null);
  const snapshot = await run?.show().catch(() => null);
  return {
    usage: snapshot?.usage ?? null,
    model: snapshot?.model ?? null,
    outcome: snapshot?.goals.at(-1)?.outcome ?? null,
  };
}

async function runOf({ client, request }: Ask): Promise<Run> {
  return (await client()).attach(request.param('run') ?? '');
}

/** A file as a message of the person. */
function attached({ name, text }: z.infer<typeof FILE>) {
  return { role: 'user', content: `${name}:\n\n${fenced('', text)}` };
}

const ATTACHED = /^([^\n]+):\n\n(`{3,})\n(.*)\n\2$/s;

/** Returns the file of such a message; null for another message. */
function fileIn(message: RunStart['messages'][number]): z.infer<typeof FILE> | null {
  if (message.kind !== 'user') return null;
  const [, name, , text = ''] = ATTACHED.exec(message.content.map(block => block.text).join('\n')) ?? [];
  return name === undefined ? null : { name, text };
}

/**
 * Returns what a page would start the same run with. Values that no page can set are not returned, because some are
 * secrets for tools.
 */
function askedBy({ goal, settings, messages }: RunStart): StartAsk {
  const { mode, model, workspace, limits, attended, autoApprove, approvePlan, pictures } = settings;
  const checks = settings.checks?.flatMap(check => ('run' in check ? [check.run] : []));
  const files = messages.map(fileIn).filter(file => file !== null);
  const { keepOpenSeconds } = settings;
  return {
    ...{ goal, mode, workspace, autoApprove, files },
    ...definedOptions({ model, limits, attended, approvePlan, pictures, checks, keepOpenSeconds }),
  };
}

function receipt({ id, state, how }: { id: string; state: string; how: string }) {
  return { id, state, how };
}

export async function bodyAs<T>(schema: z.ZodType<T>, request: HonoRequest): Promise<T> {
  return read(schema, await jsonOf(request.raw));
}

/** @throws {SteersmanError} `usage`, with the path of each fault. */
export function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data as T;
  throw new SteersmanError(z.prettifyError(error), '', 'usage');
}
