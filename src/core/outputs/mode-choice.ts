/** Output of the role that chooses how a goal is pursued. */
import { stringOr } from '../text/json.js';
import { judged, type Parsed, readWord } from './output-fields.js';

/** Built-in ways that are chosen among: all but the one that chooses. */
export const CHOICES = ['direct', 'react', 'lead', 'plan', 'team'] as const;

export interface ModeChoice {
  /** Name of a mode. */
  mode: string;
  /** Why, in a sentence: for people. */
  reason: string;
}

/** Reads a selector's reply. Without one of `modes` there is no value. */
export function parseChoice(
  json: Record<string, unknown>,
  modes: readonly string[] = CHOICES,
): Parsed<ModeChoice> {
  const errors: string[] = [];
  const mode = readWord(json, 'mode', modes, errors);
  if (mode === null) return { ok: false, errors, value: null };
  return judged({ mode, reason: stringOr(json.reason, '').trim() }, errors);
}
