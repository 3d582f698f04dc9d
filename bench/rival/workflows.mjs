// The rival's workflow: one agent with one tool, as its own guide writes it.
import { Agent } from '@openai/agents-core';
import { activityAsTool, TemporalOpenAIRunner } from '@temporalio/openai-agents/workflow';
// `bundle.mjs` writes this file: a prompt as long as one of our roles has, or a single sentence.
import { instructions } from './instructions.mjs';

const lookup = activityAsTool(
  {
    name: 'lookup',
    description: 'Gives the record of a number.',
    parameters: {
      type: 'object',
      properties: { number: { type: 'integer' } },
      required: ['number'],
      additionalProperties: false,
    },
  },
  { startToCloseTimeout: '1 minute' },
);

export async function rivalRun(goal) {
  const agent = new Agent({ name: 'Assistant', instructions, model: 'gpt-5-mini', tools: [lookup] });
  const result = await new TemporalOpenAIRunner().run(agent, goal, { maxTurns: 1_000 });
  return result.finalOutput ?? '';
}
