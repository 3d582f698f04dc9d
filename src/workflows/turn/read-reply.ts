/** Reads a reply by its role's contract, and sends an unreadable one back once. */

import { OPINION_BYTES, QUESTION_BYTES } from '../../base/sizes/bounds.js';
import { fitted } from '../../base/text/fit.js';
import type { Words } from '../../base/words/words.js';
import { joinCut, withCutNote } from '../../conversation/cut-text.js';
import { capabilitiesOf } from '../../rules/agents/capabilities.js';
import { isSilent } from '../../rules/limits/model-failure.js';
import { parseRoleOutput, type RoleReply, reaskText, silentText } from '../../rules/outputs/parse-output.js';
import { decideTask } from '../../rules/plan/decide.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { offeredTools } from '../../run/agents/run-config.js';
import type { EvidenceItem } from '../../run/evidence/evidence.js';
import type { AssistantMessage } from '../../run/messages/message.js';
import { CONTRACTS, type OutputContract, type OutputOf } from '../../run/outputs/contracts.js';
import type { EnvelopeMeta } from '../../run/outputs/envelope.js';
import type { SpecialOutput } from '../../run/outputs/special-output.js';
import { planInForce } from '../../run/plan/plan.js';
import { choicesOf } from '../../run/position/modes.js';
import { here, taskAt } from '../../run/state/cursor.js';
import { accountOf } from '../../run/state/run-state.js';
import { shown } from '../../run/state/trace.js';
import type { Run } from '../run/run.js';
import type { WholeReply } from './call-model.js';

/** True if the role has tools, and may call them now. */
export function mayCall({ pinned }: Run, role: PinnedRole, toolsOffered: boolean): boolean {
  return toolsOffered && offeredTools(pinned, role).length > 0;
}

/** How the role's turns end, by its last reply. */
export type ReplyEnd<C extends OutputContract = OutputContract> =
  | { kind: 'reply'; message: AssistantMessage; output: OutputOf[C]; envelope: EnvelopeMeta }
  /** The role asks the user, reports an error or escalates, instead of its output. */
  | { kind: 'special'; special: SpecialOutput }
  /** The reply could not be read, even after a re-ask. */
  | { kind: 'unusable'; text: string; errors: string[] };

/** Reads a reply by the role's contract. Null: it was sent back, which happens once a turn and costs no round. */
export function readReply<C extends OutputContract>(
  run: Run,
  role: PinnedRole,
  { output: contract, tools }: { output: C; tools: boolean },
  reply: WholeReply & { strayCalls: number },
): ReplyEnd<C> | null {
  const { turns } = here(run.cursor);
  const { message } = reply;
  const text = turns.cut === null ? reply.text : joinCut(turns.cut, reply.text);
  const has = contract === 'plan' ? capabilitiesOf(run.pinned) : null;
  const evidence = contract === 'verdict' ? evidenceAt(run) : undefined;
  const known = {
    names: namesFor(contract, run),
    has,
    evidence,
    steps: run.behaves(4),
    failures: run.behaves(5),
  };
  const options = { ...known, dialect: role.dialect };
  const asked = turns.reasked || turns.cut !== null;
  const isCut = message.stopReason === 'max_tokens' || (turns.cut !== null && reply.text.trim() === '');
  const parsed = parseRoleOutput(contract, text, options);
  const read = isCut ? whereCut(contract, parsed, { asked, words: run.words }) : parsed;
  const special = read.special && fitted(read.special, QUESTION_BYTES);
  const envelope = fitted(read.envelope, OPINION_BYTES);
  const value = read.value === null ? null : fitted(read.value, CONTRACTS[contract].maxBytes);
  const decidedBy = special ? null : deciderOf(run, contract, value);
  if (special || read.ok) noteOutput(run, reply, { decidedBy });
  if (special) return { kind: 'special', special };
  if (read.ok && value !== null) return { kind: 'reply', message, output: value, envelope };
  const faults = read.ok ? [] : read.errors;
  const errors = reply.strayCalls > 0 ? [run.words.noTools, ...faults] : faults;
  if (turns.reasked) {
    noteOutput(run, reply, { decidedBy, error: errors.join(' ') });
    return value === null
      ? { kind: 'unusable', text, errors }
      : { kind: 'reply', message, output: value, envelope };
  }
  turns.reasked = true;
  const account = accountOf(run.state);
  account.counters = { ...account.counters, reasks: account.counters.reasks + 1 };
  run.journal('reask', { role: role.name, errors });
  // A role with tools is told to continue: asking for its output now would end work that is not done.
  const goesOn = !isCut && isSilent(message) && mayCall(run, role, tools);
  const request = goesOn
    ? silentText(contract, role.dialect, run.words)
    : reaskText(contract, errors, role.dialect, run.words);
  run.say(run.threadOf(role), 'reask', request);
  return null;
}

/** Returns the names that a reply of this contract may or must use. */
function namesFor(contract: OutputContract, { state, pinned }: Run): string[] {
  if (contract === 'choice') return choicesOf(pinned.modes);
  const tasks = contract === 'verdict' ? planInForce(state.tasks) : state.tasks;
  return tasks.map(task => task.id);
}

/** Returns the evidence that a verdict may cite here. */
function evidenceAt({ cursor }: Run): readonly EvidenceItem[] | undefined {
  const at = here(cursor);
  return at.phase === 'verification' ? at.looked?.items : undefined;
}

/** Sends a reply that was cut at its limit back once. After that, cut text gets a note, and complete JSON is accepted. */
function whereCut<C extends OutputContract>(
  contract: C,
  read: RoleReply<OutputOf[C]>,
  { asked, words }: { asked: boolean; words: Words },
): RoleReply<OutputOf[C]> {
  if (read.special) return read;
  if (!read.ok) return { ...read, errors: [words.cutError] };
  if (contract !== 'text') return read;
  if (!asked) return { ...read, ok: false, errors: [words.cutError] };
  // The compiler does not see that the value of this contract is text.
  return { ...read, value: withCutNote(`${read.value}`, words) as OutputOf[C] };
}

/** Returns the field of an executor's reply that decides its task; null if the task ends anyway. */
function deciderOf<C extends OutputContract>(
  { cursor }: Run,
  contract: C,
  value: OutputOf[C] | null,
): string | null {
  const at = here(cursor);
  const taskId = taskAt(cursor);
  if (contract !== 'execution' || value === null || at.phase !== 'execution' || at.reporting) return null;
  // The compiler does not see that the value of this contract is a report.
  return taskId === null ? null : decideTask(value as OutputOf['execution'], taskId).by;
}

/** Notes a reply that counts as the role's output. */
function noteOutput(
  run: Run,
  { message: { role, id: messageId }, turn }: WholeReply,
  { decidedBy, error }: { decidedBy: string | null; error?: string },
): void {
  run.journal('output_read', {
    ...{ role, taskId: taskAt(run.cursor), turn, messageId },
    ...(decidedBy !== null && { decidedBy }),
    ...(error !== undefined && { error: shown(error) }),
  });
}
