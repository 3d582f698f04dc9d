/** Whether a stateful server's sessions kept what they were told, as the conversation tells it. */
import type { Message, ToolResultBlock } from '../../../src/run/messages/message.js';
import { toolCallsOf } from '../../../src/run/messages/message.js';
import type { RunDraft } from './kinds.js';
import { KEEPER } from './tool-work.js';

/** What a session of the keeper says before it was told anything. */
const NEW = 'nothing';
const REMEMBER = `${KEEPER}__remember`;

/** What is recalled was remembered last, in the same session. */
export function sessionFaults(
  thread: readonly Message[],
  { settings }: Pick<RunDraft, 'settings'>,
): string[] {
  const isSideBySide = (settings.limits?.parallelTasks ?? 1) > 1;
  const asked = new Map<string, string>();
  const faults: string[] = [];
  let possible = [NEW];
  for (const message of thread) {
    if (message.kind === 'assistant')
      for (const { id, input } of toolCallsOf(message)) asked.set(id, String(input.text));
    // A task beside others opens a session, or goes on in that of one that has ended, which may stand behind it here.
    if (isSideBySide && message.kind === 'user' && message.taskId !== undefined)
      possible = [NEW, ...rememberedUntil(thread, message.at)];
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

function rememberedUntil(thread: readonly Message[], time: number): string[] {
  return thread
    .flatMap(message => (message.kind === 'assistant' && message.at <= time ? toolCallsOf(message) : []))
    .flatMap(({ name, input }) => (name === REMEMBER ? [String(input.text)] : []));
}

/** What the session may say now. */
function after(
  { toolName, ending, isError }: ToolResultBlock,
  text: string,
  before: readonly string[],
): string[] {
  if (ending === 'session_lost') return [NEW];
  const mayHaveRun = ending === 'outcome_unknown' || ending === 'cancelled' || isError;
  const isRemembered = toolName === REMEMBER;
  if (!mayHaveRun) return isRemembered && ending === 'executed' ? [text] : [...before];
  return isRemembered ? [...before, text, NEW] : [...before, NEW];
}

function textOf({ content }: ToolResultBlock): string {
  return content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('');
}
