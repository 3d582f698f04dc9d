import { Client, Connection, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { connect } from 'steersman/client';
import { createWorker } from 'steersman/worker';
import { WORKFLOW_TYPE } from 'steersman/workflow';

const SCHEDULE = 'nightly-report';
const TASK_QUEUE = 'nightly';

const steersman = await connect({ report: console.error });
const { address, namespace } = steersman;
const worker = await createWorker({
  address,
  namespace,
  taskQueue: TASK_QUEUE,
  settings: { models: { default: process.env.MODEL ?? 'rehearsal' }, workspaces: [process.cwd()] },
});
const temporal = new Client({ connection: await Connection.connect({ address }), namespace });

const schedule = {
  spec: { calendars: [{ hour: 2, minute: 30, comment: 'every night' }], timezone: 'Europe/Paris' },
  policies: { overlap: ScheduleOverlapPolicy.SKIP },
  action: {
    type: 'startWorkflow' as const,
    workflowType: WORKFLOW_TYPE,
    // The time of each start is added to the id.
    workflowId: SCHEDULE,
    taskQueue: TASK_QUEUE,
    args: [
      {
        goal: 'Say in five lines what changed in this folder.',
        settings: { mode: 'team', workspace: process.cwd(), autoApprove: false },
      },
    ],
  },
};
await temporal.schedule.create({ scheduleId: SCHEDULE, ...schedule }).catch(async error => {
  if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  await temporal.schedule.getHandle(SCHEDULE).update(({ state }) => ({ ...schedule, state }));
});

if (process.argv.includes('--now')) {
  await worker.runUntil(async () => {
    const run = await steersman.attach(await startedNow());
    const { outcome, answer } = await run.result();
    console.log(`${outcome}: ${answer}`);
  });
} else {
  await worker.run();
}
await temporal.connection.close();
await steersman.close();

/** Triggers the schedule; the id of the run that this starts. */
async function startedNow(): Promise<string> {
  const handle = temporal.schedule.getHandle(SCHEDULE);
  const before = (await handle.describe()).info.numActionsTaken;
  await handle.trigger();
  for (;;) {
    const { info } = await handle.describe();
    const last = info.recentActions.at(-1);
    if (info.numActionsTaken > before && last) return last.action.workflow.workflowId;
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}
