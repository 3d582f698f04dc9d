/** Limits as words of a command line. */

import { DEFAULT_LIMITS, type Limits } from '../../core/limits/limits.js';
import { SteersmanError } from '../../shared/errors.js';

/** `tokens=2000000` and so on; names and values are judged by the run. */
export function readLimits(words: string[]): Partial<Limits> {
  const limits: Record<string, number | null> = {};
  for (const word of words) {
    const [, name, value = ''] = /^([^=]+)=(.+)$/.exec(word) ?? [];
    const number = value === 'none' ? null : Number(value.replaceAll('_', ''));
    if (name === undefined || Number.isNaN(number)) {
      throw new SteersmanError(
        `${word} is not a limit.`,
        'Write name=number, such as tokens=2000000 (costUsd=none for no limit).',
        'usage',
      );
    }
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      const known = Object.keys(DEFAULT_LIMITS).join(', ');
      throw new SteersmanError(`There is no limit ${name}.`, `There are: ${known}.`, 'usage');
    }
    limits[name] = number;
  }
  // The run judges names and values.
  return limits as Partial<Limits>;
}
