import { expect, test } from 'vitest';
import { farewellLines, type LeftRun } from '../../../packages/session/session.js';

const AT_WORK: LeftRun = { id: 'r', waiting: false, paused: false, idle: false, owned: true };

test.each<[string, Partial<LeftRun>, string]>([
  ['at work', {}, 'The run r goes on.'],
  ['at a gate', { waiting: true }, 'The run r waits for your answer: npm run client -- show r'],
  [
    'at a gate and paused',
    { waiting: true, paused: true },
    'The run r waits for your answer: npm run client -- show r',
  ],
  ['paused', { paused: true }, 'The run r is paused: npm run client -- resume r'],
  ['answered, kept open for this session', { idle: true }, 'The run r is answered, and ends.'],
  [
    'answered, kept open by others',
    { idle: true, owned: false },
    'The run r is answered, and open for a follow-up.',
  ],
])('leaving a run %s → how it stands (TE4)', (_name, more, line) => {
  expect(farewellLines({ ...AT_WORK, ...more })[0]).toBe(line);
});
