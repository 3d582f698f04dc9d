/** The connection of a tool call to its server: shared by runs, or in the session of its own run. */
import type { McpConnection } from '../../mcp/connection/connection.js';
import type { McpPool } from '../../mcp/connection/pool.js';
import type { McpSessions } from '../../mcp/connection/sessions.js';
import type { CallToolInput, CallToolResult } from '../types.js';

export interface ServerLink {
  /**
   * `shared`: the common connection; `opening`: a session that the call opens; `bound`: the run's open session, which no
   * other connection can serve.
   */
  readonly kind: 'shared' | 'opening' | 'bound';
  /** Null if the session has ended. @throws SteersmanError if the server does not start. */
  connect(workspace: string): Promise<McpConnection | null>;
  /** The connection was useless: the next attempt gets another. */
  discard(connection: McpConnection): void;
  /** Returns the result, with the session if the call opened one. */
  ended(result: CallToolResult): CallToolResult;
  /** The call has no result that could report a session to the run. */
  failed(): void;
}

interface LineDeps {
  pool: Pick<McpPool, 'connect'>;
  sessions: McpSessions;
}

/** A worker without its own task queue opens no sessions: its servers are shared, regardless of their declaration. */
export function linkOf(
  { pool, sessions }: LineDeps,
  { session }: Pick<CallToolInput, 'session'>,
  { server, runId }: { server: string; runId: string },
): ServerLink {
  if (typeof session === 'string') return boundLink(sessions, session, runId);
  const { queue } = sessions;
  if (session === null && queue !== null) return openingLine(sessions, { server, runId, queue });
  return {
    kind: 'shared',
    connect: workspace => pool.connect(server, workspace),
    // The pool never returns a useless connection again.
    discard: () => {},
    ended: result => result,
    failed: () => {},
  };
}

function boundLink(sessions: McpSessions, id: string, runId: string): ServerLink {
  return {
    kind: 'bound',
    connect: async () => sessions.find(id, runId),
    discard: () => sessions.drop(id),
    ended: result => {
      if (result.ending === 'session_lost') sessions.drop(id);
      return result;
    },
    failed: () => {},
  };
}

function openingLine(
  sessions: McpSessions,
  { server, runId, queue }: { server: string; runId: string; queue: string },
): ServerLink {
  let opened: string | null = null;
  let isOver = false;
  const drop = () => {
    if (opened !== null) sessions.drop(opened);
    opened = null;
  };
  return {
    kind: 'opening',
    connect: async workspace => {
      const { id, connection } = await sessions.open(server, { runId, workspace });
      // It took too long: its session could not be reported to the run.
      if (isOver) sessions.drop(id);
      else opened = id;
      return connection;
    },
    discard: drop,
    ended: result => {
      isOver = true;
      if (opened === null) return result;
      if (sessions.find(opened, runId)) return { ...result, session: { id: opened, queue } };
      drop();
      return result;
    },
    failed: () => {
      isOver = true;
      drop();
    },
  };
}
