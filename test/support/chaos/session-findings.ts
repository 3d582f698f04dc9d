/** Whether a stateful server's sessions kept what they were told, as the conversation tells it. */
import type { Message, ToolResultBlock } from '../../../src/core/state/message.js';
import { toolCallsOf } from '../../../src/core/state/message.js';
import type { RunDraft } from './kinds.js';
import { KEEPER } from './tool-work.js';

/** What a session of the keeper says before it was told anything. */
const NEW = 'nothing';

/** What is recalled was remembered last, in the same session. */
export function sessionFaults(thread: readonly Message[], { settings }: RunDraft): string[] {
  const asked = new Map<string, string>();
  const faults: string[] = [];
  let possible = [NEW];
  for (const message of thread) {
    if (message.kind === 'assistant')
      for (const { id, input } of toolCallsOf(message)) asked.set(id, String(input.text));
    // A task beside others has a session of its own.
    const isBrief = message.kind === 'user' && message.purpose === 'brief';
    if (isBrief && (settings.limits?.parallelTasks ?? 1) > 1) possible = [...possible, NEW];
    if (message.kind !== 'tool_result') continue;
    const [result] = message.content;
    if (!result.toolName.startsWith(`${KEEPER}__`)) continue;
    const said = textOf(result);
    const isRecalled =
      result.toolName === `${KEEPER}__recall` && result.ending === 'executed' && !result.isError;
    if (isRecalled && !possible.includes(said))
      faults.push(`${result.toolUseId} recalls "${said.slice(0, 20)}", not ${possible.join(' or ')}`);
    possible = isRecalled ? [said] : after(result, asked.get(result.toolUseId) ?? '', possible);
  }
  return faults;
}

/** What the session may say now. */
function after(
  { toolName, ending, isError }: ToolResultBlock,
  text: string,
  before: readonly string[],
): string[] {
  if (ending === 'session_lost') return [NEW];
  const mayHaveRun = ending === 'outcome_unknown' || ending === 'cancelled' || isError;
  const isRemembered = toolName === `${KEEPER}__remember`;
  if (!mayHaveRun) return isRemembered && ending === 'executed' ? [text] : [...before];
  return isRemembered ? [...before, text, NEW] : [...before, NEW];
}

function textOf({ content }: ToolResultBlock): string {
  return content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('');
}
