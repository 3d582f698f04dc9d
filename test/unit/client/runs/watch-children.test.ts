import { defaultDataConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import type { Temporal } from '../../../../src/client/connection/connect.js';
import { RunReader } from '../../../../src/client/record/run-reader.js';
import type { RunEvent } from '../../../../src/client/watch/run-event.js';
import { watchRun } from '../../../../src/client/watch/watch-run.js';
import { WORKFLOW_TYPE } from '../../../../src/run/agents/run-config.js';
import type { JournalEvent, JournalPayloads, JournalType } from '../../../../src/run/state/journal.js';

/** One run on the server, as far as it has come. */
interface Served {
  journal: JournalEvent[];
  open: boolean;
  /** Number of the first event that its latest segment keeps; a part before it has the others. */
  partFrom?: number;
}

/** A server with these runs; notes which were looked at. */
function serverWith(runs: Record<string, Served>) {
  const looked: string[] = [];
  const getHandle = (id: string, runId = 'part-2') => {
    const run = runs[id] ?? { journal: [], open: true };
    const from = runId === 'part-2' ? (run.partFrom ?? 1) : 1;
    return {
      describe: async () => {
        looked.push(id);
        return {
          workflowId: id,
          runId: 'part-2',
          taskQueue: 'q',
          type: WORKFLOW_TYPE,
          status: { name: run.open ? 'RUNNING' : 'COMPLETED' },
          raw: { pendingWorkflowTask: null, pendingActivities: [] },
          historyLength: run.journal.length,
        };
      },
      query: async (query: { name: string }, since: number) =>
        query.name === 'events' ? page(run, from, since) : { children: openChildrenOf(run) },
      result: async () => ({ outcome: 'unverified', cause: 'direct_answer', answer: 'Said.' }),
    };
  };
  const client = {
    workflow: { getHandle },
    options: { loadedDataConverter: { ...defaultDataConverter, payloadCodecs: [] } },
    withDeadline: (_: number, work: () => unknown) => work(),
  };
  return { temporal: { client, local: null, address: 'none' } as unknown as Temporal, looked };
}

function page({ journal, open }: Served, from: number, since: number) {
  const events = journal.filter(({ seq }) => seq > since && seq >= from);
  const missed = Math.max(0, Math.min(from - 1, journal.length) - since);
  return { events, more: false, missed, previousRunId: from > 1 ? 'part-1' : null, open };
}

function openChildrenOf({ journal }: Served) {
  const ended = journal.flatMap(event => (event.type === 'subagent_ended' ? [event.id] : []));
  return journal.flatMap(event =>
    event.type === 'subagent_started' && !ended.includes(event.id)
      ? [{ id: event.id, agent: event.role, outcome: null }]
      : [],
  );
}

/** A run whose journal is made of these. */
function run(
  open: boolean,
  ...events: { [T in JournalType]: [T, JournalPayloads[T]] }[JournalType][]
): Served {
  const journal = events.map(([type, payload], at) => ({ ...payload, seq: at + 1, at: 0, type }));
  return { open, journal: journal as unknown as JournalEvent[] };
}

const says = (text: string): ['warning', { text: string }] => ['warning', { text }];
const begins = (id: string): ['subagent_started', JournalPayloads['subagent_started']] => [
  'subagent_started',
  { id, role: id.replace(/\/.*/, ''), callId: id },
];
const ends = (id: string): ['subagent_ended', JournalPayloads['subagent_ended']] => [
  'subagent_ended',
  { id, role: id.replace(/\/.*/, ''), callId: id, outcome: 'unverified', cause: 'direct_answer' },
];
const asks = (): ['gate_opened', JournalPayloads['gate_opened']] => [
  'gate_opened',
  { gateId: 'g1', kind: 'approval', title: '', body: '', deadline: null, choices: [] },
];

/** In a word: what happened, and where. */
function told(item: RunEvent): string {
  const { path, ...event } = item;
  if (path !== undefined) return `${path} ${told(event)}`;
  if (event.type === 'warning' || event.type === 'notice') return event.text;
  return event.type === 'subagent_started' || event.type === 'subagent_ended'
    ? `${event.type.replace('subagent_', '')} ${event.id}`
    : event.type;
}

async function watched(
  runs: Record<string, Served>,
  onEvent: (told: string) => void = () => {},
  options: Parameters<typeof watchRun>[1] = {},
) {
  const server = serverWith(runs);
  const lines: string[] = [];
  for await (const item of watchRun(new RunReader(server.temporal, 'r'), { pollMs: 1, ...options })) {
    lines.push(told(item));
    onEvent(told(item));
  }
  return { lines, looked: server.looked };
}

test('watch: a run with sub-agents that has ended → their events too, between their begin and their end; no gate of theirs (A11)', async () => {
  const { lines } = await watched({
    r: run(false, says('a'), begins('search/1'), ends('search/1'), begins('editor/2'), ends('editor/2')),
    'r/search/1': run(false, says('b'), asks(), says('c')),
    'r/editor/2': run(false, begins('crawl/1'), ends('crawl/1')),
    'r/editor/2/crawl/1': run(false, says('d')),
  });
  expect(lines).toEqual([
    'a',
    'started search/1',
    'search/1 b',
    'search/1 c',
    'ended search/1',
    'started editor/2',
    'editor/2 started crawl/1',
    'editor/2/crawl/1 d',
    'editor/2 ended crawl/1',
    'ended editor/2',
    'end',
  ]);
});

test('watch: two sub-agents at work, one ends, the run continues as new → each told as it goes; of the ended one no look more (A11)', async () => {
  const runs = {
    r: run(true, begins('search/1'), begins('search/2')),
    'r/search/1': run(true, says('a')),
    'r/search/2': run(true, says('b')),
  };
  let looksAtFirst = -1;
  const server = serverWith(runs);
  const lines: string[] = [];
  const goOn: Record<string, () => void> = {
    'search/2 b': () => {
      Object.assign(runs['r/search/1'], run(false, says('a'), says('c')));
      Object.assign(runs.r, run(true, begins('search/1'), begins('search/2'), ends('search/1')));
    },
    'ended search/1': () => {
      looksAtFirst = server.looked.filter(id => id === 'r/search/1').length;
      Object.assign(runs['r/search/2'], run(true, says('b'), says('d')));
    },
    'search/2 d': () => {
      Object.assign(runs['r/search/2'], { open: false });
      const whole = run(false, begins('search/1'), begins('search/2'), ends('search/1'), ends('search/2'));
      Object.assign(runs.r, whole, { partFrom: 4 });
    },
  };
  for await (const item of watchRun(new RunReader(server.temporal, 'r'), { pollMs: 1 })) {
    lines.push(told(item));
    goOn[told(item)]?.();
  }
  expect(lines).toEqual([
    'started search/1',
    'started search/2',
    'search/1 a',
    'search/2 b',
    'search/1 c',
    'ended search/1',
    'search/2 d',
    'ended search/2',
    'end',
  ]);
  expect(server.looked.filter(id => id === 'r/search/1')).toHaveLength(looksAtFirst);
});

test('watch: from a later event on, while a sub-agent runs → it is told from its start (A11)', async () => {
  const runs = { r: run(true, begins('search/1'), says('a')), 'r/search/1': run(true, says('b')) };
  const onEvent = (line: string) => {
    if (line === 'search/1 b')
      Object.assign(runs.r, run(false, begins('search/1'), says('a'), ends('search/1')));
  };
  const { lines } = await watched(runs, onEvent, { since: 2 });
  expect(lines).toEqual(['search/1 b', 'ended search/1', 'end']);
});

test('watch: sub-agents are not asked for → nobody looks at them (A11)', async () => {
  const runs = { r: run(false, begins('search/1'), ends('search/1')), 'r/search/1': run(false, says('b')) };
  const { lines, looked } = await watched(runs, () => {}, { children: false });
  expect(lines).toEqual(['started search/1', 'ended search/1', 'end']);
  expect(looked).not.toContain('r/search/1');
});

test('watch: more sub-agents have ended than a late watcher is told of → the last of them, and where the others are (A11)', async () => {
  const ids = Array.from({ length: 22 }, (_, at) => `search/${at + 1}`);
  const runs: Record<string, Served> = { r: run(false, ...ids.flatMap(id => [begins(id), ends(id)])) };
  for (const id of ids) runs[`r/${id}`] = run(false, says('a'));
  const { lines, looked } = await watched(runs);
  expect(lines.slice(0, 4)).toEqual([
    'started search/1',
    'The events of search/1 are left out. Its run: r/search/1',
    'ended search/1',
    'started search/2',
  ]);
  expect(lines).toContain('search/3 a');
  expect(lines).not.toContain('search/2 a');
  expect(looked).not.toContain('r/search/2');
});
