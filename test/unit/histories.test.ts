/** What the frozen histories hold later changes of workflow code to. `test/e2e/replay.test.ts` replays them. */
import { expect, test } from 'vitest';
import * as definitions from '../../src/workflows/run/definitions.js';
import {
  FROZEN,
  freezeHistories,
  frozenHistories,
  historiesIn,
  type NamedHistory,
} from '../support/histories.js';
import { allNamed, factsOf, ONLY_BEGIN, SUBJECTS } from '../support/history-facts.js';
import { payloadsOf, payloadText, pickHistories, withoutMachine } from '../support/pick-histories.js';

const RECORDED = process.env.STEERSMAN_TEST_FREEZE_FROM;

test.runIf(RECORDED)('record: what scripts/freeze.mjs has recorded → the frozen histories', () => {
  const adds = process.env.STEERSMAN_TEST_FREEZE_ADDS !== undefined;
  const picked = pickHistories(historiesIn(RECORDED ?? ''), adds ? [] : historiesIn(FROZEN));
  for (const { history } of picked) withoutMachine(history);
  freezeHistories(picked, { adds });
});

/** Read once, after they were recorded anew. */
const frozen = () => (read ??= frozenHistories().map(one => ({ ...one, ...factsOf(one.history) })));
let read: (NamedHistory & ReturnType<typeof factsOf>)[] | undefined;

test('frozen histories: each subject → held by a run that begins with it, and by one that comes to it in a later part (J6)', () => {
  const histories = frozen();
  const held = (isLater: boolean) => {
    const facts = new Set(histories.flatMap(one => (one.isContinued === isLater ? [...one.facts] : [])));
    return SUBJECTS.filter(subject => !facts.has(subject));
  };
  const lacking = held(true).filter(subject => !ONLY_BEGIN.includes(subject));
  expect({ begun: held(false), continued: lacking }).toEqual({ begun: [], continued: [] });
});

test('record: a subject that the recording lacks → stays as it was held before', () => {
  const before = frozen().filter(({ facts }) => facts.has('update: callTool'));
  const picked = pickHistories([], before).map(({ history }) => factsOf(history));
  const isHeld = (isLater: boolean) =>
    picked.some(({ facts, isContinued }) => isContinued === isLater && facts.has('update: callTool'));
  expect([isHeld(false), isHeld(true)]).toEqual([true, true]);
});

test('subjects: each update and signal that runs take → named, or left out by choice; a new one → refused', () => {
  const defined = Object.values(definitions).filter(each => typeof each === 'object' && 'name' in each);
  expect(defined.length).toBeGreaterThan(20);
  expect(() => allNamed(defined)).not.toThrow();
  const added = { type: 'update', name: 'pinText' };
  expect(() => allNamed([...defined, added])).toThrow('NOT_FROZEN: update: pinText');
});

test('frozen histories: whoever recorded them → stands nowhere in them', () => {
  const told = frozen().flatMap(({ name, history }) => {
    const texts = [JSON.stringify(history), ...payloadsOf(history).map(payloadText)];
    return texts.flatMap(text => {
      const hosts = [...text.matchAll(/"identity":"[^"@]*@([^"]+)"/g)].flatMap(([, host]) => host ?? []);
      const paths = text.match(/(?<![\w.~-])\/(?:work|root|home|Users)\/[\w./-]*/g) ?? [];
      return [...hosts.filter(host => host !== 'host'), ...paths].map(found => `${name}: ${found}`);
    });
  });
  expect([...new Set(told)]).toEqual([]);
});
