/** Runs for the tests of faces: what happens is scripted, what is asked of them is noted. */

import type { RunHandle, RunsApi } from '../../packages/mcp-server/tools/shared-client.js';
import type { ListedRun, RunEvent, RunSnapshot, SentMessage, WatchOptions } from '../../src/client/index.js';
import type { Gate } from '../../src/run/gates/gate.js';
import type { JournalEvent, JournalPayloads, JournalType } from '../../src/run/state/journal.js';

export interface FakeRuns extends RunsApi {
  /** Calls that change something, in order. */
  asked: unknown[][];
  /** What happens in the run; more may be added while it is watched. */
  happens(...items: RunEvent[]): void;
  /** What `show` tells. */
  stands(look: Partial<RunSnapshot>): void;
  /** How many watches are open. */
  watchers(): number;
}

/** `replaced`: what the run does in place of noting. */
export function fakeRuns(replaced: Partial<RunHandle> = {}): FakeRuns {
  const items: RunEvent[] = [];
  const asked: unknown[][] = [];
  let look: RunSnapshot = lookOf({});
  let watchers = 0;
  let waiting: (() => void)[] = [];
  const noting =
    <T>(name: string, told: T) =>
    async (...args: unknown[]) => {
      asked.push([name, ...args]);
      return told;
    };
  async function* events({ since = 0, signal }: WatchOptions = {}): AsyncGenerator<RunEvent> {
    watchers += 1;
    try {
      for (let at = 0; ; at += 1) {
        while (items[at] === undefined) {
          if (signal?.aborted) return;
          await new Promise<void>(resolve => {
            waiting.push(resolve);
            signal?.addEventListener('abort', () => resolve(), { once: true });
          });
        }
        const item = items[at] as RunEvent;
        if ('seq' in item && item.seq <= since) continue;
        yield item;
        if (item.type === 'end') return;
      }
    } finally {
      watchers -= 1;
    }
  }
  const sent: SentMessage = {
    id: 'm-1',
    state: 'accepted',
    how: 'It is read before the next call.',
    applied: () => Promise.reject(new Error('nobody waits for it here')),
  };
  const run: RunHandle = {
    id: 'run-1',
    webUi: null,
    workspace: '/work',
    events,
    show: async () => look,
    steer: noting('steer', sent),
    followUp: noting('followUp', sent),
    answerGate: noting('answerGate', undefined),
    stop: noting('stop', { served: true }),
    ...replaced,
  };
  return {
    address: 'here:1',
    namespace: 'default',
    asked,
    happens: (...more) => {
      items.push(...more);
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    stands: more => {
      look = { ...look, ...more };
    },
    watchers: () => watchers,
    start: noting('start', run),
    attach: async () => run,
    async *list(wanted) {
      asked.push(['list', wanted]);
      yield listed;
    },
  };
}

const listed: ListedRun = {
  id: 'run-1',
  runId: 'r',
  status: 'running',
  phase: 'execution',
  waiting: null,
  outcome: null,
  cause: null,
  mode: 'team',
  goal: 'A goal',
  workspace: '/w',
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: null,
  unreadable: [],
  stuck: { attempt: 3, what: 'Its code fails.', todo: 'Mend it.' },
};

export function eventItem<T extends JournalType>(
  seq: number,
  type: T,
  payload: JournalPayloads[T],
): RunEvent {
  return { seq, at: seq * 1_000, type, ...payload } as unknown as JournalEvent;
}

export const warning = (seq: number, text = `Warning ${seq}`) => eventItem(seq, 'warning', { text });

export function endItem(): RunEvent {
  const end = {
    id: 'run-1',
    runId: 'r',
    status: 'completed',
    outcome: 'completed',
    cause: null,
    basis: null,
    result: null,
    failure: null,
  };
  return { type: 'end', end: { ...end, outcome: 'completed' } };
}

export function approvalGate(gateId = 'g1', args: Record<string, unknown> = { path: 'a.txt' }): Gate {
  const json = JSON.stringify(args, null, 2);
  return {
    id: gateId,
    kind: 'approval',
    title: 'Run write_file?',
    body: `\`\`\`json\n${json}\n\`\`\``,
    openedAt: 0,
    deadline: null,
    subject: { tool: 'write_file', callId: 'c1', arguments: json },
  };
}

export function gateOpened(seq: number, { id: gateId, kind, title, body }: Gate): RunEvent {
  return eventItem(seq, 'gate_opened', { gateId, kind, title, body, deadline: null, choices: [] });
}

export function lookOf(given: Partial<RunSnapshot>): RunSnapshot {
  return {
    id: 'run-1',
    runId: 'r',
    status: 'running',
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: null,
    outcome: null,
    cause: null,
    basis: null,
    exceptions: [],
    mode: 'team',
    modeWhy: null,
    phase: 'execution',
    workspace: '/w',
    goal: 'A goal',
    model: null,
    switches: [],
    readers: [],
    tasks: [],
    artifacts: [],
    filesBefore: [],
    children: [],
    counters: null,
    limits: null,
    usage: null,
    usageBy: [],
    checks: [],
    budget: null,
    paused: false,
    pausedAgents: [],
    stopping: false,
    gates: [],
    inputs: {},
    inbox: [],
    goals: [],
    threads: null,
    lastEventSeq: null,
    answer: null,
    stuck: null,
    unreadable: [],
    failure: null,
    answered: true,
    ...given,
  };
}
