/** The section `credits` of `steersman.yaml`: the account that pays, and the rates. */
import { z } from 'zod';

const rate = (description: string) => z.number().min(0).default(0).describe(description);

const creditsSchema = z
  .strictObject({
    account: z
      .string()
      .min(1)
      .describe(
        'Key of the context of a start that names the account, such as tenant. A start without it is free.',
      ),
    perUsd: rate('Credits for a US dollar of the price of the models. Each model then needs a price.'),
    perTurn: rate('Credits for a reply.'),
    perThousandTokens: rate('Credits for a thousand tokens, counted as limits.tokens does.'),
    tokensPerDay: z
      .int()
      .min(1)
      .nullable()
      .default(null)
      .describe('Tokens that an account may use a day, in UTC, over all of its runs.'),
    runsAtOnce: z.int().min(1).nullable().default(null).describe('Runs of an account at once.'),
  })
  .refine(({ perUsd, perTurn, perThousandTokens }) => perUsd + perTurn + perThousandTokens > 0, {
    error: 'say at least one of perUsd, perTurn and perThousandTokens',
  });

export type CreditSettings = z.output<typeof creditsSchema>;

export const creditsKey = creditsSchema
  .optional()
  .describe('What the account of a run is charged. Left out: nothing, and nobody has an account.');
