import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonBytes } from '../../../../src/base/json/json.js';
import { JOURNAL_BYTES } from '../../../../src/base/sizes/bounds.js';
import { preview } from '../../../../src/base/text/preview.js';
import {
  eventsSince,
  JOURNAL_KEPT,
  type Journal,
  newJournal,
  record,
} from '../../../../src/run/state/journal.js';
import { propertyRuns } from '../../../support/property-runs.js';

function journalOf(count: number): Journal {
  const journal = newJournal();
  for (let index = 1; index <= count; index += 1)
    record(journal, index * 10, 'paused', { reason: `r${index}` });
  return journal;
}

describe('record', () => {
  test('record: first event → number 1, with time, type and payload', () => {
    const { lastSeq, events } = journalOf(1);
    expect([lastSeq, events]).toEqual([1, [{ seq: 1, at: 10, type: 'paused', reason: 'r1' }]]);
  });

  test.each([
    ['exactly as many as are kept', JOURNAL_KEPT, 1],
    ['one more', JOURNAL_KEPT + 1, 2],
    ['more than twice as many', 2 * JOURNAL_KEPT + 5, JOURNAL_KEPT + 6],
  ])('record: %s → the last 500 stay, numbers go on', (_, count, first) => {
    const { events, lastSeq } = journalOf(count);
    expect(JOURNAL_KEPT).toBe(500);
    expect(lastSeq).toBe(count);
    expect(events).toHaveLength(JOURNAL_KEPT);
    expect([events[0]?.seq, events.at(-1)?.seq]).toEqual([first, count]);
  });
});

test('record: events too large to keep 500, also in a journal that was handed over → the newest that fit, not one fewer', () => {
  const text = 'x'.repeat(3_000);
  let journal = newJournal();
  for (let count = 1; count <= 120; count += 1) {
    record(journal, count, 'paused', { reason: text.slice(0, (count * 37) % 3_000) });
    if (count === 100) journal = structuredClone(journal);
  }
  const { events } = journal;
  expect(jsonBytes(events)).toBeLessThanOrEqual(JOURNAL_BYTES);
  expect(events.length).toBeLessThan(120);
  const before = {
    seq: events[0]?.seq,
    at: 1,
    type: 'paused',
    reason: text.slice(0, ((120 - events.length) * 37) % 3_000),
  };
  expect(jsonBytes([before, ...events])).toBeGreaterThan(JOURNAL_BYTES);
});

describe('eventsSince', () => {
  test.each<[string, number, number, number | undefined, number, number]>([
    ['empty journal → nothing, nothing missed', 0, 0, undefined, 0, 0],
    ['from the start → all', 5, 0, 1, 5, 0],
    ['from the middle → the later ones', 5, 3, 4, 2, 0],
    ['at the last one → none, none missed', 5, 5, undefined, 0, 0],
    ['beyond the last one → none, none missed', 5, 9, undefined, 0, 0],
    ['from the start, old ones gone → those kept, the others missed', 510, 0, 11, 500, 10],
    ['just before the oldest kept → none missed', 510, 10, 11, 500, 0],
    ['one before that → one missed', 510, 9, 11, 500, 1],
    ['among the kept of a long run → none missed', 510, 505, 506, 5, 0],
  ])('eventsSince: %s', (_, count, since, first, length, missed) => {
    const found = eventsSince(journalOf(count), since);
    expect(found.events).toHaveLength(length);
    expect(found.events[0]?.seq).toBe(first);
    expect(found.missed).toBe(missed);
  });

  test('eventsSince: a watcher that polls at any pace → events and missed add up to all there were', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 6 }), bursts => {
        const journal = journalOf(0);
        let since = 0;
        let seen = 0;
        for (const burst of bursts) {
          for (let index = 0; index < burst; index += 1) record(journal, 1, 'resumed', { reason: '' });
          const { events, missed } = eventsSince(journal, since);
          seen += events.length + missed;
          since = events.at(-1)?.seq ?? since;
        }
        expect(seen).toBe(journal.lastSeq);
      }),
      { numRuns: propertyRuns(40) },
    );
  });
});

describe('preview', () => {
  test.each<[string, string, number | undefined, string]>([
    ['a short text → as it is', 'abc', undefined, 'abc'],
    ['white space and lines → one line', '  a\n\n b\t c ', undefined, 'a b c'],
    ['nothing but white space → empty', ' \n ', undefined, ''],
    ['exactly the length → as it is', 'abcde', 5, 'abcde'],
    ['one over → cut, with an ellipsis within the length', 'abcdef', 5, 'abcd…'],
    ['over 200, no length said → 200', 'x'.repeat(201), undefined, `${'x'.repeat(199)}…`],
  ])('preview: %s', (_, text, max, expected) => {
    expect(preview(text, max)).toBe(expected);
  });

  test('preview: any text and length from 1 → one line within the length that begins the text', () => {
    const texts = fc.string({
      unit: fc.constantFrom('a', 'b', ' ', '\n', '\t', '目', '😀', '…'),
      maxLength: 60,
    });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, max) => {
        const line = preview(text, max);
        const whole = preview(text, 1000);
        expect(line.length).toBeLessThanOrEqual(max);
        expect(line).not.toMatch(/[\n\r\t]/);
        if (whole.length <= max) expect(line).toBe(whole);
        else expect(whole.startsWith(line.slice(0, -1)) && line.endsWith('…')).toBe(true);
      }),
    );
  });
});
