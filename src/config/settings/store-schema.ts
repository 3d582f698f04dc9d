/** The section `store` of `steersman.yaml`: the storage of conversations after their runs have ended. */
import { z } from 'zod';

export const storeSchema = z.strictObject({
  kind: z
    .enum(['folder', 'postgres', 'none'])
    .optional()
    .describe(
      "Where conversations are kept permanently. folder: files in the home folder of the worker; postgres: a database, for many machines; none: nowhere but in Temporal, for as long as that keeps a run's history. Default: postgres where the variable with its address is set, else folder.",
    ),
  urlVariable: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a name of a variable')
    .default('DATABASE_URL')
    .describe('Variable with the address of PostgreSQL: postgresql://user:password@host:5432/database.'),
  sessionDays: z
    .int()
    .min(1)
    .optional()
    .describe(
      'Days after which a conversation is removed, with its texts and its runs in Temporal, counted from the end of its last run. Default: it is kept permanently.',
    ),
});
