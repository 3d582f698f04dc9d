/** An artifact in a line, as lists of them and `show` have it. */
import type { Artifact } from '../core/artifacts.js';
import { preview } from '../core/preview.js';
import { terminalText } from './terminal-text.js';

export function artifactLine({ id, type, title, version, bytes }: Artifact): string {
  const facts = [
    id,
    type,
    `version ${version}`,
    `${bytes} bytes`,
    ...(title === id ? [] : [preview(title, 80)]),
  ];
  return terminalText(facts.join(' · '));
}
