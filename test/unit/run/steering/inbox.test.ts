import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonBytes } from '../../../../src/base/json/json.js';
import { SEEN_IDS_BYTES, TAKEN_BACK_BYTES } from '../../../../src/base/sizes/bounds.js';
import {
  type Acceptance,
  acceptMessage,
  batchAction,
  emptyInbox,
  giveBack,
  type Inbox,
  type InboxItem,
  SEEN_IDS_KEPT,
  STEER_TIMES,
  steersToFollowUps,
  takeFollowUp,
  takeSteers,
  waitingSteers,
  wantsInterrupt,
  withdrawMessage,
} from '../../../../src/run/steering/inbox.js';

const READERS = ['planner', 'executor', 'verifier'];
const ARRIVAL = {
  at: 1,
  fallbackId: 's1',
  ended: false,
  readers: READERS,
  maxBytes: 10,
  room: 1_000_000,
};

function accept(raw: unknown, arrival = {}, inbox = emptyInbox()): Acceptance {
  return acceptMessage(inbox, raw, 'steer', { ...ARRIVAL, ...arrival });
}

const item = (fields: Partial<InboxItem>): InboxItem => ({
  id: 'a',
  kind: 'steer',
  text: 't',
  when: 'skip',
  to: null,
  at: 1,
  ...fields,
});

describe('acceptMessage', () => {
  it.each([
    ['hi', { id: 's1', text: 'hi' }],
    [{ text: ' hi ' }, { id: 's1', text: 'hi' }],
    [
      { id: 'x', text: 'hi', when: 'interrupt', to: 'executor' },
      { id: 'x', when: 'interrupt', to: 'executor' },
    ],
    [
      { id: 7, text: 'hi', when: null, to: null },
      { id: '7', when: 'skip', to: null },
    ],
    [{ text: '3456789 10'.slice(0, 10) }, { text: '3456789 10' }],
    [{ text: '你好吗' }, { text: '你好吗' }],
  ])('S1 acceptMessage: %j → accepted as %j', (raw, fields) => {
    expect(accept(raw)).toMatchObject({ kind: 'accepted', item: { kind: 'steer', at: 1, ...fields } });
  });

  it.each([
    [undefined, null, '`message` must be a text, or an object'],
    [5, null, '`message` must be'],
    [['hi'], null, '`message` must be'],
    [{ id: '', text: 'hi' }, null, '`id` must be a text of 1 to 200 characters'],
    [{ id: {}, text: 'hi' }, null, '`id` must be'],
    [{ id: 'x'.repeat(201), text: 'hi' }, null, '`id` must be'],
    [{}, 's1', '`text` must be a non-empty text, got nothing'],
    [' ', 's1', '`text` must be a non-empty text'],
    [{ text: 5 }, 's1', '`text` must be a non-empty text, got 5'],
    ['12345678901', 's1', 'The text has 11 bytes, and at most 10 are taken'],
    ['你好吗吗', 's1', 'The text has 12 bytes'],
    [{ text: 'hi', when: 'now' }, 's1', '`when` must be one of skip, after-batch, interrupt, got "now".'],
    [{ text: 'hi', to: 5 }, 's1', '`to` must be one of the roles that read messages (planner,'],
  ])('S1 acceptMessage: %j → ignored, and says why', (raw, id, why) => {
    const inbox = emptyInbox();
    const result = accept(raw, {}, inbox);
    expect(result).toMatchObject({ kind: 'ignored', id });
    expect(result.kind === 'ignored' && result.why).toContain(why);
    expect(inbox).toEqual(emptyInbox());
  });

  it('S2 acceptMessage: to an ended run → ignored, whatever it says', () => {
    expect(accept('hi', { ended: true })).toEqual({ kind: 'ignored', id: 's1', why: 'The run has ended.' });
  });

  it.each(['planner', 'executor', 'verifier'])(
    'S1 acceptMessage: `to` %s, who reads messages → accepted',
    to => {
      expect(accept({ text: 'hi', to })).toMatchObject({ kind: 'accepted', item: { to } });
    },
  );

  it.each(['understanding', 'router', 'reviewer', 'orchestrator', 'summary', 'poet'])(
    'S1 acceptMessage: `to` %s, who reads no messages → ignored, and names those who do (PR3)',
    to => {
      expect(accept({ text: 'hi', to })).toMatchObject({
        kind: 'ignored',
        why: `\`to\` must be one of the roles that read messages (planner, executor, verifier), or left out for the role at work, got "${to}".`,
      });
    },
  );

  it('S1 acceptMessage: a repeated id → nothing, also when the message was taken, of either kind', () => {
    const inbox = emptyInbox();
    acceptMessage(inbox, { id: 'x', text: 'a' }, 'steer', ARRIVAL);
    expect(accept({ id: 'x', text: 'b' }, {}, inbox)).toEqual({ kind: 'repeated', id: 'x' });
    takeSteers(inbox, 'executor');
    expect(acceptMessage(inbox, { id: 'x', text: 'b' }, 'follow-up', ARRIVAL).kind).toBe('repeated');
    expect(accept({ id: 'x', text: 'b' }, { ended: true }, inbox).kind).toBe('repeated');
    expect(inbox.items).toEqual([]);
  });

  it('S1 acceptMessage: a message without id whose given id is in use → still taken', () => {
    const inbox = emptyInbox();
    accept({ id: 's1', text: 'mine' }, {}, inbox);
    expect(accept('also', {}, inbox)).toMatchObject({ kind: 'accepted', item: { id: "s1'" } });
    expect(inbox.items.map(({ text }) => text)).toEqual(['mine', 'also']);
  });

  it('S1 acceptMessage: an ignored message sent again in the right form → accepted under its id', () => {
    const inbox = emptyInbox();
    expect(accept({ id: 'x', text: '' }, {}, inbox).kind).toBe('ignored');
    expect(accept({ id: 'x', text: 'hi' }, {}, inbox).kind).toBe('accepted');
  });

  it('acceptMessage: more than all messages may take → refused with the reason; taken under its id when there is room (ST1)', () => {
    const inbox = emptyInbox();
    const arrival = { maxBytes: 2_000, room: 3_000 };
    expect(accept({ id: 'a', text: '帆'.repeat(600) }, arrival, inbox).kind).toBe('accepted');
    expect(accept({ id: 'b', text: '帆'.repeat(600) }, arrival, inbox)).toMatchObject({
      kind: 'ignored',
      id: 'b',
      why: expect.stringContaining('Too many messages wait'),
    });
    takeSteers(inbox, 'executor');
    expect(accept({ id: 'b', text: '帆'.repeat(600) }, arrival, inbox).kind).toBe('accepted');
  });

  it('acceptMessage: a text counts as it is encoded → control characters six bytes each (ST1)', () => {
    expect(accept('\u0001'.repeat(10), { maxBytes: 60 }).kind).toBe('accepted');
    expect(accept('\u0001'.repeat(10), { maxBytes: 59 }).kind).toBe('ignored');
  });

  it('acceptMessage: ids so long that a thousand are too much → fewer are remembered (ST1)', () => {
    const inbox = emptyInbox();
    for (let n = 0; n < SEEN_IDS_KEPT; n += 1)
      accept({ id: `${n}${'帆'.repeat(190)}`, text: 'x' }, {}, inbox);
    expect(jsonBytes(inbox.seenIds)).toBeLessThanOrEqual(SEEN_IDS_BYTES);
    expect(inbox.seenIds.at(-1)).toMatch(/^999/);
  });

  it('acceptMessage: more ids than are kept → the last thousand', () => {
    const inbox = emptyInbox();
    for (let n = 0; n <= SEEN_IDS_KEPT; n += 1) accept({ id: `m${n}`, text: 'x' }, {}, inbox);
    expect([inbox.seenIds.length, inbox.seenIds[0]]).toEqual([SEEN_IDS_KEPT, 'm1']);
    expect(inbox.items).toHaveLength(SEEN_IDS_KEPT + 1);
  });
});

describe('taking', () => {
  it('S1 waitingSteers: for whoever runs and for the role by name → in order; the rest stays', () => {
    const inbox = emptyInbox();
    inbox.items = [
      item({ id: '1' }),
      item({ id: '2', to: 'executor' }),
      item({ id: '3', to: 'planner' }),
      item({ id: '4', kind: 'follow-up' }),
      item({ id: '5' }),
    ];
    expect(waitingSteers(inbox, 'executor').map(({ id }) => id)).toEqual(['1', '2', '5']);
    expect(takeSteers(inbox, 'executor').map(({ id }) => id)).toEqual(['1', '2', '5']);
    expect(inbox.items.map(({ id }) => id)).toEqual(['3', '4']);
    expect(takeSteers(inbox, 'executor')).toEqual([]);
  });

  it('withdrawMessage: waiting or not, by its id → taken out, or null', () => {
    const inbox = emptyInbox();
    const arrival = { ...ARRIVAL, maxBytes: 100, room: 1_000 };
    for (const id of ['1', '2', '3']) acceptMessage(inbox, { id, text: id }, 'follow-up', arrival);
    expect(withdrawMessage(inbox, '2')?.text).toBe('2');
    expect(withdrawMessage(inbox, '2')).toBeNull();
    expect(inbox.items.map(({ id }) => id)).toEqual(['1', '3']);
  });

  it('S2 withdrawMessage: its id comes again → not taken, and its sender is told to use another', () => {
    const inbox = emptyInbox();
    accept({ id: 'x', text: 'a' }, {}, inbox);
    withdrawMessage(inbox, 'x');
    const why =
      'The message with this id was taken back: to say something after all, send it under a new id.';
    expect(accept({ id: 'x', text: 'a' }, {}, inbox)).toEqual({ kind: 'ignored', id: 'x', why });
    expect(inbox.items).toEqual([]);
    for (let number = 0; number < 2_000; number++) {
      accept({ id: `m${number}`, text: 'a' }, {}, inbox);
      withdrawMessage(inbox, `m${number}`);
    }
    expect(jsonBytes(inbox.takenBackIds)).toBeLessThanOrEqual(TAKEN_BACK_BYTES);
    expect(inbox.takenBackIds.at(-1)).toBe('m1999');
  });

  it('S3 steersToFollowUps: steering left at the end → follow-ups at their position; then one at a time', () => {
    const inbox = emptyInbox();
    inbox.items = [item({ id: '1', to: 'poet' }), item({ id: '2', kind: 'follow-up' }), item({ id: '3' })];
    expect(steersToFollowUps(inbox).map(({ id }) => id)).toEqual(['1', '3']);
    const taken = [1, 2, 3, 4].map(() => takeFollowUp(inbox));
    expect(taken.map(next => next?.id ?? null)).toEqual(['1', '2', '3', null]);
    expect(taken[0]).toMatchObject({ kind: 'follow-up', to: null });
  });

  it('S2 takeFollowUp: only steering waits → null, and it stays', () => {
    const inbox = { items: [item({})], seenIds: ['a'], takenBackIds: [] };
    expect(takeFollowUp(inbox)).toBeNull();
    expect(inbox.items).toHaveLength(1);
  });

  const ROOM = 1_000;
  it.each([
    ['waits', 'repeated', ROOM, () => {}],
    ['was taken', 'repeated', ROOM, (inbox: Inbox) => void takeSteers(inbox, 'executor')],
    ['was taken back', 'ignored', ROOM, (inbox: Inbox) => void withdrawMessage(inbox, 'x')],
    ['found no room', 'accepted', 0, () => {}],
  ])('giveBack: one sent to the agent alone %s, and its id comes again → %s', (_what, kind, room, then) => {
    const inbox = emptyInbox();
    giveBack(inbox, item({ id: 'x', to: 'executor' }), room);
    then(inbox);
    expect(accept({ id: 'x', text: 'a' }, {}, inbox).kind).toBe(kind);
  });

  it('S1 S2 inbox: any arrivals and takings → every accepted message is taken exactly once, in order for its taker', () => {
    const message = fc.record({
      id: fc.constantFrom(undefined, 'a', 'b', 'c', 'd'),
      text: fc.constantFrom('x', '', 'y'),
      when: fc.constantFrom(undefined, ...STEER_TIMES, 'never'),
      to: fc.constantFrom(undefined, 'planner', 'executor'),
    });
    const step = fc.oneof(
      fc.record({ kind: fc.constantFrom('steer' as const, 'follow-up' as const), message }),
      fc.constantFrom('take planner', 'take executor', 'turn', 'next'),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), steps => {
        const inbox = emptyInbox();
        const accepted: string[] = [];
        const taken: string[] = [];
        let last = 0;
        for (const now of steps) {
          if (typeof now === 'object') {
            last += 1;
            const result = acceptMessage(inbox, now.message, now.kind, {
              ...ARRIVAL,
              fallbackId: `s${last}`,
            });
            if (result.kind === 'accepted') accepted.push(result.item.id);
          } else if (now === 'turn') steersToFollowUps(inbox);
          else if (now === 'next') {
            const next = takeFollowUp(inbox);
            if (next) taken.push(next.id);
            expect(next?.kind ?? 'follow-up').toBe('follow-up');
          } else {
            const items = takeSteers(inbox, now.slice('take '.length));
            const order = items.map(({ id }) => accepted.indexOf(id));
            expect(order).toEqual([...order].sort((a, b) => a - b));
            taken.push(...items.map(({ id }) => id));
          }
        }
        expect([...taken, ...inbox.items.map(({ id }) => id)].sort()).toEqual([...accepted].sort());
        expect(new Set(accepted).size).toBe(accepted.length);
      }),
    );
  });
});

describe('batchAction', () => {
  it('S1 batchAction: every set of waiting messages → the most urgent decides', () => {
    for (let mask = 0; mask < 2 ** STEER_TIMES.length; mask += 1) {
      const times = STEER_TIMES.filter((_, index) => (mask >> index) % 2 === 1);
      const waiting = times.map(when => item({ when }));
      const expected =
        times.includes('skip') || times.includes('interrupt')
          ? 'skip_rest'
          : times.length > 0
            ? 'after_batch'
            : 'none';
      expect([times, batchAction(waiting)]).toEqual([times, expected]);
      expect(wantsInterrupt(waiting)).toBe(times.includes('interrupt'));
    }
  });
});
