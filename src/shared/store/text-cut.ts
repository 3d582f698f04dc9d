/** Cuts UTF-8 bytes without splitting a character, preferably at a nearby line end. */

/** A line end within this distance of the cut is preferred. */
const LINE_SLACK_BYTES = 512;
const NEWLINE = 10;

/** Returns the largest index at or before `at` that is not inside a character. */
export function utf8Floor(bytes: Buffer, at: number): number {
  let place = Math.min(at, bytes.length);
  while (place > 0 && place < bytes.length && isContinuation(bytes[place])) place -= 1;
  return place;
}

/** Returns at most `limit` bytes from the start; whole lines if the last one ends nearby. */
export function cutHead(bytes: Buffer, limit: number): Buffer {
  if (bytes.length <= limit) return bytes;
  const end = utf8Floor(bytes, limit);
  const lineEnd = bytes.subarray(0, end).lastIndexOf(NEWLINE) + 1;
  return bytes.subarray(0, lineEnd > 0 && end - lineEnd <= LINE_SLACK_BYTES ? lineEnd : end);
}

/** Returns at most `limit` bytes from the end; whole lines if the first one begins nearby. */
export function cutTail(bytes: Buffer, limit: number): Buffer {
  if (bytes.length <= limit) return bytes;
  let start = bytes.length - limit;
  while (start < bytes.length && isContinuation(bytes[start])) start += 1;
  const lineStart = bytes.indexOf(NEWLINE, start) + 1;
  const isNear = lineStart > 0 && lineStart < bytes.length && lineStart - start <= LINE_SLACK_BYTES;
  return bytes.subarray(isNear ? lineStart : start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
