import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../../../src/rules/steering/search-attributes.js';
import { searchAttributeReader } from '../../../../src/worker/serve/activities.js';

test('search attributes: many runs start at once → the server is asked once, and again where it failed', async () => {
  const answers = [
    new Error('away'),
    { customAttributes: Object.fromEntries(SEARCH_ATTRIBUTES.slice(1).map(name => [name, 2])) },
  ];
  let asked = 0;
  const listSearchAttributes = async () => {
    const answer = answers[asked++];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const client = { connection: { operatorService: { listSearchAttributes } }, options: { namespace: 'n' } };
  const read = searchAttributeReader();
  const all = () => Promise.allSettled([1, 2, 3].map(() => read(client as unknown as Client)));
  expect((await all()).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
  const value = SEARCH_ATTRIBUTES.slice(1);
  expect(await all()).toEqual(Array(3).fill({ status: 'fulfilled', value }));
  await all();
  expect(asked).toBe(2);
});
