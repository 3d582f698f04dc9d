import { describe, expect, test } from 'vitest';
import type { LiveDelta, LiveProgress } from '../../../../src/cli/print/live-calls.js';
import { completeLive, followLive } from '../../../../src/cli/print/live-calls.js';
import type { TextDelta } from '../../../../src/client/watch/live-text.js';

function beat(offset: number, text: string, more: Partial<TextDelta> = {}): TextDelta {
  const by = { callId: 'c1', role: 'executor', taskId: null, form: 'words' } as const;
  return { ...by, attempt: 1, channel: 'text', offset, text, ...more };
}

/** All deltas of a series of heartbeats, and what they lead to. */
function follow(beats: TextDelta[]): { progress: LiveProgress | null; deltas: LiveDelta[] } {
  let progress: LiveProgress | null = null;
  const deltas: LiveDelta[] = [];
  for (const live of beats) {
    const followed = followLive(progress, live);
    progress = followed.progress;
    deltas.push(...followed.deltas);
  }
  return { progress, deltas };
}

const text = (value: string): LiveDelta => ({ type: 'text', channel: 'text', text: value });

describe('live text', () => {
  const table: { name: string; beats: TextDelta[]; deltas: LiveDelta[] }[] = [
    { name: 'a first heartbeat → its text', beats: [beat(0, 'Hel')], deltas: [text('Hel')] },
    {
      name: 'a longer tail → only what is new',
      beats: [beat(0, 'Hel'), beat(0, 'Hello')],
      deltas: [text('Hel'), text('lo')],
    },
    {
      name: 'a tail that overlaps what was shown → only what is new',
      beats: [beat(0, 'Hello'), beat(3, 'lo, you')],
      deltas: [text('Hello'), text(', you')],
    },
    {
      name: 'a tail that begins where the last ended → all of it, no gap',
      beats: [beat(0, 'Hello'), beat(5, ', you')],
      deltas: [text('Hello'), text(', you')],
    },
    {
      name: 'the same heartbeat again → nothing',
      beats: [beat(0, 'Hello'), beat(0, 'Hello')],
      deltas: [text('Hello')],
    },
    {
      name: 'text that outran the tail → a gap with its size',
      beats: [beat(0, 'Hel'), beat(8, 'you')],
      deltas: [text('Hel'), { type: 'gap', chars: 5 }, text('you')],
    },
    {
      name: 'a watcher that joins late → a gap first',
      beats: [beat(2_000, 'the end')],
      deltas: [{ type: 'gap', chars: 2_000 }, text('the end')],
    },
    {
      name: 'a new attempt → a reset, and the text from its start',
      beats: [beat(0, 'Hello'), beat(0, 'Good', { attempt: 2 })],
      deltas: [text('Hello'), { type: 'reset', attempt: 2 }, text('Good')],
    },
    {
      name: 'a late heartbeat of the attempt before → nothing',
      beats: [beat(0, 'Good', { attempt: 2 }), beat(0, 'Hello')],
      deltas: [text('Good')],
    },
    {
      name: 'reasoning before text → each channel counted by itself',
      beats: [beat(0, 'Hmm', { channel: 'reasoning' }), beat(0, 'Hello')],
      deltas: [{ type: 'text', channel: 'reasoning', text: 'Hmm' }, text('Hello')],
    },
  ];

  test.each(table)('live text: $name', ({ beats, deltas }) => {
    expect(follow(beats).deltas).toEqual(deltas);
  });
});

describe('the final message', () => {
  const table: { name: string; beats: TextDelta[]; final: string; deltas: LiveDelta[] }[] = [
    { name: 'nothing was seen → all of it', beats: [], final: 'Hello', deltas: [text('Hello')] },
    { name: 'a part was seen → the rest', beats: [beat(0, 'Hel')], final: 'Hello', deltas: [text('lo')] },
    { name: 'all was seen → nothing', beats: [beat(0, 'Hello')], final: 'Hello', deltas: [] },
    {
      name: 'a gap was marked → the whole reply',
      beats: [beat(3, 'lo')],
      final: 'Hello',
      deltas: [{ type: 'whole', text: 'Hello' }],
    },
    {
      name: 'a gap in the reasoning only → the rest of the text',
      beats: [beat(900, 'so', { channel: 'reasoning' }), beat(0, 'Hel')],
      final: 'Hello',
      deltas: [text('lo')],
    },
    {
      name: 'the gap was in an attempt that was given up → the rest of this one',
      beats: [beat(3, 'lo'), beat(0, 'Hel', { attempt: 2 })],
      final: 'Hello',
      deltas: [text('lo')],
    },
    { name: 'a reply without text → nothing', beats: [], final: '', deltas: [] },
  ];

  test.each(table)('final message: $name', ({ beats, final, deltas }) => {
    expect(completeLive(follow(beats).progress, final)).toEqual(deltas);
  });
});
