/** Cuts texts to the limits of Temporal's metadata. Pure. */

/** Returns the longest beginning of `text` that fits `maxBytes` of UTF-8, cut between characters and marked with `…`. */
export function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  let kept = '';
  let bytes = Buffer.byteLength('…');
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    kept += character;
  }
  return `${kept}…`;
}
