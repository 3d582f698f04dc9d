/** Messages from the run to its roles: their prompts, their instructions, and what the workspace contains. */

import { fill } from '../../base/words/words.js';
import { withCallContext } from '../../rules/prompts/call-context.js';
import { inventoryText } from '../../rules/prompts/inventory.js';
import { introduction } from '../../rules/prompts/shared-prefix.js';
import { holdsNotes, notesText, takesNotes } from '../../run/agents/project-notes.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { textOf } from '../../run/messages/message.js';
import type { Thread } from '../../run/state/thread.js';
import { holdsPrompt, roleAtHand } from '../../run/state/thread.js';
import { valuesOf } from '../beside/moments.js';
import type { Run } from '../run/run.js';

/** Instructs a role; `taskId`: the task that the instruction is about, if any. */
export function instruct(run: Run, role: PinnedRole, text: string, taskId: string | null = null): void {
  const withContext = withCallContext(run.state, role, text, valuesOf(run));
  introduce(run, role);
  const isOwn = role.prefix === 'own';
  const to = isOwn ? '' : `${fill(run.words.asRole, { role: role.name })}\n\n`;
  const about = { ...(!isOwn && { role: role.name }), ...(taskId !== null && { taskId }) };
  run.say(run.threadOf(role), 'instruction', `${to}${withContext}`, about);
}

/** Adds the project notes of the workspace, once a thread. */
export function giveNotes(run: Run, thread: Thread): void {
  const { projectNotes } = run.pinned;
  if (projectNotes === null || holdsNotes(thread)) return;
  run.say(thread, 'notes', notesText(projectNotes, run.words));
}

/** Lists the workspace's files as a follow-up begins, if they have changed: one look a goal. */
export async function tellFiles(run: Run): Promise<void> {
  const { state, ports, pinned, words } = run;
  if (state.goal.listed) return;
  state.goal.listed = true;
  if (pinned.files === undefined) return;
  const seen = await ports.look({ at: 'list', workspace: state.settings.workspace });
  ports.throwIfCancelled();
  if (!seen.ok) return;
  const { messages } = run.mainThread();
  const filesMessage = messages.findLast(message => message.kind === 'user' && message.purpose === 'files');
  const before = filesMessage ? textOf(filesMessage) : inventoryText(pinned.files, words);
  const text = inventoryText(seen.value, words);
  if (text !== before) run.say(run.mainThread(), 'files', text);
}

/** Repeats the role's prompt if another role spoke or a trim removed it. */
export function nameRole(run: Run, role: PinnedRole): void {
  if (role.prefix === 'own') return;
  const thread = run.threadOf(role);
  givePrompt(run, thread, role);
  if (roleAtHand(thread) === role.name) return;
  const text = fill(run.words.goOnAs, { role: role.name });
  run.say(thread, 'instruction', text, { role: role.name });
}

/** Adds what a role reads once a thread. Called before branches copy the thread, so that all copies have it. */
export function introduce(run: Run, role: PinnedRole): void {
  const thread = run.threadOf(role);
  if (takesNotes(role)) giveNotes(run, thread);
  if (role.prefix !== 'own') givePrompt(run, thread, role);
}

function givePrompt(run: Run, thread: Thread, role: PinnedRole): void {
  if (holdsPrompt(thread, role.name)) return;
  run.say(thread, 'role', introduction(run.pinned, role, run.words), { role: role.name });
}
