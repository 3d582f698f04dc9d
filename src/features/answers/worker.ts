/** Typed answers on workers: the activity that reads them, where an endless pattern match can be stopped. */
import type { WorkerFeature } from '../../activities/feature.js';
import { jsonBytes } from '../../base/json/json.js';
import { fencedObjects, parseRecord, topLevelObjects } from '../../base/json/json-in-text.js';
import { TYPED_VALUE_BYTES } from '../../base/sizes/bounds.js';
import { repairedObjects } from '../../models/reply/output-repair.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { endlessPlace, faultsOf, leadsNowhere } from '../../shared/schema/validate-arguments.js';
import type { ReadAnswer, ReadAnswerInput } from './rules.js';
import { READ_ANSWER } from './rules.js';

export const answers: WorkerFeature = {
  name: 'answers',
  activities: { [READ_ANSWER]: createReadAnswer },
  pins: async (_parts, _settings, { answer }) => {
    if (answer === undefined) return {};
    if (leadsNowhere(answer))
      throw new SteersmanError(
        '`settings.answer` refers to a schema that is not in it, so no answer could be judged.',
        'Put it below $defs, and refer to it there, as in "#/$defs/name".',
      );
    const endless = endlessPlace(answer);
    if (endless === null) return {};
    throw new SteersmanError(
      `\`settings.answer\` refers at ${endless} only to itself, so no answer could be judged.`,
      'Say there what the value must be, such as its type. Below `properties` or `items` a schema may refer to itself.',
    );
  },
};

const MOST_TRIED = 20;
const NOT_CHECKED = 'The answer could not be checked against the schema in time.';

/** Makes `steersmanReadAnswer`. It changes nothing. */
export function createReadAnswer() {
  return async function steersmanReadAnswer({ text, schema }: ReadAnswerInput): Promise<ReadAnswer> {
    let first: string[] = ['The answer holds no JSON object that can be read.'];
    for (const [at, value] of objectsIn(text).entries()) {
      const faults = faultsAgainst(schema, value);
      if (faults?.length === 0) return { value };
      if (at === 0) first = faults ?? [NOT_CHECKED];
      // Each such check takes a second, in which the worker does nothing else.
      if (faults === null) break;
    }
    return { faults: first };
  };
}

/** Returns the whole answer if it is an object, else the objects in it, the last first: drafts precede the final one. */
function objectsIn(text: string): Record<string, unknown>[] {
  const whole = parseRecord(text.trim());
  if (whole) return [whole];
  const found = [...fencedObjects(text).reverse(), ...topLevelObjects(text).reverse()];
  return (found.length > 0 ? found : repairedObjects(text)).slice(0, MOST_TRIED);
}

/** Null: there was no time to check the value. */
function faultsAgainst(schema: ReadAnswerInput['schema'], value: Record<string, unknown>): string[] | null {
  const bytes = jsonBytes(value);
  if (bytes > TYPED_VALUE_BYTES)
    return [`The answer has ${bytes} bytes, and at most ${TYPED_VALUE_BYTES} are taken.`];
  return faultsOf(schema, value, { whole: 'the answer', asWritten: true });
}
