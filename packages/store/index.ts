/** `@steersman/store`: conversations and large texts, in a folder or in PostgreSQL. */

export { openStore, storeSpec } from './open-store.js';
