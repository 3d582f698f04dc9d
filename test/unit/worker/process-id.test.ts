import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { lookAt } from '../../../src/worker/identity.js';
import { until } from '../../support/wait.js';

test('process: it ended and nobody has asked for its exit code → not alive', async () => {
  // The shell becomes `sleep`, which never collects the child that has ended: a zombie.
  const parent = spawn('sh', ['-c', 'sh -c "exit 0" & echo $!; exec sleep 30']);
  try {
    const [line] = await once(parent.stdout, 'data');
    await until('it has ended', () => lookAt(Number(String(line))) === undefined);
  } finally {
    parent.kill('SIGKILL');
  }
  expect(lookAt(process.pid)).toMatchObject({ pid: process.pid });
});
