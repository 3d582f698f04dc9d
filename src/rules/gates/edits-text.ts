/** The gate of several changes of files in one reply: one question, with each change in full. */

import { escapeUnseen, visibleText } from '../../base/text/unseen.js';
import { fill, type Words } from '../../base/words/words.js';
import type { Gate } from '../../run/gates/gate.js';
import { allowedBy } from '../../run/tools/permission.js';
import { barred } from './gate-parts.js';
import {
  type AskedTool,
  alwaysText,
  argumentLine,
  besideEdit,
  changeOf,
  editText,
  type GateText,
  namedTool,
  whyShown,
} from './gate-text.js';
import { type ComparedFile, MOST_DIFF_CHARS, PATH, textUnder, wholeWrite } from './whole-write.js';

export interface EditCall {
  tool: AskedTool;
  callId: string;
  input: Record<string, unknown>;
  concerns: readonly string[];
  compared: ComparedFile | null;
}

/** True if the change of a call can be shown in full without its arguments. */
export function isShownWhole({ input, compared }: Pick<EditCall, 'input' | 'compared'>): boolean {
  if (textUnder(input, PATH) === null) return false;
  const change = editText(input);
  if (change !== null) return change.length <= MOST_DIFF_CHARS;
  if (!compared || compared.kind === 'unread') return false;
  return compared.kind === 'same' || compared.diff.length <= MOST_DIFF_CHARS;
}

/** Returns the question about changes that can be shown in full. */
export function editsOf(
  words: Words,
  edits: readonly [EditCall, ...EditCall[]],
  thought: string,
): GateText & { subject: Extract<Gate, { kind: 'approval' }>['subject'] } {
  const [{ tool, callId, input }] = edits;
  const isOne = edits.every(
    each => each.tool.name === tool.name && allowedBy(each.tool.name, each.input) === tool.name,
  );
  const why = whyShown(thought);
  const parts = [
    isOne ? alwaysText(words, tool.name, tool.name) : words.gateAlwaysThese,
    words.gateExcept,
    ...(why === null ? [] : [fill(words.gateWhy, { thought: why })]),
    ...edits.flatMap((edit, index) => changeLines(words, edit, index + 1)),
  ];
  const calls = edits.map(each => ({
    ...namedTool(each.tool),
    callId: each.callId,
    path: visibleText(textUnder(each.input, PATH) ?? ''),
    ...(each.concerns.length > 0 && { concerns: [...each.concerns] }),
    ...(each.compared && wholeWrite(each.input) !== null && { compared: each.compared.kind }),
  }));
  return {
    title: fill(words.gateEdits, { count: edits.length }),
    body: parts.join('\n\n'),
    subject: {
      ...{ ...namedTool(tool), callId, arguments: argumentLine(input), calls },
      ...(why !== null && { why }),
      ...(!isOne && { always: null }),
      ...(isOne && tool.digest !== undefined && { digest: tool.digest }),
    },
  };
}

function changeLines(words: Words, { tool, input, concerns, compared }: EditCall, number: number): string[] {
  const path = escapeUnseen(JSON.stringify(textUnder(input, PATH) ?? ''));
  return [
    [`${number}. ${tool.name} ${path}`, ...unshownArguments(input)].join(' '),
    ...concerns.map(concern => `- ${barred(concern)}`),
    ...changeOf(words, input, compared),
  ];
}

/** Returns the arguments that neither path nor diff shows, such as one that replaces all occurrences. */
function unshownArguments(input: Record<string, unknown>): string[] {
  if (editText(input) === null) return [];
  const all = besideEdit(input);
  return all.flatMap((rest, index) => {
    if (Object.keys(rest).length === 0) return [];
    const of = index === 0 || all.length === 2 ? '' : `edit ${index}: `;
    return [`(${of}${escapeUnseen(JSON.stringify(rest))})`];
  });
}
