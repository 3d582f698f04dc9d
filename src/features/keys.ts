/** The keys of `steersman.yaml` that belong to features. An untrusted folder cannot set them. */
export { creditsKey as credits } from './credits/config.js';
export { hooksKey as hooks } from './hooks/config.js';
