/** The sessions of a run with stateful servers: noted as calls open them, forgotten as calls find them gone. */

import type { CallToolResult } from '../../activities/types.js';
import type { ToolResultBlock, ToolUseBlock } from '../../core/message.js';
import type { ToolDefinition } from '../../core/tools/tool.js';
import { toolResult } from '../../core/tools/tool-result.js';
import { statefulServer, withoutSession, withSession } from '../../core/tools/tool-session.js';
import { fill } from '../../core/words.js';
import type { Run } from '../run.js';

/** What the end of a call says of the session of its server. */
export function noteSession(
  { state: { tools } }: Run,
  tool: ToolDefinition,
  { ending, opened }: { ending: CallToolResult['ending']; opened: CallToolResult['session'] },
): void {
  const server = statefulServer(tool);
  if (server === null) return;
  if (ending === 'session_lost') tools.sessions = withoutSession(tools.sessions, server);
  if (opened) tools.sessions = withSession(tools.sessions, { server, ...opened });
}

/** The result of a call whose session went with its worker: the next call opens another. */
export function lostSession(
  run: Run,
  call: ToolUseBlock,
  tool: ToolDefinition,
  loss: 'not_run' | 'unknown',
): ToolResultBlock {
  const { words } = run;
  noteSession(run, tool, { ending: 'session_lost', opened: undefined });
  const note = loss === 'not_run' ? words.noteSessionGone : words.noteSessionGoneUnknown;
  const values = { server: statefulServer(tool) ?? '', tool: tool.name };
  return toolResult(call, 'session_lost', { note: fill(note, values) }, words);
}
