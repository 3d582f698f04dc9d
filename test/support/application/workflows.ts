/** Workflows of an application that shares its worker with runs. */
import {
  ApplicationFailure,
  condition,
  continueAsNew,
  defineQuery,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { callingRun, executeRun, runHandle, startRun } from '../../../src/workflows/index.js';

export interface Activities {
  charge(order: string): Promise<string>;
}

const { charge } = proxyActivities<Activities>({ startToCloseTimeout: '10 seconds' });

/** Charges, then has a team work on the order. */
export async function settleOrder(order: string, workspace: string) {
  const receipt = await charge(order);
  const { id, outcome, text } = await executeRun(
    `Refund the order ${order}`,
    { workspace, autoApprove: true },
    { workflowId: `refund-${order}` },
  );
  return { receipt, id, outcome, text };
}

/** A goal that no team can begin: a run that fails leaves its result all the same. */
export async function tryWithout(workspace: string) {
  const { outcome } = await executeRun('Try it', { workspace, model: 'nobody/there' });
  return outcome;
}

/** A tool of runs: tells the run that called it what it should know besides. */
export async function payBack({ order }: { order: string }) {
  if (order === 'A-9') throw ApplicationFailure.nonRetryable('A-9 was paid back before');
  await callingRun()?.steer({ text: `${order} is a gift: do not name its price.`, when: 'after-batch' });
  return { receipt: `R-${order}` };
}

/** A tool of runs: charges once for each call. */
export async function chargeByKey() {
  return charge(callingRun()?.idempotencyKey ?? 'no key');
}

/** Has a run pay orders back, and decides itself which of them it may. */
export async function refundDesk(workspace: string) {
  const asked: string[] = [];
  const run = await startRun(
    'Pay back A-7, A-8 and A-9',
    { workspace, mode: 'react', attended: true },
    {
      onGate: gate => {
        if (gate.kind !== 'approval') return null;
        asked.push(gate.subject.arguments);
        const isLate = gate.body.includes('A-8');
        return isLate ? { decision: 'deny', reason: 'A-8 came too late.' } : { decision: 'approve' };
      },
    },
  );
  const { outcome, text } = await run.result();
  return { asked, outcome, text };
}

/** Asks one thing after the other of a run that it answers itself. */
export async function interview(workspace: string) {
  const run = await startRun(
    'What lies at the quay?',
    { workspace, mode: 'direct', attended: true, keepOpenSeconds: 60 },
    { onGate: () => null },
  );
  await run.followUp('And what is at sea?');
  await run.finish();
  const { outcome, goals } = await run.result();
  return { outcome, asked: goals.map(({ text }) => text) };
}

/** Has its answer when nobody waits for it any more. */
export async function lateDesk(workspace: string) {
  let isOver = false;
  const run = await startRun(
    'Pay back A-7',
    { workspace, mode: 'react', attended: true },
    {
      onGate: async () => {
        await run.stop({ reason: 'The shop closes.' });
        await condition(() => isOver);
        return { decision: 'approve' };
      },
    },
  );
  const { outcome } = await run.result();
  isOver = true;
  // The answer has come back before this has.
  await runHandle(run.id)
    .finish()
    .catch(() => {});
  await charge('A-7');
  return outcome;
}

/** A tool of runs: goes on as another part, charges, and waits for ever. */
export async function watchTide({ part = 1 }: { part?: number }): Promise<void> {
  if (part === 1) await continueAsNew<typeof watchTide>({ part: 2 });
  await charge('the tide');
  await condition(() => false);
}

/** Has a run that goes on as another part at each step. */
export async function tideDesk(workspace: string) {
  const inParts = { continueAsNew: 'every-safe-point' };
  const settings = { workspace, mode: 'react', autoApprove: true, ...inParts };
  return executeRun('Watch the tide', settings, { workflowId: 'tide-run' });
}

const whereQuery = defineQuery<string>('where');

/** Charges, and stands still in every replay until then, as on a machine that is too slow or asleep. */
export async function slowToReplay(untilMs: number) {
  setHandler(whereQuery, () => 'here');
  const charged = charge('A-7');
  const { unsafe } = workflowInfo();
  while (unsafe.isReplaying && unsafe.now() < untilMs);
  await charged;
}
