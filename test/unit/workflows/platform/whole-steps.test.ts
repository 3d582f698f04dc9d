import { expect, test } from 'vitest';
import { REFUSAL } from '../../../../src/run/limits/failure.js';
import { wholeSteps } from '../../../../src/workflows/platform/interceptors.js';

type Internals = NonNullable<ReturnType<typeof wholeSteps>['internals']>[number];
type Step = Parameters<NonNullable<Internals['activate']>>[0];

function workflow() {
  const [guard] = wholeSteps().internals ?? [];
  return {
    begin: (batchIndex = 0, work = () => {}) =>
      guard?.activate?.({ activation: {}, batchIndex } as unknown as Step, work),
    conclude: () => guard?.concludeActivation?.({ commands: [] }, given => given),
  };
}

test('a step that failed or was cut off → whatever comes next is refused (ST3)', () => {
  const { begin } = workflow();
  expect(() =>
    begin(0, () => {
      throw new Error('it fails');
    }),
  ).toThrow('it fails');
  expect(() => begin()).toThrow(REFUSAL);
  const cutOff = workflow();
  cutOff.begin();
  expect(() => cutOff.begin()).toThrow(REFUSAL);
});

test('steps that are concluded, in one batch or two → let through', () => {
  const { begin, conclude } = workflow();
  for (let step = 0; step < 3; step += 1) {
    begin();
    begin(1);
    conclude();
  }
});
