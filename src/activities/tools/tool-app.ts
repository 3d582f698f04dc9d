/** The data for a tool's app: its page and the tool's complete answer, stored by reference and never shown to models. */
import { FAILURE_BYTES } from '../../base/sizes/bounds.js';
import { errorText } from '../../base/text/error-text.js';
import { cutText } from '../../base/text/fit.js';
import { type AppPage, readAppPage } from '../../mcp/app-page.js';
import type { McpConnection } from '../../mcp/connection/connection.js';
import type { ToolAnswer } from '../../mcp/tools/tool-answer.js';
import type { AppResult } from '../../run/messages/message.js';
import type { CallToolInput, CallToolResult } from '../types.js';

const MOST_ANSWER_BYTES = 1_000_000;

export type ForApp = Pick<CallToolResult, 'app' | 'appFault'>;
/** The app's page, if it must be read; or why it can't be. */
export type PageRead = Promise<AppPage | null | { fault: string }>;

/** Starts with the call, so that the result need not wait for it. Never rejects, because the tool's result matters more. */
export function beginReading(connection: McpConnection, { app }: CallToolInput): PageRead {
  if (app?.uri === undefined) return Promise.resolve(null);
  return readAppPage(connection, app.uri).catch((error: unknown) => ({ fault: errorText(error) }));
}

/** Stores both by reference. A failure is reported, and the tool's result stays valid. */
export async function storeForApp(
  { app, server, arguments: args = {} }: CallToolInput,
  answer: ToolAnswer,
  reading: PageRead,
  keep: (text: string) => Promise<string>,
): Promise<ForApp> {
  if (app === undefined || server === null) return {};
  const page = await reading;
  if (page !== null && 'fault' in page) return { appFault: cutText(page.fault, FAILURE_BYTES) };
  try {
    const kept: AppResult = { server, answer: await keep(answerText(args, answer)) };
    if (page !== null && app.uri !== undefined)
      return { app: { ...kept, uri: app.uri, page: await keep(JSON.stringify(page)) } };
    return { app: kept };
  } catch (error) {
    return { appFault: cutText(errorText(error), FAILURE_BYTES) };
  }
}

/** Returns the answer in the protocol's form. An answer that is too large for an app is replaced. */
function answerText(
  args: Record<string, unknown>,
  { content, structuredContent, isError, meta }: ToolAnswer,
): string {
  const result = { content, structuredContent, isError, ...(meta && { _meta: meta }) };
  const whole = JSON.stringify({ arguments: args, result });
  const bytes = Buffer.byteLength(whole);
  if (bytes <= MOST_ANSWER_BYTES) return whole;
  const text = `The result has ${bytes} bytes, and an app gets at most ${MOST_ANSWER_BYTES}.`;
  return JSON.stringify({ arguments: {}, result: { content: [{ type: 'text', text }], isError: true } });
}
