/** Steersman's sides: real runs on a local server, in one mode each, with nobody attending. */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { resultOf } from '../../src/testing/test-team.js';
import { createSteersmanWorker } from '../../src/worker/create-worker.js';
import { type RunInput, stateQuery, steerSignal, WORKFLOW_TYPE } from '../../src/workflows/messages.js';
import type { TestProject } from '../../test/support/project.js';
import { startTemporal } from '../../test/support/rig.js';
import type { Side } from './sides.js';

const TASK_QUEUE = 'bench-quality';
const LOOK_EVERY_MS = 100;

export interface Steersman {
  /** Runs of this mode with this model; each ends after so long at the latest. */
  side(mode: string, model: string, mostMs: number): Side;
  close(): Promise<void>;
}

export async function startSteersman(project: TestProject): Promise<Steersman> {
  const temporal = await startTemporal();
  const { worker, shutdown, close } = await createSteersmanWorker({
    connection: temporal.nativeConnection,
    namespace: 'default',
    taskQueue: TASK_QUEUE,
    configDir: project.configDir,
    home: join(project.dir, 'home'),
    localStack: true,
    takesOver: false,
  });
  const running = worker.run();
  return {
    side: (mode, model, mostMs) => sideOf(temporal.client, { mode, model, mostMs }),
    async close() {
      shutdown();
      await running;
      await close();
      await temporal.teardown();
      rmSync(project.dir, { recursive: true, force: true });
    },
  };
}

function sideOf(
  client: Client,
  { mode, model, mostMs }: { mode: string; model: string; mostMs: number },
): Side {
  return {
    name: mode,
    async play({ goal, steer }, workspace, said, signal) {
      const limits = { wallTimeMs: mostMs };
      const settings = { mode, model, workspace, autoApprove: true, limits };
      const input: RunInput = { goal, settings };
      const workflowId = `quality-${randomUUID().slice(0, 8)}`;
      const handle = await client.workflow.start(WORKFLOW_TYPE, {
        args: [input],
        taskQueue: TASK_QUEUE,
        workflowId,
      });
      const ended = resultOf(handle);
      const stop = () => void handle.terminate('the benchmark ends').catch(() => undefined);
      signal.addEventListener('abort', stop);
      try {
        if (steer !== null) {
          let isOver = false;
          void ended.catch(() => undefined).then(() => (isOver = true));
          const called = async () => (await handle.query(stateQuery)).counters.toolCalls > 0;
          while (!isOver && !(await called())) await sleep(LOOK_EVERY_MS);
          // A run that calls no tool ends without the word.
          if (!isOver) await handle.signal(steerSignal, { id: 'word', text: steer });
        }
        said();
        const { text, outcome, cause, usage, usageBy } = await ended;
        return {
          answer: text,
          failure: null,
          ended: cause,
          verified: outcome === 'completed',
          calls: usageBy.reduce((sum, { calls }) => sum + calls, 0),
          sent: usage.inputTokens,
          cached: usage.cachedInputTokens,
          output: usage.outputTokens,
        };
      } finally {
        signal.removeEventListener('abort', stop);
      }
    },
  };
}
