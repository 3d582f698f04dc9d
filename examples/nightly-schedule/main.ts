import { connect } from 'steersman/client';
import { createWorker } from 'steersman/worker';

const SCHEDULE = 'nightly-report';
const TASK_QUEUE = 'nightly';

const steersman = await connect({ report: console.error });
const { address, namespace, schedules } = steersman;
const worker = await createWorker({
  address,
  namespace,
  taskQueue: TASK_QUEUE,
  settings: { models: { default: process.env.MODEL ?? 'demo' }, workspaces: [process.cwd()] },
});

await schedules.create(SCHEDULE, 'Say in five lines what changed in this folder.', {
  cron: '30 2 * * *',
  timezone: 'Europe/Paris',
  taskQueue: TASK_QUEUE,
  replace: true,
});

if (process.argv.includes('--now')) {
  await worker.runUntil(async () => {
    const id = await schedules.trigger(SCHEDULE);
    if (id === null) return console.log('A run of it is open.');
    const { outcome, text } = await (await steersman.attach(id)).result();
    console.log(`${outcome}: ${text}`);
  });
} else {
  await worker.run();
}
await steersman.close();
