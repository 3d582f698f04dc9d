/** The argument pipeline of tool calls (T5): parse the text, else repair it, else use `{}` with a flag; then validate. */
import { jsonrepair } from 'jsonrepair';
import { canonicalJson, inexactNumbers, nestsTooDeep, parseJson } from '../../base/json/json.js';
import { parseRecord } from '../../base/json/json-in-text.js';
import { headChars } from '../../base/text/large-text.js';
import type { OfferedTool } from '../../rules/prompts/model-request.js';
import { asTaken, offeredName } from '../../rules/tools/model-habits.js';
import type { ToolUseBlock } from '../../run/messages/message.js';
import { validateArguments } from '../../shared/schema/validate-arguments.js';
import { isWhole } from './is-whole.js';
import { ownKeys } from './tool-schema.js';

const NO_ARGUMENTS = /^(null|None|undefined|\[\s*\]|"\s*")?$/;

/** The raw text shows what the model wrote; it may be cut. */
const MAX_RAW_CHARS = 8_000;

export interface RawToolCall {
  id: string;
  name: string;
  /** The argument text as streamed. */
  text: string;
  /** True if the reply was cut off within this call. The text is then incomplete, and repairing it would invent arguments. */
  cut: boolean;
}

/** Returns a tool call as a block. Arguments of a tool that was not offered are not validated; the workflow answers it. */
export function toToolUse(call: RawToolCall, offered: readonly OfferedTool[]): ToolUseBlock {
  const { json, ...read } = parseArguments(call);
  const name = offeredName(call.name, name => offered.some(tool => tool.name === name));
  const named = offered.find(candidate => candidate.name === name);
  const input = named ? ownKeys(read.input, named.inputSchema) : read.input;
  const taken = asTaken({ name, input }, offered);
  const tool = offered.find(candidate => candidate.name === taken.name);
  const parsed = { ...read, input: taken.input };
  const inexact = inexactErrors(json);
  const isChecked = inexact.length === 0 && tool?.validation === 'strict';
  const errors = isChecked ? validateArguments(tool.inputSchema, parsed.input) : inexact;
  return {
    type: 'tool_use',
    id: call.id,
    name: taken.name,
    ...parsed,
    ...(errors.length > 0 ? { argErrors: errors } : {}),
  };
}

const MOST_INEXACT = 10;
const MAX_SHOWN_DIGITS = 80;

/** Reports numbers that a double can't hold: a rounded number could name another order or pay another amount. */
function inexactErrors(json: string): string[] {
  const numbers = new Set([...inexactNumbers(json)].map(({ digits }) => headChars(digits, MAX_SHOWN_DIGITS)));
  return [...numbers]
    .slice(0, MOST_INEXACT)
    .map(
      digits =>
        `${digits} has more digits than a number keeps: write it as a text in quotes, if the tool takes one.`,
    );
}

type Parsed = Pick<ToolUseBlock, 'input' | 'raw' | 'argsParseFailed'> & { json: string };

function parseArguments(call: RawToolCall): Parsed {
  const text = call.text.trim();
  // Endpoints send no text for a call without arguments, and models write `null` and the like.
  if (NO_ARGUMENTS.test(text) && !call.cut) return { input: {}, json: '' };
  const raw = call.text.slice(0, MAX_RAW_CHARS);
  const unreadable: Parsed = { input: {}, raw, argsParseFailed: true, json: '' };
  if (nestsTooDeep(text)) return unreadable;
  const plain = parseRecord(text);
  if (plain) return { input: plain, json: text };
  for (const read of [unquoted, unfenced, afterNothing, ...(call.cut ? [] : [mended])]) {
    const json = read(text);
    const input = json === null ? null : parseRecord(json);
    if (json !== null && input) return { input, raw, json };
  }
  return unreadable;
}

/** Some models write the object as a JSON string, with escaped quotes. */
function unquoted(text: string): string | null {
  const value = text.startsWith('"') ? parseJson(text) : undefined;
  return typeof value === 'string' ? value.trim() : null;
}

/** Complete JSON in a code block is read without repair, which may mistake a bracket in a string for a closing one. */
function unfenced(text: string): string | null {
  return /^```\w*\s([\s\S]*)```$/.exec(text)?.[1]?.trim() ?? null;
}

/** Gateways to Claude pass the empty object on with which its calls begin: `{}{"path":"a.md"}`. */
function afterNothing(text: string): string | null {
  return /^\{\}\s*(?=\{)/.test(text) ? text.slice(2).trim() : null;
}

function mended(text: string): string | null {
  // A repair makes JSON of any text, so it is only tried on text that begins as an object, fenced or not.
  const open = text.indexOf('{');
  if (open < 0 || !/^(```\w*\s*)?$/.test(text.slice(0, open))) return null;
  // Endpoints send `tool_calls` even for a call that their limit cut: the first three digits of 1000 would be paid.
  if (!isWhole(text)) return null;
  try {
    return jsonrepair(text).trim();
  } catch {
    return null;
  }
}

/**
 * Returns the arguments as text. Some endpoints send an object instead of its text. Any other value becomes a text too,
 * which no tool accepts; as an empty text it would count as a call without arguments.
 */
export function argumentText(given: unknown): string {
  if (typeof given === 'string') return given;
  return given === undefined || given === null ? '' : canonicalJson(given);
}
