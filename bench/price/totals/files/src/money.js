/** Amounts are whole cents. */

/** Half up, to whole cents. */
export function share(cents, percent) {
  return Math.floor((cents * percent + 50) / 100);
}

export function shown(cents) {
  const sign = cents < 0 ? '-' : '';
  const whole = Math.abs(cents);
  return `${sign}${Math.floor(whole / 100)}.${String(whole % 100).padStart(2, '0')}`;
}
