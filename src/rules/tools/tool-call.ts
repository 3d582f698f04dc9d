/** Decides on a tool call before anything runs, in one pure function (H4). */

import { ownValue } from '../../base/json/json.js';
import { nearestNames } from '../../base/text/nearest-names.js';
import { fill, type WordKey, type Words } from '../../base/words/words.js';
import {
  badArgumentsNote,
  editedNote,
  notAllowedNote,
  refusalNote,
  unknownToolNote,
} from '../../conversation/tool-notes.js';
import type { PinnedRun } from '../../run/agents/run-config.js';
import type { CallAnswer, CallReply } from '../../run/gates/gate.js';
import type { Limits } from '../../run/limits/limits.js';
import type { ToolEnding, ToolUseBlock } from '../../run/messages/message.js';
import type { Batch } from '../../run/position/position.js';
import { type Ledger, type LedgerEntry, ledgerKey, lookUp } from '../../run/tools/ledger.js';
import type { Permission } from '../../run/tools/permission.js';
import { DEFAULT_TOOL_POLICY, type ToolDefinition } from '../../run/tools/tool.js';
import { statefulServer } from '../../run/tools/tool-session.js';
import { isAskPerson } from '../../run/tools/workflow-tools.js';
import { bareName, nearestByMeaning } from './model-habits.js';

export interface ToolCallCase {
  call: ToolUseBlock;
  /** The earlier answer about this exact call; null: not yet. It precedes any new decision (PR1). */
  said: CallAnswer | null;
  /** Position in its reply, from 0. */
  index: number;
  /** Calls of the same tool before it in its reply. */
  before: number;
  /** Tools that the role is offered; empty for roles without tools. */
  offered: readonly ToolDefinition[];
  pinned: Pick<PinnedRun, 'fallbackServer' | 'dedupe' | 'tools'>;
  limits: Limits;
  ledger: Ledger;
  /** Decides if the call runs with these arguments, asks a person, or is denied. */
  permission: (tool: ToolDefinition, input: Record<string, unknown>) => Permission;
  stopped: boolean;
  /** Earlier bad calls of this tool in the current task. */
  badCalls: number;
  words: Words;
  now: number;
}

export type ToolCallDecision =
  | { kind: 'end'; ending: ToolEnding; note: string; word?: WordKey }
  | { kind: 'reuse'; entry: LedgerEntry }
  /** `edited`: a person's arguments that replace the model's. */
  | { kind: 'run'; tool: ToolDefinition; note: string | null; edited: Record<string, unknown> | null }
  /** A person decides and is shown `concerns`; if approved, it runs. */
  | { kind: 'ask'; tool: ToolDefinition; note: string | null; concerns: string[] }
  | { kind: 'client'; tool: ToolDefinition }
  /** A person's answer becomes its result. */
  | { kind: 'question'; tool: ToolDefinition }
  /**
   * The call already has an answer: the client's result, even if it is unknown whether the tool ran, or the person's
   * words.
   */
  | { kind: 'given'; tool: ToolDefinition; answer: CallReply };

/** Every call ends in a result: run, reused, or closed with a text that tells the model what to do next. */
export function decideToolCall(given: ToolCallCase): ToolCallDecision {
  const { call, said, offered, limits, pinned, words } = given;
  const tool = offered.find(candidate => candidate.name === call.name) ?? fallbackTool(given);
  // A client's result or a person's answer counts even while the run is stopping.
  if (said && said.kind !== 'approval' && tool) {
    return { kind: 'given', tool, answer: said };
  }
  if (given.stopped) return end('cancelled', words.noteRunStopped);
  if (said?.kind === 'approval' && said.decision === 'deny')
    return end('denied', notAllowedNote(words, call.name, said.reason));
  if (given.index >= limits.toolCallsPerTurn)
    return end('skipped', fill(words.noteOverTurnCap, { max: limits.toolCallsPerTurn }));
  if (!tool && isDeniedTool(given))
    return end('denied', fill(words.noteDeniedByConfiguration, { tool: call.name }));
  if (!tool) {
    const names = offered.map(({ name }) => name);
    // Roles that share a prefix see each other's tools.
    if (names.length > 0 && pinned.tools.some(({ name }) => name === call.name))
      return end('unavailable', fill(words.noteToolOfOthers, { tool: call.name }));
    return end('unavailable', unknownToolNote(words, call.name, nearestTools(call.name, names)));
  }
  const { callsPerTurn, corrections = limits.argumentCorrections } = tool.policy;
  if (callsPerTurn !== undefined && given.before >= callsPerTurn)
    return end('skipped', fill(words.noteOverToolCap, { tool: call.name, max: callsPerTurn }));
  const { argErrors = [], argsParseFailed: unreadable = false } = call;
  if (unreadable || argErrors.length > 0) {
    const wrong = { wrongCalls: given.badCalls + 1, corrections };
    return end('invalid', badArgumentsNote(words, argErrors, { ...wrong, unreadable }));
  }
  const edited = said?.kind === 'approval' ? said.arguments : null;
  const permission = given.permission(tool, edited ?? call.input);
  const refusal = refusalNote(words, tool.name, permission);
  if (refusal !== null) return end('denied', refusal);
  if (said?.kind === 'approval') {
    return { kind: 'run', tool, note: edited && editedNote(words, edited), edited };
  }
  if (tool.origin.type === 'client') return { kind: 'client', tool };
  // A person's answer is momentary: the same words may concern another file (WK8).
  if (isAskPerson(tool)) return { kind: 'question', tool };
  const known = lookUp(given.ledger, call.name, call.input, {
    policy: tool.policy,
    dedupe: pinned.dedupe,
    now: given.now,
  });
  if (known && 'reuse' in known) return { kind: 'reuse', entry: known.reuse };
  const note = known ? words.noteRepeated : null;
  if (permission === 'run') return { kind: 'run', tool, note, edited: null };
  const concerns = tool.policy.destructive ? [words.mayDestroy] : [];
  return { kind: 'ask', tool, note, concerns };
}

function isDeniedTool({ call, offered, pinned, permission }: ToolCallCase): boolean {
  const tool = pinned.tools.find(({ name }) => name === call.name);
  return offered.length > 0 && tool !== undefined && permission(tool, call.input) === 'deny';
}

function end(ending: ToolEnding, note: string): ToolCallDecision {
  return { kind: 'end', ending, note };
}

/** A server named `default` takes calls of unknown tools, if one is connected (T3). */
function fallbackTool({ call, offered, pinned }: ToolCallCase): ToolDefinition | undefined {
  if (pinned.fallbackServer === null || offered.length === 0) return undefined;
  // A tool of the run that this role is not offered stays unreachable, also under its name on the server: a denial or
  // question for one name would otherwise be evaded by the other.
  if (pinned.tools.some(({ name, serverToolName }) => [name, serverToolName].includes(call.name)))
    return undefined;
  const server = pinned.fallbackServer;
  const listed = pinned.tools.find(tool => tool.origin.type === 'mcp' && tool.origin.server === server);
  // Only a listed tool can be one of ours: a model may invent any unlisted name.
  const { own: _own, ...origin } = {
    own: undefined,
    ...(listed?.origin ?? { type: 'mcp' as const, server }),
  };
  return {
    // Rules for tools of another server, which may be down, do not apply.
    name: `${server}__${call.name}`,
    serverToolName: call.name,
    origin,
    description: '',
    inputSchema: {},
    validation: 'delegate',
    policy: DEFAULT_TOOL_POLICY,
  };
}

const MOST_NAMED = 20;

/** Returns the tools with the same or nearly the same effect as one of another name; else those with the nearest names. */
function nearestTools(name: string, names: readonly string[]): string[] {
  const meant = nearestByMeaning(name);
  if (meant === null) return nearestNames(name, names);
  const near = meant.flatMap(own => names.filter(each => bareName(each) === own));
  // By its letters, a shell's name resembles tools that delete: without an equivalent, all tools are named.
  return near.length > 0 ? near : names.slice(0, MOST_NAMED);
}

// Decides which calls of a reply run at the same time (C21).

export interface RunningCall {
  tool: ToolDefinition;
  input: Record<string, unknown>;
}

/** True if a call runs at the same time as those before it. */
export function runsBeside(call: RunningCall, group: readonly RunningCall[]): boolean {
  // Reads run only next to reads, because a read before a write could be taken as current; and an identical call waits
  // for the first result, which may be reused.
  const { tool, input } = call;
  if (!tool.policy.concurrent || statefulServer(tool) !== null) return false;
  const key = ledgerKey(tool.name, input);
  return group.every(
    other =>
      other.tool.policy.concurrent &&
      other.tool.policy.readOnly === tool.policy.readOnly &&
      ledgerKey(other.tool.name, other.input) !== key,
  );
}

/** Returns the arguments that a call runs with: the model's, or those that a person edited. */
export function inputOf(batch: Batch, call: ToolUseBlock): Record<string, unknown> {
  return ownValue(batch.edited, call.id) ?? call.input;
}
