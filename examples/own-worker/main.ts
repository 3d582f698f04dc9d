import { connect } from 'steersman/client';
import { check, createWorker, defineTool } from 'steersman/worker';
import { z } from 'zod';

const orders = new Map([['A-7', { customer: 'Ada', total: 40, refunded: false }]]);
const order = z.object({ id: z.string().describe('Number of the order, such as A-7') });

const findOrder = defineTool({
  name: 'find_order',
  description: 'Finds an order by its number.',
  input: order,
  readOnly: true,
  run: ({ id }) => orders.get(id) ?? `There is no order ${id}.`,
});

const refundOrder = defineTool({
  name: 'refund_order',
  description: 'Pays an order back to its customer.',
  input: order,
  run: ({ id }, { idempotencyKey }) => {
    const found = orders.get(id);
    if (!found) throw new Error(`There is no order ${id}.`);
    found.refunded = true;
    return { paidBack: found.total, reference: idempotencyKey };
  },
});

/** The check reads the books and ignores claims of models. */
const refunded = check(() => {
  const ok = orders.get('A-7')?.refunded === true;
  return { ok, why: ok ? 'the books have it' : 'the order A-7 is not refunded' };
});

const client = await connect({ report: console.error });
const worker = await createWorker({
  address: client.address,
  namespace: client.namespace,
  taskQueue: 'orders',
  tools: [findOrder, refundOrder],
  checks: { refunded },
  prompts: { default: 'You work for a small shop. Refund only what a customer asks to be refunded.' },
  settings: {
    models: { default: process.env.MODEL ?? 'demo' },
    workspaces: [process.cwd()],
  },
});
await worker.runUntil(async () => {
  const run = await client.start('Ada wants her money for order A-7 back.', {
    taskQueue: 'orders',
    autoApprove: true,
    checks: [{ function: 'refunded' }],
  });
  const { outcome, text } = await run.result();
  console.log(`${outcome}: ${text}`);
});
console.log(`Refunded: ${orders.get('A-7')?.refunded}`);
await client.close();
