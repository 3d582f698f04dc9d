import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StdioTransport } from '../../../../src/mcp/connection/stdio-transport.js';
import { until } from '../../../support/wait.js';

/** A server that starts another process, notes its pid and its own, and ends as soon as its input does. */
const SERVER = `
  const kid = require('node:child_process').spawn('sh', ['-c', process.argv[2]], { stdio: 'ignore' });
  require('node:fs').writeFileSync(process.argv[1], String(kid.pid));
  kid.unref();
  process.stdin.resume().on('end', () => process.exit(0));
`;

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.concurrent.each([
  ['sleeps', 'exec sleep 600', true],
  ['ignores SIGTERM', "trap '' TERM; while :; do sleep 1; done", true],
  ['is left by a server that died', 'exec sleep 600', false],
])('a process of a server that %s → ends with the connection', async (_, command, byClose) => {
  const cwd = mkdtempSync(join(tmpdir(), 'stdio-'));
  const file = join(cwd, 'pid');
  const args = ['-e', SERVER, file, command];
  const transport = new StdioTransport({
    ...{ type: 'stdio', name: 'one', command: process.execPath, args, env: {}, cwd },
  } as ConstructorParameters<typeof StdioTransport>[0]);
  await transport.start();
  const pid = await until('the pid is noted', () => {
    try {
      return Number(readFileSync(file, 'utf8')) || null;
    } catch {
      return null;
    }
  });
  expect(isThere(pid)).toBe(true);
  if (byClose) await transport.close();
  else process.kill(transport.pid ?? 0, 'SIGKILL');
  await until('it is gone', () => !isThere(pid), 20_000);
});
