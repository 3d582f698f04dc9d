import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../support/project.js';

test('every benchmark at its smallest → is whole, and within its bounds (Q5)', async () => {
  const child = spawn(process.execPath, ['scripts/bench.mjs', 'smoke'], { cwd: projectRoot });
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  expect(code, said).toBe(0);
});

test('quality: Ctrl-C while a model is silent → what there is, as a table', async () => {
  const asked = createServer();
  onTestFinished(() => void asked.close());
  asked.listen(0, '127.0.0.1');
  await once(asked, 'listening');
  const { port } = asked.address() as AddressInfo;
  const child = spawn(
    process.execPath,
    ['scripts/bench.mjs', 'quality', '--model', 'openai/silent', '--tasks', 'meter-sum', '--modes', 'react'],
    {
      cwd: projectRoot,
      env: { ...process.env, OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'none' },
    },
  );
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  await Promise.race([once(asked, 'request'), ended]);
  child.kill('SIGINT');
  const [said, faults, [code]] = await ended;
  expect(code, faults).toBe(130);
  expect(said).toMatch(/\| meter-sum +\| react +\| no /);
  expect(said).toContain('stopped by Ctrl-C');
});
