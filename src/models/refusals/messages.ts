/** Rewrites a refused message: first as plain text, then as a note. Calls and results stay paired. */
import { isRecord } from '../../base/json/json.js';
import { textIn } from './body.js';

type Wire = Record<string, unknown>;

const LEFT_OUT = '[The endpoint did not take what stood here: it is left out.]';
const EMPTY = '[This message has no text.]';
/** Longer messages are reduced to their beginning and end. */
const MOST_CHARS = 30_000;

export function isEmptyMessage(message: unknown): boolean {
  if (!isRecord(message) || !('role' in message) || message.tool_calls !== undefined) return false;
  const { content } = message;
  if (
    Array.isArray(content) &&
    content.some(part => isRecord(part) && textIn(part) === '' && part.type !== 'text')
  )
    return false;
  return textIn(content).trim() === '';
}

export function filledMessage(message: unknown): unknown {
  return isEmptyMessage(message) && isRecord(message) ? { ...message, content: EMPTY } : message;
}

/** Returns plain text at level 1 and a note at level 2. `mostChars` is the endpoint's own limit, if it stated one. */
export function otherMessage(message: unknown, level: number, mostChars = MOST_CHARS): unknown {
  if (!isRecord(message)) return message;
  if (isEmptyMessage(message)) return filledMessage(message);
  const plain = (value: unknown) => (level === 1 ? plainText(textIn(value), mostChars) : LEFT_OUT);
  if (message.type === 'function_call_output') return { ...message, output: plain(message.output) };
  if (message.type === 'function_call') return { ...message, arguments: '{}' };
  const { content } = message;
  if (Array.isArray(content) && content.some(isPairing)) {
    const others = content.filter(part => !isPairing(part));
    const texts = others.length === 0 ? [] : [{ type: 'text', text: plain(others) }];
    const results = content.filter(isPairing).map(part => pairedPart(part, plain));
    // The API requires results first and calls last.
    const calls = results.some(part => part.type === 'tool_use');
    return { ...message, content: calls ? [...texts, ...results] : [...results, ...texts] };
  }
  const { role, tool_call_id, tool_calls } = message;
  const calls = Array.isArray(tool_calls)
    ? { tool_calls: tool_calls.map(level === 1 ? plainCall : bareCall) }
    : {};
  const text = textIn(content) === '' && 'tool_calls' in calls ? null : plain(content);
  return { role, ...(tool_call_id !== undefined && { tool_call_id }), content: text, ...calls };
}

function isPairing(part: unknown): part is Wire {
  return isRecord(part) && (part.type === 'tool_use' || part.type === 'tool_result');
}

function pairedPart(part: Wire, plain: (value: unknown) => string): Wire {
  return part.type === 'tool_use' ? part : { ...part, content: plain(part.content) };
}

function plainCall({ id, type, function: called }: Wire): Wire {
  return { id, type, function: called };
}

function bareCall({ id, type, function: called }: Wire): Wire {
  return { id, type, function: { ...(isRecord(called) ? called : {}), arguments: '{}' } };
}

/** Removes control characters and bounds the length. */
function plainText(text: string, mostChars: number): string {
  const clean = text.toWellFormed().replace(/[^\P{Cc}\t\n\r]/gu, ' ');
  if (clean.trim() === '') return EMPTY;
  if (clean.length <= mostChars) return clean;
  const half = Math.max(0, Math.floor((mostChars - 40) / 2));
  return `${clean.slice(0, half)}\n[… left out …]\n${clean.slice(-half)}`.toWellFormed();
}
