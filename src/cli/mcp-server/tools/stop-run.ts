/** `stop_run`: a run ends with what there is. */
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { runId } from '../shapes.js';
import { addTool, runOf, type ToolContext } from '../tool.js';

const input = z.strictObject({
  id: runId,
  reason: z.string().default('').describe('Why; the record of the run keeps it.'),
});

const output = z.object({ id: z.string(), next: z.string() });

export function addStopRun(server: McpServer, context: ToolContext): void {
  addTool(server, context, {
    name: 'stop_run',
    title: 'Stop a run',
    description:
      'Ask a run to end with what there is, without another model call. A run that was stopped can not be resumed; start_run with `after` goes on from its answer. To change what it does, use steer_run.',
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    run: async ({ id, reason }) => {
      const run = await runOf(context, id);
      await run.stop(reason);
      return {
        id,
        next: 'It ends with what there is: get_result has it when watch_run says that it has ended.',
      };
    },
  });
}
