/** Half up, to whole cents. */
export function share(cents, percent) {
  return Math.floor((cents * percent + 50) / 100);
}
