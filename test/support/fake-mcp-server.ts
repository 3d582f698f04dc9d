/** The fake MCP server (`fake-mcp-server.mjs`) for tests: its entry for `.mcp.json`, its gates, and what it did. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { jsonLines } from './json-lines.js';

/** Where `build-once.ts` tells test processes of the server in one file; elsewhere it runs from its source. */
export const FAKE_MCP_SCRIPT = 'STEERSMAN_TEST_FAKE_MCP';

const scriptPath = () =>
  process.env[FAKE_MCP_SCRIPT] ?? fileURLToPath(new URL('./fake-mcp-server.mjs', import.meta.url));

/** One line of the server's own log: what really happened, whatever the run believes. */
export interface FakeMcpEvent {
  event: 'start' | 'call' | 'effect' | 'asked' | 'cancelled';
  at: number;
  pid: number;
  tool?: string;
  args?: Record<string, unknown>;
  _meta?: Record<string, unknown>;
  /** What it was asked as a task with. */
  task?: { ttl: number };
}

export interface FakeMcp {
  /** A folder of its own; removed by `remove`. */
  dir: string;
  /** Where gates are opened and files may be written. */
  gates: string;
  /** Entry for `mcpServers`, over stdio. */
  stdioEntry(env?: Record<string, string>): Record<string, unknown>;
  /** Environment for a process started by hand. */
  env: Record<string, string>;
  /** Lets `slow` and `append_slow` with this `gate` go on. */
  openGate(gate: string): void;
  events(): FakeMcpEvent[];
  /** Calls that had an effect, by tool. */
  effects(tool?: string): FakeMcpEvent[];
  remove(): void;
}

/** Prepares a folder with log and gates for one test. */
export function fakeMcp(): FakeMcp {
  const dir = mkdtempSync(join(tmpdir(), 'fake-mcp-'));
  const log = join(dir, 'log.jsonl');
  const gates = join(dir, 'gates');
  mkdirSync(gates);
  const base = { FAKE_MCP_LOG: log, FAKE_MCP_GATES: gates };
  const events = (): FakeMcpEvent[] => jsonLines(log);
  return {
    dir,
    gates,
    env: base,
    stdioEntry: (env = {}) => ({ command: process.execPath, args: [scriptPath()], env: { ...base, ...env } }),
    openGate: gate => writeFileSync(join(gates, gate), ''),
    events,
    effects: tool =>
      events().filter(({ event, tool: name }) => event === 'effect' && (!tool || name === tool)),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** Starts the server over streamable HTTP. Kill `child` to end it; `port` 0 picks a free one. */
export async function startFakeMcpHttp(
  fake: FakeMcp,
  { port = 0, env = {} }: { port?: number; env?: Record<string, string> } = {},
): Promise<{ child: ChildProcess; port: number; url: string }> {
  const child = spawn(process.execPath, [scriptPath(), '--http', String(port)], {
    env: { PATH: process.env.PATH ?? '', ...fake.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const line of createInterface({ input: child.stderr })) {
    const found = /^listening on (\d+)$/.exec(line)?.[1];
    if (found) return { child, port: Number(found), url: `http://127.0.0.1:${found}/mcp` };
  }
  throw new Error('the fake MCP server ended before it listened');
}
