/**
 * The composition of a run: the loop, and the features outside it. A feature has a line here; its part on workers is in
 * `features/workers.ts`, its keys of `steersman.yaml` in `features/keys.ts`.
 */
import { answers } from './features/answers/feature.js';
import { apps } from './features/apps/feature.js';
import { artifacts } from './features/artifacts/feature.js';
import { checks } from './features/checks/feature.js';
import { context } from './features/context/feature.js';
import { credits } from './features/credits/feature.js';
import { evidence } from './features/evidence/feature.js';
import { forms } from './features/forms/feature.js';
import { hooks } from './features/hooks/feature.js';
import { notes } from './features/notes/feature.js';
import { orchestrator } from './features/orchestrator/feature.js';
import { pictures } from './features/pictures/feature.js';
import { reviewer } from './features/reviewer/feature.js';
import { skills } from './features/skills/feature.js';
import { workflowOf } from './workflows/agent.js';
import { byName, type Feature } from './workflows/beside/feature.js';
import type { Run } from './workflows/run/run.js';

export { steersmanFolders } from './workflows/served-folders.js';

export const FEATURES: readonly Feature<Run>[] = byName([
  answers,
  apps,
  artifacts,
  checks,
  context,
  credits,
  evidence,
  forms,
  hooks,
  notes,
  pictures,
  orchestrator,
  reviewer,
  skills,
]);

/** The workflow of runs. */
export const steersmanRun = workflowOf(FEATURES);
