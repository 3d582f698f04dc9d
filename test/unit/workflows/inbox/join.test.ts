/** A start that finds a run of its conversation open: whether its goal can be the next one there. */
import { expect, test } from 'vitest';
import { newRunState } from '../../../../src/run/state/run-state.js';
import { join } from '../../../../src/workflows/inbox/inbox-handlers.js';
import { joinReader } from '../../../../src/workflows/inbox/read-input.js';
import { Run } from '../../../../src/workflows/run/run.js';
import { quietPorts } from '../../../support/small-run.js';

const SETTINGS = { mode: 'react', workspace: '/w', autoApprove: false, startedBy: 'first' } as const;
const runOf = (more = {}) => new Run(newRunState('g', { ...SETTINGS, ...more }, 0), quietPorts([]));
const asked = { id: 'a', text: 'Next?', workspace: '/w', autoApprove: false, context: {} };

test.each<[string, object, object, string | null]>([
  ['the same settings', {}, { session: 'pool' }, null],
  ['what began the run', {}, { id: 'first', workspace: '/other' }, null],
  ['another conversation, whose next run has its name', { session: 'other' }, { session: 'pool' }, 'plain'],
  ['another conversation: the run began one', {}, { session: 'pool~3' }, 'plain'],
  ['another workspace', {}, { workspace: '/other' }, 'run.differs'],
  ['calls approved unasked', {}, { autoApprove: true }, 'run.differs'],
  ['another account', { context: { tenant: 'ann' } }, { context: { tenant: 'bob' } }, 'run.differs'],
  ['no account', { context: { tenant: 'ann' } }, {}, 'run.differs'],
  [
    'a schema of the answer, which the run lacks (TA1, Z5)',
    {},
    { answer: { type: 'object' } },
    'run.differs',
  ],
  [
    'the schema of the run, in another order (TA1)',
    { answer: { type: 'object', required: ['a'] } },
    { answer: { required: ['a'], type: 'object' } },
    null,
  ],
  ['no schema, where the run has one', { answer: { type: 'object' } }, {}, null],
  [
    'a check that the run lacks',
    { checks: [{ run: 'make' }] },
    { checks: [{ run: 'npm test' }] },
    'run.differs',
  ],
  [
    'one of the checks of the run',
    { checks: [{ run: 'make' }, { file: 'a' }] },
    { checks: [{ file: 'a' }] },
    null,
  ],
  [
    'a plan that is to be approved, in a run whose plans are not (L15)',
    {},
    { approvePlan: true },
    'run.differs',
  ],
  [
    'a plan that is to be approved, as those of the run',
    { mode: 'plan', attended: true },
    { approvePlan: true },
    null,
  ],
  ['checks that are none', {}, { checks: 'npm test' }, 'run.differs'],
  ['its account, in another order', { context: { a: '1', b: '2' } }, { context: { b: '2', a: '1' } }, null],
])('a start with %s → taken, or refused with a type of its own', (_what, settings, given, refused) => {
  const read = joinReader(runOf(settings).state, 'pool')({ ...asked, ...given });
  expect('ok' in read ? null : (read.type ?? 'plain')).toBe(refused);
});

test('goals until there is no more room → each that is acknowledged waits, the next is refused as too many', () => {
  const run = runOf();
  const told: string[] = [];
  for (let number = 0; number < 6; number++) {
    const read = joinReader(
      run.state,
      'pool',
    )({ ...asked, id: `client-${number}`, text: 'x'.repeat(40_000) });
    if ('ok' in read) join(run, read.ok);
    told.push('ok' in read ? 'waits' : (read.type ?? ''));
  }
  const waiting = run.state.people.inbox.items.map(({ id }) => id);
  expect(told.filter(each => each === 'waits')).toHaveLength(waiting.length);
  expect(waiting.length).toBeGreaterThan(0);
  expect(told.at(-1)).toBe('run.full');
});
