/** What holds for all features beside the loop, and for the seam that they stand at. */
import { expect, test } from 'vitest';
import { FEATURES_BYTES } from '../../../src/base/sizes/bounds.js';
import { FEATURES } from '../../../src/compose.js';
import { newRunState } from '../../../src/run/state/run-state.js';
import { Slice } from '../../../src/run/state/slice.js';
import { adopted } from '../../../src/workflows/beside/moments.js';

const fresh = () => newRunState('Do it.', { mode: 'team', workspace: '/w', autoApprove: false }, 0);

test('features: their names → each once, in order, and the names of their slices', () => {
  const names = FEATURES.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)].sort());
  const slices = FEATURES.flatMap(({ slice, name }) => (slice ? [[slice.name, name]] : []));
  expect(slices.filter(([slice, name]) => slice !== name)).toEqual([]);
});

test('features: the bounds of their slices → within what the state has for them', () => {
  const bytes = FEATURES.reduce((sum, { slice }) => sum + (slice?.bytes ?? 0), 0);
  expect(bytes).toBeGreaterThan(0);
  const remedy =
    'src/base/sizes/bounds.ts: raise FEATURES_BYTES, and lower JOURNAL_BYTES by as much, since the whole state is full.';
  expect(bytes, remedy).toBeLessThanOrEqual(FEATURES_BYTES);
});

test('features: a run that uses none → keeps nothing of them', () => {
  expect(fresh().features).toEqual({});
  expect(adopted(fresh(), FEATURES)).toStrictEqual(fresh());
});

/** Where code before the seam had it. */
const EARLIER: Record<string, [given: object, left: object, value: unknown]> = {
  artifacts: [{ artifacts: [{ id: 'report' }] }, {}, [{ id: 'report' }]],
  evidence: [{ evidence: { files: [], calls: [], left: 2 } }, {}, { files: [], calls: [], left: 2 }],
  credits: [{ total: { turns: 1, charged: { balance: 3 } } }, { total: { turns: 1 } }, { balance: 3 }],
  apps: [
    { tools: { apps: { shown: [{ callId: 'c1', server: 'files' }], calls: [] }, effects: [] } },
    { tools: { effects: [] } },
    { shown: [{ callId: 'c1', server: 'files' }], calls: [], taken: { since: 0, count: 0 } },
  ],
};

test.each(FEATURES.filter(({ slice }) => slice).map(({ name }) => name))(
  'a state handed over by code without the seam: %s → taken over, and nothing is left where it was',
  name => {
    const [given, left, value] = EARLIER[name] ?? [];
    const { features } = fresh();
    const state = Object.assign(fresh(), structuredClone(given), { features });
    expect(adopted(state, FEATURES)).toEqual({ ...fresh(), ...left, features: { [name]: value } });
  },
);

test('a slice: a field that the code before did not know → begins as in a new run; what is there is kept', () => {
  const slice = new Slice('s', { initial: () => ({ a: 1, b: 2 }), bytes: 50 });
  const state = fresh();
  expect(slice.of(state)).toEqual({ a: 1, b: 2 });
  state.features.s = { a: 5 };
  slice.adopt(state);
  expect(slice.of(state)).toEqual({ a: 5, b: 2 });
});
