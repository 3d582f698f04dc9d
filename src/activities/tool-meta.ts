/** What a tool is told of the run that calls it. */
import { META } from '../mcp/code-tools.js';
import type { CallToolInput } from './types.js';

/** Run context for the tool (T4): the starter's names and the run's own do not meet. */
export function metaOf(
  { idempotencyKey, goal, taskId, context }: CallToolInput,
  runId: string,
): Record<string, string> {
  const given = Object.entries(context).map(([key, value]) => [
    key.includes('/') ? key : META.starter + key,
    value,
  ]);
  const own = Object.entries({ runId, idempotencyKey, goal: String(goal), ...(taskId && { taskId }) });
  return Object.fromEntries([...given, ...own.map(([key, value]) => [META.own + key, value])]);
}
