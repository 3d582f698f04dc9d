import { describe, expect, test } from 'vitest';
import {
  branchThread,
  folded,
  joinBranchThreads,
  ownMessages,
  replaceMessages,
  unfolded,
} from '../../../src/conversation/branch-threads.js';
import { threadsBytes } from '../../../src/conversation/state-bounds.js';
import { estimateMessageTokens } from '../../../src/run/limits/tokens.js';
import type { Message } from '../../../src/run/messages/message.js';
import { withPinned } from '../../../src/run/models/model-use.js';
import type { Threads } from '../../../src/run/state/thread.js';
import { newThread } from '../../../src/run/state/thread.js';

function said(id: string, text = id): Message {
  return { id, at: 0, kind: 'user', purpose: 'instruction', content: [{ type: 'text', text }] };
}

/** A thread of two messages with a copy for each of these tasks. */
function forked(...tasks: string[]): Threads {
  const main = newThread('main');
  for (const message of [said('m1', 'x'.repeat(5_000)), said('m2')]) {
    main.messages.push(message);
    main.tokens += estimateMessageTokens(message);
  }
  const copies = tasks.map(task => branchThread(main, task, 7));
  return Object.fromEntries([main, ...copies].map(thread => [thread.id, thread]));
}

function say(threads: Threads, thread: string, message: Message): void {
  threads[thread]?.messages.push(message);
}

const idsOf = (messages: readonly Message[] = []) => messages.map(({ id }) => id);

describe('copies', () => {
  test('a copy → begins with the same messages, and what it says is its own', () => {
    const threads = forked('a', 'b');
    say(threads, 'main/a', said('m3'));
    const copy = threads['main/a'];
    expect(copy?.messages[0]).toBe(threads.main?.messages[0]);
    expect([idsOf(copy?.messages), copy && idsOf(ownMessages(copy))]).toEqual([['m1', 'm2', 'm3'], ['m3']]);
    expect(idsOf(threads['main/b']?.messages)).toEqual(['m1', 'm2']);
  });

  test('joined one after the other → the thread has both, what stands in all once, and their tokens', () => {
    const threads = forked('a', 'b');
    const toAll = said('m4');
    for (const [thread, message] of [
      ['main/b', said('m3')],
      ['main', toAll],
      ['main/a', toAll],
      ['main/b', toAll],
      ['main/a', said('m5')],
    ] as const)
      say(threads, thread, message);
    const before = threads.main?.tokens ?? 0;
    joinBranchThreads(threads, 'a');
    joinBranchThreads(threads, 'b');
    expect(Object.keys(threads)).toEqual(['main']);
    expect(idsOf(threads.main?.messages)).toEqual(['m1', 'm2', 'm4', 'm5', 'm3']);
    const added = estimateMessageTokens(said('m5')) + estimateMessageTokens(said('m3'));
    expect(threads.main?.tokens).toBe(before + added);
  });

  test('carried over and back → as they were, the shared beginning once (ST1)', () => {
    const threads = forked('a', 'b', 'c');
    say(threads, 'main/a', said('m3'));
    const carried = JSON.parse(JSON.stringify(folded(threads)));
    expect(idsOf(carried['main/a'].messages)).toEqual(['m3']);
    expect(JSON.stringify(carried).length).toBeLessThan(threadsBytes({ threads }));
    expect(threadsBytes({ threads })).toBeLessThan(2 * 5_000);
    const back = unfolded(carried);
    expect(back).toEqual(threads);
    expect(back['main/a']?.messages[0]).toBe(back.main?.messages[0]);
  });

  test('the thread was trimmed since → each copy is carried with what it has', () => {
    const threads = forked('a');
    if (threads.main) threads.main.messages = [said('cut-main-1'), said('m2')];
    expect(idsOf(folded(threads)['main/a']?.messages)).toEqual(['m1', 'm2']);
    expect(unfolded(folded(threads))).toEqual(threads);
  });

  test('a copy was trimmed → only what is its own is joined', () => {
    const threads = forked('a');
    say(threads, 'main/a', said('m3'));
    say(threads, 'main/a', said('m4'));
    const copy = threads['main/a'];
    if (copy) replaceMessages(copy, [said('cut-main/a-8'), said('m2'), said('m4')]);
    joinBranchThreads(threads, 'a');
    expect(idsOf(threads.main?.messages)).toEqual(['m1', 'm2', 'm4']);
  });
});

test('withPinned: many calls of one branch while another has one in flight → that one is kept', () => {
  const call = (callId: string, thread: string) => ({
    ...{ callId, thread, role: 'executor', model: 'p/a' },
    ...{ epoch: 0, upTo: 1, toolsOffered: true },
  });
  const threads = forked('a', 'b');
  let calls = [call('c1', 'main/a')];
  for (let n = 2; n < 20; n += 1) calls = withPinned({ models: { calls }, threads }, call(`c${n}`, 'main/b'));
  expect(calls.map(({ callId }) => callId)).toEqual(['c1', 'c14', 'c15', 'c16', 'c17', 'c18', 'c19']);
});
