/** The argument pipeline of tool calls (T5): parse, mend, else `{}` with a flag; then check. */
import { jsonrepair } from 'jsonrepair';
import { canonicalJson, inexactNumbers, nestsTooDeep, parseJson } from '../../base/json/json.js';
import { parseRecord } from '../../base/json/json-in-text.js';
import { headChars } from '../../base/text/large-text.js';
import type { OfferedTool } from '../../rules/prompts/model-request.js';
import type { ToolUseBlock } from '../../run/messages/message.js';
import { validateArguments } from '../../shared/schema/validate-arguments.js';
import { isWhole } from './is-whole.js';
import { ownKeys } from './tool-schema.js';

const NO_ARGUMENTS = /^(null|None|undefined|\[\s*\]|"\s*")?$/;

/** Raw text is kept to show what was really said, not to be complete. */
const MAX_RAW_CHARS = 8_000;

export interface RawToolCall {
  id: string;
  name: string;
  /** The argument text as streamed. */
  text: string;
  /** The reply was cut off in this call: its text is a beginning, and mending it would invent arguments. */
  cut: boolean;
}

/**
 * A tool call as a block. A call of a name that was not offered is kept as it is, for the workflow to
 * answer; its arguments are not checked.
 */
export function toToolUse(call: RawToolCall, offered: readonly OfferedTool[]): ToolUseBlock {
  const { json, ...read } = parseArguments(call);
  const tool = offered.find(candidate => candidate.name === call.name);
  const parsed = tool ? { ...read, input: ownKeys(read.input, tool.inputSchema) } : read;
  const inexact = inexactErrors(json);
  const isChecked = inexact.length === 0 && tool?.validation === 'strict';
  const errors = isChecked ? validateArguments(tool.inputSchema, parsed.input) : inexact;
  return {
    type: 'tool_use',
    id: call.id,
    name: call.name,
    ...parsed,
    ...(errors.length > 0 ? { argErrors: errors } : {}),
  };
}

const MOST_INEXACT = 10;
const MAX_SHOWN_DIGITS = 80;

/** Another number than the one that was written would name another order, or pay another amount. */
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
  // Endpoints send no text at all for a call without arguments, and models nothing in other words.
  if (NO_ARGUMENTS.test(text) && !call.cut) return { input: {}, json: '' };
  const raw = call.text.slice(0, MAX_RAW_CHARS);
  const unreadable: Parsed = { input: {}, raw, argsParseFailed: true, json: '' };
  if (nestsTooDeep(text)) return unreadable;
  const plain = parseRecord(text);
  if (plain) return { input: plain, json: text };
  for (const read of [unquoted, unfenced, ...(call.cut ? [] : [mended])]) {
    const json = read(text);
    const input = json === null ? null : parseRecord(json);
    if (json !== null && input) return { input, raw, json };
  }
  return unreadable;
}

/** Some models write the object as a JSON string, quoted twice. */
function unquoted(text: string): string | null {
  const value = text.startsWith('"') ? parseJson(text) : undefined;
  return typeof value === 'string' ? value.trim() : null;
}

/** Whole JSON in a code block: read as it is, since mending may take a bracket in a text for one of its own. */
function unfenced(text: string): string | null {
  return /^```\w*\s([\s\S]*)```$/.exec(text)?.[1]?.trim() ?? null;
}

function mended(text: string): string | null {
  // Mending makes something of any text: only what begins as an object, fenced or not, is worth it.
  const open = text.indexOf('{');
  if (open < 0 || !/^(```\w*\s*)?$/.test(text.slice(0, open))) return null;
  // Endpoints say `tool_calls` of a call that their limit cut: of 1000 the first three digits would be paid.
  if (!isWhole(text)) return null;
  try {
    return jsonrepair(text).trim();
  } catch {
    return null;
  }
}

/**
 * Some endpoints send the arguments as what they are, an object, in place of its text. Anything else that is
 * there becomes a text too, which no tool takes: as none it would count as a call without arguments.
 */
export function argumentText(given: unknown): string {
  if (typeof given === 'string') return given;
  return given === undefined || given === null ? '' : canonicalJson(given);
}
