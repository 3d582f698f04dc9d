/** The section `store` of `steersman.yaml`: where conversations are kept when their runs have ended. */
import { z } from 'zod';

export const storeSchema = z.strictObject({
  kind: z
    .enum(['folder', 'none'])
    .default('folder')
    .describe(
      "Where conversations are kept for good. folder: files in the home folder of the worker; none: nowhere but in Temporal, for as long as that keeps a run's history.",
    ),
});
