/** `@steersman/demo-model`: a model by rules, for a first look without a key. */

export { createDemoProvider } from './provider.js';
