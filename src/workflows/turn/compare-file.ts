import type { ComparedFile } from '../../core/gates/whole-write.js';
import { wholeWrite } from '../../core/gates/whole-write.js';
import type { ToolUseBlock } from '../../core/message.js';
import { inlineInput } from '../../core/tools/batch-input.js';
import type { ToolDefinition } from '../../core/tools/tool.js';
import type { Run } from '../run.js';

/** Whether somebody is asked about a call that writes a whole file of the worker's. */
export function isCompared({ state }: Run, call: ToolUseBlock, { origin }: ToolDefinition): boolean {
  const { attended, autoApprove } = state.settings;
  const isOfWorker = origin.type === 'mcp' || origin.type === 'activity';
  return attended === true && !autoApprove && isOfWorker && wholeWrite(call.input) !== null;
}

/** The file beside what the call brings, for the gate of the call. */
export async function compareFile(run: Run, call: ToolUseBlock): Promise<ComparedFile> {
  const { workspace } = run.state.settings;
  const called = await run.ports.compareFile({ callId: call.id, workspace, ...inlineInput(call.input) });
  run.ports.throwIfCancelled();
  return called.ok ? called.value : { kind: 'unread' };
}
