import { QueryNotRegisteredError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { JournalReader } from '../../../../src/client/record/journal-reader.js';
import type { JournalEvent } from '../../../../src/run/state/journal.js';
import type { EventsPage } from '../../../../src/workflows/run/definitions.js';

interface Part {
  /** First and last event that the part keeps. */
  from: number;
  to: number;
  previousRunId: string | null;
}

const PAGE = 3;

/** Parts of a run as their `events` queries tell them, in pages of three events. */
function reader(parts: Record<string, Part | Error>, store: number[] | Error = []) {
  const asked: string[] = [];
  const journal = new JournalReader(
    async (runId, since): Promise<EventsPage> => {
      asked.push(`${runId}>${since}`);
      const part = parts[runId];
      if (!part || part instanceof Error) throw part ?? new Error(`no part ${runId}`);
      const kept = Array.from({ length: part.to - part.from + 1 }, (_, index) => part.from + index);
      const fresh = kept.filter(seq => seq > since);
      return {
        events: fresh.slice(0, PAGE).map(eventNumber),
        more: fresh.length > PAGE,
        missed: Math.max(0, (fresh[0] ?? part.to + 1) - since - 1),
        previousRunId: part.previousRunId,
        open: true,
      };
    },
    0,
    async after => {
      if (store instanceof Error) throw store;
      return { events: store.filter(seq => seq > after).map(eventNumber), isWhole: true };
    },
  );
  const read = async (runId: string) => {
    const { events, lost } = await journal.read(runId);
    return { seqs: events.map(event => event.seq), lost };
  };
  const readKept = async () => {
    const { events, ...news } = await journal.readKept();
    return { seqs: events.map(event => event.seq), ...news };
  };
  return { read, readKept, asked };
}

function eventNumber(seq: number): JournalEvent {
  return { seq, at: seq, type: 'stop_requested', reason: '' };
}

const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, index) => from + index);

describe('reading a journal', () => {
  test('journal: more than a page → all of it, each event once', async () => {
    const { read } = reader({ a: { from: 1, to: 8, previousRunId: null } });
    expect(await read('a')).toEqual({ seqs: upTo(8), lost: 0 });
  });

  test.each([
    ['all of them', upTo(12), { seqs: upTo(20), lost: 0 }],
    ['those before a gap', [1, 2, 3, 6, 7], { seqs: [...upTo(3), ...upTo(20, 11)], lost: 7 }],
    ['none, it fails', new Error('no such folder'), { seqs: upTo(20, 11), lost: 10 }],
  ])(
    'journal: a run that has dropped its first events, and a store that has %s → told from there, once',
    async (_what, store, told) => {
      const { read } = reader({ a: { from: 11, to: 20, previousRunId: null } }, store);
      expect(await read('a')).toEqual(told);
      expect(await read('a')).toEqual({ seqs: [], lost: 0 });
    },
  );

  test.each([
    ['all', upTo(4), { seqs: upTo(4), lost: 0, isWhole: true }],
    ['a gap', [1, 4], { seqs: [1, 4], lost: 2, isWhole: false }],
    ['nothing, it fails', new Error('no such folder'), { seqs: [], lost: 0, isWhole: false }],
  ])(
    'journal: no worker tells it, and the store has %s → told from there, then the rest (FC4)',
    async (_what, store, told) => {
      const { read, readKept } = reader({ a: { from: 1, to: 5, previousRunId: null } }, store);
      expect(await readKept()).toEqual(told);
      expect((await read('a')).seqs).toEqual(upTo(5).slice(told.seqs.at(-1) ?? 0));
    },
  );

  test('journal: read again → only what is new, with one question', async () => {
    const part = { from: 1, to: 2, previousRunId: null };
    const { read, asked } = reader({ a: part });
    await read('a');
    part.to = 4;
    asked.length = 0;
    expect(await read('a')).toEqual({ seqs: [3, 4], lost: 0 });
    expect(asked).toEqual(['a>2']);
  });

  test('journal: the run continued as new twice (L20) → the earlier parts are asked, oldest first', async () => {
    const { read } = reader({
      a: { from: 1, to: 4, previousRunId: null },
      b: { from: 3, to: 8, previousRunId: 'a' },
      c: { from: 7, to: 9, previousRunId: 'b' },
    });
    expect(await read('c')).toEqual({ seqs: upTo(9), lost: 0 });
  });

  test('journal: the part at hand keeps all that is new → earlier parts are not asked', async () => {
    const { read, asked } = reader({ b: { from: 1, to: 5, previousRunId: 'a' } });
    await read('b');
    expect(asked.every(question => question.startsWith('b>'))).toBe(true);
  });

  test('journal: an earlier segment that no longer replays → the rest, and how much is lost', async () => {
    const { read } = reader({
      a: new QueryNotRegisteredError('nondeterminism', 3),
      b: { from: 5, to: 6, previousRunId: 'a' },
    });
    expect(await read('b')).toEqual({ seqs: [5, 6], lost: 4 });
  });

  test('journal: an earlier segment that does not answer now → nothing counts as read, the next try gets all', async () => {
    const parts: Record<string, Part | Error> = {
      a: new Error('busy'),
      b: { from: 3, to: 4, previousRunId: 'a' },
    };
    const { read } = reader(parts);
    await expect(read('b')).rejects.toThrow('busy');
    parts.a = { from: 1, to: 2, previousRunId: null };
    expect(await read('b')).toEqual({ seqs: upTo(4), lost: 0 });
  });
});
