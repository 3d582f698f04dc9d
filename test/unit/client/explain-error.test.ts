import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkflowNotFoundError } from '@temporalio/client';
import { afterEach, expect, test, vi } from 'vitest';
import { explainError } from '../../../src/client/connection/grpc-errors.js';

function failedWrite(path: string): unknown {
  try {
    writeFileSync(path, 'x');
  } catch (error) {
    return error;
  }
  throw new Error('it was written');
}

test('errors: the disk is full → said with the file and what to do, not as a fault of ours (TE8)', () => {
  const full = failedWrite('/dev/full');
  expect(explainError(full)).toMatchObject({ message: expect.stringMatching(/^The disk is full.*ENOSPC/) });
});

test.each([
  [
    'No connection established. Last error: connect ECONNREFUSED 127.0.0.1:7233. Resolution note: ',
    'No connection established. Last error: connect ECONNREFUSED 127.0.0.1:7233.',
  ],
  [
    'Deadline exceeded after 5.0s,waiting for metadata filters',
    'Deadline exceeded after 5.0s,waiting for metadata filters.',
  ],
])('errors: the server is away, and gRPC says %j → it stands as a sentence', (said, shown) => {
  const away = Object.assign(new Error(said), { code: 14, details: said, metadata: {} });
  expect(explainError(away)?.message).toBe(`Temporal does not answer: ${shown}`);
});

// Who reads errors is a word for the whole process.
afterEach(() => vi.resetModules());

test.each([
  ['a program', false, '`client.list()`'],
  ['the command line', true, 'npm run client -- list'],
])('errors: %s asks for a run that is unknown → told what it can do itself', async (_, atTerminal, todo) => {
  vi.resetModules();
  if (atTerminal) (await import('../../../src/shared/process/called-as.js')).hintCommands();
  const fresh = await import('../../../src/client/connection/grpc-errors.js');
  const error = fresh.explainError(new WorkflowNotFoundError('not found', 'r', undefined));
  expect(error?.remedy).toBe(`List the runs with: ${todo}`);
});

test('errors: a bug → no explanation, so that it is reported', () => {
  expect(explainError(new TypeError('x is not a function'))).toBeNull();
});

test('errors of the client: a command that they name → stands beside what a program calls instead', () => {
  const folder = new URL('../../../src/client/connection', import.meta.url).pathname;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.ts'),
  );
  const alone = /(?<!hintOf\(\s*)(?:verbCall|startCall)\(/;
  expect(files.filter(name => alone.test(readFileSync(join(folder, name), 'utf8')))).toEqual([]);
});
