/** What components propose to a run, as the console's page keeps it for a person. */
import { expect, test } from 'vitest';
import { proposals, proposeText } from '../../../../packages/console/page/components/proposals.js';
import { propose } from '../../../../packages/console/page/components/propose.js';

test.each<[string, string, unknown, unknown, boolean]>([
  ['as it should be', 'open', 'Open', { id: 1 }, true],
  ['without a run', '', 'Open', null, false],
  ['a name that is markup', 'open', { not: 'a text' }, null, false],
  ['data that go round', 'open', 'Open', circle(), false],
  ['data above 16 KB', 'open', 'Open', 'x'.repeat(16_384), false],
])('R8 propose: %s', (what, run, label, data, isTaken) => {
  const id = run === '' ? '' : `run of ${what}`;
  const refused = propose({ id, ended: false }, { action: 'openOrder', label: label as string, data });
  expect(refused === null).toBe(isTaken);
  expect(proposals.value[id]?.length ?? 0).toBe(isTaken ? 1 : 0);
});

test('R8 propose: again and again → one chip an action and label, five at most', () => {
  for (let at = 0; at < 20; at += 1)
    propose({ id: 'r', ended: false }, { action: `a${at % 8}`, label: 'x', data: at });
  expect(proposals.value.r?.map(({ data }) => data)).toEqual([15, 16, 17, 18, 19]);
});

test('R8 propose: what is not seen in a text → is seen, and is what is sent', () => {
  propose({ id: 'unseen', ended: false }, { action: 'openOrder', label: 'Open\u202e it', data: null });
  proposeText('unseen', 'board', 'Say\u{e0041} it\nnow');
  expect(proposals.value.unseen?.map(({ label }) => label)).toEqual([
    ...['Open‹U+202E› it', 'Say‹U+E0041› it\nnow'],
  ]);
});

test('R12 propose: to a run that has ended → nothing waits, and it says so', () => {
  const refused = propose({ id: 'over', ended: true }, { action: 'open', label: 'Open', data: null });
  expect(refused).toBe('This run has ended: a component can send it nothing.');
  expect(proposals.value.over).toBeUndefined();
});

test('R12 propose: on the page of a stored conversation → nothing waits, and it says so', () => {
  const refused = propose({ id: '', ended: false }, { action: 'open', label: 'Open', data: null });
  expect(refused).toBe('This is a stored conversation: a component can send it nothing.');
});

function circle(): unknown {
  const data: Record<string, unknown> = {};
  data.self = data;
  return data;
}
