/**
 * What a request says, as the rules need it. The server keeps nothing between requests: goal, place and
 * results are read from the messages each time, as a model would.
 */
import { isRecord } from '../core/json.js';
import { parseRecord } from '../core/outputs/json-in-text.js';
import { extractJson } from '../core/outputs/parse-output.js';
import type { WireBody, WireMessage } from '../protocol-server/server.js';
import { wireText } from '../protocol-server/server.js';
import type { Brief } from './briefs.js';
import { isOtherWordOfRun, readBrief } from './briefs.js';
import type { ToolAnswer } from './tool-answer.js';
import { readToolAnswer } from './tool-answer.js';

/** What the request wants of the model. */
export type Part =
  | 'planner'
  | 'executor'
  | 'verifier'
  | 'summary'
  | 'understanding'
  | 'router'
  | 'reviewer'
  | 'orchestrator'
  | 'other';

/** A tool call of the current goal with its result. */
export interface MadeCall extends ToolAnswer {
  name: string;
  args: Record<string, unknown>;
}

export interface Conversation {
  part: Part;
  /** The last instruction of the run that is not a request to mend output; null in modes without any. */
  brief: Brief | null;
  /** The task at hand, where there is one. */
  task: Extract<Brief, { kind: 'task' }> | null;
  /** Replies with tool calls since the task began, or since the goal in modes without tasks. */
  roundsUsed: number;
  /** The last message of the request, where it is not the model's own. */
  lastWords: string;
  /** What the person wants: the goal, and what was said while it was worked on. */
  goal: string;
  /** Names of the tools offered with this request. */
  tools: string[];
  system: string;
  /** Ids of the tasks of all plans in the conversation. */
  plannedIds: string[];
  /** Calls since the goal was given, oldest first. */
  calls: MadeCall[];
  /** Characters of the messages since the goal was given: older ones are trimmed where they do not fit. */
  chars: number;
  /** Characters since the last reply: what is new to the model. */
  newChars: number;
}

const PART_OF_SCHEMA: Readonly<Record<string, Part>> = {
  plan: 'planner',
  execution: 'executor',
  verdict: 'verifier',
  intent: 'understanding',
  route: 'router',
  review: 'reviewer',
  orchestration: 'orchestrator',
};

/** Rules exist for the form of this name. */
export function isKnownForm(name: string): boolean {
  return Object.hasOwn(PART_OF_SCHEMA, name);
}

const PART_OF_BRIEF: Readonly<Record<Brief['kind'], Part>> = {
  plan: 'planner',
  plan_more: 'planner',
  task: 'executor',
  go_on: 'executor',
  report: 'executor',
  verify: 'verifier',
  wrap_up: 'summary',
};

/** Reads a request. */
export function readConversation(body: WireBody): Conversation {
  const messages = body.messages;
  const said = messages.map(message => (message.role === 'user' ? wireText(message) : ''));
  const briefs = said.map(text => (text === '' ? null : readBrief(text)));
  const start = goalStart(messages, said, briefs);
  const brief = briefs.findLast(found => found !== null) ?? null;
  const taskAt = briefs.findLastIndex(found => found?.kind === 'task');
  const task = briefs[taskAt];
  const lastReply = messages.findLastIndex(message => message.role === 'assistant');
  const system = messages
    .filter(message => message.role === 'system')
    .map(wireText)
    .join('\n');
  return {
    part: partOf(body, system, brief),
    brief,
    task: task?.kind === 'task' ? task : null,
    roundsUsed: messages.slice(Math.max(start, taskAt)).filter(message => message.tool_calls?.length).length,
    lastWords: said.at(-1) ?? '',
    goal: wishes(said, briefs, start) || goalInBrief(brief),
    tools: (body.tools ?? []).map(tool => tool.function.name),
    system,
    plannedIds: plannedIds(messages),
    calls: madeCalls(messages.slice(start)),
    chars: size(messages.slice(start)),
    newChars: size(messages.slice(lastReply + 1)),
  };
}

/** Which role is asked: by the form wanted, else the heading of its prompt, else the instruction. */
function partOf(body: WireBody, system: string, brief: Brief | null): Part {
  const schema = body.response_format?.json_schema?.name;
  if (schema !== undefined) return PART_OF_SCHEMA[schema] ?? 'other';
  const heading =
    /^#[^\n]*\b(?:(Planner|Executor|Verifier|Summary)\b|(understanding|router|reviewer|orchestrator)-agent\b)/m
      .exec(system)
      ?.slice(1)
      .find(name => name !== undefined);
  if (heading !== undefined) return heading.toLowerCase() as Part;
  return brief ? PART_OF_BRIEF[brief.kind] : 'other';
}

/** Where the current goal begins: at the last wish that a first plan follows, else at the last wish. */
function goalStart(messages: WireMessage[], said: string[], briefs: (Brief | null)[]): number {
  const isWish = (index: number) => isWishAt(said, briefs, index);
  const firstPlan = briefs.findLastIndex(brief => brief?.kind === 'plan' && brief.improvements.length === 0);
  const from = firstPlan >= 0 ? firstPlan : messages.length - 1;
  for (let index = from; index >= 0; index--) if (isWish(index)) return index;
  return 0;
}

function isWishAt(said: string[], briefs: (Brief | null)[], index: number): boolean {
  const text = said[index] ?? '';
  return text !== '' && briefs[index] === null && !isOtherWordOfRun(text);
}

function wishes(said: string[], briefs: (Brief | null)[], start: number): string {
  return said.filter((_, index) => index >= start && isWishAt(said, briefs, index)).join('\n');
}

function goalInBrief(brief: Brief | null): string {
  return brief?.kind === 'verify' || brief?.kind === 'wrap_up' ? brief.goal : '';
}

function plannedIds(messages: WireMessage[]): string[] {
  const plans = messages
    .filter(message => message.role === 'assistant')
    .map(message => extractJson(wireText(message)));
  const lists = plans.map(plan => (plan?.component === 'planner-response' ? plan.todos : []));
  return lists
    .flatMap(list => (Array.isArray(list) ? list : []))
    .flatMap((task: unknown) => (isRecord(task) ? [String(task.id)] : []));
}

function madeCalls(messages: WireMessage[]): MadeCall[] {
  const results = new Map(
    messages.flatMap(message =>
      message.role === 'tool' && message.tool_call_id !== undefined
        ? [[message.tool_call_id, readToolAnswer(wireText(message))] as const]
        : [],
    ),
  );
  return messages.flatMap(message =>
    (message.tool_calls ?? []).flatMap(call => {
      const answer = results.get(call.id);
      if (!answer) return [];
      return [{ name: call.function.name, args: parseRecord(call.function.arguments) ?? {}, ...answer }];
    }),
  );
}

function size(messages: WireMessage[]): number {
  const calls = (message: WireMessage) =>
    message.tool_calls ? JSON.stringify(message.tool_calls).length : 0;
  return messages.reduce((sum, message) => sum + wireText(message).length + calls(message), 0);
}
