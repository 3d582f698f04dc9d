/** Errors as answers over HTTP, as every face gives them. */
import { WorkflowNotFoundError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { type ErrorCode, httpFault, SteersmanError } from '../../../src/client/index.js';

test.each<[ErrorCode, number]>([
  ['usage', 400],
  ['not_found', 404],
  ['rejected', 409],
  ['conflict', 409],
  ['ended', 409],
  ['open', 409],
  ['unserved', 503],
  ['unreachable', 503],
  ['aborted', 503],
  ['uncertain', 504],
  ['configuration', 500],
  ['internal', 500],
])('HTTP: an error with the code %s → %i, with its message and remedy', (code, status) => {
  const error = { code, message: 'It is so.', remedy: 'Do this.' };
  expect(httpFault(new SteersmanError(error.message, error.remedy, code))).toEqual({
    status,
    body: { error },
  });
});

test('HTTP: an error that names an option → the body has it, for the field of a form (FC7)', () => {
  const { body } = httpFault(
    new SteersmanError('There is no such folder.', '', 'configuration', 'workspace'),
  );
  expect(body.error.option).toBe('workspace');
});

test('HTTP: an error of Temporal → what the client makes of it', () => {
  const unknown = new WorkflowNotFoundError('not found', 'run-1', undefined);
  expect(httpFault(unknown)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
});

test('HTTP: a fault of the program → 500, as internal', () => {
  const error = { code: 'internal', message: 'x is not a function', remedy: '' };
  expect(httpFault(new TypeError(error.message))).toEqual({ status: 500, body: { error } });
});
