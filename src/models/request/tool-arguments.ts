/** The argument pipeline of tool calls (T5): parse, mend, else `{}` with a flag; then check. */
import { jsonrepair } from 'jsonrepair';
import { parseRecord } from '../../core/outputs/json-in-text.js';
import type { OfferedTool } from '../../core/prompts/model-request.js';
import type { ToolUseBlock } from '../../core/state/message.js';
import { canonicalJson, nestsTooDeep, parseJson } from '../../core/text/json.js';
import { validateArguments } from '../../shared/schema/validate-arguments.js';
import { isWhole } from './is-whole.js';

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
  const parsed = parseArguments(call);
  const tool = offered.find(candidate => candidate.name === call.name);
  const errors = tool?.validation === 'strict' ? validateArguments(tool.inputSchema, parsed.input) : [];
  return {
    type: 'tool_use',
    id: call.id,
    name: call.name,
    ...parsed,
    ...(errors.length > 0 ? { argErrors: errors } : {}),
  };
}

function parseArguments(call: RawToolCall): Pick<ToolUseBlock, 'input' | 'raw' | 'argsParseFailed'> {
  const text = call.text.trim();
  // Endpoints send no text at all for a call without arguments.
  if (text === '' && !call.cut) return { input: {} };
  const raw = call.text.slice(0, MAX_RAW_CHARS);
  if (nestsTooDeep(text)) return { input: {}, raw, argsParseFailed: true };
  const plain = parseRecord(text);
  if (plain) return { input: plain };
  const mended = parseQuoted(text) ?? parseFenced(text) ?? (call.cut ? null : mend(text));
  return mended ? { input: mended, raw } : { input: {}, raw, argsParseFailed: true };
}

/** Some models write the object as a JSON string, quoted twice. */
function parseQuoted(text: string): Record<string, unknown> | null {
  const value = text.startsWith('"') ? parseJson(text) : undefined;
  return typeof value === 'string' ? parseRecord(value.trim()) : null;
}

/** Whole JSON in a code block: read as it is, since mending may take a bracket in a text for one of its own. */
function parseFenced(text: string): Record<string, unknown> | null {
  const inside = /^```\w*\s([\s\S]*)```$/.exec(text)?.[1];
  return inside === undefined ? null : parseRecord(inside.trim());
}

function mend(text: string): Record<string, unknown> | null {
  // Mending makes something of any text: only what begins as an object, fenced or not, is worth it.
  const open = text.indexOf('{');
  if (open < 0 || !/^(```\w*\s*)?$/.test(text.slice(0, open))) return null;
  // Endpoints say `tool_calls` of a call that their limit cut: of 1000 the first three digits would be paid.
  if (!isWhole(text)) return null;
  try {
    return parseRecord(jsonrepair(text).trim());
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
