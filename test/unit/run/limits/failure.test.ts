import { expect, test } from 'vitest';
import { mayPass } from '../../../../src/run/limits/cause.js';
import { FAILURE, isRetryableModelFailure } from '../../../../src/run/limits/failure.js';

const { model, tool, run } = FAILURE;

test.each<[string, boolean]>([
  [model.rateLimited, true],
  [model.overloaded, true],
  [model.server, true],
  [model.connection, true],
  [model.timeout, true],
  [model.stalled, true],
  [model.badResponse, true],
  [model.auth, false],
  [model.forbidden, false],
  [model.badRequest, false],
  [model.unknownModel, false],
  [model.contentFilter, false],
  [model.contextTooLong, false],
  [FAILURE.stateUnavailable, false],
  [FAILURE.workerShutdown, false],
  [tool.timeout, false],
  [tool.connectionLost, false],
  [tool.notSent, false],
  [run.failed, false],
  ['', false],
  ['model.', false],
])('isRetryableModelFailure: %s → %s (M6)', (type, retryable) => {
  expect(isRetryableModelFailure(type)).toBe(retryable);
});

test('FAILURE: all types → distinct, dotted, and each of a model says so', () => {
  const types = Object.values(FAILURE).flatMap(group =>
    typeof group === 'string' ? [group] : Object.values(group),
  );
  expect(new Set(types).size).toBe(types.length);
  for (const type of types) expect(type).toMatch(/^[a-z]+\.[a-z_]+$/);
  expect(Object.values(model).every(type => type.startsWith('model.'))).toBe(true);
});

test('mayPass: a goal that ended for a busy endpoint → true; for any other cause → false', () => {
  const busy = [model.rateLimited, model.overloaded, model.server];
  expect(busy.map(type => mayPass(`failed:${type}`))).toEqual([true, true, true]);
  for (const type of [model.auth, model.unknownModel, run.failed])
    expect(mayPass(`failed:${type}`)).toBe(false);
  expect([mayPass('verified'), mayPass(null)]).toEqual([false, false]);
});
