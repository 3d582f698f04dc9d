import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { connect } from 'steersman/client';
import { SteersmanPlugin } from 'steersman/worker';
import { activities } from './activities.ts';
import type { releaseNotes } from './workflows.ts';

// An application knows its own server. This example uses the server that the command line would use or start.
const { address, namespace, close } = await connectedTo();
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue: 'releases',
  workflowsPath: fileURLToPath(new URL('./workflows.ts', import.meta.url)),
  activities,
  plugins: [
    new SteersmanPlugin({
      settings: {
        models: { default: process.env.MODEL ?? 'demo' },
        workspaces: [process.cwd()],
      },
    }),
  ],
});
await worker.runUntil(async () => {
  const client = new Client({ connection: await Connection.connect({ address }), namespace });
  const published = await client.workflow.execute<typeof releaseNotes>('releaseNotes', {
    workflowId: `release-notes-${Date.now()}`,
    taskQueue: 'releases',
    args: ['2.0', process.cwd()],
  });
  console.log(published);
  await client.connection.close();
});
await connection.close();
await close();

async function connectedTo() {
  const steersman = await connect({ report: console.error });
  return {
    address: steersman.address,
    namespace: steersman.namespace,
    close: () => steersman.close(),
  };
}
