/** Tool definitions as a run pins them at its start. */
import { canonicalJson, type JsonSchema } from '../../base/json/json.js';

/** The place where a tool runs; `workflow` is the run itself. */
type ToolOrigin =
  /**
   * `own`: the worker serves it as `steersman tools`, by its entry in the configuration. `stateful`: its calls share a
   * session of the run, with up to `startTimeoutMs` to start.
   */
  | { type: 'mcp'; server: string; own?: true; stateful?: true; startTimeoutMs?: number }
  | { type: 'builtin' }
  | { type: 'activity'; activity: string }
  /** `taskQueue`: its workers' queue; absent for the run's own. */
  | { type: 'child_workflow'; workflow: string; taskQueue?: string }
  | { type: 'client' }
  | { type: 'workflow' };

/** The rules for permission, retries and reuse of a tool, from MCP annotations, then `steersman.yaml`. */
export interface ToolPolicy {
  readOnly: boolean;
  /** Read-only tools are idempotent. */
  idempotent: boolean;
  destructive: boolean;
  /** Attempts for idempotent tools; always 1 for others. Default 3. */
  attempts: number;
  /** Time limit of one attempt, milliseconds. Default 60,000. */
  timeoutMs: number;
  /**
   * `goal`: results may be reused within a goal; `conversation`: also in later goals, and from the messages that the
   * run began with, regardless of later writes and messages; `none`: volatile, never reused (D5).
   */
  cache: 'goal' | 'conversation' | 'none';
  /** Calls of one reply may run at the same time. Default: the value of `readOnly`. */
  concurrent: boolean;
  /** How many calls of one reply may run; absent: the general limit. */
  callsPerTurn?: number;
  /** Milliseconds for which a result may be reused; absent: as `cache` says. */
  cacheTtlMs?: number;
  /** Bad calls in a task that are sent back for correction; absent: `limits.argumentCorrections`. */
  corrections?: number;
  /** The tool ends its work when asked: a stop reaches it although it may have effects. Absent: false. */
  stoppable?: boolean;
}

export interface ToolDefinition {
  /** Name offered to the model: unique in the run, `[a-zA-Z0-9_-]`, at most 64 long. */
  name: string;
  serverToolName: string;
  origin: ToolOrigin;
  description: string;
  inputSchema: JsonSchema;
  /** `strict`: arguments are checked against the schema; `delegate`: the server checks them. */
  validation: 'strict' | 'delegate';
  policy: ToolPolicy;
  /** The address of the app that shows its results, on its server. */
  app?: string;
  /** The tool is for apps of its server: models are not offered it. */
  appOnly?: true;
  /** The tool is for models: apps may not call it. */
  modelOnly?: true;
  /** Digest of everything that distinguishes it from another tool of its name; absent for the run's own tools. */
  digest?: string;
}

/** A tool of the client, as a start request declares it. */
export interface ClientTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
}

export const DEFAULT_TOOL_POLICY: ToolPolicy = {
  readOnly: false,
  idempotent: false,
  destructive: true,
  attempts: 3,
  timeoutMs: 60_000,
  cache: 'goal',
  concurrent: false,
};

/** The built-in tool that reads parts of the conversation that are no longer shown. */
export const RECALL = 'recall';

/** True if a call may be repeated: it only reads, or repeating it changes nothing. Other calls never run twice unasked. */
export function isRepeatable({ readOnly, idempotent }: ToolPolicy): boolean {
  return readOnly || idempotent;
}

/** True if a stop cuts its calls off. Other calls are waited for, because cutting them off leaves their effect unknown. */
export function endsWhenStopped(policy: ToolPolicy): boolean {
  return isRepeatable(policy) || policy.stoppable === true;
}

export function toolAttempts(policy: ToolPolicy): number {
  return isRepeatable(policy) ? Math.max(1, policy.attempts) : 1;
}

// Changes of a run's pinned tools when they are listed again.

export interface ToolChanges {
  added: string[];
  removed: string[];
  /** Tools with a new description, arguments or policy. */
  changed: string[];
}

/** Returns the new list; a server that lists no tools now may only be down, so its tools stay. */
export function relisted(
  before: readonly ToolDefinition[],
  listed: readonly ToolDefinition[],
): ToolDefinition[] {
  const servers = new Set(listed.map(serverOf));
  const names = new Set(listed.map(({ name }) => name));
  const kept = before.filter(tool => {
    const server = serverOf(tool);
    return server !== null && !servers.has(server) && !names.has(tool.name);
  });
  return [...listed, ...kept];
}

export function toolChanges(
  before: readonly ToolDefinition[],
  after: readonly ToolDefinition[],
): ToolChanges | null {
  const known = new Map(before.map(tool => [tool.name, tool]));
  const names = new Set(after.map(({ name }) => name));
  const added = after.filter(({ name }) => !known.has(name));
  const removed = before.filter(({ name }) => !names.has(name));
  const changed = after.filter(tool => {
    const old = known.get(tool.name);
    return old !== undefined && canonicalJson(old) !== canonicalJson(tool);
  });
  if (added.length + removed.length + changed.length === 0) return null;
  const namesOf = (tools: readonly ToolDefinition[]) => tools.map(({ name }) => name);
  return { added: namesOf(added), removed: namesOf(removed), changed: namesOf(changed) };
}

export function serverOf({ origin }: ToolDefinition): string | null {
  return origin.type === 'mcp' ? origin.server : null;
}

/** Returns the own name of a tool of the workspace, such as `edit`; null for all others, even if they look like one. */
export function workspaceToolOf({
  origin,
  serverToolName,
}: Pick<ToolDefinition, 'origin' | 'serverToolName'>): string | null {
  return origin.type === 'mcp' && origin.own === true ? serverToolName : null;
}
