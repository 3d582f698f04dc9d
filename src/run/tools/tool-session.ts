/** Sessions of a run with stateful tool servers: their place, and the end of a call whose session is gone (T18). */

import { SESSIONS_BYTES } from '../../base/sizes/bounds.js';
import { lastWithin } from '../../base/text/fit.js';
import { type CallFailure, FAILURE } from '../limits/failure.js';
import type { ToolDefinition } from './tool.js';

/** One worker holds the session, so later calls of that server go only to this worker. */
export interface ToolSession {
  server: string;
  id: string;
  /** The task queue that only that worker polls. */
  queue: string;
}

export function statefulServer({ origin }: Pick<ToolDefinition, 'origin'>): string | null {
  return origin.type === 'mcp' && origin.stateful ? origin.server : null;
}

export function sessionFor(
  sessions: readonly ToolSession[],
  tool: Pick<ToolDefinition, 'origin'>,
): ToolSession | null {
  const server = statefulServer(tool);
  return sessions.find(session => session.server === server) ?? null;
}

export function withSession(sessions: readonly ToolSession[], session: ToolSession): ToolSession[] {
  return takeBackSessions(
    sessions.filter(({ server }) => server !== session.server),
    [session],
  );
}

/** Removes only the session that `sessionFor` returns: an ended task may have left another of that server. */
export function withoutSession(sessions: readonly ToolSession[], server: string): ToolSession[] {
  const lost = sessions.findIndex(session => session.server === server);
  return sessions.filter((_, index) => index !== lost);
}

/** Splits the sessions: one of each server for a task that begins, and the others. */
export function lendSessions(sessions: readonly ToolSession[]): { lent: ToolSession[]; left: ToolSession[] } {
  const isFirst = ({ server }: ToolSession, index: number) =>
    sessions.findIndex(session => session.server === server) === index;
  return {
    lent: sessions.filter(isFirst),
    left: sessions.filter((session, index) => !isFirst(session, index)),
  };
}

/** Adds the sessions of an ended task: the next task continues in them and opens no new ones. The latest stay. */
export function takeBackSessions(
  sessions: readonly ToolSession[],
  lent: readonly ToolSession[],
): ToolSession[] {
  return lastWithin([...sessions, ...lent], SESSIONS_BYTES);
}

/** Tells if a call's session died with its worker: `not_run` if the worker never began the call; null if it may be alive. */
export function sessionLoss({ kind, type }: CallFailure): 'not_run' | 'unknown' | null {
  if (type === FAILURE.tool.notSent) return 'not_run';
  return kind === 'lost' && type !== FAILURE.stateUnavailable ? 'unknown' : null;
}
