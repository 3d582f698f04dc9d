/** Repairs JSON that the workflow's own parser can't read. Runs in the activity, where a library's version may change. */
import { jsonrepair } from 'jsonrepair';
import { nestsTooDeep } from '../../base/json/json.js';
import { firstObjectStart, parseRecord } from '../../base/json/json-in-text.js';
import type { OutputContract } from '../../run/outputs/contracts.js';
import { extractJson } from '../../run/outputs/envelope.js';
import { isEnvelope } from '../../run/outputs/role-form.js';
import { readSpecial } from '../../run/outputs/special-output.js';
import { isWhole } from '../request/is-whole.js';
import { outputFields } from '../request/output-schemas.js';

/** Repairing a badly broken text takes time that grows faster than its length. */
const MOST_CHARS = 100_000;

interface MendedOutput {
  text: string;
  /** False if the repair closed brackets that were open at the end: a call in the text may then be incomplete. */
  isWhole: boolean;
}

/**
 * Returns the repaired JSON text of a reply; null if there is nothing to repair. That holds for free text, for a
 * readable reply, and for a text without an object that is an envelope, a special reply or has a field of the contract.
 */
export function repairOutput(text: string, contract: OutputContract): MendedOutput | null {
  if (contract === 'text' || text.length > MOST_CHARS) return null;
  const fields = outputFields(contract);
  const found = extractJson(text);
  if (found !== null && isOutput(found, fields)) return null;
  for (const part of candidates(text)) {
    const object = mend(part);
    if (object && isOutput(object, fields)) return { text: JSON.stringify(object), isWhole: isWhole(part) };
  }
  return null;
}

/**
 * Returns the objects that a text may have meant, repaired, those that look most like JSON first. An object that breaks
 * off is left out: its beginning would pass for all of it.
 */
export function repairedObjects(text: string): Record<string, unknown>[] {
  if (text.length > MOST_CHARS) return [];
  return candidates(text)
    .filter(isWhole)
    .map(mend)
    .filter(object => object !== null);
}

function isOutput(object: Record<string, unknown>, fields: readonly string[]): boolean {
  return fields.some(field => field in object) || isEnvelope(object) || readSpecial(object) !== null;
}

/**
 * Returns the parts that look most like JSON: fenced blocks, then from the outermost brace to the last one, then to the
 * end, and the same from the first brace of all.
 */
function candidates(text: string): string[] {
  const parts = [...text.matchAll(/```(?:json)?\s*\n?([\s\S]*?)(?:```|$)/gi)].map(match => match[1] ?? '');
  const close = text.lastIndexOf('}');
  for (const open of new Set([firstObjectStart(text), text.indexOf('{')])) {
    if (open < 0) continue;
    if (close > open) parts.push(text.slice(open, close + 1));
    parts.push(text.slice(open));
  }
  return parts.filter(part => part.includes('{'));
}

function mend(part: string): Record<string, unknown> | null {
  if (nestsTooDeep(part)) return null;
  try {
    const open = Math.max(firstObjectStart(part), part.indexOf('{'));
    return parseRecord(jsonrepair(part.slice(open)));
  } catch {
    return null;
  }
}
