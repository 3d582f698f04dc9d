/**
 * What a request says, as the rules need it. The server keeps nothing between requests: goal, place and
 * results are read from the messages each time, as a model would.
 */

import type { OutputContract } from '../core/outputs/contracts.js';
import { parseRecord } from '../core/outputs/json-in-text.js';
import type { WireBody, WireMessage } from '../protocol-server/request.js';
import { wireText } from '../protocol-server/request.js';
import type { Brief, BriefKind } from './briefs.js';
import { readBrief, tagged } from './briefs.js';
import type { ToolAnswer } from './results.js';
import { readToolAnswer } from './results.js';

/** A tool call of the current goal with its result. */
export interface MadeCall extends ToolAnswer {
  name: string;
  args: Record<string, unknown>;
}

export interface Conversation {
  /** What the role that is asked answers with. */
  form: OutputContract;
  /** The last instruction of the run. */
  brief: Brief | null;
  /** The brief of the task at hand, where there is one. */
  task: Brief | null;
  /** The last message of the request, where it is not the model's own. */
  lastWords: string;
  /** What the person wants: the goal, and what was said while it was worked on. */
  goal: string;
  /** Names of the tools offered with this request, and of those that the role it is for may call. */
  offered: string[];
  tools: string[];
  system: string;
  /** Calls since the goal was given, oldest first. */
  calls: MadeCall[];
  /** Characters of the messages since the goal was given: older ones are trimmed where they do not fit. */
  chars: number;
  /** Characters since the last reply: what is new to the model. */
  newChars: number;
}

/** Where the request names no form: one with tools, or for text. */
const FORM_OF_BRIEF: Readonly<Record<BriefKind, OutputContract>> = {
  choose: 'choice',
  plan: 'plan',
  replan: 'plan',
  work: 'text',
  task: 'execution',
  go_on: 'execution',
  report: 'execution',
  verify: 'verdict',
  wrap_up: 'text',
  other: 'text',
};

/** Reads a request. */
export function readConversation(body: WireBody): Conversation {
  const { messages } = body;
  const said = messages.map(message => (message.role === 'user' ? wireText(message) : ''));
  const briefs = said.map(text => (text === '' ? null : readBrief(text)));
  const brief = briefs.findLast(found => found !== null && found.kind !== 'other') ?? null;
  const wishes = said.map((text, index) => (briefs[index] === null ? text : ''));
  const start = goalStart(wishes, briefs);
  const offered = (body.tools ?? []).map(tool => tool.function.name);
  const form = body.response_format?.json_schema?.name as OutputContract | undefined;
  return {
    form: form ?? FORM_OF_BRIEF[brief?.kind ?? 'other'],
    brief,
    task: briefs.findLast(found => found?.kind === 'task') ?? null,
    lastWords: said.at(-1) ?? '',
    goal: wishes.slice(start).filter(Boolean).join('\n') || (brief ? tagged(brief.text, 'goal') : ''),
    offered,
    tools: body.tool_choice === 'none' ? [] : offered,
    system: messages
      .filter(({ role }) => role === 'system')
      .map(wireText)
      .join('\n'),
    calls: madeCalls(messages.slice(start)),
    chars: JSON.stringify(messages.slice(start)).length,
    newChars: JSON.stringify(messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1))
      .length,
  };
}

/** Where the current goal begins: at the last wish that its first brief follows, else at the last wish. */
function goalStart(wishes: string[], briefs: (Brief | null)[]): number {
  const first = briefs.findLastIndex(brief => brief?.kind === 'plan' || brief?.kind === 'work');
  const before = first < 0 ? wishes : wishes.slice(0, first);
  return Math.max(
    0,
    before.findLastIndex(text => text !== ''),
  );
}

function madeCalls(messages: WireMessage[]): MadeCall[] {
  const results = new Map(
    messages.map(message => [message.tool_call_id, message.role === 'tool' ? wireText(message) : undefined]),
  );
  return messages.flatMap(message =>
    (message.tool_calls ?? []).flatMap(({ id, function: { name, arguments: args } }) => {
      const text = results.get(id);
      return text === undefined ? [] : [{ name, args: parseRecord(args) ?? {}, ...readToolAnswer(text) }];
    }),
  );
}
