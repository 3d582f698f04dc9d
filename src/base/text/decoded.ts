/** Returns a part of an address without its percent-encoding; unchanged if it is none. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
