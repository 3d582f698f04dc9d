/** Makes a value small that every history carries and nobody reads there. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { dictionaryOf, type Packed } from '../core/packed.js';

/** The dictionary that is written with. */
const CURRENT = 1;

export function pack<T>(value: T): Packed<T> {
  const dictionary = Buffer.from(dictionaryOf(CURRENT));
  const deflated = deflateRawSync(JSON.stringify(value), { level: 9, dictionary });
  return Uint8Array.from([CURRENT, ...deflated]);
}

/** The JSON text that is packed. */
export function packedText(packed: Packed<unknown>): string {
  const dictionary = Buffer.from(dictionaryOf(packed[0] ?? 0));
  return inflateRawSync(packed.subarray(1), { dictionary }).toString();
}
