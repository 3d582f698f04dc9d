/** Compresses a value that every history stores and people do not read there. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { DICTIONARIES } from '../base/sizes/dictionaries.js';
import { dictionaryOf, type Packed } from '../base/sizes/packed.js';

/** Uses the dictionary with the smallest result: there is one for each language of the prompts. */
export function pack<T>(value: T): Packed<T> {
  const text = JSON.stringify(value);
  const packed = Object.keys(DICTIONARIES).map(number => packedWith(Number(number), text));
  return packed.reduce((best, other) => (other.length < best.length ? other : best));
}

function packedWith(number: number, text: string): Uint8Array {
  const dictionary = Buffer.from(dictionaryOf(number));
  return Uint8Array.from([number, ...deflateRawSync(text, { level: 9, dictionary })]);
}

export function packedText(packed: Packed<unknown>): string {
  const dictionary = Buffer.from(dictionaryOf(packed[0] ?? 0));
  return inflateRawSync(packed.subarray(1), { dictionary }).toString();
}
