/** Instructions to the role that chooses a goal's mode, and to roles that work on the goal itself. */

import { preview } from '../../base/text/preview.js';
import { delimit } from '../../base/words/prompt.js';
import { fill, type Words, wordsOf } from '../../base/words/words.js';
import type { PinnedRole } from '../../run/agents/role.js';
import type { CheckResult } from '../../run/checks/check.js';
import type { RunState } from '../../run/state/run-state.js';
import { agentsText, callsPerReply, goalChecksText, type OwnCallLimit, paragraphs } from './instructions.js';

export function choiceInstruction(state: RunState, role: Pick<PinnedRole, 'memory'>): string {
  const words = wordsOf(state);
  return paragraphs(
    words.choose,
    role.memory === 'shared' ? '' : delimit('goal', state.goal.text),
    modesText(state, words),
    words.choiceEnd,
  );
}

/** The modes belong to the project, so they are in the instruction, not in the role's prompt. */
function modesText({ pinned }: Pick<RunState, 'pinned'>, words: Words): string {
  const described = Object.entries(pinned?.modes ?? {}).filter(([, { does }]) => does !== null);
  if (described.length === 0) return '';
  const list = described.map(([name, { does }]) => `- ${name}: ${preview(does ?? '', 500)}`).join('\n');
  return `${words.modes}\n${list}`;
}

/** Returns the instruction to the answering role after a failed check. `wanted` says what to do about one that failed before the work. */
export function checksInstruction(
  state: RunState,
  wanted: readonly string[],
  results: readonly Pick<CheckResult, 'status' | 'redBefore'>[],
): string {
  const words = wordsOf(state);
  const isNew = results.some(({ status, redBefore }) => status === 'failed' && !redBefore);
  return paragraphs(words.afterCheck, delimit('checks', wanted.join('\n\n')), isNew ? words.mendChecks : '');
}

interface Turn {
  /** The turn's number, from 1. */
  number: number;
  of: number;
  rounds: number;
  /** The next role; null for the last. */
  next: string | null;
}

/** Returns the instruction of a role that does the whole work of a goal, or one step of a declared mode. */
export function answerInstruction(
  state: RunState,
  role: Pick<PinnedRole, 'memory' | 'tools' | 'agents'> & OwnCallLimit,
  { number, of, rounds, next }: Turn,
): string {
  const words = wordsOf(state);
  const most = { rounds, calls: callsPerReply(state, role) };
  const alone = role.tools.length === 0 ? words.answer : fill(words.work, most);
  const after = next === null ? words.stepLast : fill(words.stepNext, { role: next });
  return paragraphs(
    ...(of === 1 ? [alone] : [fill(words.step, { number, of, ...most }), after]),
    goalFor(state, role, words),
    goalChecksText(state, words),
    agentsText(state, role),
  );
}

/** Returns the previous step's answer, for a conversation that does not contain it. */
export function stepBeforeText(words: Words, role: string, answer: string): string {
  return `${fill(words.stepBefore, { role })}\n${delimit('answer', answer)}`;
}

/** A private conversation does not contain the goal. */
function goalFor(state: RunState, role: Pick<PinnedRole, 'memory'>, words: Words): string {
  return role.memory === 'shared' ? '' : `${words.goal}\n${delimit('goal', state.goal.text)}`;
}
