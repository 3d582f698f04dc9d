/**
 * A model that answers by script, over real HTTP and server-sent events: tests cover the whole path (SDK, streaming,
 * tools, retries) with their own replies.
 */
import { CHAT, chatStream, chatWhole } from './chat-completions.js';
import { FAULTS, type Fault, type ScriptedReply } from './faults.js';
import { type ChatRequest, startModelServer } from './model-server.js';
import { play, playWhole } from './play.js';
import { EVERY_TASK } from './role-outputs.js';
import { toFullReply } from './scripted-reply.js';

/** A list of replies in order, or a function of the request; `index` counts answered requests from 0. */
export type Script<Request = ChatRequest, Reply = ScriptedReply> =
  | readonly Reply[]
  | ((request: Request, index: number) => Reply | Promise<Reply>);

export interface ScriptedModelOptions {
  reply: Script;
  /** Default 0: any free port. */
  port?: number;
}

export interface ScriptedModel {
  /** The value for `OPENAI_BASE_URL`: the model speaks chat completions. */
  baseUrl: string;
  port: number;
  /** Every request that arrived, oldest first. */
  requests: ChatRequest[];
  /** Resolves with request number `index` (from 0); immediately if it has arrived. */
  requestArrived(index: number): Promise<ChatRequest>;
  close(): Promise<void>;
}

/** Starts a scripted model on a loopback port. A list that is used up answers with status 400 and says so. */
export async function startScriptedModel({ reply, port }: ScriptedModelOptions): Promise<ScriptedModel> {
  const script = prompter<ChatRequest, ScriptedReply>(reply);
  const server = await startModelServer({
    port,
    protocols: [CHAT],
    answer: async (request, exchange) => {
      script.arrived(request);
      const next: ScriptedReply = await script.next(request);
      const fault: Fault = next.fault === undefined ? {} : FAULTS[next.fault];
      const reply = fault.reply?.(next) ?? next;
      const full = toFullReply(reply, request.body.model);
      if (exchange.sent.stream !== true) return playWhole(chatWhole(full), reply, exchange);
      const stream = chatStream(full, exchange.sent);
      const parts = fault.stream && { head: fault.stream(stream), chunks: [], tail: [] };
      return play(parts ?? stream, reply, exchange);
    },
  });
  const { requests, requestArrived } = script;
  return { ...server, requests, requestArrived, baseUrl: `http://127.0.0.1:${server.port}/v1` };
}

/** Records a script's requests and returns its next replies. */
export function prompter<Request extends ChatRequest, Reply extends { text?: string }>(
  script: Script<Request, Reply>,
) {
  const requests: Request[] = [];
  const waiting: { index: number; resolve: (request: Request) => void }[] = [];
  let answered = 0;
  return {
    requests,
    arrived(request: Request): void {
      requests.push(request);
      for (const { index, resolve } of waiting) if (index === request.index) resolve(request);
    },
    requestArrived(index: number): Promise<Request> {
      const there = requests[index];
      return there ? Promise.resolve(there) : new Promise(resolve => waiting.push({ index, resolve }));
    },
    async next(request: Request): Promise<Reply | Pick<ScriptedReply, 'text' | 'error'>> {
      const index = answered++;
      const reply = typeof script === 'function' ? await script(request, index) : script[index];
      if (reply) return withEveryTask(reply, request);
      const message = `The script has ${script.length} replies, and this is request ${index + 1}.`;
      return { error: { status: 400, message, code: 'script_used_up' } };
    },
  };
}

/** Replaces the placeholder of a verdict with the tasks that the request lists. */
function withEveryTask<Reply extends { text?: string }>(reply: Reply, { body }: ChatRequest): Reply {
  const marker = JSON.stringify(EVERY_TASK);
  if (reply.text?.includes(marker) !== true) return reply;
  const asked = body.messages
    .map(({ content }) => JSON.stringify(content ?? ''))
    .findLast(text => TASK_LINE.test(text));
  const ids = [...(asked ?? '').matchAll(new RegExp(TASK_LINE, 'g'))].map(match => match[1]);
  const tasks = ids.map(id => ({ id, completed: true, feedback: 'By script.' }));
  return { ...reply, text: reply.text.replace(marker, JSON.stringify(tasks)) };
}

/** A task line of an instruction, JSON-encoded: `- task-1 [completed`. */
const TASK_LINE = /\\n- (\S+) \[(?:pending|executing|completed|failed|skipped|blocked)/;
