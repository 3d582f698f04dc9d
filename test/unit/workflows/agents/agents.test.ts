import { describe, expect, test } from 'vitest';
import { withChild } from '../../../../src/run/agents/children.js';
import { usageOf } from '../../../../src/run/limits/usage-by.js';
import { textOf } from '../../../../src/run/messages/message.js';
import { stepsOf } from '../../../../src/run/state/trace.js';
import { endRun, goOn, waitForFollowUp } from '../../../../src/workflows/goals.js';
import {
  receive,
  requestPause,
  requestResume,
  requestStop,
} from '../../../../src/workflows/inbox/inbox-handlers.js';
import type { ToChild } from '../../../../src/workflows/run/ports.js';
import type { Run } from '../../../../src/workflows/run/run.js';
import { agentTree, call, type TreeCall, type TreeReply } from '../../../support/agent-tree.js';
import { runAtCalls } from '../../../support/small-run.js';

/** A lead that calls these agents at once and then answers; `during` is called at each first call of an agent. */
function withAgents(
  names: readonly string[],
  during: (given: TreeCall) => unknown = () => {},
): (given: TreeCall) => Promise<TreeReply> {
  return async given => {
    const { path, times } = given;
    if (path === '')
      return times === 1 ? names.map((name, index) => call(name, `Piece ${index}.`)) : 'All done.';
    if (times === 1) await during(given);
    await arrived();
    if (path === 'middle/1' && times === 1) return [call('search', 'A part.')];
    return times === 1 ? [['put', { path }]] : 'Found.';
  };
}

/** What was sent by now has come. */
async function arrived(): Promise<void> {
  for (let ticks = 0; ticks < 6; ticks += 1) await new Promise(setImmediate);
}

const YES = { autoApprove: true };

function receiptsOf({ state }: Run, id: string): [string, string][] {
  return state.log.journal.events.flatMap(event =>
    event.type === 'receipt' && event.id === id ? [[event.state, event.how] as [string, string]] : [],
  );
}

/** What people said, as it stands in the threads of a run. */
function heard(run: Run | undefined): string[] {
  return Object.values(run?.state.threads ?? {}).flatMap(({ messages }) =>
    messages.flatMap(each => (each.kind === 'user' && each.purpose === 'steer' ? [textOf(each)] : [])),
  );
}

function endings({ state }: Run): (string | null)[] {
  return stepsOf(state.log.journal.events).flatMap(({ ending }) => ending ?? []);
}

test('an agent whose role has a final response → its caller reads the answer in it (P12)', async () => {
  const roles = { search: { finalResponse: '{{content}} ({{toolCount}} calls)' } };
  const tree = agentTree({ reply: withAgents(['search']), settings: YES, roles });
  await tree.end;
  const results = (tree.lead.state.threads.main?.messages ?? []).filter(({ kind }) => kind === 'tool_result');
  expect(JSON.stringify(results)).toContain('Found. (1 calls)');
});

describe('messages to sub-agents', () => {
  // As other systems call it (CF7).
  test.each(['search', 'search/1', 'search_agent'])(
    'to %s → the agent reads it, and the lead does not',
    async to => {
      const tree = agentTree({
        settings: YES,
        reply: withAgents(['search'], () =>
          receive(tree.lead, { id: 'u1', text: 'Sailing boats.', to }, 'steer'),
        ),
      });
      expect(await tree.end).toMatchObject({ answer: 'All done.' });
      expect(heard(tree.agents.get('search/1'))).toEqual(['Sailing boats.']);
      expect(heard(tree.lead)).toEqual([]);
      expect(receiptsOf(tree.lead, 'u1')).toEqual([
        ['accepted', expect.stringMatching(/^It is passed on to search\/1/)],
        ['applied', 'Read by search/1.'],
      ]);
    },
  );

  test('to an agent of an agent, by the way to it → passed on step by step', async () => {
    const tree = agentTree({
      settings: YES,
      reply: withAgents(['middle'], ({ path }) => {
        if (path === 'middle/1/search/1')
          receive(tree.lead, { id: 'u1', text: 'Sailing boats.', to: 'middle/1/search' }, 'steer');
      }),
    });
    await tree.end;
    expect(heard(tree.agents.get('middle/1/search/1'))).toEqual(['Sailing boats.']);
    expect(heard(tree.agents.get('middle/1'))).toEqual([]);
    const last = (run: Run | undefined) => run && receiptsOf(run, 'u1').at(-1);
    expect(last(tree.lead)).toEqual(['applied', 'Read by middle/1/search/1.']);
    expect(last(tree.agents.get('middle/1'))).toEqual(['applied', 'Read by search/1.']);
  });

  test('the agent is terminated before it reads it → the role at work of the lead does, and its sender is told', async () => {
    const tree = agentTree({
      settings: YES,
      reply: withAgents(['search'], async () => {
        receive(tree.lead, { id: 'u1', text: 'Sailing boats.', to: 'search' }, 'steer');
        await arrived();
        tree.terminate('search/1');
      }),
    });
    expect(await tree.end).toMatchObject({ answer: 'All done.' });
    expect(heard(tree.lead)).toEqual(['Sailing boats.']);
    expect(receiptsOf(tree.lead, 'u1')).toEqual([
      ['accepted', expect.stringMatching(/^It is passed on to search\/1/)],
      ['accepted', expect.stringMatching(/^search\/1 ended before it read this\./)],
      ['applied', expect.stringMatching(/^Applied as /)],
    ]);
  });

  test('a pause, a resume and a stop of two megabytes each → the agent gets the beginning of why', () => {
    const told: ToChild[] = [];
    const { run } = runAtCalls([], { ports: { tellSubagent: (_id, message) => void told.push(message) } });
    const child = { id: 'search/1', agent: 'search', callId: 'c1', instruction: '' };
    run.state.children = withChild(run.state.children, child);
    const reason = 'x'.repeat(2_000_000);
    requestPause(run, { reason, interrupt: true, more: reason });
    requestResume(run, reason);
    requestStop(run, { reason });
    expect(told).toMatchObject([
      { signal: 'pause', input: { interrupt: true } },
      { signal: 'resume' },
      { signal: 'stop' },
    ]);
    for (const { input } of told) expect(JSON.stringify(input)).toMatch(/^.{0,20}"x{400,500}…".{0,20}$/);
  });

  test('to a name that two of them have, or nobody → refused with whom there is', async () => {
    const tree = agentTree({
      settings: YES,
      reply: withAgents(['search', 'search', 'middle'], ({ path }) => {
        if (path !== 'search/2') return;
        receive(tree.lead, { id: 'u1', text: 'Sailing boats.', to: 'search' }, 'steer');
        receive(tree.lead, { id: 'u2', text: 'Sailing boats.', to: 'serach' }, 'steer');
      }),
    });
    await tree.end;
    for (const id of ['u1', 'u2'])
      expect(receiptsOf(tree.lead, id)).toEqual([
        ['dropped', expect.stringMatching(/lead, middle, search\/1, search\/2, middle\/3\)/)],
      ]);
  });

  test.each(['middle/1/search/1', 'middle/1/search', 'middle/1/serach/1'])(
    'to %s, whose agent has ended or never was → the role at work of the lead reads it, once',
    async to => {
      const tree = agentTree({
        settings: YES,
        reply: async ({ path, times }) => {
          if (path === '') return times === 1 ? [call('middle', 'Which boats?')] : 'All done.';
          if (path === 'middle/1' && times === 1) return [call('search', 'A part.')];
          if (path === 'middle/1') {
            receive(tree.lead, { id: 'u1', text: 'Sailing boats.', to }, 'steer');
            await arrived();
          }
          return 'Found.';
        },
      });
      await tree.end;
      const all = [tree.lead, ...tree.agents.values()].flatMap(heard);
      expect(all).toEqual(['Sailing boats.']);
      const receipts = receiptsOf(tree.lead, 'u1');
      expect(receipts.map(([state]) => state)).toEqual(['accepted', 'accepted', 'applied']);
    },
  );

  test('the agent ends before it reads it → the role at work of the lead does', async () => {
    const tree = agentTree({
      settings: YES,
      reply: async ({ path, times }) => {
        if (path === '') return times === 1 ? [call('search', 'Which boats?')] : 'All done.';
        receive(tree.lead, { id: 'u1', text: 'Sailing boats.', to: 'search' }, 'steer');
        await arrived();
        // This one finds it ended.
        receive(tree.lead, { id: 'u3', text: 'And rafts.', to: 'search' }, 'steer');
        receive(tree.agents.get(path) ?? tree.lead, { id: 'u2', text: 'And ships.' }, 'follow-up');
        return 'Found.';
      },
    });
    await tree.end;
    const agent = tree.agents.get('search/1');
    expect(heard(agent)).toEqual([]);
    expect(agent?.state.goals).toHaveLength(1);
    expect(agent && receiptsOf(agent, 'u1').at(-1)?.[0]).toBe('dropped');
    expect(heard(tree.lead).sort()).toEqual(['And rafts.', 'Sailing boats.']);
    expect(receiptsOf(tree.lead, 'u3').map(([state]) => state)).toEqual(['accepted', 'accepted', 'applied']);
    expect(receiptsOf(tree.lead, 'u1').map(([state]) => state)).toEqual(['accepted', 'accepted', 'applied']);
    // It is the lead's next goal.
    expect(tree.lead.state.goals.map(({ text }) => text)).toEqual(['Find out.', 'And ships.']);
  });

  test('under the id of one that the lead has read, at the own run of an agent that ends → nobody reads it again', async () => {
    const message = { id: 'u1', text: 'Sailing boats.' };
    const tree = agentTree({
      settings: YES,
      reply: async ({ path, times, run }) => {
        if (path !== '') receive(run, message, 'steer');
        else if (times === 1) receive(tree.lead, message, 'steer');
        else if (times === 2) return [call('search', 'Which boats?')];
        return path === '' && times === 1 ? [['put', { path }]] : 'Done.';
      },
    });
    await tree.end;
    expect([tree.lead, ...tree.agents.values()].flatMap(heard)).toEqual(['Sailing boats.']);
  });

  test('without an id, after others without one at its own run → it reads them all', async () => {
    const others = Array.from({ length: 20 }, (_, index) => `Directly ${index}.`);
    const tree = agentTree({
      settings: YES,
      reply: withAgents(['search'], ({ path, run }) => {
        if (path !== 'search/1') return;
        for (const text of others) receive(run, { text }, 'steer');
        receive(tree.lead, { text: 'Sailing boats.', to: 'search' }, 'steer');
      }),
    });
    await tree.end;
    expect(heard(tree.agents.get('search/1'))).toEqual([...others, 'Sailing boats.']);
  });

  test('without an address, while agents work → for the role at work, when they have ended', async () => {
    const tree = agentTree({
      settings: YES,
      reply: withAgents(['search'], () => receive(tree.lead, { id: 'u1', text: 'Sailing boats.' }, 'steer')),
    });
    await tree.end;
    expect(endings(tree.lead)).toEqual(['executed']);
    expect(heard(tree.lead)).toEqual(['Sailing boats.']);
    expect(heard(tree.agents.get('search/1'))).toEqual([]);
  });
});

describe('sub-agents that are cancelled', () => {
  test('a message that interrupts → its agents and theirs are cancelled, and what they used is counted', async () => {
    const never = new Promise<never>(() => {});
    const tree = agentTree({
      settings: YES,
      reply: withAgents(['middle', 'search'], async ({ path }) => {
        if (path === 'middle/1/search/1') {
          receive(tree.lead, { id: 'u1', text: 'Something else.', when: 'interrupt' }, 'steer');
          await never;
        }
        if (path === 'search/2') await never;
      }),
    });
    expect(await tree.end).toMatchObject({ answer: 'All done.' });
    expect(endings(tree.lead)).toEqual(['cancelled', 'cancelled']);
    expect(heard(tree.lead)).toEqual(['Something else.']);
    expect(tree.lead.state.children.list.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled']);
    expectAddsUp(tree.lead);
    const { total } = tree.lead.state;
    const used = total.usageBy.map(({ role, calls, inputTokens = 0 }) => `${role} ${calls} ${inputTokens}`);
    // Calls that were cut off told nothing.
    expect(used.sort()).toEqual(['lead 2 20', 'middle 1 10', 'search 2 0']);
    expect([total.turns, tree.lead.state.goal.counters.turns]).toEqual([3, 3]);
  });

  test('a message for an agent that is being cancelled, after its last word → the lead reads it', async () => {
    const tree = agentTree({
      settings: YES,
      reply: withAgents(['search'], async () => {
        receive(tree.lead, { id: 'u1', text: 'Something else.', when: 'interrupt' }, 'steer');
        // It arrives while the agent's last word is on its way up.
        receive(tree.lead, { id: 'u2', text: 'Sailing boats.', to: 'search/1' }, 'steer');
        await new Promise<never>(() => {});
      }),
    });
    await tree.end;
    expect(heard(tree.lead)).toEqual(['Something else.', 'Sailing boats.']);
    expect(receiptsOf(tree.lead, 'u2').at(-1)?.[0]).toBe('applied');
  });

  test('a message for an agent interrupts it alone → the others work on', async () => {
    const tree = agentTree({
      settings: YES,
      reply: withAgents(['search', 'middle'], async ({ path }) => {
        if (path === 'search/1')
          receive(tree.lead, { id: 'u1', text: 'Quick.', when: 'interrupt', to: 'search' }, 'steer');
      }),
    });
    await tree.end;
    expect(endings(tree.lead)).toEqual(['executed', 'executed']);
  });

  test('the lead itself is cancelled → what its agents used is counted first', async () => {
    const tree = agentTree({
      settings: YES,
      reply: withAgents(['middle'], ({ path }) => {
        if (path !== 'middle/1/search/1') return;
        tree.cancel();
        return new Promise<never>(() => {});
      }),
    });
    await expect(tree.end).rejects.toThrow();
    expect(tree.lead.state.total.usageBy.map(({ role }) => role)).toEqual(['lead', 'middle', 'search']);
    expectAddsUp(tree.lead);
  });
});

function expectAddsUp({ state: { total } }: Run): void {
  const sum = total.usageBy.reduce((all, entry) => all + usageOf(entry).inputTokens, 0);
  expect(total.usage.inputTokens).toBe(sum);
}

test('a run that is started as an agent and kept open, with a message waiting at its end → it ends, and does not turn on the spot', async () => {
  const { run } = runAtCalls([], { settings: { calledAs: 'search/1', keepOpenSeconds: 60 } });
  receive(run, { id: 'u1', text: 'And ships.' }, 'follow-up');
  run.state.idleSince = 1_000;
  const end = { outcome: 'answered', cause: 'direct_answer', answer: 'Found.' } as const;
  expect(goOn(run, end)).toBe(false);
  expect(await waitForFollowUp(run, end)).toBe(false);
  expect(endRun(run, end).map(({ id }) => id)).toEqual(['u1']);
});
