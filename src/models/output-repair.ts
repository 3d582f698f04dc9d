/** Mends JSON output that the workflow's own parser can't read (G13). Runs in the activity: libraries may change. */
import { jsonrepair } from 'jsonrepair';
import { isEnvelope } from '../core/envelope.js';
import { isRecord } from '../core/json.js';
import { extractJson } from '../core/parse-output.js';
import type { OutputContract } from '../core/role.js';
import { readSpecial } from '../core/special-output.js';
import { outputFields } from './output-schemas.js';

/**
 * The mended JSON text of a reply, or null when there is nothing to mend: free text, readable as it
 * stands, or without an object that has a field of the contract, is an envelope (C1) or a special reply (F17).
 */
export function repairOutput(text: string, contract: OutputContract): string | null {
  if (contract === 'text' || extractJson(text) !== null) return null;
  const fields = outputFields(contract);
  for (const part of candidates(text)) {
    const object = mend(part);
    if (object && isOutput(object, fields)) return JSON.stringify(object);
  }
  return null;
}

function isOutput(object: Record<string, unknown>, fields: readonly string[]): boolean {
  return fields.some(field => field in object) || isEnvelope(object) || readSpecial(object) !== null;
}

/** The parts that look most like JSON: fenced blocks, then from the first brace to the last, then to the end. */
function candidates(text: string): string[] {
  const parts = [...text.matchAll(/```(?:json)?\s*\n?([\s\S]*?)(?:```|$)/gi)].map(match => match[1] ?? '');
  const open = text.indexOf('{');
  const close = text.lastIndexOf('}');
  if (open >= 0 && close > open) parts.push(text.slice(open, close + 1));
  if (open >= 0) parts.push(text.slice(open));
  return parts.filter(part => part.includes('{'));
}

function mend(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(jsonrepair(part.slice(part.indexOf('{'))));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
