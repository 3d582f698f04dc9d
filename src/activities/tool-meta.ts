/** What a tool is told of the run that calls it. */
import type { CallToolInput } from './types.js';

/** Run context for the tool (T4): keys without a namespace get ours. */
export function metaOf({ callId, context }: CallToolInput, runId: string): Record<string, string> {
  const entries = Object.entries({ ...context, runId, callId });
  return Object.fromEntries(
    entries.map(([key, value]) => [key.includes('/') ? key : `steersman/${key}`, value]),
  );
}
