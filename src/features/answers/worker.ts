/** Typed answers on workers: the activity that reads them. */
import type { WorkerFeature } from '../../activities/feature.js';
import { createReadAnswer } from './activity.js';
import { READ_ANSWER } from './rules.js';

export const answers: WorkerFeature = {
  name: 'answers',
  activities: { [READ_ANSWER]: createReadAnswer },
};
