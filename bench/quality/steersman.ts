/** Steersman's sides: real runs on a local server, each in one mode and unattended. */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { resultOf } from '../../packages/test-kit/test-team.js';
import { WORKFLOW_TYPE } from '../../src/run/agents/run-config.js';
import { createSteersmanWorker } from '../../src/worker/create-worker.js';
import { stateQuery, steerSignal } from '../../src/workflows/run/definitions.js';
import type { TestProject } from '../../test/support/project.js';
import { quietTemporal } from '../../test/support/quiet.js';
import { startServer } from '../support/arena.js';
import { endProcess } from '../support/processes.js';
import type { Side } from './sides.js';

const TASK_QUEUE = 'bench-quality';
const LOOK_EVERY_MS = 100;

interface SideOptions {
  model: string;
  /** Time limit of a run. */
  mostMs: number;
  /** True if runs get the checks of their tasks. */
  checks: boolean;
}

export interface Steersman {
  side(mode: string, options: SideOptions): Side;
  close(): Promise<void>;
}

export async function startSteersman({ dir, configDir }: TestProject): Promise<Steersman> {
  quietTemporal();
  const { server, address } = await startServer(dir, 'memory');
  const connection = await Connection.connect({ address });
  const nativeConnection = await NativeConnection.connect({ address });
  const { worker, shutdown, close } = await createSteersmanWorker({
    connection: nativeConnection,
    namespace: 'default',
    taskQueue: TASK_QUEUE,
    configDir,
    home: join(dir, 'home'),
    localStack: true,
    takesOver: false,
  });
  const running = worker.run();
  const client = new Client({ connection });
  return {
    side: (mode, options) => sideOf(client, mode, options),
    async close() {
      shutdown();
      await running;
      await close();
      await Promise.all([connection.close(), nativeConnection.close()]);
      await endProcess(server);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function sideOf(client: Client, mode: string, { model, mostMs, checks }: SideOptions): Side {
  return {
    name: mode,
    async play({ goal, steer, checks: given }, workspace, said, signal) {
      const limits = { wallTimeMs: mostMs };
      const checked = checks && given.length > 0 ? { checks: given } : {};
      const input = { goal, settings: { mode, model, workspace, autoApprove: true, limits, ...checked } };
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
          // A run that has not begun yet does not answer the query.
          const called = () =>
            handle.query(stateQuery).then(
              ({ counters }) => counters.toolCalls > 0,
              () => false,
            );
          while (!isOver && !(await called())) await sleep(LOOK_EVERY_MS);
          // A run that ends without calling a tool gets no message.
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
