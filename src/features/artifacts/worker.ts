/** Artifacts on workers: the definitions of their tools, and the activity that writes their contents. */
import type { WorkerFeature } from '../../activities/feature.js';
import { createEditArtifact } from './activity.js';
import { EDIT_ARTIFACT } from './rules.js';
import { artifactTools } from './tools.js';

export const artifacts: WorkerFeature = {
  name: 'artifacts',
  tools: artifactTools,
  activities: { [EDIT_ARTIFACT]: createEditArtifact },
};
