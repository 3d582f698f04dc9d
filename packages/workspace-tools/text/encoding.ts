/** Decodes and encodes text files: all tools read a file in the same encoding, and an edit preserves it. */

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** A byte 0 within the first bytes marks a file as not text. */
const PROBE_BYTES = 8_192;
/** The characters of the bytes 0x80 to 0x9f; Node's own decoder leaves these bytes unchanged. */
const WESTERN =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

/**
 * Returns UTF-16 by byte order mark; Windows-1252 for invalid UTF-8 whose valid characters are all ASCII; else UTF-8.
 * Null for a file that is not text. `isWhole`: the bytes are a complete file, not only its beginning.
 */
export function encodingOf(bytes: Uint8Array, isWhole = true): Encoding | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes.subarray(0, PROBE_BYTES).includes(0)) return null;
  const text = new TextDecoder('utf-8').decode(bytes, { stream: !isWhole });
  return text.includes('\ufffd') && !/[^\0-\x7f\ufffd]/.test(text) ? 'windows-1252' : 'utf-8';
}

export interface Decoder {
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string;
}

/** Returns a decoder for the pieces of a text; the last piece comes without `stream`. A byte order mark is not returned. */
export function decoderOf(encoding: Encoding): Decoder {
  return encoding === 'windows-1252' ? { decode: western } : new TextDecoder(encoding);
}

function western(bytes: Uint8Array = new Uint8Array(0)): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  return text.replace(/[\x80-\x9f]/g, sign => WESTERN[sign.charCodeAt(0) - 0x80] ?? sign);
}

/** Returns all bytes of a file as text, including its byte order mark. */
export function wholeText(bytes: Buffer, encoding: Encoding): string {
  if (encoding === 'windows-1252') return western(bytes);
  if (encoding === 'utf-8') return bytes.toString('utf8');
  if (encoding === 'utf-16le') return bytes.toString('utf16le');
  return Buffer.from(bytes.subarray(0, bytes.length & ~1))
    .swap16()
    .toString('utf16le');
}

/** Returns the bytes of a text. @throws Error, for the model, for a character that the encoding lacks. */
export function encoded(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  const wide = () => Buffer.from(text, 'utf16le');
  if (encoding !== 'windows-1252') return encoding === 'utf-16le' ? wide() : wide().swap16();
  const narrow = text.replace(/[^\0-\x7f\xa0-\xff]/gu, sign => {
    const at = WESTERN.indexOf(sign);
    if (at >= 0) return String.fromCharCode(0x80 + at);
    throw new Error(
      `Nothing was changed. The file is in Windows-1252, which has no "${sign}": write it anew as UTF-8, or leave that out.`,
    );
  });
  return Buffer.from(narrow, 'latin1');
}
