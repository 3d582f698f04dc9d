/** Cuts of UTF-8 bytes that never split a character, at the end of a line where one is near. */

/** How far back or forward a line end may be to be preferred. */
const LINE_SLACK_BYTES = 512;
const NEWLINE = 10;

/** The largest place at or before `at` that is not inside a character. */
function utf8Floor(bytes: Buffer, at: number): number {
  let place = Math.min(at, bytes.length);
  while (place > 0 && place < bytes.length && isContinuation(bytes[place])) place -= 1;
  return place;
}

/** At most `limit` bytes from the start; whole lines where the last one ends within reach. */
export function cutHead(bytes: Buffer, limit: number): Buffer {
  if (bytes.length <= limit) return bytes;
  const end = utf8Floor(bytes, limit);
  const lineEnd = bytes.subarray(0, end).lastIndexOf(NEWLINE) + 1;
  return bytes.subarray(0, lineEnd > 0 && end - lineEnd <= LINE_SLACK_BYTES ? lineEnd : end);
}

/** At most `limit` bytes from the end; whole lines where the first one begins within reach. */
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
