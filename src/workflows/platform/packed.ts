/** Values that every history carries and nobody reads there, made small: deflated JSON. */
import { deflateSync, inflateSync, strFromU8, strToU8 } from 'fflate';

/** What `pack` makes of a T. */
export type Packed<T> = Uint8Array & { readonly packs?: T };

export function pack<T>(value: T): Packed<T> {
  return deflateSync(strToU8(JSON.stringify(value)), { level: 9 });
}

export function unpack<T>(packed: Packed<T>): T {
  return JSON.parse(strFromU8(inflateSync(packed))) as T;
}
