/** The section `hooks` of `steersman.yaml`: addresses called at moments of a run. */
import { z } from 'zod';

const hookSchema = z.strictObject({
  url: z
    .string()
    .refine(
      text => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
      'expected an http address',
    )
    .refine(text => !URL.canParse(text) || new URL(text).password === '', 'a password must not stand here')
    .meta({
      pattern: '^[hH][tT][tT][pP][sS]?://(?![^/?#]*:[^/?#]*@)[^\\s/?#]+',
      description: 'Address that gets a POST. Redirects are not followed.',
    }),
  secretVariable: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'expected the name of an environment variable, such as HOOK_SECRET')
    .describe('Environment variable that holds the secret: requests are signed with it.'),
  timeoutMs: z.int().min(100).max(10_000).default(5_000).describe('Milliseconds that one try may take.'),
  attempts: z.int().min(1).max(5).default(3).describe('Tries, if there is no answer, or with 429 or 5xx.'),
});

const hook = (description: string) => hookSchema.describe(description).exactOptional();

const hooksSchema = z.strictObject({
  onTurnEnd: hook(
    'After each reply and before its tools. {"continue": false} ends the goal there; no answer ends it as failed.',
  ),
  onMessage: hook('For each reply and each result of a tool. If it fails, there is one warning.'),
  onError: hook('When all tries and the whole chain of models have failed. Its own failure is ignored.'),
  onRunEnd: hook('When a run is about to end. If it fails, there is one warning.'),
});

export type HookSettings = z.output<typeof hooksSchema>;

export const hooksKey = hooksSchema
  .prefault({})
  .describe('Addresses that are called as runs go on: read when the worker starts.');
