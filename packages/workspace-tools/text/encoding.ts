/** Texts in the encodings that files have: all tools read a file in the same one, and an edit keeps it. */

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** So far a byte 0 says that a file is no text. */
const PROBE_BYTES = 8_192;
/** What the bytes 0x80 to 0x9f stand for; Node's own decoder leaves them as they are. */
const WESTERN =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

/**
 * By marks for UTF-16. What is no UTF-8, and has no character of it but those of ASCII, is in the old Western encoding.
 * Null for what is no text. `isWhole`: the bytes are not only the beginning of a file.
 */
export function encodingOf(bytes: Uint8Array, isWhole = true): Encoding | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes.subarray(0, PROBE_BYTES).includes(0)) return null;
  const text = new TextDecoder('utf-8').decode(bytes, { stream: !isWhole });
  return text.includes('\ufffd') && !/[^\0-\x7f\ufffd]/.test(text) ? 'windows-1252' : 'utf-8';
}

/** Takes the pieces of a text; the last comes without `stream`. A byte order mark is no part of it. */
export function decoderOf(encoding: Encoding): Pick<TextDecoder, 'decode'> {
  return encoding === 'windows-1252' ? { decode: western } : new TextDecoder(encoding);
}

function western(bytes: Parameters<TextDecoder['decode']>[0]): string {
  if (bytes === undefined || bytes === null) return '';
  const given = bytes instanceof Uint8Array ? bytes : new Uint8Array(0);
  const text = Buffer.from(given.buffer, given.byteOffset, given.length).toString('latin1');
  return text.replace(/[\x80-\x9f]/g, sign => WESTERN[sign.charCodeAt(0) - 0x80] ?? sign);
}

/** Every byte of a file as a text, with its byte order mark. */
export function wholeText(bytes: Buffer, encoding: Encoding): string {
  if (encoding === 'windows-1252') return western(bytes);
  if (encoding === 'utf-8') return bytes.toString('utf8');
  if (encoding === 'utf-16le') return bytes.toString('utf16le');
  return Buffer.from(bytes.subarray(0, bytes.length & ~1))
    .swap16()
    .toString('utf16le');
}

/** The bytes of a text. @throws Error, for the model, for a character that the encoding does not have. */
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
