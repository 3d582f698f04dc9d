/** What a call tells of itself while it runs. */

import type { Usage } from '../state/message.js';
import { isRecord } from '../text/json.js';

/** Heartbeat details of a tool call whose server tells how far it is: in figures, words or both. */
export interface ToolProgress {
  callId: string;
  tool: string;
  progress?: number;
  total?: number;
  message?: string;
}

/** A call that its server carries on by itself, as a task (MCP): whoever names it is given its result. */
export interface TaskRef {
  id: string;
  /** The session with the server that it was begun in: some know it in no other. */
  session?: string;
}

/** Of an id; servers give some dozens. A task with a longer one is not known to later tries. */
const MOST_ID_CHARS = 500;

/** The task that the details of a heartbeat, or of a failure, name. */
export function taskIn(details: unknown): TaskRef | null {
  const { id, session } = isRecord(details) && isRecord(details.task) ? details.task : {};
  if (!isTaskId(id)) return null;
  return isTaskId(session) ? { id, session } : { id };
}

export function isTaskId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= MOST_ID_CHARS;
}

/** Heartbeat details of a model call: the live text. */
export interface LiveText {
  callId: string;
  attempt: number;
  /** How often the endpoint began the reply anew within the attempt: earlier text does not count. Default 0. */
  restarts?: number;
  channel: 'text' | 'reasoning' | 'tool_input';
  /** Characters of this channel before `tail`. */
  offset: number;
  /** The last 2,000 characters at most. */
  tail: string;
  /** Tokens of the call so far, estimated, its failed attempts included: the next attempt goes on from it. */
  spent?: Usage;
}
