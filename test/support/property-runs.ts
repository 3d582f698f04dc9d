/** How often a property is tried. `PROPERTY_RUNS=100000` tries each so often, but those of whole states, which say their own. */
import fc from 'fast-check';

const wanted = Number(process.env.PROPERTY_RUNS ?? 0);

/** `usual`, or as often as was asked for. */
export function propertyRuns(usual: number): number {
  return wanted || usual;
}

/** As a setup file of vitest: for properties that say nothing. */
if (wanted) fc.configureGlobal({ numRuns: wanted });
