/** Sessions of a run with stateful tool servers: where each is, and what becomes of a call whose session is gone (T18). */

import { SESSIONS_BYTES } from '../../base/sizes/bounds.js';
import { lastWithin } from '../../base/text/fit.js';
import { type CallFailure, FAILURE } from '../limits/failure.js';
import type { ToolDefinition } from './tool.js';

/** A worker holds it, so later calls of that server go to this worker alone. */
export interface ToolSession {
  server: string;
  id: string;
  /** Task queue of that worker and no other. */
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

/** Without the one that `sessionFor` gives: another of that server may be left by a task that has ended. */
export function withoutSession(sessions: readonly ToolSession[], server: string): ToolSession[] {
  const lost = sessions.findIndex(session => session.server === server);
  return sessions.filter((_, index) => index !== lost);
}

/** One of each server for the task that begins, and what is left for others. */
export function lendSessions(sessions: readonly ToolSession[]): { lent: ToolSession[]; left: ToolSession[] } {
  const isFirst = ({ server }: ToolSession, index: number) =>
    sessions.findIndex(session => session.server === server) === index;
  return {
    lent: sessions.filter(isFirst),
    left: sessions.filter((session, index) => !isFirst(session, index)),
  };
}

/** With those of a task that has ended: who comes next goes on in them, and opens no more. The latest are kept. */
export function takeBackSessions(
  sessions: readonly ToolSession[],
  lent: readonly ToolSession[],
): ToolSession[] {
  return lastWithin([...sessions, ...lent], SESSIONS_BYTES);
}

/** Whether a call's session is gone with its worker: `not_run` where that never began it; null where it may be there. */
export function sessionLoss({ kind, type }: CallFailure): 'not_run' | 'unknown' | null {
  if (type === FAILURE.tool.notSent) return 'not_run';
  return kind === 'lost' && type !== FAILURE.stateUnavailable ? 'unknown' : null;
}
