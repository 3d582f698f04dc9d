import { DICTIONARIES } from './dictionaries.js';

/** A T in packed form: the number of a dictionary, then JSON deflated with that dictionary (activities/pack.ts). */
export type Packed<T> = Uint8Array & { readonly packs?: T };

/**
 * Returns the dictionary of this number. @throws Error if newer code packed the value: the failed workflow task then
 * waits for a worker with that code.
 */
export function dictionaryOf(number: number): string {
  const words = DICTIONARIES[number];
  if (words === undefined) throw new Error(`The packed value needs dictionary ${number} of a newer version.`);
  return words;
}
