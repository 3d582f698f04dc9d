/** `@steersman/view`: the view of a run for people, shared by all user interfaces. Without Node. */

export { isCostly } from './markdown-cost.js';
export { phaseName } from './phases.js';
export {
  type CallInFlight,
  childProgress,
  type Known,
  newProgress,
  type RunProgress,
  take,
  takeState,
  wordsOf,
} from './run-progress.js';
export { isJson, jsonStart, mayBecomeJson, spokenText } from './spoken-text.js';
