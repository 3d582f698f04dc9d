import { expect, test } from 'vitest';
import { LiveCalls } from '../../../packages/print/live-calls.js';
import type { TextDelta } from '../../../src/client/watch/live-text.js';
import { noColors, textSink } from '../../../src/shared/process/output.js';

const BY = { callId: 'c1', role: 'executor', taskId: null, form: 'words' } as const;

function beat(offset: number, text: string, more: Partial<TextDelta> = {}): TextDelta {
  return { ...BY, attempt: 1, channel: 'text', offset, text, ...more };
}

/** What is printed of a series of texts, and of the reply that they end in. */
function printed(beats: TextDelta[], final?: string): string {
  let all = '';
  const sink = textSink(text => {
    all += text;
  }, noColors);
  const calls = new LiveCalls(sink, { who: '', isBeside: () => false });
  calls.started({ ...BY, model: 'openai/a', turn: 1, round: 1 });
  for (const live of beats) calls.heard(live);
  if (final !== undefined) calls.ended('c1', final);
  return all;
}

const gap = (chars: string) => `[… ${chars} characters not seen …]`;
const again = '\n      attempt 2: the reply starts again\n';

test.each<[string, TextDelta[], string]>([
  ['a first heartbeat → its text', [beat(0, 'Hel')], 'Hel'],
  ['a longer tail → only what is new', [beat(0, 'Hel'), beat(0, 'Hello')], 'Hello'],
  [
    'a tail that overlaps what was shown → only what is new',
    [beat(0, 'Hello'), beat(3, 'lo, you')],
    'Hello, you',
  ],
  [
    'a tail that begins where the last ended → all of it, no gap',
    [beat(0, 'Hello'), beat(5, ', you')],
    'Hello, you',
  ],
  ['the same heartbeat again → nothing', [beat(0, 'Hello'), beat(0, 'Hello')], 'Hello'],
  ['text that outran the tail → a gap with its size', [beat(0, 'Hel'), beat(8, 'you')], `Hel${gap('5')}you`],
  ['a watcher that joins late → a gap first', [beat(2_000, 'the end')], `${gap('2,000')}the end`],
  [
    'a new attempt → a reset, and the text from its start',
    [beat(0, 'Hello'), beat(0, 'Good', { attempt: 2 })],
    `Hello${again}Good`,
  ],
  [
    'a late heartbeat of the attempt before → nothing',
    [beat(0, 'Good', { attempt: 2 }), beat(0, 'Hello')],
    'Good',
  ],
  [
    'reasoning before text → each channel counted by itself',
    [beat(0, 'Hmm', { channel: 'reasoning' }), beat(0, 'Hello')],
    'Hmm\nHello',
  ],
])('live text: %s', (_, beats, text) => {
  expect(printed(beats)).toBe(text);
});

test.each<[string, TextDelta[], string, string]>([
  ['nothing was seen → all of it', [], 'Hello', 'Hello'],
  ['a part was seen → the rest', [beat(0, 'Hel')], 'Hello', 'Hello'],
  ['all was seen → nothing', [beat(0, 'Hello')], 'Hello', 'Hello'],
  [
    'a gap was marked → the whole reply',
    [beat(3, 'lo')],
    'Hello',
    `${gap('3')}lo\n      the whole reply:\nHello`,
  ],
  [
    'a gap in the reasoning only → the rest of the text',
    [beat(900, 'so', { channel: 'reasoning' }), beat(0, 'Hel')],
    'Hello',
    `${gap('900')}\nso\nHello`,
  ],
  [
    'the gap was in an attempt that was given up → the rest of this one',
    [beat(3, 'lo'), beat(0, 'Hel', { attempt: 2 })],
    'Hello',
    `${gap('3')}lo${again}Hello`,
  ],
  ['a reply without text → nothing', [], '', ''],
])('final message: %s', (_, beats, final, text) => {
  expect(printed(beats, final)).toBe(text);
});
