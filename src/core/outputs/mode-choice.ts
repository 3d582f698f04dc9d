/** Output of the role that chooses how a goal is pursued. */
import { stringOr } from '../json.js';
import { judged, type Parsed, readWord } from './output-fields.js';

/** Ways that are chosen among: all modes but the one that chooses. */
export const CHOICES = ['direct', 'react', 'plan', 'team'] as const;
export type Choice = (typeof CHOICES)[number];

export interface ModeChoice {
  mode: Choice;
  /** Why, in a sentence: for people. */
  reason: string;
}

/** Reads a selector's reply. Without a known mode there is no value. */
export function parseChoice(json: Record<string, unknown>): Parsed<ModeChoice> {
  const errors: string[] = [];
  const mode = readWord(json, 'mode', CHOICES, errors);
  if (mode === null) return { ok: false, errors, value: null };
  return judged({ mode, reason: stringOr(json.reason, '').trim() }, errors);
}
