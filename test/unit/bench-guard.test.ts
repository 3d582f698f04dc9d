import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning } from '../support/processes.js';
import { projectRoot } from '../support/project.js';
import { until } from '../support/wait.js';

const FOR_EVER = ['-e', 'setInterval(() => {}, 1e6)'];

/** A process that leads its own group, as workers, tool servers and Temporal do. */
function background(args: string[], env: Record<string, string> = {}): number {
  const { pid } = spawn(process.execPath, args, { detached: true, stdio: 'ignore', env });
  if (pid === undefined) throw new Error('it did not start');
  onTestFinished(() => {
    if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  });
  return pid;
}

test.runIf(process.platform === 'linux')(
  'a benchmark that was killed: what it started is killed too, paused or not, and nothing else',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'bench-guard-'));
    const script = join(projectRoot, 'scripts/bench-guard.mjs');
    const guard = spawn(process.execPath, [script, dir], { stdio: ['pipe', 'ignore', 'inherit'] });
    const worker = background([...FOR_EVER, '--', join(dir, 'config')]);
    const paused = background(FOR_EVER, { TMPDIR: dir });
    process.kill(paused, 'SIGSTOP');
    const stranger = background(FOR_EVER);
    // As the kernel does it for a process that is killed.
    guard.stdin.destroy();
    await until('the guard has ended', () => guard.exitCode !== null);
    expect([worker, paused, stranger].map(isRunning)).toEqual([false, false, true]);
    expect(existsSync(dir)).toBe(false);
  },
);
