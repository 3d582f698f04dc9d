/** The features' parts on workers: the counterpart of the list in `compose.ts`. */
import type { WorkerFeature } from '../activities/feature.js';
import { ownToolsWith } from '../run/tools/workflow-tools.js';
import { byName } from '../workflows/beside/feature.js';
import { answers } from './answers/worker.js';
import { artifacts } from './artifacts/worker.js';
import { credits } from './credits/worker.js';
import { hooks } from './hooks/worker.js';
import { pictures } from './pictures/worker.js';
import { skills } from './skills/worker.js';

export const WORKER_FEATURES: readonly WorkerFeature[] = byName([
  answers,
  artifacts,
  credits,
  hooks,
  pictures,
  skills,
]);

/** The tools that runs carry out themselves. */
export const OWN_TOOLS = ownToolsWith(WORKER_FEATURES.flatMap(({ tools = [] }) => tools));
