/** The tool server with an app (`app-server.mjs`): its entry for `.mcp.json`, its page, and what was done. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { jsonLines } from './json-lines.js';

const SCRIPT = fileURLToPath(new URL('./app-server.mjs', import.meta.url));

export interface AppServer {
  /** Entry for `mcpServers`. */
  entry: { command: string; args: string[]; env: Record<string, string> };
  setPage(html: string): void;
  events(): { event: string; tool?: string; args?: Record<string, unknown>; capabilities?: unknown }[];
  /** Arguments of the calls of a tool, in order. */
  calls(tool: string): unknown[];
  remove(): void;
}

export function appServer(env: Record<string, string> = {}): AppServer {
  const dir = mkdtempSync(join(tmpdir(), 'app-server-'));
  const [html, log] = [join(dir, 'page.html'), join(dir, 'log.jsonl')];
  writeFileSync(html, '<!doctype html><p>the board</p>');
  const events: AppServer['events'] = () => jsonLines(log);
  return {
    entry: { command: process.execPath, args: [SCRIPT], env: { APP_HTML: html, APP_LOG: log, ...env } },
    setPage: text => writeFileSync(html, text),
    events,
    calls: tool => events().flatMap(event => (event.tool === tool ? [event.args] : [])),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** For one test. */
export function appServerOfTest(env?: Record<string, string>): AppServer {
  const server = appServer(env);
  onTestFinished(() => server.remove());
  return server;
}
