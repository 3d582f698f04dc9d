/** A plan while somebody edits it in the console's page, and messages that are on their way. */
import { expect, test } from 'vitest';
import {
  draftOf,
  planChanges,
  removedFrom,
  wholePlan,
  withNewTask,
} from '../../../../packages/console/page/parts/plan-draft.js';
import {
  isWithdrawable,
  type SentNote,
  stateOf,
  unsettled,
  wholeText,
} from '../../../../packages/console/page/run/sent.js';
import type { Item } from '../../../../packages/view/items.js';

const task = (id: string, status: 'pending' | 'completed' = 'pending') => ({
  ...{ id, status, description: `Do ${id}`, completionCriteria: null },
});
const tasks = [task('a', 'completed'), task('b'), task('c')];

test('plan editor: tasks that have begun → they are not in it', () => {
  expect(draftOf(tasks).map(({ id }) => id)).toEqual(['b', 'c']);
});

test('plan editor: nothing changed → nothing to send; a change → its fields alone', () => {
  const draft = draftOf(tasks);
  expect(planChanges(draft, tasks)).toEqual([]);
  const changed = draft.map(each => (each.id === 'c' ? { ...each, criterion: ' all green ' } : each));
  expect(planChanges(changed, tasks)).toEqual([{ id: 'c', completionCriteria: 'all green' }]);
});

test('plan editor: a criterion taken away → null', () => {
  const known = [{ ...task('b'), completionCriteria: 'x' }];
  const draft = draftOf(known).map(each => ({ ...each, criterion: '' }));
  expect(planChanges(draft, known)).toEqual([{ id: 'b', completionCriteria: null }]);
});

test('plan editor: a new task → an id of its own; without a word → none', () => {
  const draft = withNewTask(draftOf(tasks), ['a', 'b', 'c', 't4']);
  expect(draft.at(-1)).toMatchObject({ id: 't5', isNew: true });
  expect(planChanges(draft, tasks)).toEqual([]);
  const named = draft.map(each => (each.isNew ? { ...each, description: 'Look again' } : each));
  expect(planChanges(named, tasks)).toEqual([{ id: 't5', description: 'Look again' }]);
});

test('plan editor: a task taken out of the plan of a run at work → its id, and nothing else of it', () => {
  const draft = draftOf(tasks).map(each => ({ ...each, criterion: 'x', removed: each.id === 'b' }));
  expect(removedFrom(draft)).toEqual(['b']);
  expect(planChanges(draft, tasks)).toEqual([{ id: 'c', completionCriteria: 'x' }]);
  expect(removedFrom([...draft, { ...draft[0], id: 'new', isNew: true } as (typeof draft)[number]])).toEqual([
    'b',
  ]);
});

test('plan editor: at a gate → all that is to be done, without what was removed', () => {
  const draft = draftOf(tasks).map(each => ({ ...each, removed: each.id === 'b' }));
  expect(wholePlan(draft, tasks)).toEqual([{ id: 'c' }]);
});

const note: SentNote = {
  id: 'm1',
  text: 'All of a long text',
  kind: 'steer',
  to: '',
  when: '',
  at: 1,
  fault: null,
};
const message = (...states: ('accepted' | 'applied' | 'queued' | 'dropped')[]) => ({
  ...{ key: 'k', at: 1, path: '', kind: 'message' as const, id: 'm1', text: 'All of…' },
  receipts: states.map(state => ({ state, how: '', at: 1 })),
  becameGoal: false,
});

test('messages: sent and not told of → shown as on its way; told of → its receipts are', () => {
  expect(unsettled([note], [])).toEqual([note]);
  const told: Item[] = [message('accepted')];
  expect(unsettled([note], told)).toEqual([]);
});

test('messages: the last receipt says how far it is, and whether it can be taken back', () => {
  expect(stateOf(message())).toBe('sending');
  expect(stateOf(message('accepted', 'applied'))).toBe('applied');
  expect(
    [message('accepted'), message('queued'), message('applied'), message('dropped')].map(isWithdrawable),
  ).toEqual([true, true, false, false]);
});

test('messages: a receipt has the beginning → the tab that sent it has the whole text', () => {
  expect(wholeText(message('accepted'), [note])).toBe('All of a long text');
  expect(wholeText(message('accepted'), [])).toBe('All of…');
});
