/** A worker of bare Temporal with default options. Its activity only waits as long as a call takes. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection, Worker } from '@temporalio/worker';

const { address, taskQueue, bundle, waitMs } = JSON.parse(process.argv[2] ?? '{}');
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowBundle: { code: readFileSync(bundle, 'utf8') },
  activities: { wait: () => sleep(waitMs) },
});
console.error(`Serving the task queue ${taskQueue}.`);
await worker.run();
await connection.close();
