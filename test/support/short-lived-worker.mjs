// A worker that a test kills, in a process of its own: as `npm run worker` makes it, but with the sticky timeout
// of `stickyMs`. Its options are its only argument, as JSON. Says `ready` to its parent when it polls.
import { NativeConnection } from '@temporalio/worker';
import { createSteersmanWorker } from '../../dist/worker/create-worker.js';

const { address, stickyMs, ...options } = JSON.parse(process.argv[2] ?? '{}');
const { worker } = await createSteersmanWorker({
  ...options,
  connection: await NativeConnection.connect({ address }),
  namespace: 'default',
  localStack: true,
  takesOver: false,
  temporal: { stickyQueueScheduleToStartTimeout: stickyMs },
});
const running = worker.run();
process.send?.('ready');
await running;
