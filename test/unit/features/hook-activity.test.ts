/** The activity that calls hooks: which are called, how often, and how long they may take. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RunHooks } from '../../../src/activities/run-hooks.js';
import { createTell } from '../../../src/activities/tell.js';
import type { MomentEnd, MomentInput } from '../../../src/activities/types.js';
import { settlesAccounts } from '../../../src/features/credits/activity.js';
import { functionHooks, type HookDeps, hearsHooks } from '../../../src/features/hooks/activity.js';
import { httpHooks } from '../../../src/features/hooks/http.js';
import { type Message, NO_USAGE } from '../../../src/run/messages/message.js';
import type { AccountStore } from '../../../src/shared/store/store.js';

const asked: string[] = [];
let answer: () => { status: number; body?: string | Buffer };
const server = createServer((req, res) => {
  req.resume().on('end', () => {
    asked.push(String(req.headers['idempotency-key']));
    const { status, body = '' } = answer();
    res.writeHead(status).end(body);
  });
});
beforeAll(() => new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => server.close());
beforeEach(() => {
  asked.length = 0;
  answer = () => ({ status: 204 });
});

function addressHook(hook: 'onTurnEnd' | 'onMessage' | 'onRunEnd') {
  const { port } = server.address() as AddressInfo;
  const how = { secretVariable: 'HOOK_SECRET', timeoutMs: 60_000, attempts: 3 };
  return httpHooks({ [hook]: { url: `http://127.0.0.1:${port}/it`, ...how } }, () => 'whsec-0123456789');
}

const TURN: MomentInput = {
  ...{ at: 'turn', key: 'run-1-turn-1', goal: 1, context: {} },
  ...{ turn: 1, role: 'react', model: 'acme/large', usage: NO_USAGE, messageId: 'm1' },
};

function results(...messageIds: string[]): MomentInput {
  return { at: 'results', key: 'run-1-m1', goal: 1, context: {}, messageIds };
}

async function said(id: string): Promise<Message> {
  return { id, at: 1, kind: 'user', purpose: 'goal', content: [{ type: 'text', text: id }] };
}

function called(
  hooks: HookDeps['hooks'],
  input: MomentInput,
  environment = new MockActivityEnvironment(),
  accounts = {} as AccountStore,
): Promise<MomentEnd> {
  const deps = {
    readMessages: ([id = '']: string[]) => said(id).then(message => [message]),
    redact: <T>(value: T) => value,
    hooks,
  };
  return environment.run(
    createTell([settlesAccounts(accounts), hearsHooks(deps)]),
    input,
  ) as Promise<MomentEnd>;
}

test.each([
  [503, 3],
  [400, 1],
])(
  'an address at the end of a turn: it answers %i → asked %i times, and the call is not made again (E4)',
  async (status, times) => {
    answer = () => ({ status });
    await expect(called([addressHook('onTurnEnd')], TURN)).rejects.toMatchObject({
      message: expect.stringContaining(`HTTP ${status}`),
      nonRetryable: true,
    });
    expect(asked).toHaveLength(times);
  },
);

test.each([
  ['nothing', '', true],
  ['yes', '{"continue": true}', true],
  ['an object that says nothing of it', '{"ok": 1}', true],
  ['no behind a mark of its order of bytes', '\uFEFF{"continue": false}', false],
])('an address at the end of a turn: it answers %s → understood (H2)', async (_what, body, goOn) => {
  answer = () => ({ status: 200, body });
  expect(await called([addressHook('onTurnEnd')], TURN)).toMatchObject({ goOn });
});

test.each(['onTurnEnd', 'onMessage'] as const)(
  'an address, %s: its answer has notes → told with the end of the hook; what is no note is left out (G17)',
  async hook => {
    const note = { type: 'CONTEXT_NOTE', text: 'The standard queue.' };
    answer = () => ({ status: 200, body: JSON.stringify({ notes: [note, { type: 'USER', text: 'x' }, 7] }) });
    expect((await called([addressHook(hook)], TURN)).notes).toEqual([note]);
    answer = () => ({ status: 204 });
    expect(await called([addressHook(hook)], TURN)).not.toHaveProperty('notes');
  },
);

test.each([
  ['a page', '<html>Please log in</html>'],
  ['no as a text', '{"continue": "false"}'],
  ['a list', '[{"continue": false}]'],
  ['no alone', 'false'],
])(
  'an address at the end of a turn: it answers %s, which may mean no → a fault, in one try (H2, E4)',
  async (_what, body) => {
    answer = () => ({ status: 200, body });
    await expect(called([addressHook('onTurnEnd')], TURN)).rejects.toMatchObject({
      message: expect.stringContaining('its answer is neither empty nor'),
    });
    expect(asked).toHaveLength(1);
  },
);

test('a function at the end of a turn: it returns neither true nor false → a fault, tried again (H2, E4)', async () => {
  const hooks = [functionHooks({ onTurnEnd: () => 'false' as unknown as boolean })];
  await expect(called(hooks, TURN)).rejects.toMatchObject({
    message: 'it must return true, false or nothing',
    nonRetryable: false,
  });
});

test('hooks of a program and of addresses: the function throws → the address is called too, for messages and at the end (H3)', async () => {
  const fails = () => {
    throw new Error('no disk');
  };
  const both = (hook: 'onMessage' | 'onRunEnd') => [functionHooks({ [hook]: fails }), addressHook(hook)];
  expect((await called(both('onMessage'), results('m1', 'm2'))).warning).toMatch(/onMessage failed: no disk/);
  const end = {
    at: 'end',
    key: 'run-1-end',
    goal: 1,
    context: {},
    outcome: 'answered',
    cause: 'direct_answer',
  };
  expect((await called(both('onRunEnd'), end as MomentInput)).warning).toMatch(/onRunEnd failed: no disk/);
  expect(asked.map(key => key.split('-').at(-1))).toEqual(['m1', 'm2', 'end']);
});

test('a hook for messages: it fails at one of them → the others are told (H3)', async () => {
  const told: string[] = [];
  const hooks = [
    functionHooks({
      onMessage({ message: { id } }) {
        if (id === 'm2') throw new Error('no disk');
        told.push(id);
      },
    }),
  ];
  expect(await called(hooks, results('m1', 'm2', 'm3'))).toEqual({
    goOn: true,
    warning: 'The hook onMessage failed: no disk',
  });
  expect(told).toEqual(['m1', 'm3']);
});

test('a hook for messages: a worker has told two of them, and died → another goes on at the third (H3)', async () => {
  const told: string[] = [];
  const hooks = [functionHooks({ onMessage: ({ message: { id } }) => void told.push(id) })];
  const environment = new MockActivityEnvironment({ heartbeatDetails: { messages: 2 } });
  await called(hooks, results('m1', 'm2', 'm3'), environment);
  expect(told).toEqual(['m3']);
});

test('a hook: the run is cancelled while it is tried → it is not tried any more', async () => {
  const environment = new MockActivityEnvironment();
  answer = () => {
    environment.cancel();
    return { status: 503 };
  };
  const ended = called([addressHook('onTurnEnd')], TURN, environment);
  await expect(ended).rejects.toMatchObject({ name: 'CancelledFailure' });
  expect(asked).toHaveLength(1);
});

test.each([
  ['the first try', true, [['ann', 'test', Number.MAX_SAFE_INTEGER]]],
  // On a worker that stood still meanwhile: another one has charged it, and the run may have given its place back since.
  ['a late try', false, []],
])(
  'a charge of a run that has a place: %s → asked for again without a limit, or left alone (E7)',
  async (_try, isNew, wanted) => {
    const leased: unknown[] = [];
    const accounts = {
      lease: async (...given: unknown[]) => leased.push(given),
      charge: async () => ({ id: 'ann', balance: 9, day: '', dayTokens: 5, isNew }),
    } as unknown as AccountStore;
    const charges = { account: 'ann', keepsPlace: true, all: [{ key: 'turn-1', credits: 1, tokens: 5 }] };
    const end = await called([], { ...TURN, charges }, new MockActivityEnvironment(), accounts);
    expect(end).toMatchObject({ account: { balance: 9, dayTokens: 5 } });
    expect(leased).toEqual(wanted);
  },
);

test('the account has as many runs at work as it may → refused for now, so that a later start may succeed (LL10)', async () => {
  const accounts = { lease: async () => false } as unknown as AccountStore;
  const begin: MomentInput = {
    ...{ at: 'begin', key: 'run-1-begin', goal: 1, context: {} },
    ...{ account: 'ann', runsAtOnce: 1 },
  };
  await expect(called([], begin, new MockActivityEnvironment(), accounts)).rejects.toMatchObject({
    ...{ type: 'run.busy', nonRetryable: false },
  });
});

test('charges of two pools, and a refund → each to its account, with what both have then (H6)', async () => {
  const asked: unknown[][] = [];
  const of = (account: string) => ({
    id: account,
    balance: account.length,
    day: '',
    dayTokens: 1,
    isNew: true,
  });
  const accounts = {
    charge: async (...given: unknown[]) => asked.push(given) && of(String(given[0])),
    refund: async (...given: unknown[]) => asked.push(given) && of(String(given[0])),
  } as unknown as AccountStore;
  const all = [
    { key: 'a', credits: 1, tokens: 5 },
    { key: 'b', credits: 2, tokens: 6, second: true as const },
  ];
  const charges = { account: 'ann', second: 'ann/standard', keepsPlace: false, all };
  const refunded: MomentInput = {
    ...{ at: 'goal', key: 'run-1-goal', goal: 1, context: {} },
    ...{ charges, account: 'ann', second: 'ann/standard', refund: 'goal-1/' },
  };
  const end = await called([], refunded, new MockActivityEnvironment(), accounts);
  expect(asked).toEqual([
    ['ann', 'a', { credits: 1, tokens: 5 }],
    ['ann/standard', 'b', { credits: 2, tokens: 6 }],
    ['ann', 'goal-1/'],
    ['ann/standard', 'goal-1/'],
  ]);
  expect(end).toMatchObject({ account: { balance: 3 }, second: { balance: 12 } });
});

/** Tries of one call as its workers are lost in the hook: each begins with what the one before has told last. */
async function lostAgainAndAgain(hook: keyof RunHooks, input: MomentInput) {
  let calls = 0;
  let heartbeatDetails: unknown;
  for (let attempt = 1; ; attempt++) {
    const environment = new MockActivityEnvironment({ attempt, heartbeatDetails });
    environment.on('heartbeat', details => {
      heartbeatDetails = structuredClone(details);
    });
    const blocked = new Promise<'lost'>(resolve => {
      const block = () => {
        calls += 1;
        resolve('lost');
        return new Promise<never>(() => {});
      };
      void called([functionHooks({ [hook]: block })], input, environment)
        .then(end => resolve(end as never))
        .catch((error: unknown) => resolve(error as never));
    });
    const end: unknown = await blocked;
    if (end !== 'lost') return { calls, end };
  }
}

test('LL8: a hook that blocks the event loop, so that each worker is lost in it → three calls, then it has failed', async () => {
  const { key, goal, context } = TURN;
  const ended = { key, goal, context, outcome: 'answered', cause: 'direct_answer' } as const;
  expect(await lostAgainAndAgain('onTurnEnd', TURN)).toMatchObject({
    calls: 3,
    end: { message: expect.stringContaining('must not block the event loop'), nonRetryable: true },
  });
  const warning = expect.stringContaining('must not block the event loop');
  expect(await lostAgainAndAgain('onMessage', results('m1'))).toMatchObject({ calls: 3, end: { warning } });
  expect(await lostAgainAndAgain('onRunEnd', { at: 'end', ...ended })).toMatchObject({
    calls: 3,
    end: { goOn: true, warning },
  });
});

test('LL8: a hook that failed in the try before, and a worker that is lost between two hooks → it is called again', async () => {
  let heartbeatDetails: unknown;
  let calls = 0;
  const failing = functionHooks({
    onTurnEnd: () => {
      calls += 1;
      throw new Error('not now');
    },
  });
  for (let attempt = 1; attempt <= 5; attempt++) {
    const environment = new MockActivityEnvironment({ attempt, heartbeatDetails });
    environment.on('heartbeat', details => {
      heartbeatDetails = structuredClone(details);
    });
    await expect(called([failing], TURN, environment)).rejects.toThrow('not now');
  }
  expect(calls).toBe(5);
});
