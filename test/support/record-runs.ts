/**
 * A setup file of whole runs, only while histories are recorded (`scripts/freeze.mjs`): before a file lets go of a
 * server, the histories of all runs that it had there are written to the folder that the variable names.
 */
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeEach, expect } from 'vitest';
import { WORKFLOW_TYPE } from '../../src/run/agents/run-config.js';
import { writeHistory } from './histories.js';
import { RECORD_TO, SUGGESTS_PARTS } from './recording.js';

const folder = process.env[RECORD_TO] ?? '';
/** The server's own measure, in bytes: what is larger is worth no place in the repository. */
const MOST_BYTES = 400_000;

/** A run of the second kind is in many parts. */
const pass = SUGGESTS_PARTS.length > 0 ? 'parts' : 'run';

const begun = new Date();
const tests: { title: string; at: Date }[] = [];
beforeEach(({ task }) => {
  tests.push({ title: task.name, at: new Date() });
});

const { teardown } = TestWorkflowEnvironment.prototype;
const { createLocal } = TestWorkflowEnvironment;
TestWorkflowEnvironment.prototype.teardown = async function () {
  // A server of another kind does not list its runs.
  await record(this).catch(error => console.error(`Not recorded: ${error}`));
  await teardown.call(this);
};
TestWorkflowEnvironment.createLocal = options => {
  const { server } = options ?? {};
  const extraArgs = [...(server?.extraArgs ?? []), ...SUGGESTS_PARTS];
  return createLocal.call(TestWorkflowEnvironment, { ...options, server: { ...server, extraArgs } });
};
afterAll(() => {
  TestWorkflowEnvironment.prototype.teardown = teardown;
  TestWorkflowEnvironment.createLocal = createLocal;
});

async function record({ client: { workflow } }: TestWorkflowEnvironment): Promise<void> {
  const file = basename(expect.getState().testPath ?? '', '.test.ts');
  const ours: WorkflowExecutionInfo[] = [];
  for await (const run of workflow.list({ query: `WorkflowType = "${WORKFLOW_TYPE}"` }))
    if (run.startTime >= begun) ours.push(run);
  ours.sort((a, b) => Number(a.startTime) - Number(b.startTime));
  const parts = new Map<string, number>();
  const taken = new Map<string, string[]>();
  mkdirSync(folder, { recursive: true });
  for (const { workflowId, runId, startTime, historySize = 0 } of ours) {
    const part = (parts.get(workflowId) ?? 0) + 1;
    parts.set(workflowId, part);
    if (historySize > MOST_BYTES) continue;
    const title = tests.findLast(({ at }) => at <= startTime)?.title ?? tests[0]?.title ?? '';
    const name = [file, slug(title)].filter(Boolean).join('.');
    const ids = taken.get(name) ?? [];
    taken.set(name, ids);
    if (!ids.includes(workflowId)) ids.push(workflowId);
    const history = await workflow.getHandle(workflowId, runId).fetchHistory();
    const run = ids.indexOf(workflowId) + 1;
    writeHistory(join(folder, `${name}.${pass}-${run}.part-${part}.json.gz`), history);
  }
}

/** The condition of a test, in few words. */
function slug(title: string): string {
  const [condition = ''] = title.split('→');
  const words = condition.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 48).replace(/-$/, '');
}
