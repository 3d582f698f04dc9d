// The rival's worker, with the default options of its guide and one tool as an activity.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setTracingDisabled } from '@openai/agents-core';
import { OpenAIProvider } from '@openai/agents-openai';
import { OpenAIAgentsPlugin } from '@temporalio/openai-agents';
import { NativeConnection, Worker } from '@temporalio/worker';
import OpenAI from 'openai';

const { address, taskQueue, baseURL, bundle, toolMs, toolBytes } = JSON.parse(process.argv[2]);
// Its spans would go to a service of the vendor.
setTracingDisabled(true);
const openAIClient = new OpenAI({ baseURL, apiKey: 'bench' });
const plugin = new OpenAIAgentsPlugin({
  modelProvider: new OpenAIProvider({ openAIClient, useResponses: false }),
});
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowBundle: { code: readFileSync(bundle, 'utf8') },
  activities: {
    lookup: async ({ number }) => {
      await sleep(toolMs);
      return `Record ${number}: `.padEnd(toolBytes, 'all is as it should be, ');
    },
  },
  plugins: [plugin],
});
console.error(`Serving the task queue ${taskQueue}.`);
await worker.run();
await connection.close();
