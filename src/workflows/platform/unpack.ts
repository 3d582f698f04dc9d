import { inflateSync, strFromU8, strToU8 } from 'fflate';
import { dictionaryOf, type Packed } from '../../core/packed.js';

/** What `pack` made small (activities/pack.ts). */
export function unpack<T>(packed: Packed<T>): T {
  const dictionary = strToU8(dictionaryOf(packed[0] ?? 0));
  return JSON.parse(strFromU8(inflateSync(packed.subarray(1), { dictionary }))) as T;
}
