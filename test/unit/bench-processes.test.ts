import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { listened, warningsOf } from '../../bench/support/processes.js';

test('a process that a benchmark listens to: each line with a warning of Node counts, nothing else', async () => {
  const script = "process.emitWarning('a', 'MaxListenersExceededWarning'); console.error('no warning')";
  const child = listened(spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'pipe'] }));
  await new Promise(resolve => child.once('close', resolve));
  expect(warningsOf(child)).toBe(1);
});
