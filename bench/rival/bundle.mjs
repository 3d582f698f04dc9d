// Bundles the rival's workflow into the file that the first argument names. The second argument is the agent's
// prompt.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { OpenAIProvider } from '@openai/agents-openai';
import { OpenAIAgentsPlugin } from '@temporalio/openai-agents';
import { bundleWorkflowCode } from '@temporalio/worker';

const [file, instructions = ''] = process.argv.slice(2);
const here = name => fileURLToPath(new URL(name, import.meta.url));
writeFileSync(here('./instructions.mjs'), `export const instructions = ${JSON.stringify(instructions)};\n`);
const quiet = { trace() {}, debug() {}, info() {}, warn: console.error, error: console.error, log() {} };
const { code } = await bundleWorkflowCode({
  workflowsPath: here('./workflows.mjs'),
  plugins: [new OpenAIAgentsPlugin({ modelProvider: new OpenAIProvider({ apiKey: 'bench' }) })],
  logger: quiet,
  // Dependencies import some modules lazily, but the workflow sandbox loads only one file.
  webpackConfigHook: config => ({
    ...config,
    module: { ...config.module, parser: { javascript: { dynamicImportMode: 'eager' } } },
  }),
});
writeFileSync(file, code);
