/** Returns a part of an address without its percent-encoding; unchanged if the encoding is invalid. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
