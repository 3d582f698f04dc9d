import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Run, RunResult, SteersmanClient } from '../../../../src/client/index.js';
import { startRequest } from '../../../../src/client/start/start-run.js';
import type { executeRun } from '../../../../src/workflows/agents/child-run.js';

const local = { project: null, local: false };
const schema = z.object({ count: z.int(), files: z.array(z.string()).optional() });

test('a start with a schema of zod → the run has it as JSON Schema, closed and with what the value must have (TA2)', async () => {
  const { settings } = await startRequest('Count.', { answer: schema }, local);
  expect(settings.answer).toMatchObject({
    type: 'object',
    properties: { count: { type: 'integer' }, files: { type: 'array' } },
    required: ['count'],
    additionalProperties: false,
  });
});

test.each<[string, object, RegExp]>([
  [
    'that changes what it reads',
    z.object({ at: z.string().transform(Number) }),
    /`answer` cannot be used: .*[Tt]ransform/,
  ],
  [
    'of a library without JSON Schema',
    { '~standard': { vendor: 'other' } },
    /`answer` cannot be used: .*z\.toJSONSchema/,
  ],
  ['of a list', z.array(z.string()), /`settings\.answer\.type` must be object/],
])('a start with a schema %s → refused, with why (TA2)', async (_what, answer, fault) => {
  await expect(startRequest('Count.', { answer: answer as never }, local)).rejects.toThrow(fault);
});

/** Nothing of it runs: the compiler is asked. */
async function typed(client: SteersmanClient, execute: typeof executeRun): Promise<void> {
  const run = await client.start('Count.', { answer: schema, mode: 'react' });
  expectTypeOf(run).toEqualTypeOf<Run<{ count: number; files?: string[] | undefined }>>();
  expectTypeOf((await run.result()).value?.count).toEqualTypeOf<number | undefined>();
  const plain = await client.start('Count.', { answer: { type: 'object' } });
  expectTypeOf((await plain.result()).value).toEqualTypeOf<unknown>();
  expectTypeOf(await (await client.start('Count.')).result()).toEqualTypeOf<RunResult>();
  const named = await client.start<{ count: number }>('Count.', { answer: { type: 'object' } });
  expectTypeOf((await named.result()).value?.count).toEqualTypeOf<number | undefined>();
  const child = await execute('Count.', { workspace: '/w', answer: schema });
  expectTypeOf(child.value?.count).toEqualTypeOf<number | undefined>();
}

test('the type of the value → that of the schema; without a schema it is unknown (TA2)', () => {
  expect(typed).toBeTypeOf('function');
});
