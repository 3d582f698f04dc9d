/** A piece of evidence as a line, before it gets its id. */

import { preview } from '../../base/text/preview.js';
import type { EvidenceItem } from '../../run/evidence/evidence.js';

export interface Entry extends Omit<EvidenceItem, 'id'> {
  /** The line without its id and tasks. */
  line: string;
  diff: string | null;
}

/** Makes a foreign name safe within a line: control and format characters become `?`. */
export function safeLine(text: string, max = 300): string {
  return preview(text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?'), max);
}
