/** A database that an earlier version has made: its tables are brought up to date, with what they have. */
import { expect, test } from 'vitest';
import { migrate } from '../../../packages/store/postgres/migrations.js';
import { postgresStore } from '../../../packages/store/postgres/postgres.js';
import { NO_USAGE } from '../../../src/run/messages/message.js';
import { pgliteDatabase } from '../../support/postgres.js';

test('migrations: tables of version 2 with a conversation → its messages are found by the index of version 3', async () => {
  const database = await pgliteDatabase();
  const { sessions } = postgresStore(database);
  const message = {
    ...{ id: 'm1', at: 1, kind: 'user' as const, purpose: 'steer' as const },
    content: [{ type: 'text' as const, text: 'The pool is 泳池' }],
  };
  await sessions.keep(
    {
      ...{ v: 1, chain: 'c', session: 's', workflowId: 's', runId: 'r', namespaceId: 'n', mode: 'react' },
      ...{ goal: 'Goal', workspace: '/work', number: 1, startedAt: 1, changedAt: 2, outcome: null },
      ...{ cause: null, answer: null, ended: false, usage: NO_USAGE, kept: { id: 1, seq: 0 } },
    },
    [{ kind: 'message', thread: 'main', message }],
  );
  // As version 2 left it.
  await database.query('ALTER TABLE steersman.record DROP COLUMN grams');
  await database.query('DELETE FROM steersman.migration WHERE version > 2');
  const hits = () => sessions.search({ text: 'POOL 泳池', limit: 9 });
  await expect(hits()).rejects.toThrow(/grams/);
  await migrate(database);
  expect(await hits()).toMatchObject([{ session: 's', message: 'm1' }]);
  await migrate(database);
  await database.close();
});
