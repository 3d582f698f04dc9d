/** Values that every history carries and nobody reads there, made small: deflated JSON of a T. */
export type Packed<T> = Uint8Array & { readonly packs?: T };
