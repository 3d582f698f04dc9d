/** A summary that replaces a conversation's older messages: which ones go, the request to a model, and the result. */

import { jsonBytes } from '../../base/json/json.js';
import { boundedText } from '../../base/text/fit.js';
import { expected, type Parsed } from '../../base/text/output-fields.js';
import { delimit } from '../../base/words/prompt.js';
import { fill, type Words } from '../../base/words/words.js';
import { anchorsOf, groupsOf } from '../../conversation/trim.js';
import { estimateMessageTokens } from '../../run/limits/tokens.js';
import type { Message } from '../../run/messages/message.js';
import { extractJson } from '../../run/outputs/envelope.js';
import {
  Faults,
  formOfFields,
  list,
  type ReadAll,
  readFields,
  text,
  texts,
} from '../../run/outputs/fields.js';

/** The content that a summary must keep (X6). */
const summary = {
  goals: texts({ about: 'what the person wants and has asked for on the way, in their words' }),
  decisions: texts({ about: 'what was decided, each with why' }),
  facts: list(
    { fact: text({ filled: true }), source: text({ about: 'file, address, or tool with its arguments' }) },
    { about: 'what was found out, with figures, names and paths as they are' },
  ),
  openTasks: texts({ about: 'what is still to be done, and what was tried in vain' }),
  references: texts({
    about:
      'names of artifacts, and ids of messages and results, that may be needed: only such as stand above',
  }),
};

export type Summary = ReadAll<typeof summary>;

/** About 2,000 words, twice the requested length. */
const SUMMARY_BYTES = 16_000;
const TOO_LONG = 'The summary must have at most about 1,000 words';

export function summaryRequest(words: Words): string {
  return `${words.compact}\n{ ${formOfFields(summary)} }`;
}

export function summaryAgain(errors: readonly string[], words: Words): string {
  const named = errors.slice(0, 5).map(error => `- ${boundedText(error)}`);
  return `${words.reask}\n${named.join('\n')}\n\n${words.reaskForm}\n{ ${formOfFields(summary)} }`;
}

/** `isCut`: the model reached its output limit. A summary without goals and facts is refused. */
export function readSummary(reply: string, isCut = false): Parsed<Summary> {
  const faults = new Faults();
  const json = extractJson(reply);
  if (isCut) return refused([`${TOO_LONG}: this one was cut off at its end.`]);
  if (json === null) return refused([expected('The reply', 'one complete JSON object', reply)]);
  const value = readFields(summary, json, faults);
  if (faults.fatal) return refused(faults.said);
  if (value.goals.length + value.facts.length === 0)
    return refused([
      'The summary must say what the person wants (`goals`), or what was found out (`facts`).',
    ]);
  const bytes = jsonBytes(value);
  if (bytes > SUMMARY_BYTES)
    return refused([`${TOO_LONG}: this one has ${bytes} bytes, of which ${SUMMARY_BYTES} are taken.`]);
  return { ok: true, value };
}

function refused(errors: string[]): Parsed<Summary> {
  return { ok: false, value: null, errors };
}

/** Returns the number of replaced messages, including those that replaced summaries stood for. */
export function countOf(gone: Iterable<Message>): number {
  let count = 0;
  for (const message of gone) count += (message.kind === 'user' && message.standsFor) || 1;
  return count;
}

/** Returns the summary as roles read it: marked as data, because it may contain tool output. */
export function summaryText(value: Summary, count: number, words: Words): string {
  const facts = value.facts.map(({ fact, source }) => (source === '' ? fact : `${fact} (${source})`));
  const parts: [string, readonly string[]][] = [
    [words.summaryGoals, value.goals],
    [words.summaryDecisions, value.decisions],
    [words.summaryFacts, facts],
    [words.summaryOpen, value.openTasks],
    [words.summaryReferences, value.references],
  ];
  const sections = parts.flatMap(([title, lines]) =>
    lines.length === 0
      ? []
      : [`${title}\n${lines.map(line => `- ${line.replace(/\s+/g, ' ').trim()}`).join('\n')}`],
  );
  return `${fill(words.summary, { count })}\n${delimit('summary', sections.join('\n\n'))}`;
}

/** Returns the oldest messages that a summary may replace, with calls and results paired, and the remaining tokens. */
export function replaceableMessages(
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

/** Returns the conversation with `message` in place of the first of those that go. */
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
