import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { hadEnded } from '../../../src/worker/text-care.js';

const [before, by, after] = [new Date(1_000), new Date(2_000), new Date(3_000)];

/** A server that knows when these runs ended; `agent` is one of `run`. */
function server(closed: Record<string, Date | undefined>): Client {
  const raw = { workflowExecutionInfo: { rootExecution: { workflowId: 'run' } } };
  const getHandle = (id: string) => ({ describe: async () => ({ closeTime: closed[id], raw }) });
  const withDeadline = <T>(_: number, ask: () => Promise<T>) => ask();
  return { withDeadline, workflow: { getHandle } } as unknown as Client;
}

test.each<[string, Record<string, Date | undefined>, boolean]>([
  ['and so had its run', { agent: before, run: before }, true],
  ['and its run is open', { agent: before, run: undefined }, false],
  ['and its run ended later', { agent: before, run: after }, false],
])(
  'texts: an agent had ended by then, %s → they stay as long as those of the run',
  async (_, closed, over) => {
    const owner = { namespaceId: 'ns', workflowId: 'agent' };
    expect(await hadEnded(server(closed), 'ns', { owner, by })).toBe(over);
  },
);
