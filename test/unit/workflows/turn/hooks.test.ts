/** Hooks and accounts in a run in memory: what is called, and what the account is charged. */
import { expect, test } from 'vitest';
import type { HookEnd, HookInput } from '../../../../src/activities/types.js';
import type { CreditTerms } from '../../../../src/core/limits/credits.js';
import { FAILURE } from '../../../../src/core/limits/failure.js';
import type { Called } from '../../../../src/workflows/ports.js';
import { runTeam, type TeamGiven, type TeamReply } from '../../../support/scripted-team.js';
import { testRole } from '../../../support/small-run.js';

const TERMS: CreditTerms = {
  account: 'ann',
  perUsd: 0,
  perTurn: 1,
  perThousandTokens: 10,
  tokensPerDay: null,
  hasPlace: false,
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
  end: (input: HookInput) => Called<HookEnd> = () => ({ ok: true, value: { goOn: true } }),
) {
  const called: HookInput[] = [];
  const hook = async (input: HookInput) => {
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
  expect(called.map(({ at, charge }) => [at, charge])).toEqual([
    ['turn', undefined],
    ['results', undefined],
    ['turn', undefined],
  ]);
});

test('an account: each turn → charged by turns and tokens, once, with a key of its goal (E7)', async () => {
  const { called } = await reactRun([{ calls: ['read'], usage: USED }, ANSWER], { credits: TERMS });
  expect(called.map(({ charge }) => charge)).toEqual(
    [1, 2].map(turn => ({
      account: 'ann',
      key: `chain-1/goal-1/chain-1-turn-${turn}`,
      credits: 11,
      tokens: 1_000,
      keepsPlace: false,
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
  const { called, end } = await reactRun([{ calls: ['read'], usage: USED }, { fails: FAILURE.model.auth }], {
    credits: TERMS,
    models: ['p/a'],
  });
  expect(end).toMatchObject({ outcome: 'failed', answer: '' });
  expect(called.at(-1)).toMatchObject({ at: 'goal', account: 'ann', refund: 'chain-1/goal-1/' });
});

test('an account: the charge fails for good → the run fails, and its goal is charged at its end (E4, E7)', async () => {
  const { called, end } = await reactRun([ANSWER], { credits: TERMS }, ({ at }) =>
    at === 'turn'
      ? { ok: false, failure: { kind: 'application', type: 'hook', message: 'no disk' } }
      : { ok: true, value: { goOn: true } },
  );
  expect(end).toMatchObject({ outcome: 'failed', cause: 'failed:hook', answer: 'It is done.' });
  expect(called.map(({ at, charge }) => [at, charge?.credits])).toEqual([
    ['turn', 11],
    ['goal', 11],
  ]);
});

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
