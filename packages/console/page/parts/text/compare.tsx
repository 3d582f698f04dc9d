/** Draws the differences between two texts. It is a separate bundle, because it is rarely needed. */
import { compared } from './compared.js';
import { Diff } from './diff.js';

export function Compare({ before, after }: { before: string; after: string }) {
  return <Diff text={compared(before, after)} />;
}
