/** A piece of evidence as a line, before it has its id. */

import { preview } from '../../base/text/preview.js';
import type { EvidenceItem } from '../../run/evidence/evidence.js';

export interface Entry extends Omit<EvidenceItem, 'id'> {
  /** Without its id and tasks. */
  line: string;
  diff: string | null;
}

/** A name that others gave, in a line that it can not leave: control and format characters say nothing. */
export function safeLine(text: string, max = 300): string {
  return preview(text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?'), max);
}
