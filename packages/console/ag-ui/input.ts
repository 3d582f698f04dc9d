/** The schema of an AG-UI request: the fields that are read here. Other fields are ignored. */
import { z } from 'zod';

const TEXT = z.string().min(1);
const RECORD = z.record(z.string(), z.unknown());

const MESSAGE = z.looseObject({
  id: TEXT,
  role: TEXT,
  content: z.unknown().optional(),
  toolCallId: TEXT.nullish(),
});
const TOOL = z.looseObject({ name: TEXT, description: z.string().nullish(), parameters: RECORD.nullish() });
const RESUME = z.discriminatedUnion('status', [
  z.looseObject({ interruptId: TEXT, status: z.literal('resolved'), payload: z.unknown().optional() }),
  z.looseObject({ interruptId: TEXT, status: z.literal('cancelled') }),
]);

/** Options that only this agent has, below `forwardedProps.steersman`, for a start or a message. */
const OWN = z.strictObject({
  mode: TEXT.optional(),
  role: TEXT.optional(),
  model: TEXT.optional(),
  workspace: TEXT.optional(),
  keepOpenSeconds: z.number().int().min(0).max(86_400).optional(),
  when: z.enum(['skip', 'after-batch', 'interrupt']).optional(),
});

export const AG_UI_INPUT = z.looseObject({
  threadId: z
    .string()
    .regex(/^\S{1,200}$/, 'must have 1 to 200 characters without spaces, for it names the run'),
  runId: TEXT,
  protocolVersion: z.string().nullish(),
  messages: z.array(MESSAGE),
  tools: z.array(TOOL).nullish(),
  context: z.array(z.looseObject({ description: z.string(), value: z.string() })).nullish(),
  resume: z.array(RESUME).nullish(),
  forwardedProps: z.looseObject({ steersman: OWN.optional() }).nullish(),
});

export type AgUiInput = z.infer<typeof AG_UI_INPUT>;

export function ownOf({ forwardedProps }: AgUiInput): z.infer<typeof OWN> {
  return forwardedProps?.steersman ?? {};
}

/** True if the client speaks version 1 or later: clients of 0.x refuse later fields. */
export function speaks1({ protocolVersion }: AgUiInput): boolean {
  return Number.parseInt(protocolVersion ?? '0', 10) >= 1;
}
