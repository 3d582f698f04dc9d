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
    secondPool: z
      .string()
      .regex(/^[\w.-]{1,40}$/, 'expected letters, digits, ., - and _')
      .exactOptional()
      .describe(
        'Name of a second pool: if the account has nothing left, the account ACCOUNT/NAME pays. Default: one pool.',
      ),
    goOn: z
      .array(z.string().min(1))
      .default([])
      .describe('Accounts, by name or glob, whose runs continue at zero; tokensPerDay still applies.'),
    warnBelow: z
      .number()
      .nullable()
      .default(null)
      .describe('A run is told once, as system_event, when all pools together have less than this.'),
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
  })
  .meta({
    anyOf: ['perUsd', 'perTurn', 'perThousandTokens'].map(name => ({
      required: [name],
      properties: { [name]: { exclusiveMinimum: 0 } },
    })),
  });

export type CreditSettings = z.output<typeof creditsSchema>;

export const creditsKey = creditsSchema
  .optional()
  .describe('What the account of a run is charged. Default: nothing, and there are no accounts.');
