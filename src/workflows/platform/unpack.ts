/** Reads what `activities/pack.ts` made small. */
import { inflateSync, strFromU8 } from 'fflate';
import type { Packed } from '../../core/packed.js';

export function unpack<T>(packed: Packed<T>): T {
  return JSON.parse(strFromU8(inflateSync(packed))) as T;
}
