import { DICTIONARIES } from './dictionaries.js';

/** A T as nobody reads it: the number of a dictionary, and JSON deflated with its words (activities/pack.ts). */
export type Packed<T> = Uint8Array & { readonly packs?: T };

/** @throws where a value was packed by newer code: a workflow task that fails so waits for a worker of that code. */
export function dictionaryOf(number: number): string {
  const words = DICTIONARIES[number];
  if (words === undefined) throw new Error(`What is packed needs dictionary ${number}, of a newer version.`);
  return words;
}
