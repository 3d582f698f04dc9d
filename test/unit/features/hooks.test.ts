/** Hooks and accounts in a run in memory: what is called, and what the account is charged. */
import { expect, test } from 'vitest';
import type { MomentEnd, MomentInput } from '../../../src/activities/types.js';
import type { CreditTerms } from '../../../src/features/credits/rules.js';
import { FAILURE } from '../../../src/run/limits/failure.js';
import type { JournalEvent } from '../../../src/run/state/journal.js';
import { runEnds } from '../../../src/workflows/beside/tell.js';
import type { Called } from '../../../src/workflows/run/ports.js';
import { runTeam, type TeamGiven, type TeamReply } from '../../support/scripted-team.js';
import { testRole } from '../../support/small-run.js';

const TERMS: CreditTerms = {
  account: 'ann',
  perUsd: 0,
  perTurn: 1,
  perThousandTokens: 10,
  tokensPerDay: null,
  runsAtOnce: null,
  balance: 100,
  dayTokens: 0,
};

const ALONE: TeamGiven = {
  settings: { mode: 'react' },
  pinned: { roles: { react: testRole('react', { output: 'text' }) } },
};

/** A run of the mode react; `end`: what comes of a call of hooks. */
async function reactRun(
  replies: readonly TeamReply[],
  pinned: TeamGiven['pinned'],
  end: (input: MomentInput) => Called<MomentEnd> = () => ({ ok: true, value: { goOn: true } }),
) {
  const called: MomentInput[] = [];
  const hook = async (input: MomentInput) => {
    called.push(input);
    return end(input);
  };
  const run = await runTeam(replies, { ...ALONE, hook, pinned: { ...ALONE.pinned, ...pinned } });
  return { ...run, called };
}

const USED = { inputTokens: 900, outputTokens: 100 };
const ANSWER = { text: 'It is done.', usage: USED };

test('hooks: none, and no account → nothing is called (H3)', async () => {
  const { called, end } = await reactRun([{ calls: ['read'] }, ANSWER], {});
  expect([called, end.outcome]).toEqual([[], 'answered']);
});

test('hooks: only those for messages → called for replies and results alone, and nothing is charged (H3)', async () => {
  const { called } = await reactRun([{ calls: ['read'] }, ANSWER], { hooks: ['onMessage'] });
  expect(called.map(({ at, charges }) => [at, charges])).toEqual([
    ['turn', undefined],
    ['results', undefined],
    ['turn', undefined],
  ]);
});

test('CF10 hooks: a reply that a person interrupts → its part is told to onMessage, and is no turn', async () => {
  const cut = { text: 'It is', stopReason: 'interrupted', said: 'Shorter.' } as const;
  const { called, run } = await reactRun([cut, ANSWER], { hooks: ['onMessage'] });
  const said = run.state.threads.main?.messages.find(message => message.kind === 'assistant');
  expect(called.map(({ at }) => at)).toEqual(['results', 'turn']);
  expect(called[0]).toMatchObject({ messageIds: [said?.id] });
});

test('an account: each turn → charged by turns and tokens, once, with a key of its goal (E7)', async () => {
  const { called } = await reactRun([{ calls: ['read'], usage: USED }, ANSWER], { credits: TERMS });
  expect(called.map(({ charges }) => charges)).toEqual(
    [1, 2].map(turn => ({
      account: 'ann',
      keepsPlace: false,
      all: [{ key: `chain-1/goal-1/run-1-turn-${turn}`, credits: 11, tokens: 1_000 }],
    })),
  );
});

test('an account: it is empty after a turn → no tool of that turn runs, the cause is credits (H2, C35)', async () => {
  const account = { balance: 0, dayTokens: 0 };
  const { end, ran } = await reactRun([{ calls: ['put'], usage: USED }], { credits: TERMS }, () => ({
    ok: true,
    value: { goOn: true, account },
  }));
  expect([ran, end]).toEqual([[], expect.objectContaining({ outcome: 'stopped', cause: 'credits' })]);
});

test.each([
  ['is empty at the start', { balance: 0 }],
  ['has used its tokens of the day', { tokensPerDay: 500, dayTokens: 500 }],
])('an account: it %s → no model is called, the cause is credits (H2)', async (_how, more) => {
  const { asked, end } = await reactRun([], { credits: { ...TERMS, ...more } });
  expect([asked, end.outcome, end.cause]).toEqual([[], 'stopped', 'credits']);
});

test('an account: the goal fails without an answer → what it took is given back, by the keys of the goal (E7)', async () => {
  const second = { account: 'ann/standard', balance: 100, dayTokens: 0 };
  const { called, end } = await reactRun([{ calls: ['read'], usage: USED }, { fails: FAILURE.model.auth }], {
    credits: { ...TERMS, second },
    models: ['p/a'],
  });
  expect(end).toMatchObject({ outcome: 'failed', answer: '' });
  const back = { at: 'goal', account: 'ann', second: 'ann/standard', refund: 'chain-1/goal-1/' };
  expect(called.at(-1)).toMatchObject(back);
});

test('an account: a charge fails for good, and may have been taken → sent again at the end of the goal with its own key, and nothing twice (E4, E7)', async () => {
  const { called, end } = await reactRun([ANSWER], { credits: TERMS }, ({ at }) =>
    at === 'turn'
      ? { ok: false, failure: { kind: 'application', type: 'hook', message: 'no disk' } }
      : { ok: true, value: { goOn: true } },
  );
  expect(end).toMatchObject({ outcome: 'failed', cause: 'failed:hook', answer: 'It is done.' });
  const charge = { key: 'chain-1/goal-1/run-1-turn-1', credits: 11, tokens: 1_000 };
  expect(called.map(({ at, charges }) => [at, charges?.all])).toEqual([
    ['turn', [charge]],
    ['goal', [charge]],
  ]);
});

test.each([
  [
    'a charge',
    FAILURE.accountFailed,
    ['The account was not settled: no disk', 'The hook onRunEnd was not called: no disk'],
  ],
  ['a hook, without anything to charge', 'hook', ['The hook onRunEnd failed: no disk']],
])(
  'an account: at the end of a run %s fails → the warning names what failed (E4)',
  async (what, type, told) => {
    const { run } = await reactRun([ANSWER], { credits: TERMS, hooks: ['onRunEnd'] }, ({ at }) =>
      at === 'end'
        ? { ok: false, failure: { kind: 'application', type, message: 'no disk' } }
        : { ok: true, value: { goOn: true } },
    );
    if (what === 'a charge') run.state.total.turns += 1;
    await runEnds(run, { outcome: 'answered', cause: 'direct_answer' });
    const warnings = run.state.log.journal.events.flatMap(event =>
      event.type === 'warning' ? [event.text] : [],
    );
    expect(warnings).toEqual(told);
  },
);

test('an account: it comes below the limit of a row → the next call goes to its model, told in the journal and to no model (H5)', async () => {
  const { run, requests } = await reactRun(
    [{ calls: ['read'], usage: USED }, ANSWER],
    { credits: TERMS, models: ['p/a'], resolver: [{ when: { creditsBelow: 50 }, use: ['p/b'] }] },
    () => ({ ok: true, value: { goOn: true, account: { balance: 40, dayTokens: 0 } } }),
  );
  const { events } = run.state.log.journal;
  expect(events.filter(({ type }) => type === 'provider_switch')).toMatchObject([
    { fromModel: 'p/a', toModel: 'p/b', why: 'models.resolver, row 1: creditsBelow 50' },
  ]);
  const note = 'The account has less than 50 credits: react goes on with p/b in place of p/a.';
  expect(events.filter(({ type }) => type === 'context_note')).toMatchObject([{ text: note }]);
  expect(JSON.stringify(requests)).not.toContain('credits');
});

test('an account: a call whose cost is not known → the run ends, and what the others cost is charged (C35)', async () => {
  const costs = (costUsd: number | null) => ({ ...USED, costUsd });
  const { called, end } = await reactRun(
    [
      { calls: ['read'], usage: costs(0.5) },
      { calls: ['read'], usage: costs(null) },
      { calls: ['read'], usage: costs(0.25) },
    ],
    { credits: { ...TERMS, perUsd: 10, perTurn: 0, perThousandTokens: 0 } },
    () => ({ ok: true, value: { goOn: true, account: { balance: 50, dayTokens: 0 } } }),
  );
  expect(end).toMatchObject({ outcome: 'stopped', cause: 'credits' });
  expect(called.map(({ charges }) => charges?.all[0]?.credits)).toEqual([5, 0]);
});

test('hooks: for messages, and a role without tools that calls one → its closed results are told too (H3)', async () => {
  const { called } = await reactRun([{ text: 'I look.', calls: ['read'], usage: USED }, ANSWER], {
    roles: { react: testRole('react', { output: 'text', tools: [] }) },
    hooks: ['onMessage'],
  });
  expect(called.filter(({ at }) => at === 'results')).toHaveLength(1);
});

test('hooks: one fails with another text each time → one warning a goal, and the state does not grow (H3, ST1)', async () => {
  let time = 0;
  const { run } = await reactRun(
    [{ calls: ['read'] }, { calls: ['read'] }, ANSWER],
    { hooks: ['onMessage'] },
    () => ({ ok: true, value: { goOn: true, warning: `The hook onMessage failed: at ${time++}` } }),
  );
  expect(run.state.log.journal.events.filter(({ type }) => type === 'warning')).toHaveLength(1);
  expect(run.state.goal.warned).toEqual(['onMessage']);
  for (let about = 0; about < 1_000; about += 1) run.warnOnce(`thing ${about}`, 'It happened.');
  expect(run.state.goal.warned.length).toBeLessThan(50);
});

test('an account: its runs have places → each charge keeps its place (E7)', async () => {
  const { called } = await reactRun([ANSWER], { credits: { ...TERMS, runsAtOnce: 2 } });
  expect(called.map(({ charges }) => charges?.keepsPlace)).toEqual([true]);
});

/** The pools as an account store would have them, charged by what the run asks. */
function pools(balances: Record<string, number>) {
  return ({ charges }: MomentInput): Called<MomentEnd> => {
    const end: MomentEnd = { goOn: true };
    for (const { credits, second } of charges?.all ?? []) {
      const id = second ? 'ann/standard' : 'ann';
      balances[id] = (balances[id] ?? 0) - credits;
      end[second ? 'second' : 'account'] = { balance: balances[id], dayTokens: 0 };
    }
    return { ok: true, value: end };
  };
}

const CHEAP = { models: ['p/a'], resolver: [{ when: { creditsBelow: 1 }, use: ['p/b'] }] };
const CALLS = { calls: ['read'], usage: USED };

function modelsOf({ events }: { events: readonly JournalEvent[] }): string[] {
  return events.flatMap(event => (event.type === 'model_call_started' ? [event.model] : []));
}

test('two pools: the first is used up → the second pays, the run goes on with the cheaper model (H6)', async () => {
  const second = { account: 'ann/standard', balance: 100, dayTokens: 0 };
  const { run, called, end } = await reactRun(
    [CALLS, CALLS, ANSWER],
    { ...CHEAP, credits: { ...TERMS, balance: 5, second } },
    pools({ ann: 5, 'ann/standard': 100 }),
  );
  expect(end.outcome).toBe('answered');
  expect(called.map(({ charges }) => [charges?.second, charges?.all[0]?.second])).toEqual([
    ['ann/standard', undefined],
    ['ann/standard', true],
    ['ann/standard', true],
  ]);
  expect(modelsOf(run.state.log.journal)).toEqual(['p/a', 'p/b', 'p/b']);
});

test.each([
  ['ends there', {}, ['stopped', 'credits']],
  ['goes on, where the account says so', { goesOn: true as const }, ['answered', 'direct_answer']],
])('an account: nothing is left in any pool → the run %s (H6, LL10)', async (_what, more, wanted) => {
  const { run, end } = await reactRun(
    [CALLS, ANSWER],
    { ...CHEAP, credits: { ...TERMS, balance: 5, ...more } },
    pools({ ann: 5 }),
  );
  expect([end.outcome, end.cause]).toEqual(wanted);
  if (end.outcome === 'answered') expect(modelsOf(run.state.log.journal)).toEqual(['p/a', 'p/b']);
});

test('an account: it comes below the level of its warning → people are told once, and no model (H6)', async () => {
  const { run, requests } = await reactRun(
    [CALLS, CALLS, ANSWER],
    { credits: { ...TERMS, balance: 50, warnBelow: 40 } },
    pools({ ann: 50 }),
  );
  const told = run.state.log.journal.events.filter(({ type }) => type === 'system_event');
  expect(told).toMatchObject([{ text: 'The account ann has 39 credits left.' }]);
  expect(JSON.stringify(requests)).not.toContain('credits');
});

test('a sub-agent: what it uses takes the account of its caller below a row → the cheaper model, and nothing is charged by it (H6, LL10)', async () => {
  const { run, called } = await reactRun([CALLS, CALLS, ANSWER], {
    ...CHEAP,
    creditsSeen: { ...TERMS, balance: 20 },
  });
  expect(called).toEqual([]);
  expect(modelsOf(run.state.log.journal)).toEqual(['p/a', 'p/a', 'p/b']);
});
