/** How a call that has no ordinary result ends: one text each, which tells the model what to do next. */
import type { McpCallError } from '../mcp/call-failure.js';
import type { CallToolResult } from './types.js';

/** JSON-RPC codes of MCP: no such method, wrong parameters. */
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;

export function rejected(error: McpCallError, durationMs: number): CallToolResult {
  if (error.code === INVALID_PARAMS) {
    return ended('invalid', `Not run: the server refused the call. ${error.message}`, durationMs);
  }
  if (error.code === METHOD_NOT_FOUND) {
    return ended('unavailable', `Not run: the server does not know this tool. ${error.message}`, durationMs);
  }
  return ended('executed', error.message, durationMs);
}

export function outcomeUnknown(why: string, durationMs: number): CallToolResult {
  const advice =
    'It is not known whether it took effect. Check with a read-only tool before you call it again.';
  return ended('outcome_unknown', `${why}. ${advice}`, durationMs);
}

export function ended(ending: CallToolResult['ending'], text: string, durationMs = 0): CallToolResult {
  return { ending, content: [{ type: 'text', text }], isError: true, durationMs };
}

export function invalidText(errors: readonly string[]): string {
  const list = errors.map(error => `- ${error}`).join('\n');
  return `Not run: the arguments do not fit the tool's schema:\n${list}\nCorrect the arguments and call again.`;
}
