/** Tool definitions as a run pins them at its start. */
import { canonicalJson, type JsonSchema } from '../../base/json/json.js';

/** Where a tool runs; `workflow` is the run itself. */
type ToolOrigin =
  /** `stateful`: its calls share a session of the run, waited for up to `startTimeoutMs`. */
  | { type: 'mcp'; server: string; stateful?: true; startTimeoutMs?: number }
  | { type: 'builtin' }
  | { type: 'activity'; activity: string }
  /** `taskQueue`: where it is served; absent for the run's own. */
  | { type: 'child_workflow'; workflow: string; taskQueue?: string }
  | { type: 'client' }
  | { type: 'workflow' };

/** What decides permission, retries and reuse of a tool. From MCP annotations, then `steersman.yaml`. */
export interface ToolPolicy {
  readOnly: boolean;
  /** Read-only tools are idempotent. */
  idempotent: boolean;
  destructive: boolean;
  /** Tries for idempotent tools; 1 for all others, whatever is configured. Default 3. */
  attempts: number;
  /** Limit of one try. Default 60,000. */
  timeoutMs: number;
  /** `goal`: results may be reused within a goal; `none`: volatile, never reused (D5). */
  cache: 'goal' | 'none';
  /** Calls of one reply may run at the same time. Default: as `readOnly`. */
  concurrent: boolean;
  /** Calls of one reply that are run; absent: as many as of all tools. */
  callsPerTurn?: number;
  /** How long a result may be reused, milliseconds; absent: as long as `cache` says. */
  cacheTtlMs?: number;
  /** Bad calls in a task that are sent back for correction; absent: `limits.argumentCorrections`. */
  corrections?: number;
  /** It ends its work when it is told to stop: a stop reaches it though it may have effects. Absent: it does not. */
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
  /** Address on its server of the app that shows its results. */
  app?: string;
  /** It is for the apps of its server: no model is offered it. */
  appOnly?: true;
  /** It is for models: no app may call it. */
  modelOnly?: true;
  /** Of all that tells it from another of its name; absent for a tool of the run itself. */
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

/** The built-in tool that reads what is no longer shown of the conversation. */
export const RECALL = 'recall';

/** Whether a call may be made again: it only reads, or twice does what once does. All else is never run twice unasked. */
export function isRepeatable({ readOnly, idempotent }: ToolPolicy): boolean {
  return readOnly || idempotent;
}

/** Whether a stop cuts its calls off. Any other call is waited for: cut off, it would leave its effect unknown. */
export function endsWhenStopped(policy: ToolPolicy): boolean {
  return isRepeatable(policy) || policy.stoppable === true;
}

export function toolAttempts(policy: ToolPolicy): number {
  return isRepeatable(policy) ? Math.max(1, policy.attempts) : 1;
}

// What becomes of the tools that a run has pinned when they are listed anew.

export interface ToolChanges {
  added: string[];
  removed: string[];
  /** Otherwise described, or with other arguments or another policy. */
  changed: string[];
}

/** The new list; a server of which none are listed now may only be down, so it keeps those it had. */
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
