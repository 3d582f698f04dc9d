import { afterAll, beforeAll } from 'vitest';
import { type Rig, type RigOptions, sharedTemporal, startRig } from './rig.js';

/** A rig for all tests of a file, on the Temporal of its process: there from the first test on, ended after the last. */
export function rigOfFile(options: Omit<RigOptions, 'env'> = {}): Rig {
  const rig = {} as Rig;
  beforeAll(async () => {
    const env = await sharedTemporal();
    Object.assign(rig, { env });
    Object.assign(rig, await startRig({ env, ...options }));
  });
  afterAll(async () => {
    await rig.close?.();
    await rig.env?.teardown();
  });
  return rig;
}
