import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { projectRoot } from '../support/project.js';

test('every benchmark at its smallest → is whole', async () => {
  const child = spawn(process.execPath, ['scripts/bench.mjs', 'smoke'], { cwd: projectRoot });
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  expect(code, said).toBe(0);
}, 300_000);
