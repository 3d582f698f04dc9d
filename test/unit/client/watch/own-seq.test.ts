import { expect, test } from 'vitest';
import { ownSeq, type RunEvent } from '../../../../src/client/index.js';
import { endItem, warning } from '../../../support/fake-runs.js';

test.each<[string, RunEvent, number | null]>([
  ['a durable event of the run', warning(7), 7],
  ['an event of a sub-agent', { ...warning(7), path: 'search/1' }, null],
  ['the end', endItem(), null],
])('resuming a watch: %s → as told', (_, event, seq) => {
  expect(ownSeq(event)).toBe(seq);
});
