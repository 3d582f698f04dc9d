/**
 * The only border between activities and runs: all results, failures and heartbeats pass here, and known secrets are
 * removed.
 */
import type { Context } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { LRUCache } from 'lru-cache';
import { pack, packedText } from '../../activities/pack.js';
import { isRecord } from '../../base/json/json.js';
import type { PinnedRun } from '../../run/agents/run-config.js';
import { Secrets } from '../../shared/secrets.js';
import { isOurs } from '../parts/only-runs.js';
import { dotEnvOf } from '../parts/parts.js';

/** A run that is not among this many recent ones reads its workspace's keys again at its next tool call. */
const MOST_RUNS = 500;

export function redactActivities(secrets: Secrets): ActivityInterceptorsFactory {
  // Secrets are separate for each run: a workspace's `.env` must not affect other runs.
  const byRun = new LRUCache<string, Secrets>({ max: MOST_RUNS });
  return context => {
    const { info } = context;
    if (!isOurs(info.activityType)) return {};
    const run = info.workflowExecution?.workflowId ?? '';
    const own = byRun.get(run) ?? new Secrets(secrets);
    byRun.set(run, own);
    redactHeartbeats(context, own);
    return {
      inbound: {
        async execute(input, next) {
          // Tools may read the file; it is read again each time, because it may have changed.
          for (const dir of workspacesIn(input.args[0])) own.addDotEnv(dotEnvOf(dir), 'workspace');
          try {
            return redactResult(await secrets.during(own, () => next(input)), own);
          } catch (error) {
            redactError(error, own);
            throw error;
          }
        },
      },
    };
  };
}

function workspacesIn(input: unknown): string[] {
  if (!isRecord(input)) return [];
  const settings = isRecord(input.settings) ? input.settings : {};
  return [input.workspace, settings.workspace].filter(dir => typeof dir === 'string');
}

function redactResult(result: unknown, secrets: Secrets): unknown {
  if (!(result instanceof Uint8Array)) return withoutChangedCalls(result, secrets.redactAll(result));
  // The packed text is checked first: mostly it contains no secret, and need not be packed again.
  const text = packedText(result);
  if (secrets.redact(text) === text) return result;
  const packed: unknown = JSON.parse(text);
  return pack(isPinned(packed) ? redactPinned(packed, secrets) : secrets.redactAll(packed));
}

/** False for earlier messages of the conversation, which decide nothing. */
function isPinned(packed: unknown): packed is PinnedRun {
  return isRecord(packed) && isRecord(packed.roles) && Array.isArray(packed.tools) && isRecord(packed.prefix);
}

/** A call in which a value was replaced differs from the model's call, so it does not run. */
function withoutChangedCalls(given: unknown, redacted: unknown): unknown {
  if (!isRecord(given) || !isRecord(redacted) || !Array.isArray(redacted.content)) return redacted;
  const before: unknown[] = Array.isArray(given.content) ? given.content : [];
  const content = redacted.content.map((block: unknown, index) => {
    if (!isRecord(block) || block.type !== 'tool_use') return block;
    const same = JSON.stringify(block) === JSON.stringify(before[index]);
    return same ? block : { ...block, argErrors: [SECRET_IN_CALL] };
  });
  return { ...redacted, content };
}

const SECRET_IN_CALL =
  'The value of a secret stood in this call and was taken out: it is not run. Go on without that value.';

/**
 * Redacts texts that a run pins, but not fields that decide: otherwise a workspace's `.env` could name a glob of
 * `permissions.deny` as its key, and denied calls would run.
 */
function redactPinned(pinned: PinnedRun, secrets: Secrets): PinnedRun {
  const roles = Object.entries(pinned.roles).map(([name, role]) => [
    name,
    { ...role, description: secrets.redact(role.description), prompt: secrets.redact(role.prompt) },
  ]);
  const tools = pinned.tools.map(tool => ({
    ...tool,
    description: secrets.redact(tool.description),
    inputSchema: secrets.redactAll(tool.inputSchema),
  }));
  const prefix = { system: secrets.redact(pinned.prefix.system) };
  return {
    ...pinned,
    roles: Object.fromEntries(roles),
    prefix,
    projectNotes: secrets.redactAll(pinned.projectNotes),
    tools,
    warnings: secrets.redactAll(pinned.warnings),
  };
}

/** The SDK has no interceptor for heartbeats, and one context for each attempt. */
function redactHeartbeats(context: Context, secrets: Secrets): void {
  const { heartbeat } = context;
  const value = (details?: unknown) => {
    const piece =
      isRecord(details) && typeof details.tail === 'string' ? secrets.redactPiece(details.tail) : null;
    const redacted = secrets.redactAll(details);
    heartbeat(piece === null ? redacted : { ...(redacted as object), tail: piece });
  };
  Object.defineProperty(context, 'heartbeat', { value });
}

/** Changes errors in place: the SDK distinguishes failures by class. Message, stack, details and causes reach the history. */
function redactError(error: unknown, secrets: Secrets): void {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    const stack = at.stack === undefined ? {} : { stack: secrets.redact(at.stack) };
    const details = 'details' in at ? { details: secrets.redactAll(at.details) } : {};
    Object.assign(at, { message: secrets.redact(at.message), ...stack, ...details });
  }
}
