/** Makes a value small that every history carries and nobody reads there. */
import { deflateRawSync } from 'node:zlib';
import type { Packed } from '../core/packed.js';

export function pack<T>(value: T): Packed<T> {
  return new Uint8Array(deflateRawSync(JSON.stringify(value), { level: 9 }));
}
