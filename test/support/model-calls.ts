/** Runs the model activity without Temporal: real HTTP to a scripted model, and a request given by the test. */
import type { MockActivityEnvironment } from '@temporalio/testing';
import { type CallModelDeps, createCallModel } from '../../src/activities/models/call-model.js';
import type { CallModelResult } from '../../src/activities/types.js';
import { createProvider } from '../../src/models/protocols.js';
import type { EndpointSettings } from '../../src/models/provider/endpoint.js';
import { createProviders } from '../../src/models/provider/providers.js';
import type { ModelRequestHead, OfferedTool } from '../../src/rules/prompts/model-request.js';
import type { LiveText } from '../../src/run/limits/heartbeats.js';
import type { Message } from '../../src/run/messages/message.js';
import { activityEnvironment } from './tool-calls.js';

export const MODEL = 'openai/gpt-5-mini';

export function user(text: string, id = 'm1'): Message {
  return { id, at: 1, kind: 'user', purpose: 'goal', content: [{ type: 'text', text }] };
}

export function tool(name: string, inputSchema: OfferedTool['inputSchema'] = {}): OfferedTool {
  return { name, description: `The tool ${name}.`, inputSchema, validation: 'strict' };
}

export interface CallSetup {
  baseUrl: string;
  /** Other settings of the provider. */
  endpoint?: Partial<EndpointSettings>;
  head?: Partial<ModelRequestHead>;
  messages?: Message[];
  deps?: Partial<CallModelDeps>;
  model?: string;
  callId?: string;
  /** Lessons that the run knows of its model. */
  lessons?: string[];
  startToCloseTimeoutMs?: number;
  scheduleToCloseTimeoutMs?: number;
  /** Other facts of the activity, such as its attempt. */
  info?: Record<string, unknown>;
}

export interface StartedCall {
  environment: MockActivityEnvironment;
  heartbeats: LiveText[];
  /** Resolves with the first heartbeat whose tail holds `text`. */
  shown(text: string): Promise<LiveText>;
  /** Texts handed to the blob store, by reference. */
  stored: Map<string, string>;
  result: Promise<CallModelResult>;
}

/** Starts the activity; a rejection of `result` must be awaited by the test. */
export function startCall(setup: CallSetup): StartedCall {
  const info = {
    attempt: 1,
    startToCloseTimeoutMs: setup.startToCloseTimeoutMs ?? 600_000,
    scheduleToCloseTimeoutMs: setup.scheduleToCloseTimeoutMs ?? 0,
    ...setup.info,
    workflowExecution: { workflowId: 'run-1', runId: 'run-1-a' },
  };
  const environment = activityEnvironment(info);
  const heartbeats: LiveText[] = [];
  const waiting = new Set<() => void>();
  environment.on('heartbeat', (details: LiveText) => {
    heartbeats.push(details);
    for (const look of waiting) look();
  });
  const stored = new Map<string, string>();
  const provider = createProvider({ name: 'openai', baseUrl: setup.baseUrl, ...setup.endpoint });
  const head = {
    prefix: 'own',
    system: 'You are a test.',
    tools: [],
    output: 'text',
    dialect: 'component',
    toolChoice: 'auto',
    temperature: null,
    topP: null,
    reasoning: null,
    toolSyntax: null,
    stop: [] as string[],
    maxOutputTokens: null,
  } as const;
  const activity = createCallModel({
    providers: createProviders({ openai: () => provider }),
    readState: async () => ({
      head: { ...head, tools: [...head.tools], ...setup.head },
      messages: setup.messages ?? [user('Hello')],
    }),
    storeText: async (name, text) => {
      stored.set(`blob:${name}`, text);
      return `blob:${name}`;
    },
    live: { throttleMs: 5 },
    ...setup.deps,
  });
  const input = {
    callId: setup.callId ?? 'c1',
    role: 'executor',
    model: setup.model ?? MODEL,
    check: '',
    ...(setup.lessons && { lessons: setup.lessons }),
  };
  const result = environment.run(activity, input) as Promise<CallModelResult>;
  result.catch(() => undefined);
  const shown = (text: string) =>
    new Promise<LiveText>(resolve => {
      const look = () => {
        const found = heartbeats.find(details => details.tail.includes(text));
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return { environment, heartbeats, shown, stored, result };
}

/** Runs one call to its end. */
export function runCall(setup: CallSetup): Promise<CallModelResult> {
  return startCall(setup).result;
}

/** The failure that a call ends with; throws when it succeeds. */
export async function failureOf(call: Promise<unknown>): Promise<{
  type: string;
  message: string;
  nonRetryable: boolean;
  nextRetryDelay?: unknown;
}> {
  const outcome = await call.then(
    value => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('value' in outcome) throw new Error(`expected a failure, got ${JSON.stringify(outcome.value)}`);
  return outcome.error as Awaited<ReturnType<typeof failureOf>>;
}
