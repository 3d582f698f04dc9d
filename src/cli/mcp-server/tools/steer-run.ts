/** `steer_run`: saying something to a run at work. */
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { STEER_TIMES } from '../../../core/steering/inbox.js';
import { runId } from '../shapes.js';
import { addTool, runOf, type ToolContext } from '../tool.js';

const input = z.strictObject({
  id: runId,
  text: z
    .string()
    .min(1)
    .describe('What to say, in plain words: a correction, a wish, a fact, "pause", "go on".'),
  when: z
    .enum(STEER_TIMES)
    .default('skip')
    .describe(
      'When it takes effect. skip: the tool call in progress ends, the rest of its batch is skipped. after-batch: all tool calls that were asked for run first. interrupt: the call in progress is cut off, where that is safe.',
    ),
  to: z.string().optional().describe('The role that it is for. Default: the one at work.'),
  followUp: z
    .boolean()
    .default(false)
    .describe('The text is the next goal: it begins when the goal at hand is answered.'),
});

const output = z.object({
  id: z.string(),
  messageId: z.string(),
  state: z
    .enum(['sent', 'accepted', 'applied', 'queued', 'dropped'])
    .describe('sent: no worker has taken it yet. dropped: it has no effect.'),
  how: z.string().nullable().describe('What will happen to the message, in a sentence.'),
});

export function addSteerRun(server: McpServer, context: ToolContext): void {
  addTool(server, context, {
    name: 'steer_run',
    title: 'Steer a run',
    description:
      'Say something to a run while it works, or give it its next goal. It is read before the next model call and changes the work from there on; watch_run shows what became of it. A gate is answered with answer_gate instead.',
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    run: async ({ id, text, when, to, followUp }) => {
      const run = await runOf(context, id);
      const said = followUp
        ? run.followUp(text)
        : run.steer(text, { when, ...(to === undefined ? {} : { to }) });
      const { id: messageId, state, how } = await said;
      return { id, messageId, state, how: how || null };
    },
  });
}
