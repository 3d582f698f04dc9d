/**
 * How much is tried of what could be tried without end: a tenth in `npm test`, all in the storms. `PROPERTY_RUNS=5000`
 * tries each property so often.
 */
import fc from 'fast-check';

const wanted = process.env.PROPERTY_RUNS ?? 'a tenth';
const count = Number(wanted);
if (!['a tenth', 'whole'].includes(wanted) && !(Number.isInteger(count) && count > 0))
  throw new Error(`PROPERTY_RUNS is a number above 0, or "whole", but it is "${wanted}".`);

/** Of `whole` inputs, as many as are tried now. */
export function propertyRuns(whole: number): number {
  if (wanted === 'whole') return whole;
  return wanted === 'a tenth' ? Math.ceil(whole / 10) : count;
}

/**
 * As a setup file of vitest: for properties that say nothing. `npm test` draws the same inputs each time, so that it is
 * red only by a change; more inputs are new ones each time, and fast-check prints the seed that leads back to a fault.
 */
fc.configureGlobal({ numRuns: propertyRuns(100), ...(wanted === 'a tenth' && { seed: 20_261_129 }) });
