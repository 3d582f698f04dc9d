/** Reads what a refusal names, and decides which part of the request to change before it is sent again. */
import { isRecord } from '../../base/json/json.js';
import type { Step } from '../provider/lesson.js';
import { messageHash, messagesIn, pictureHash, picturesIn, saysStrict, toolName, toolsIn } from './body.js';
import { BAD_CALL, FEWER_TOKENS, THROTTLED, TOO_LONG } from './failure-words.js';
import { isEmptyMessage } from './messages.js';
import { messagePlace, namesQuoted, type Refusal, toolPlace } from './places.js';
import type { Body, RefusableOption } from './refused-options.js';
import { covers, namedExactly, namedInWords, optionAbout, pathAt, valueAt } from './refused-options.js';
import { fewerTokens, tokensAsked } from './reply-tokens.js';
import {
  BAD_ORDER,
  BAD_SCHEMA,
  EMPTY_MESSAGE,
  NO_LIST,
  NO_PICTURES,
  NO_STREAM,
  NO_STRICT,
  NO_TOOLS,
  OF_CALLS,
  ONE_PICTURE,
  ONLY_STREAM,
  PICTURES,
  TOO_MANY_TOOLS,
} from './words.js';

export interface Refused {
  refusal: Refusal;
  /** The preferred body, and below it the body that was sent. */
  wanted: Body;
  sent: Body;
  /** The messages before any of them was replaced. */
  originals: readonly unknown[];
  options: readonly RefusableOption[];
  levelOf(about: string): number;
}

type Reader = (refused: Refused) => Step | 'stop' | null;

/** From this status on only a few readers apply: failing chat templates answer 500, and a faulty server teaches little else. */
const SERVER_FAULT = 500;
const NOT_FOUND = 404;
/** Statuses about money and size, for which a shorter reply may be accepted. */
const OF_MEASURE: readonly number[] = [402, 413];

/** Returns the next change that the refusal asks for; null if it names no part that can be changed. */
export function nextStep({ refusal, ...request }: Refused): Step | null {
  const refused = { ...request, refusal: { ...refusal, message: refusal.message.replaceAll(ADDRESSES, '') } };
  for (const read of readersOf(refusal.status)) {
    const step = read(refused);
    if (step === 'stop') return null;
    if (step) return step;
  }
  return null;
}

/** Addresses are removed, because links to explanations contain names of things. */
const ADDRESSES = /https?:\/\/\S+/gi;

function readersOf(status: number): readonly Reader[] {
  if (OF_MEASURE.includes(status)) return [shorterReply];
  return status >= SERVER_FAULT || status === NOT_FOUND ? OF_ANY_STATUS : READERS;
}

function next({ levelOf }: Refused, about: string, most: number): Step | null {
  const level = levelOf(about) + 1;
  return level > most ? null : { about, level };
}

const conversation: Reader = refused => optionStep(refused, option => option.byWords === true, namedInWords);

function optionStep(
  { refusal, wanted, options, levelOf }: Refused,
  isMeant: (option: RefusableOption) => boolean,
  isNamed: (refusal: Refusal, path: string, option: RefusableOption) => boolean,
): Step | null {
  for (const option of options.filter(isMeant)) {
    const given = valueAt(wanted, option.path);
    if (!covers(option, given)) continue;
    const about = optionAbout(option);
    const level = levelOf(about);
    const path = pathAt(option, level);
    const words = option.instead?.[level - 1]?.words ?? option.words;
    if (path === null || !isNamed(refusal, path, { ...option, ...(words && { words }) })) continue;
    return { about, level: level + 1, ...(option.once && { once: true }) };
  }
  return null;
}

/** A refusal because of the length may name an option that could be smaller, but means the whole request. */
const namedOption: Reader = refused =>
  TOO_LONG.words.test(refused.refusal.message)
    ? null
    : optionStep(refused, option => !option.byWords, namedExactly);
const wordedOption: Reader = refused => optionStep(refused, option => !option.byWords, namedInWords);

const strictTools: Reader = refused => {
  const { refusal, sent } = refused;
  const isNamed = NO_STRICT.words.test(`${refusal.param ?? ''} ${refusal.message}`);
  return isNamed && toolsIn(sent).some(saysStrict) ? next(refused, 'strict tools', 1) : null;
};

const namedTool: Reader = refused => {
  const { refusal, sent } = refused;
  const tools = toolsIn(sent);
  if (tools.length === 0) return null;
  const place = toolPlace(refusal);
  if (place === null && messagePlace(refusal) !== null) return null;
  // A tool's name also occurs elsewhere in a request, for example in calls.
  const byPlace = place === null ? undefined : tools[place];
  const isOfTools = BAD_SCHEMA.words.test(refusal.message) || /tool|function/i.test(refusal.message);
  const byName = isOfTools ? tools.find(tool => namesQuoted(refusal.message, toolName(tool))) : undefined;
  const tool = byName ?? byPlace;
  return tool ? next(refused, `tool ${toolName(tool)}`, 2) : null;
};

const manyTools: Reader = refused => {
  const { refusal, sent } = refused;
  const count = toolsIn(sent).length;
  // A length in a message is not a number of tools.
  if (count < 2 || messagePlace(refusal) !== null || !TOO_MANY_TOOLS.words.test(refusal.message)) return null;
  const numbers = [...refusal.message.matchAll(/\b\d+\b/g)].map(([number]) => Number(number));
  const most =
    Math.max(0, ...numbers.filter(number => number < count)) || Math.min(128, Math.floor(count / 2));
  return next(refused, `tools at most ${most}`, 1);
};

/** The refusal is handled where tools can be written as text: `run-with-tools.ts`. */
const noTools: Reader = ({ refusal, sent }) =>
  toolsIn(sent).length > 0 && NO_TOOLS.words.test(refusal.message) ? 'stop' : null;

const anyTool: Reader = refused => {
  const { refusal, sent } = refused;
  if (toolsIn(sent).length === 0 || messagePlace(refusal) !== null) return null;
  return BAD_SCHEMA.words.test(refusal.message) ? next(refused, 'tools', 1) : null;
};

const picture: Reader = refused => {
  const { refusal, sent } = refused;
  const messages = messagesIn(sent);
  const pictures = picturesIn(messages);
  const place = messagePlace(refusal);
  const atPlace = place === null ? [] : picturesIn(messages[place]);
  const isOfLists = place === null && NO_LIST.words.test(refusal.message);
  const isMeant = PICTURES.words.test(refusal.message) || isOfLists || atPlace.length > 0;
  if (pictures.length === 0 || !isMeant) return null;
  if (NO_PICTURES.test(refusal.message) && !ONE_PICTURE.words.test(refusal.message))
    return next(refused, 'pictures', 1);
  const [one, ...others] = atPlace.length > 0 ? atPlace : pictures;
  if (one && others.length === 0) return next(refused, `picture ${pictureHash(one)}`, 1);
  const step = next(refused, 'pictures', 1);
  return step && { ...step, once: true };
};

const message: Reader = refused => {
  const { refusal, originals } = refused;
  const place = messagePlace(refusal);
  const named = place === null ? undefined : originals[place];
  const isPrompt = isRecord(named) && (named.role === 'system' || named.role === 'developer');
  if (named === undefined || isPrompt || isOfOrder(refusal)) return null;
  if (isEmptyMessage(named)) return next(refused, 'empty messages', 1);
  return next(refused, `message ${messageHash(named)}`, 2);
};

/** True if the refusal is about the order. It may name a message that is not itself at fault. */
function isOfOrder({ message }: Refusal): boolean {
  return (
    /follow|preced|alternat|after|\border\b|without|response messages|(start|begin|end) with/i.test(
      message,
    ) && BAD_ORDER.words.test(message)
  );
}

const emptyMessage: Reader = refused => {
  const isMet =
    EMPTY_MESSAGE.words.test(refused.refusal.message) && messagesIn(refused.sent).some(isEmptyMessage);
  return isMet ? next(refused, 'empty messages', 1) : null;
};

const order: Reader = refused => {
  const { message } = refused.refusal;
  if (!BAD_ORDER.words.test(message)) return null;
  const step = next(refused, 'order', 2);
  return step && OF_CALLS.test(message) ? { ...step, level: 2 } : step;
};

const stream: Reader = refused => {
  const { refusal, wanted } = refused;
  const words = wanted.stream === true ? NO_STREAM : ONLY_STREAM;
  return words.test(refusal.message) ? next(refused, 'streaming', 1) : null;
};

/** A shorter reply helps if the refusal is about length or money. */
const shorterReply: Reader = refused => {
  const { refusal, sent } = refused;
  const asked = tokensAsked(sent);
  if (asked === null || !FEWER_TOKENS.words.test(refusal.message)) return null;
  const most = fewerTokens(refusal.message, asked);
  const step = most === null ? null : next(refused, `reply at most ${most}`, 1);
  return step && isOfNow(refusal) ? { ...step, once: true } : step;
};

/** True if the limit depends on the moment: on remaining money, a rate, or the length of this request. */
function isOfNow({ status, message }: Refusal): boolean {
  return (
    OF_MEASURE.includes(status) || TOO_LONG.words.test(message) || /\bper (minute|hour|day)\b/i.test(message)
  );
}

/** Stops without a change if the request has no fault; Temporal then retries it. */
const noFault: Reader = ({ refusal: { message, code } }) => {
  const words = `${message} ${code ?? ''}`;
  return THROTTLED.words.test(words) || BAD_CALL.words.test(words) ? 'stop' : null;
};

/** Stops without a change, because the workflow shortens the conversation. */
const tooLong: Reader = ({ refusal }) => (TOO_LONG.words.test(refusal.message) ? 'stop' : null);

/** Readers for 404 and server faults, including errors in a stream without a status. A reply limit can be refused there. */
const OF_ANY_STATUS: readonly Reader[] = [noFault, conversation, shorterReply, noTools, picture];
/** Readers of a place that the error names come before readers of its words alone. */
const READERS: readonly Reader[] = [
  noFault,
  conversation,
  shorterReply,
  strictTools,
  namedTool,
  namedOption,
  emptyMessage,
  picture,
  noTools,
  manyTools,
  message,
  stream,
  tooLong,
  anyTool,
  wordedOption,
  order,
];
