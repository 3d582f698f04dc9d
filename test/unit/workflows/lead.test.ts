import { describe, expect, test } from 'vitest';
import type { CallToolInput } from '../../../src/activities/types.js';
import { reportOf } from '../../../src/rules/agents/subagent.js';
import type { AgentEnd } from '../../../src/run/agents/children.js';
import type { RunSettings } from '../../../src/run/agents/run-config.js';
import { DEFAULT_LIMITS } from '../../../src/run/limits/limits.js';
import type { Usage } from '../../../src/run/messages/message.js';
import { NO_USAGE, textOf } from '../../../src/run/messages/message.js';
import { newRunState } from '../../../src/run/state/run-state.js';
import { addWorkflowTools } from '../../../src/run/tools/workflow-tools.js';
import { beginRun, pursue } from '../../../src/workflows/goals.js';
import { requestPause, requestResume, requestStop } from '../../../src/workflows/inbox/inbox-handlers.js';
import type { ChildStart, Ports, ToChild } from '../../../src/workflows/run/ports.js';
import { Run } from '../../../src/workflows/run/run.js';
import { resultOf } from '../../../src/workflows/run/views.js';
import { modelFacts, pinnedRun } from '../../support/core-values.js';
import { quietPorts, testRole } from '../../support/small-run.js';

const LEAD = testRole('lead', { output: 'text', tools: ['*', 'call_subagent'], agents: ['search', 'crawl'] });
const SEARCH = testRole('search', { output: 'text', memory: 'private', maxRounds: 3 });
const AGENTS = [
  { name: 'search', description: 'Searches.', requires: [] },
  { name: 'crawl', description: 'Reads pages.', requires: ['url' as const] },
];
const PER_CALL: Usage = { ...NO_USAGE, inputTokens: 100, outputTokens: 10, costUsd: 0.25 };

interface Call {
  agent_name: string;
  instruction: string;
}
type Reply = string | Call[];

interface Given {
  agents?: Record<string, Reply[]>;
  limits?: Partial<typeof DEFAULT_LIMITS>;
  end?: AgentEnd;
  /** While an agent works. */
  during?: (run: Run) => void;
}

/** A lead whose sub-agents are runs in memory as well: the same code with ports of its own. */
async function lead(replies: Reply[], given: Given = {}) {
  const started: ChildStart[] = [];
  const told: [string, ToChild][] = [];
  const shown: (string | null)[][] = [];
  const settings: RunSettings = { mode: 'lead', workspace: '/w', autoApprove: false };
  const ports: Ports = {
    ...scripted(replies, () => run),
    tellSubagent: (id, message) => told.push([id, message]),
    show: ({ children }) => shown.push(children.list.map(({ outcome }) => outcome)),
    callSubagent: async child => {
      started.push(child);
      given.during?.(run);
      return given.end ?? endOf(child, given.agents?.[child.settings.role ?? ''] ?? ['Found.']);
    },
  };
  const run: Run = new Run(newRunState('Find out.', settings, 0), ports);
  await beginRun(
    run,
    pinnedRun({
      roles: { lead: LEAD },
      agents: AGENTS,
      tools: addWorkflowTools([], [LEAD]).tools,
      models: ['p/a'],
      modelInfo: { 'p/a': modelFacts(100_000, true) },
      limits: { ...DEFAULT_LIMITS, ...given.limits },
    }),
  );
  const end = await pursue(run);
  return { run, end, started, told, shown, results: resultsOf(run) };
}

async function endOf(child: ChildStart, replies: Reply[]): Promise<AgentEnd> {
  const run: Run = new Run(
    newRunState(child.goal, child.settings, 0),
    scripted(replies, () => run),
  );
  const role = child.settings.role ?? '';
  const limits = { ...DEFAULT_LIMITS, ...child.settings.limits };
  await beginRun(run, pinnedRun({ roles: { [role]: { ...SEARCH, name: role } }, models: ['p/a'], limits }));
  const end = await pursue(run);
  return { kind: 'ended', report: reportOf(resultOf(run.state, { ...end, id: child.id, now: 0 })) };
}

function scripted(replies: Reply[], served: () => Run): Ports {
  const left = [...replies];
  const ran: CallToolInput[] = [];
  return {
    ...quietPorts(ran),
    callModel: async ({ role }) => {
      const reply = left.shift();
      if (reply === undefined) throw new Error(`no reply is left for ${role} of ${served().state.goal.text}`);
      const content =
        typeof reply === 'string'
          ? [{ type: 'text' as const, text: reply }]
          : reply.map((call, index) => ({
              type: 'tool_use' as const,
              id: `t${index}`,
              name: 'call_subagent',
              input: { ...call },
            }));
      const value = {
        content,
        stopReason: 'end_turn' as const,
        model: 'p/a',
        usage: PER_CALL,
        durationMs: 1,
      };
      return { ok: true, value };
    },
  };
}

function resultsOf({ state }: Run) {
  return (state.threads.main?.messages ?? []).flatMap(message =>
    message.kind === 'tool_result' ? [message.content[0]] : [],
  );
}

const ASK: Call = { agent_name: 'search', instruction: 'Which day is it?' };
const READ: Call = { agent_name: 'crawl', instruction: 'Read https://example.org/ and give its title.' };

describe('mode lead', () => {
  test('lead: one of two agents has ended → shown as ended while the other runs (A11)', async () => {
    const { shown } = await lead([[ASK, READ], 'It is Monday.']);
    expect(shown).toContainEqual(['answered', null]);
  });

  test('lead: its result → tells of its sub-agents, for whoever looks when no worker tells any more (A11)', async () => {
    const { run, end } = await lead([[ASK, READ], 'It is Monday.']);
    const { children } = resultOf(run.state, { ...end, id: 'r', now: 0 });
    expect(children.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['search/1', 'answered'],
      ['crawl/2', 'answered'],
    ]);
  });

  test('lead: two agents one after the other → their texts are results, and their usage is the goal’s', async () => {
    const { run, end, started, results } = await lead([[ASK], [READ], 'It is Monday.'], {
      agents: { search: ['Monday.'], crawl: ['Example.'] },
    });
    expect(end).toMatchObject({ outcome: 'answered', cause: 'direct_answer', answer: 'It is Monday.' });
    expect(started.map(({ id, goal }) => [id, goal])).toEqual([
      ['search/1', ASK.instruction],
      ['crawl/2', READ.instruction],
    ]);
    expect(results).toMatchObject([
      { ending: 'executed', isError: false, content: [{ text: 'Monday.' }] },
      { ending: 'executed', isError: false, content: [{ text: 'Example.' }] },
    ]);
    const { goal, total, children } = run.state;
    expect(goal.usage).toMatchObject({ inputTokens: 500, outputTokens: 50, costUsd: 1.25 });
    expect(goal.counters.turns).toBe(5);
    expect(total).toMatchObject({ turns: 5, usage: goal.usage });
    expect(total.usageBy.map(({ role, calls }) => [role, calls])).toEqual([
      ['lead', 3],
      ['search', 1],
      ['crawl', 1],
    ]);
    expect(children).toMatchObject({
      started: 2,
      list: [
        { id: 'search/1', outcome: 'answered' },
        { id: 'crawl/2', outcome: 'answered' },
      ],
    });
  });

  test('lead: an agent whose conversation was summarised → the summaries count for the goal (LL1)', async () => {
    const usage = { ...NO_USAGE, inputTokens: 5_000, outputTokens: 500 };
    const usageBy = [
      { role: 'search', model: 'p/a', calls: 3, inputTokens: 4_000, outputTokens: 200 },
      { role: 'compactor', model: 'p/a', calls: 1, inputTokens: 1_000, outputTokens: 300 },
    ];
    const rest = { usage, usageBy, turns: 3, failedCalls: 0, unread: [], effects: [] };
    const answered = { outcome: 'answered' as const, cause: 'direct_answer' as const, answer: 'Monday.' };
    const { run } = await lead([[ASK], 'It is Monday.'], {
      end: { kind: 'ended', report: { ...rest, ...answered } },
    });
    expect(run.state.goal.summaries).toEqual({ tokens: 1_300, ended: false });
  });

  test('lead: its agents → told by name with its instruction, at the end', async () => {
    const { run } = await lead(['Nothing to do.']);
    const instruction = run.state.threads.main?.messages.findLast(each => each.kind === 'user');
    expect(instruction && textOf(instruction)).toMatch(/- search: Searches\.\n- crawl: Reads pages\.$/);
  });

  test('lead: an agent is started → within what the goal has left', async () => {
    const { started } = await lead([[ASK], 'Done.'], { limits: { tokens: 1_000, turns: 7, costUsd: 2 } });
    expect(started[0]?.settings).toMatchObject({
      mode: 'react',
      role: 'search',
      workspace: '/w',
      limits: { tokens: 890, turns: 6, totalTurns: 6, costUsd: 1.75 },
    });
  });

  test.each(['search_agent', 'search-agent'])(
    'lead: an agent called %s → the role search (CF7)',
    async name => {
      const { started, results } = await lead([[{ ...ASK, agent_name: name }], 'Done.']);
      expect(started.map(({ id, settings }) => [id, settings.role])).toEqual([['search/1', 'search']]);
      expect(results).toMatchObject([{ isError: false }]);
    },
  );

  test.each<[string, Call, RegExp]>([
    [
      'an unknown agent → the names there are (A2)',
      { ...ASK, agent_name: 'serach' },
      /no agent serach\. The agents are: search, crawl/,
    ],
    ['crawl without a URL → refused (A4)', { ...READ, instruction: 'Read their home page.' }, /needs a URL/],
  ])('lead: %s, and nothing is started', async (_title, call, note) => {
    const { started, results } = await lead([[call], 'Done.']);
    expect(started).toEqual([]);
    expect(results).toMatchObject([{ isError: true, note: expect.stringMatching(note) }]);
  });

  test.each<[string, AgentEnd, object]>([
    ['is lost → a result that says why', { kind: 'lost', why: 'terminated' }, { isError: true }],
    ['is cancelled → a result that says so', { kind: 'cancelled' }, { ending: 'cancelled' }],
  ])('lead: an agent %s, and the lead goes on (E6)', async (_title, agentEnd, result) => {
    const { end, results } = await lead([[ASK], 'I did it myself.'], { end: agentEnd });
    expect(end.answer).toBe('I did it myself.');
    expect(results).toMatchObject([result]);
  });

  test('lead: an agent is lost → the journal says that what it used is not known', async () => {
    const { run } = await lead([[ASK], 'Done.'], { end: { kind: 'lost', why: 'terminated' } });
    const warnings = run.state.log.journal.events.filter(({ type }) => type === 'warning');
    expect(warnings).toMatchObject([{ text: 'What search/1 used is not known: terminated' }]);
  });

  test('lead: the goal has nothing left → the agent is not started', async () => {
    const { started, results } = await lead([[ASK], 'Done.'], { limits: { tokens: 100 } });
    expect(started).toEqual([]);
    expect(results).toMatchObject([{ isError: true, note: expect.stringContaining('tokens') }]);
  });

  test.each([
    ['stop', (run: Run) => requestStop(run, { reason: 'enough' }), 'stopped'],
    ['pause', (run: Run) => requestPause(run, { reason: 'lunch' }), 'answered'],
  ])('lead: %s while an agent works → passed on to it (A7)', async (signal, act, outcome) => {
    const { end, told } = await lead([[ASK], 'Done.'], {
      during: run => {
        act(run);
        if (signal === 'pause') requestResume(run, null);
      },
    });
    expect(end.outcome).toBe(outcome);
    expect(told[0]).toMatchObject(['search/1', { signal }]);
  });

  test('lead: two agents of one reply → each gets its part of what is left', async () => {
    const { started } = await lead([[ASK, READ], 'Done.'], { limits: { tokens: 1_110 } });
    expect(started.map(({ settings }) => settings.limits?.tokens)).toEqual([500, 500]);
  });
});
