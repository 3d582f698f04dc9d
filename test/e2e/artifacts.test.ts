import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCommand } from '../support/command-line.js';
import type { Rig } from '../support/rig.js';
import { startRig, startTemporal } from '../support/rig.js';
import { toolTexts } from '../support/run-views.js';

const WRITER = `---
description: Writes.
output: text
tools: ['*_artifact', list_artifacts]
---
{{businessContext}}
`;
/** More than travels with an activity. */
const LONG = `alpha ${'x'.repeat(2_000)} omega`;

let env: TestWorkflowEnvironment;
let rig: Rig;

beforeAll(async () => {
  env = await startTemporal();
  rig = await startRig({ env, config: { 'prompts/core/writer.md': WRITER } });
});
afterAll(async () => {
  await rig?.close();
  await env?.teardown();
});

test('artifacts: created, changed at a wrong and at the right version, read → each is told, the result names them, the command line saves them (A5, A6)', async () => {
  const change = { id: 'report', oldText: 'alpha', newText: 'beta' };
  const script = rig.play([
    {
      toolCalls: [
        { name: 'create_artifact', arguments: { id: 'report', type: 'markdown', content: LONG } },
        { name: 'update_artifact', arguments: { ...change, expectedVersion: 7 } },
        { name: 'update_artifact', arguments: { ...change, expectedVersion: 1 } },
        { name: 'read_artifact', arguments: { id: 'report' } },
        { name: 'list_artifacts', arguments: {} },
      ],
    },
    { text: 'The report is written.' },
  ]);
  const { handle, result } = await rig.run('Write a report', { mode: 'react', role: 'writer' });
  const [created, wrong, right, read, list] = toolTexts(script.requests[1]);
  expect(created).toContain('report is at version 1, 2012 bytes');
  expect(wrong).toContain('at version 1, not 7');
  expect(right).toContain('report is at version 2');
  expect(read).toContain(LONG.replace('alpha', 'beta'));
  expect(list).toContain('"version":2');
  expect(result.artifacts).toMatchObject([{ id: 'report', version: 2, versions: [expect.any(String)] }]);

  const file = join(rig.project.dir, 'saved.md');
  const saved = await client('artifact', handle.workflowId, 'report', '--save', file);
  expect([saved.code, saved.stderr]).toEqual([0, expect.stringContaining(file)]);
  expect(readFileSync(file, 'utf8')).toBe(LONG.replace('alpha', 'beta'));
  const listed = await client('artifact', handle.workflowId);
  expect(listed.stdout).toContain('report');
  const missing = await client('artifact', handle.workflowId, 'draft');
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('no artifact draft')]);
});

/** The command line, on the blobs of the worker. */
function client(...args: string[]) {
  const env = {
    TEMPORAL_ADDRESS: rig.env.address,
    STEERSMAN_HOME: join(rig.project.dir, 'home'),
  };
  return startCommand('client', args, { cwd: rig.project.workspace, env }).ended;
}
