/** `@steersman/stack`: Temporal and workers on this machine, as one background process. */

export { NO_HTTP_API } from './dev-server.js';
export { findTemporalBinary, isAtLeast, type TemporalBinary } from './download/temporal-binary.js';
export { binaryEffects, temporalBinary } from './download/temporal-fetch.js';
export { ensureServer, LocalStack, stackState, stopStack } from './local-stack.js';
