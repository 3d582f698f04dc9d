/** A summary in the place of a conversation's older messages: what goes, what is asked of a model, what it becomes. */

import { estimateMessageTokens } from '../limits/tokens.js';
import { Faults, formOfFields, list, type ReadAll, readFields, text, texts } from '../outputs/fields.js';
import { expected, type Parsed } from '../outputs/output-fields.js';
import { extractJson } from '../outputs/parse-output.js';
import { delimit } from '../prompts/prompt.js';
import { fill, type Words } from '../prompts/words.js';
import type { Message } from '../state/message.js';
import { fitted, told } from '../text/fit.js';
import { anchorsOf, groupsOf } from '../text/trim.js';

/** Who is said to have written it, in usage and conversation: no role of its own, it is asked in that of who works. */
export const COMPACTOR = 'compactor';

/** What is to be kept of what goes (X6). */
const summary = {
  goals: texts({ about: 'what the person wants and has asked for on the way, in their words' }),
  decisions: texts({ about: 'what was decided, each with why' }),
  facts: list(
    { fact: text({ filled: true }), source: text({ about: 'file, address, or tool with its arguments' }) },
    { about: 'what was found out, with figures, names and paths as they are' },
  ),
  openTasks: texts({ about: 'what is still to be done, and what was tried in vain' }),
  references: texts({ about: 'ids of artifacts, messages and results that may be needed' }),
};

export type Summary = ReadAll<typeof summary>;

const SUMMARY_BYTES = 16_000;

export function summaryRequest(words: Words): string {
  return `${words.compact}\n{ ${formOfFields(summary)} }`;
}

export function summaryAgain(errors: readonly string[], words: Words): string {
  const named = errors.slice(0, 5).map(error => `- ${told(error)}`);
  return `${words.reask}\n${named.join('\n')}\n\n${words.reaskForm}\n{ ${formOfFields(summary)} }`;
}

/** What does not fit its bound is cut. One that says nothing is none. */
export function readSummary(said: string): Parsed<Summary> {
  const faults = new Faults();
  const json = extractJson(said);
  if (json === null)
    return { ok: false, value: null, errors: [expected('The reply', 'one complete JSON object', said)] };
  const value = readFields(summary, json, faults);
  const isEmpty = Object.values(value).every(part => part.length === 0);
  if (isEmpty) faults.add('facts', 'what was found out', json.facts);
  if (faults.fatal) return { ok: false, value: null, errors: faults.said };
  return { ok: true, value: fitted(value, SUMMARY_BYTES) };
}

/** As roles read it: data, for what tools said may stand in it. */
export function summaryText(value: Summary, count: number, words: Words): string {
  const facts = value.facts.map(({ fact, source }) => (source === '' ? fact : `${fact} (${source})`));
  const parts: [string, readonly string[]][] = [
    [words.summaryGoals, value.goals],
    [words.summaryDecisions, value.decisions],
    [words.summaryFacts, facts],
    [words.summaryOpen, value.openTasks],
    [words.summaryReferences, value.references],
  ];
  const said = parts.flatMap(([title, lines]) =>
    lines.length === 0
      ? []
      : [`${title}\n${lines.map(line => `- ${line.replace(/\s+/g, ' ').trim()}`).join('\n')}`],
  );
  return `${fill(words.summary, { count })}\n${delimit('summary', said.join('\n\n'))}`;
}

/** The oldest messages that a summary may take the place of, a call never without its result; and what is left. */
export function whatGoes(
  messages: readonly Message[],
  { targetTokens, taskId }: { targetTokens: number; taskId: string | null },
): { gone: Set<Message>; tokens: number } {
  const anchors = anchorsOf(messages, taskId, true);
  const gone = new Set<Message>();
  let tokens = messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
  for (const { first, last } of groupsOf(messages)) {
    if (tokens <= targetTokens) break;
    if (anchors.some(at => at >= first && at <= last)) continue;
    for (const message of messages.slice(first, last + 1)) {
      gone.add(message);
      tokens -= estimateMessageTokens(message);
    }
  }
  return { gone, tokens };
}

/** The conversation with a message in the place of the first of those that go. */
export function inPlaceOf(
  messages: readonly Message[],
  gone: ReadonlySet<Message>,
  message: Message,
): Message[] {
  const at = messages.findIndex(each => gone.has(each));
  return messages.flatMap((each, index) => [
    ...(index === at ? [message] : []),
    ...(gone.has(each) ? [] : [each]),
  ]);
}
