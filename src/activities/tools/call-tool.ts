/**
 * The activity that runs one tool call. A failing tool is a result, never a failed run (E1); it throws only if a retry,
 * here or on another worker, is right or is the workflow's decision.
 */

import { homedir } from 'node:os';
import { cancellationSignal } from '@temporalio/activity';
import { errorText } from '../../base/text/error-text.js';
import { fill, wordsOf } from '../../base/words/words.js';
import { placeIn } from '../../config/files/workspace.js';
import { unknownToolNote } from '../../conversation/tool-notes.js';
import { READ_RESULT } from '../../conversation/tool-result.js';
import { possibleNames } from '../../mcp/tools/tool-names.js';
import { readPattern } from '../../run/tools/argument-pattern.js';
import { matchesCall } from '../../run/tools/permission.js';
import { RECALL } from '../../run/tools/tool.js';
import { failpoint } from '../../shared/process/failpoints.js';
import { readResult } from '../../shared/store/read-result.js';
import { type ChangedAt, recall } from '../../shared/store/recall.js';
import type { Asker, SessionStore } from '../../shared/store/store.js';
import type { HostDeps } from '../check-call.js';
import { StoppedBeforeSending, unlessStopped } from '../stop-signal.js';
import { runIdOf } from '../store-text.js';
import type { CallToolInput, CallToolResult } from '../types.js';
import { type Allowed, ServerCall, type ServerCallDeps } from './server-call.js';
import { ended, stoppedBeforeSending, type ToolCall, ToolTexts } from './tool-endings.js';
import { type Beat, startHeartbeat } from './tool-heartbeat.js';

export interface CallToolDeps extends ServerCallDeps, HostDeps {
  /** The store of conversations; absent without one. */
  kept?: { sessions: SessionStore; namespaceId(): Promise<string | null> };
}

/**
 * Makes `steersmanCallTool`. Throws, as ApplicationFailure:
 * - `tool.timeout`, `tool.connection_lost` (retryable) for idempotent tools;
 * - `tool.not_sent` (retryable) if the worker shuts down before the request was sent;
 * - `tool.no_workspace` if this host does not have the folder;
 * - `worker.shutdown` if it shuts down later: retryable only for idempotent tools. Everything else is an ending of the
 *   result (T14).
 */
export function createCallTool(deps: CallToolDeps): (input: CallToolInput) => Promise<CallToolResult> {
  return async function steersmanCallTool(input) {
    const beat = startHeartbeat(input, deps.redact);
    try {
      return await callTool(deps, input, beat);
    } finally {
      beat.stop();
      await failpoint('tool.completion');
    }
  };
}

async function callTool(deps: CallToolDeps, input: CallToolInput, beat: Beat): Promise<CallToolResult> {
  const words = wordsOf({ pinned: input.words ?? null });
  const runId = runIdOf();
  const texts = new ToolTexts(deps, words, runId);
  const call: ToolCall = { input, words, runId, signal: cancellationSignal(), texts };
  const server = input.server === null ? null : new ServerCall(deps, call, beat);
  try {
    const read = () => unlessStopped(call.signal, deps.readArguments(input.callId));
    const allowed: Allowed = {
      args: input.arguments ?? (await read()),
      denied: workspace => denied(deps, call, { args: allowed.args, workspace }),
    };
    const refused = await allowed.denied(input.workspace);
    return refused ?? (await (server ? server.run(allowed) : runBuiltin(deps, call, allowed.args)));
  } catch (error) {
    if (error instanceof StoppedBeforeSending) return stoppedBeforeSending(call);
    throw error;
  }
}

interface CalledWith {
  args: Record<string, unknown>;
  workspace: string;
}

/** Null unless this host denies the call, regardless of the name that a workflow uses for it. */
async function denied(
  deps: CallToolDeps,
  { input, words, signal }: ToolCall,
  given: CalledWith,
): Promise<CallToolResult | null> {
  const deny = await unlessStopped(signal, deps.deniedTools());
  const servers = deps.pool.config.servers.map(({ name }) => name);
  if (!isDenied(input, given, { deny, servers })) return null;
  return ended('denied', fill(words.noteDeniedByConfiguration, { tool: input.tool }));
}

function isDenied(
  { tool, serverToolName = tool, server }: CallToolInput,
  { args, workspace }: CalledWith,
  { deny, servers }: { deny: readonly string[]; servers: readonly string[] },
): boolean {
  const [first = tool, ...others] = server === null ? [] : possibleNames(server, serverToolName, servers);
  // A name that arises only by a collision is denied only literally: the glob `rm_*` does not mean `rm`.
  const called = { input: args, workspace, home: homedir() };
  if (matchesCall([tool, serverToolName, first], called, deny)) return true;
  const literal = deny.filter(pattern => others.includes(readPattern(pattern).names));
  return matchesCall(others, called, literal);
}

async function runBuiltin(
  { blobs, kept, openWorkspace }: CallToolDeps,
  { input: { tool, serverToolName = tool, workspace }, words, runId }: ToolCall,
  args: Record<string, unknown>,
): Promise<CallToolResult> {
  const startedAt = performance.now();
  const result =
    serverToolName === READ_RESULT
      ? await readResult(blobs, runId, args)
      : serverToolName === RECALL && kept
        ? await recalled(kept, runId, { args, changedAt: lastChange(openWorkspace(workspace)) })
        : null;
  if (result === null) return ended('unavailable', unknownToolNote(words, serverToolName, [READ_RESULT]));
  return { ending: 'executed', ...result, durationMs: Math.round(performance.now() - startedAt) };
}

/** A store's failure becomes a result: the call is a read, and the model may retry it. */
async function recalled(
  { sessions, namespaceId }: NonNullable<CallToolDeps['kept']>,
  workflowId: string,
  { args, changedAt }: { args: Record<string, unknown>; changedAt: ChangedAt },
): ReturnType<typeof recall> {
  const asker: Asker = { workflowId, namespaceId: await namespaceId() };
  return recall(sessions, asker, args, changedAt).catch((error: unknown) => ({
    note: `The conversation cannot be read: ${errorText(error)}. Try once more; else call the tool that said it again.`,
    content: [],
    isError: true,
  }));
}

/** Uses the change time, which no program can set back. */
function lastChange(opening: Promise<string>): ChangedAt {
  opening.catch(() => undefined);
  return async path => {
    try {
      const { stats } = await placeIn(await opening, path);
      return stats === null ? 'gone' : stats.ctimeMs;
    } catch {
      return null;
    }
  };
}
