import { expect, test } from 'vitest';
import { type TextDelta, TextFollower } from '../../../../src/client/watch/live-text.js';
import type { JournalEvent } from '../../../../src/run/state/journal.js';

const event = (type: string, more: object = {}) =>
  ({ seq: 1, at: 0, type, callId: 'c1', ...more }) as JournalEvent;
const beat = (offset: number, tail: string, attempt = 1) =>
  ({ callId: 'c1', attempt, channel: 'text', offset, tail }) as const;

/** What a program that joins the texts has at the end; a gap and a new attempt are marked. */
function joinedTexts(deltas: (TextDelta | null)[]): string {
  let text = '';
  let attempt = 1;
  for (const delta of deltas) {
    if (delta === null) continue;
    if (delta.attempt > attempt) text = '';
    attempt = delta.attempt;
    text += delta.offset > text.length ? `[${delta.offset - text.length}]${delta.text}` : delta.text;
  }
  return text;
}

test.each([
  ['heartbeats that overlap', [beat(0, 'Hel'), beat(0, 'Hello'), beat(2, 'llo, w')], 'Hello, world'],
  ['a heartbeat that was seen before', [beat(0, 'Hello'), beat(0, 'Hel')], 'Hello, world'],
  ['a gap', [beat(0, 'He'), beat(4, 'o, w')], 'He[2]o, world'],
  ['none at all', [], 'Hello, world'],
  ['another attempt', [beat(0, 'Good'), beat(0, 'Hel', 2)], 'Hello, world'],
])('texts of a call: %s → each character once, to the end of the reply', (_, beats, text) => {
  const follower = new TextFollower();
  follower.followed(event('model_call_started'));
  const deltas = beats.map(live => follower.heard(live));
  deltas.push(...follower.followed(event('model_call_ended', { text: 'Hello, world' })));
  expect(joinedTexts(deltas)).toBe(text);
});

test('texts of a call: a reply that its endpoint began anew → earlier text does not count', () => {
  const follower = new TextFollower();
  follower.followed(event('model_call_started'));
  const deltas = [
    follower.heard(beat(0, 'Good morning')),
    follower.heard({ ...beat(0, ''), restarts: 1 }),
    follower.heard({ ...beat(0, 'Hel'), restarts: 1 }),
    ...follower.followed(event('model_call_ended', { text: 'Hello, world' })),
  ];
  expect(joinedTexts(deltas)).toBe('Hello, world');
});

test.each([
  ['in blocks', [beat(0, 'Hello,world.')], 'Hello,\nworld.\nBye.', '\nBye.'],
  ['in blocks, heard after a gap', [beat(0, 'He'), beat(4, 'o,world.')], 'Hello,\nworld.\nBye.', '\nBye.'],
  ['in other words', [beat(0, '<call>')], 'Hello', ''],
  ['cut', [beat(0, 'Hello, world')], 'Hello', ''],
])('texts of a call: kept %s → nothing of it is told twice', (_, beats, text, rest) => {
  const follower = new TextFollower();
  follower.followed(event('model_call_started'));
  for (const live of beats) follower.heard(live);
  expect(
    follower
      .followed(event('model_call_ended', { text }))
      .map(delta => delta.text)
      .join(),
  ).toBe(rest);
});

test('texts of a call: a heartbeat after its end → nothing', () => {
  const follower = new TextFollower();
  follower.followed(event('model_call_started'));
  follower.followed(event('model_call_ended', { text: 'Hello' }));
  expect(follower.heard(beat(0, 'Hello'))).toBeNull();
});

const thought = 'I think. '.repeat(300);

test.each([
  ['none of it', [], thought],
  ['its beginning', [beat(0, thought.slice(0, 1_000))], thought],
  ['a part behind a gap', [beat(3, thought.slice(3, 2_003))], `[3]${thought.slice(3)}`],
  ['all of it', [beat(700, thought.slice(700)), beat(0, thought)], `[700]${thought.slice(700)}`],
])(
  'thinking of a call: %s was heard → the rest comes with the end of the reply, before its text (M12, C15)',
  (_, beats, whole) => {
    const follower = new TextFollower();
    follower.followed(event('model_call_started'));
    const deltas = beats.map(live => follower.heard({ ...live, channel: 'reasoning' }));
    deltas.push(...follower.followed(event('model_call_ended', { text: 'Yes.', reasoning: thought })));
    const of = (channel: string) => deltas.filter(delta => delta?.channel === channel);
    expect(joinedTexts(of('reasoning'))).toBe(whole);
    expect(joinedTexts(of('text'))).toBe('Yes.');
    expect(deltas.at(-1)?.channel).toBe('text');
  },
);
