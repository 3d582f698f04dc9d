/** What becomes of a tool call before anything runs, as one pure decision (H4, S4, T5–T7, D1–D4). */
import type { GateAnswer } from './gate.js';
import type { Ledger, LedgerEntry } from './ledger.js';
import { lookUp } from './ledger.js';
import type { Limits } from './limits.js';
import type { ToolContent, ToolEnding, ToolResultBlock, ToolUseBlock } from './message.js';
import { delimit } from './prompt.js';
import type { PinnedRun } from './run-config.js';
import type { ToolDefinition } from './tool.js';
import { DEFAULT_TOOL_POLICY } from './tool.js';

/** What was said at the gate of a call: by a person or their client, or by the rule in their place. */
export type CallAnswer = Extract<GateAnswer, { kind: 'approval' | 'clientTool' }>;

export interface ToolCallCase {
  call: ToolUseBlock;
  /** What was said of this very call; null: nothing yet. It goes before whatever would be decided anew (PR1). */
  said: CallAnswer | null;
  /** Position in its reply, from 0. */
  index: number;
  /** Tools the role is offered; empty for roles without (L9). */
  offered: readonly ToolDefinition[];
  pinned: Pick<PinnedRun, 'fallbackServer' | 'dedupe' | 'tools'>;
  limits: Limits;
  ledger: Ledger;
  /** Whether it runs, a person is asked, or it is denied (S4). */
  permission: (tool: ToolDefinition) => 'run' | 'ask' | 'deny';
  /** A stop was asked for: nothing more runs. */
  stopped: boolean;
  /** Bad calls of this tool in the task at hand, this one not counted. */
  badCalls: number;
}

export type ToolCallDecision =
  | { kind: 'end'; ending: ToolEnding; text: string }
  | { kind: 'reuse'; entry: LedgerEntry }
  /** `edited`: the arguments that a person put in place of the model's. */
  | { kind: 'run'; tool: ToolDefinition; note: string | null; edited: Record<string, unknown> | null }
  /** A person decides, who is shown `concerns`; approved, it runs. */
  | { kind: 'ask'; tool: ToolDefinition; note: string | null; concerns: string[] }
  /** The client runs it and submits the result (T11). */
  | { kind: 'client'; tool: ToolDefinition }
  /** The client ran it: this is its result. */
  | { kind: 'given'; tool: ToolDefinition; content: ToolContent[]; isError: boolean };

/** Every call ends in a result: run, reused, or closed with a text that tells the model what to do next. */
export function decideToolCall(given: ToolCallCase): ToolCallDecision {
  const { call, said, offered, limits, pinned } = given;
  const tool = offered.find(candidate => candidate.name === call.name) ?? fallbackTool(given);
  // What the client ran has happened, also when the run is being stopped.
  if (said?.kind === 'clientTool' && tool) {
    return { kind: 'given', tool, content: said.content, isError: said.isError };
  }
  if (given.stopped) return end('cancelled', 'Not run: the run was stopped.');
  if (said?.kind === 'approval' && said.decision === 'deny')
    return end('denied', deniedText(call.name, said.reason));
  if (given.index >= limits.toolCallsPerTurn) {
    return end(
      'skipped',
      `Not run: at most ${limits.toolCallsPerTurn} tool calls of one reply are run. Ask again if it is still needed.`,
    );
  }
  if (!tool) return end('unavailable', unknownToolText(call.name, offered));
  if (call.argsParseFailed || (call.argErrors && call.argErrors.length > 0))
    return end('invalid', badArgumentsText(given));
  const permission = given.permission(tool);
  if (permission === 'deny') {
    return end('denied', `Not run: ${tool.name} is denied by the configuration. Go on without it.`);
  }
  if (said?.kind === 'approval') {
    const edited = said.arguments;
    return { kind: 'run', tool, note: edited && editedNote(edited), edited };
  }
  if (tool.origin.type === 'client') return { kind: 'client', tool };
  const known = lookUp(given.ledger, call.name, call.input, { policy: tool.policy, dedupe: pinned.dedupe });
  if (known && 'reuse' in known) return { kind: 'reuse', entry: known.reuse };
  const note = known ? REPEATED_NOTE : null;
  if (permission === 'run') return { kind: 'run', tool, note, edited: null };
  const concerns = tool.policy.destructive ? ['It may destroy or overwrite something.'] : [];
  return { kind: 'ask', tool, note, concerns };
}

/** What the model is told when a person, or nobody, did not allow a call. */
export function deniedText(tool: string, reason: string | null): string {
  const why = reason ? ` ${reason}` : '';
  return `Not run: ${tool} is not read-only, and a person's permission for it was not given.${why} Go on without it, and say in your report what you would have done.`;
}

const REPEATED_NOTE =
  'Note: the same call with the same arguments has a result earlier in this conversation.';

function editedNote(edited: Record<string, unknown>): string {
  return `Note: a person edited the arguments before it ran:\n${delimit('arguments', JSON.stringify(edited))}`;
}

/** Arguments unreadable or invalid: the model corrects itself, and after a few tries goes another way (T7). */
function badArgumentsText({ call, badCalls, limits }: ToolCallCase): string {
  const errors = call.argErrors ?? [];
  // What was cut off or can not be read is never run as a call without arguments (TR3).
  const fault = call.argsParseFailed
    ? 'The arguments were cut off or are not readable as JSON: write all of them as one JSON object.'
    : `The arguments do not fit the tool's schema:\n${errors.map(error => `- ${error}`).join('\n')}`;
  const advice =
    badCalls >= limits.argumentCorrections
      ? `This tool was called wrongly ${badCalls + 1} times: do not call it again this way. Use another tool or go on without.`
      : 'Correct the arguments and call again.';
  return `Not run. ${fault}\n${advice}`;
}

function end(ending: ToolEnding, text: string): ToolCallDecision {
  return { kind: 'end', ending, text };
}

/** A server named `default` takes calls that no server offers, if one is connected (T3, C5). */
function fallbackTool({ call, offered, pinned }: ToolCallCase): ToolDefinition | undefined {
  if (pinned.fallbackServer === null || offered.length === 0) return undefined;
  // A tool of the run that this role is not offered stays out of its reach (L9).
  if (pinned.tools.some(tool => tool.name === call.name)) return undefined;
  return {
    name: call.name,
    serverToolName: call.name,
    origin: { type: 'mcp', server: pinned.fallbackServer },
    description: '',
    inputSchema: {},
    validation: 'delegate',
    policy: DEFAULT_TOOL_POLICY,
  };
}

function unknownToolText(name: string, offered: readonly ToolDefinition[]): string {
  if (offered.length === 0)
    return `Not run: no tools are available here, so ${name} can not be called. Answer without tools.`;
  const near = nearestNames(
    name,
    offered.map(tool => tool.name),
  );
  return `Not run: there is no tool named ${name}. Nearest by name: ${near.join(', ')}.`;
}

/** The three names with the most letter pairs in common with `name`. */
export function nearestNames(name: string, names: readonly string[]): string[] {
  const wanted = letterPairs(name);
  const score = (candidate: string) => {
    const pairs = letterPairs(candidate);
    let common = 0;
    for (const pair of pairs) if (wanted.has(pair)) common += 1;
    return (2 * common) / Math.max(1, wanted.size + pairs.size);
  };
  return [...names].sort((a, b) => score(b) - score(a)).slice(0, 3);
}

function letterPairs(text: string): Set<string> {
  const pairs = new Set<string>();
  const lower = text.toLowerCase();
  for (let i = 0; i + 1 < lower.length; i++) pairs.add(lower.slice(i, i + 2));
  return pairs;
}

/** The one maker of tool results (G7). */
export function toolResult(
  call: Pick<ToolUseBlock, 'id' | 'name'>,
  ending: ToolEnding,
  content: ToolContent[],
  outcome: { isError?: boolean; durationMs?: number } = {},
): ToolResultBlock {
  return {
    type: 'tool_result',
    toolUseId: call.id,
    toolName: call.name,
    ending,
    content,
    isError: outcome.isError ?? !(ending === 'executed' || ending === 'reused'),
    durationMs: outcome.durationMs ?? 0,
  };
}

/** Text of a result's content, for journals and traces. */
export function contentText(content: readonly ToolContent[]): string {
  return content.map(itemText).join('\n');
}

function itemText(item: ToolContent): string {
  switch (item.type) {
    case 'text':
      return item.text;
    case 'json':
      return JSON.stringify(item.value);
    case 'resource':
      return item.text ?? `[resource ${item.uri}]`;
    case 'image':
      return `[image ${item.mimeType}, ${item.totalBytes} bytes]`;
  }
}
