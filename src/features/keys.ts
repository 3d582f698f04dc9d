/** The keys of `steersman.yaml` that features have. A folder that nobody trusts has no say on them. */
export { creditsKey as credits } from './credits/config.js';
export { hooksKey as hooks } from './hooks/config.js';
