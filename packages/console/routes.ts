/** What a page may ask: each path is a method of the client, and nothing else is done here. */

import { given } from '@steersman/print';
import { MAX_JSON_DEPTH, nestsTooDeep, parseJson } from 'steersman/base';
import {
  type GateReply,
  type Run,
  type RunEvent,
  Sessions,
  type SteersmanClient,
  SteersmanError,
} from 'steersman/client';
import { MODES } from 'steersman/run';
import { z } from 'zod';
import type { Components } from './components.js';
import { bodyOf } from './guard.js';
import type { Hub } from './hub.js';
import { frameStream } from './stream.js';

export interface RouteScope {
  client: () => Promise<SteersmanClient>;
  hub: Hub;
  workspace: string;
  sandboxUrl: string | null;
  components: Components;
}

interface Ask extends RouteScope {
  /** Parts of the path behind `/api/`, decoded. */
  path: readonly string[];
  query: URLSearchParams;
  /** JSON of a write. */
  body: unknown;
}

const MOST_EVENTS = 500;
/** Messages that are read at once. */
const MOST_MESSAGES = 500;
/** Runs whose tokens and cost are read at once: of each, its worker or its result is asked. */
const MOST_USAGES = 20;

/** Data of a run, and what is around it. */
const DEEPEST = MAX_JSON_DEPTH + 16;

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
const REASON = z.object({ reason: z.string().optional(), interrupt: z.boolean().optional() });
const PLAN = z.object({
  tasks: z.array(z.looseObject({ id: TEXT })),
  remove: z.array(TEXT).optional(),
});
const WITHDRAW = z.object({ ids: z.array(TEXT).min(1).max(100) });
const APP_CALL = z.object({ of: TEXT, tool: TEXT, arguments: z.record(z.string(), z.unknown()).optional() });
const BRANCH = z.object({ at: TEXT, to: ID.optional() });
const START = z.object({
  goal: TEXT,
  mode: TEXT.optional(),
  session: TEXT.optional(),
  after: TEXT.optional(),
  requestId: TEXT.max(200).optional(),
  workspace: TEXT.optional(),
  keepOpenSeconds: z.number().int().min(0).max(86_400).optional(),
});

/** Reads: name of the first part of the path, and of the third where there is one. */
const READ: Record<string, (ask: Ask) => Promise<unknown>> = {
  about: async ({ client, workspace, sandboxUrl: sandbox }) => {
    const { address, namespace } = await client();
    return { address, namespace, workspace, sandbox, modes: MODES };
  },
  components: async ({ components }) => components.answer(),
  runs: async ({ client, query }) => {
    const outcome = query.get('outcome');
    const goal = query.get('goal');
    const limit = limitOf(query);
    const listed = (await client()).list({
      limit,
      open: query.has('open'),
      waiting: query.has('waiting'),
      ...(outcome === null ? {} : { outcome: outcome as never }),
      ...(goal === null ? {} : { goal }),
    });
    const runs = [];
    for await (const run of listed) runs.push(run);
    return runs;
  },
  usage: async ({ client, query }) => {
    const ids = query.getAll('run').slice(0, MOST_USAGES);
    const known = await client();
    const usages = ids.map(async id => [id, await usageOf(known, id)]);
    return Object.fromEntries(await Promise.all(usages));
  },
  'runs/': async ask => (await runOf(ask)).show(),
  'runs/events': async ask => {
    const since = read(SINCE, ask.query.get('since') ?? 0);
    return eventsAfter(await runOf(ask), since);
  },
  'runs/transcript': async ask => {
    const thread = ask.query.get('thread');
    return (await runOf(ask)).transcript(thread === null ? {} : { thread });
  },
  'runs/messages': async ask => {
    const ids = new Set(ask.query.getAll('id').slice(0, MOST_MESSAGES));
    const threads = await (await runOf(ask)).transcript();
    // Threads share some.
    const found = threads.flatMap(({ messages }) => messages.filter(({ id }) => ids.has(id)));
    return [...new Map(found.map(message => [message.id, message])).values()];
  },
  'runs/children': async ask => (await runOf(ask)).children(),
  'runs/artifacts': async ask => (await runOf(ask)).artifact(ask.path[3] ?? ''),
  'runs/stored': async ask => ({ text: await (await runOf(ask)).stored(ask.query.get('ref') ?? '') }),
  sessions: async ({ query }) => {
    const text = query.get('text') ?? '';
    const limit = limitOf(query);
    return new Sessions().list({ limit, ...(text !== '' && { text }) });
  },
  search: async ({ query }) => new Sessions().search(query.get('text') ?? '', { limit: 50 }),
  'sessions/': async ({ path }) => new Sessions().show(path[1] ?? ''),
};

/** Writes, in the same way. */
const WRITE: Record<string, (ask: Ask) => Promise<unknown>> = {
  runs: async ({ client, body, workspace }) => {
    const { goal, ...options } = read(START, body);
    const run = await (await client()).start(goal, { workspace, attended: true, ...given(options) });
    return { id: run.id, joined: run.joined };
  },
  'runs/steer': async ask => {
    const { text, ...options } = read(STEER, ask.body);
    return receipt(await (await runOf(ask)).steer(text, given(options)));
  },
  'runs/follow-up': async ask => {
    const { text, id } = read(STEER, ask.body);
    return receipt(await (await runOf(ask)).followUp(text, given({ id })));
  },
  'runs/component-action': async ask => {
    const { id, ...action } = read(ACTION, ask.body);
    return receipt(await (await runOf(ask)).componentAction(action, given({ id })));
  },
  'runs/pause': async ask => {
    const { reason, interrupt } = read(REASON, ask.body);
    return (await runOf(ask)).pause(reason, given({ interrupt }));
  },
  'runs/resume': async ask => (await runOf(ask)).resume(read(REASON, ask.body).reason),
  'runs/stop': async ask => (await runOf(ask)).stop(read(REASON, ask.body).reason),
  'runs/cancel': async ask => (await runOf(ask)).cancel(),
  'runs/plan': async ask => {
    // The run's own validator says what a task may be.
    const { tasks, remove } = read(PLAN, ask.body);
    return { tasks: await (await runOf(ask)).editPlan(tasks, given({ remove })) };
  },
  'runs/withdraw': async ask => ({ text: await (await runOf(ask)).withdraw(read(WITHDRAW, ask.body).ids) }),
  'sessions/branch': async ({ path, body }) => {
    const { at, to } = read(BRANCH, body);
    return { id: await new Sessions().branch(path[1] ?? '', { at, ...given({ to }) }) };
  },
  'runs/call-tool': async ask => {
    const { of, tool, arguments: args = {} } = read(APP_CALL, ask.body);
    return { callId: await (await runOf(ask)).callTool({ of, tool, arguments: args }) };
  },
  'runs/finish': async ask => (await runOf(ask)).finish(),
  'runs/answer': async ask => {
    const { gateId, ...reply } = read(z.looseObject({ gateId: TEXT }), ask.body);
    // The run's own validator says what the gate takes.
    await (await runOf(ask)).answerGate(gateId, reply as unknown as GateReply);
    return {};
  },
  'runs/tool-result': async ask => {
    const { isError = false, ...result } = read(
      z.object({ gateId: TEXT, content: z.unknown(), isError: z.boolean().optional() }),
      ask.body,
    );
    await (await runOf(ask)).submitToolResult({ ...result, isError });
    return {};
  },
};

export async function answerTo(request: Request, scope: RouteScope): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const path = partsOf(pathname);
  const isWrite = request.method === 'POST';
  if (!isWrite && request.method !== 'GET' && request.method !== 'HEAD') throw nothingHere();
  const body = isWrite ? jsonOf(await bodyOf(request)) : undefined;
  if (isWrite && path.join() === 'stream') {
    const asked = read(STREAM, body);
    return frameStream(push => scope.hub.listen(asked, push));
  }
  const name = path.length < 2 ? path.join() : `${path[0]}/${path[2] ?? ''}`;
  const handles = isWrite ? WRITE : READ;
  const handle = Object.hasOwn(handles, name) ? handles[name] : undefined;
  if (handle === undefined) throw nothingHere();
  const answer = await handle({ ...scope, path, query: searchParams, body });
  if (isWrite && path[0] === 'runs' && path[1] !== undefined) scope.hub.changed(path[1]);
  return Response.json(answer, { headers: { 'cache-control': 'no-store' } });
}

function nothingHere(): SteersmanError {
  return new SteersmanError('There is nothing here.', '', 'not_found');
}

function limitOf(query: URLSearchParams): number {
  return Math.min(read(LIMIT, query.get('limit') ?? 50), 200);
}

function partsOf(pathname: string): string[] {
  try {
    return pathname.split('/').slice(2).map(decodeURIComponent);
  } catch {
    throw new SteersmanError('The path is not encoded as one.', '', 'usage');
  }
}

/** What a run told up to now: of one that goes on, a watcher would wait for more. */
async function eventsAfter(run: Run, since: number): Promise<RunEvent[]> {
  const { lastEventSeq } = await run.show();
  const events: RunEvent[] = [];
  if (lastEventSeq !== null && since >= lastEventSeq) return events;
  for await (const event of run.events({ since, live: false })) {
    if (event.type === 'end' || events.length >= MOST_EVENTS) break;
    events.push(event);
    const isLast = 'seq' in event && event.path === undefined && event.seq === lastEventSeq;
    if (isLast) break;
  }
  return events;
}

/** Null where nobody tells it. */
async function usageOf(client: SteersmanClient, id: string): Promise<unknown> {
  const run = await client.attach(id).catch(() => null);
  return (await run?.show().catch(() => null))?.usage ?? null;
}

async function runOf({ client, path }: Ask): Promise<Run> {
  return (await client()).attach(path[1] ?? '');
}

function receipt({ id, state, how }: { id: string; state: string; how: string }) {
  return { id, state, how };
}

export function jsonOf(text: string): unknown {
  if (nestsTooDeep(text, DEEPEST)) throw new SteersmanError('The body nests too deep.', '', 'usage');
  const value = parseJson(text);
  if (value === undefined) throw new SteersmanError('The body is no JSON.', '', 'usage');
  return value;
}

export function read<T>(schema: z.ZodType<T>, body: unknown): T {
  const { data, error } = schema.safeParse(body);
  if (error === undefined) return data as T;
  throw new SteersmanError(z.prettifyError(error), '', 'usage');
}
