/** What a run is given of its conversation: of its own workspace, the newest, and no more is read than fits. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFolder } from '../../../packages/store/folder.js';
import { RunUnanswered } from '../../../src/activities/keep.js';
import { createOpenSession, OPEN_TRIES, type OpenDeps } from '../../../src/activities/open-session.js';
import type { Opened, OpenSessionInput } from '../../../src/activities/types.js';
import { type Message, NO_USAGE, textOf } from '../../../src/run/messages/message.js';
import type { RunRecord, StoredLine } from '../../../src/run/state/stored-line.js';
import type { SessionStore } from '../../../src/shared/store/store.js';
import { unpack } from '../../../src/workflows/platform/temporal-ports.js';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'open-session-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function run(number: number, more: Partial<RunRecord> = {}): RunRecord {
  return {
    ...{ v: 1, chain: `c${number}`, session: 'pool', workflowId: `pool~${number}`, runId: `e${number}` },
    ...{ namespaceId: 'n', goal: 'A goal', mode: 'react', workspace: '/work', number: 1 },
    ...{ startedAt: number, changedAt: number, outcome: null, cause: null, answer: null },
    ...{ ended: true, usage: NO_USAGE, kept: { id: 9, seq: 0 }, ...more },
  };
}

function said(number: number, text: string): StoredLine {
  const message: Message = {
    ...{ id: `m${number}`, at: number, kind: 'user', purpose: 'goal' },
    content: [{ type: 'text', text }],
  };
  return { kind: 'message', thread: 'main', message };
}

function replied(number: number, text: string): StoredLine {
  const message: Message = {
    ...{ id: `m${number}`, at: number, kind: 'assistant', role: 'react', model: 'p/a', usage: NO_USAGE },
    ...{ stopReason: 'end_turn', action: 'thinking', content: [{ type: 'text', text }] },
  };
  return { kind: 'message', thread: 'main', message };
}

const NO_ANSWER = '[No answer.]';
const ASKED = {
  session: 'pool',
  chain: 'new',
  workspace: '/work',
  tokens: 5_000,
  noAnswer: NO_ANSWER,
};

async function opened(sessions: SessionStore, asked: Partial<OpenSessionInput>) {
  const input = { ...ASKED, ...asked };
  const found = await openWith({ sessions }, input);
  return (Array.isArray(found) ? found : found.messages).map(textOf);
}

/** As the run `pool~4`, in the try of this number. */
async function openWith(deps: Partial<OpenDeps>, input: OpenSessionInput, attempt = 1) {
  const { sessions } = openFolder(dir);
  const open = createOpenSession({
    ...{ sessions, namespaceId: async () => 'n', keepLate: async () => undefined },
    ...deps,
  });
  const workflowExecution = { workflowId: 'pool~4', runId: 'e4' };
  const environment = new MockActivityEnvironment({ attempt, workflowExecution });
  return unpack<Message[] | Opened>(await environment.run(open, input));
}

test('Z2: a conversation of many runs → read from the newest back, until there is no more room', async () => {
  const { sessions } = openFolder(dir);
  for (let number = 1; number <= 30; number++)
    await sessions.keep(run(number), [said(1, `${number} ${'word '.repeat(400)}`)]);
  let read = 0;
  const counted: SessionStore = {
    ...sessions,
    async readEach(session, ask) {
      const each = await sessions.readEach(session, ask);
      return (async function* () {
        for await (const one of each) {
          read += 1;
          yield one;
        }
      })();
    },
  };
  const texts = await opened(counted, { tokens: 2_000 });
  expect(texts.map(text => text.split(' ')[0])).toEqual(['27', '28', '29', '30'].slice(-texts.length));
  expect(texts.length).toBeGreaterThan(1);
  expect(read).toBe(texts.length + 1);
});

test('Z2: a conversation of another workspace → the run is told so, and nothing of what was said', async () => {
  const { sessions } = openFolder(dir);
  await sessions.keep(run(1), [said(1, 'A secret of this folder.')]);
  const failure = await opened(sessions, { workspace: '/other' }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ type: 'run.bad_input', nonRetryable: true });
  expect(String(failure)).toMatch(/belongs to another workspace than \/other/);
  // A run of elsewhere that was kept in it nevertheless.
  await sessions.keep(run(2, { workspace: '/other' }), [said(1, 'Of elsewhere.')]);
  expect(await opened(sessions, {})).toEqual(['A secret of this folder.']);
});

test('Z2: a branch from a message that a reset took away → nothing that was said later instead', async () => {
  const { sessions } = openFolder(dir);
  const at = (id: number, more: Partial<RunRecord> = {}) => run(1, { kept: { id, seq: 0 }, ...more });
  await sessions.keep(at(3), [said(1, 'one'), said(2, 'two'), said(3, 'three')]);
  await sessions.branch({ session: 'pool', chain: 'c1', message: 'm2' }, 'other');
  const mark = { id: 1, seq: 0 };
  await sessions.keep(at(9, { runId: 'reset' }), [said(8, 'eight'), said(9, 'nine')], mark);
  expect(await opened(sessions, { session: 'other' })).toEqual(['one']);
});

test('LL5: a run that ended without text, as with a wrong key → the next one is told so before its goal, and sends nothing empty', async () => {
  const { sessions } = openFolder(dir);
  const failed = { outcome: 'failed', answer: '' } as const;
  await sessions.keep(run(1, failed), [said(1, 'First goal.'), said(2, '')]);
  await sessions.keep(run(2, { outcome: 'answered', answer: 'Done.' }), [said(1, 'Second goal.')]);
  expect(await opened(sessions, {})).toEqual(['First goal.', NO_ANSWER, 'Second goal.', 'Done.']);
});

test('E8: failed goals are rolled back by choice → the next run gets nothing of them; a branch from within one does', async () => {
  const { sessions } = openFolder(dir);
  await sessions.keep(run(1, { outcome: 'answered', answer: 'Done.' }), [said(1, 'First goal.')]);
  await sessions.keep(run(2, { outcome: 'failed', answer: '' }), [
    said(1, 'Second goal.'),
    replied(2, 'Try.'),
  ]);
  expect(await opened(sessions, { rollsBack: true })).toEqual(['First goal.', 'Done.']);
  await sessions.branch({ session: 'pool', chain: 'c2', message: 'm1' }, 'other');
  expect(await opened(sessions, { session: 'other', rollsBack: true })).toContain('Second goal.');
});

test('E8: a run whose last goal failed is rolled back → its goals before that one stay, with their answers', async () => {
  const { sessions } = openFolder(dir);
  const kept = [said(1, 'First goal.'), replied(2, 'It is 42.'), said(3, 'Second goal.'), replied(4, 'It')];
  await sessions.keep(run(1, { outcome: 'failed', answer: '', number: 2 }), kept);
  expect(await opened(sessions, { rollsBack: true })).toEqual(['First goal.', 'It is 42.']);
});

test('LL12: runs before this one that the store calls open or does not know → each is asked for its end, once, before anything is read', async () => {
  const { sessions } = openFolder(dir);
  const kept = { id: 1, seq: 0 };
  await sessions.keep(run(1, { workflowId: 'pool', ended: false, kept }), [said(1, 'First.')]);
  await sessions.keep(run(2, { parent: 'pool', ended: false, workflowId: 'pool/search/1' }), []);
  await sessions.keep(run(9, { workflowId: 'of-elsewhere', ended: false, namespaceId: 'other' }), []);
  await sessions.keep(run(8, { chain: 'new', workflowId: 'pool~4', ended: false }), [said(1, 'Its own.')]);
  const asked: string[] = [];
  const keepLate = async (id: string) => {
    asked.push(id);
    if (id === 'pool') await sessions.keep(run(1, { workflowId: id, answer: 'Yes.' }), [said(2, 'Second.')]);
  };
  const found = await openWith({ keepLate }, ASKED);
  expect(asked).toEqual(['pool', 'pool~2', 'pool~3']);
  expect(Array.isArray(found) && found.map(textOf)).toEqual(['First.', 'Second.', 'Yes.']);
});

test.each([
  ['at once where asking again is of no help', false, 1],
  ['with the last try', true, OPEN_TRIES],
])(
  'LL12: a run does not tell its end → %s the next one begins without it, and is told',
  async (_when, mayPass, attempt) => {
    const { sessions } = openFolder(dir);
    await sessions.keep(run(3), [said(1, 'First.')]);
    await sessions.keep(run(2, { ended: false }), [said(1, 'Second.')]);
    const keepLate = () => Promise.reject(new RunUnanswered('no worker answers', mayPass));
    expect(await openWith({ keepLate }, ASKED, attempt)).toMatchObject({ untold: ['pool~2'] });
    if (mayPass) await expect(openWith({ keepLate }, ASKED)).rejects.toThrow('no worker answers');
  },
);
