import { temporalBinary } from '../../src/stack/download/temporal-fetch.js';
import { resolveHome } from '../../src/stack/home.js';

/** Before the tests that need a server, once: finds Temporal, or fetches it. */
export default async function setup(): Promise<void> {
  await temporalBinary(resolveHome(), line => console.error(line));
}
