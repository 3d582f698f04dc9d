import { describe, expect, test } from 'vitest';
import { withChild } from '../../../src/run/agents/children.js';
import { FAILURE } from '../../../src/run/limits/failure.js';
import type { Limits } from '../../../src/run/limits/limits.js';
import { textOf } from '../../../src/run/messages/message.js';
import { passedOn } from '../../../src/workflows/agents/agents.js';
import {
  changeModel,
  receive,
  requestPause,
  requestResume,
  requestStop,
  setBudget,
  withdraw,
} from '../../../src/workflows/inbox/inbox-handlers.js';
import { budgetReader, modelReader, withdrawalReader } from '../../../src/workflows/inbox/read-input.js';
import type { Run } from '../../../src/workflows/run/run.js';
import { viewOf } from '../../../src/workflows/run/views.js';
import { type AgentTree, agentTree, call, type TreeCall, type TreeGiven } from '../../support/agent-tree.js';
import { runAtCalls } from '../../support/small-run.js';

/** Nobody is asked whether a budget is raised. */
const YES = { autoApprove: true, attended: false };
const SEARCH = 'middle/1/search/1';

/** What was sent by now has come, down and up two levels. */
async function arrived(): Promise<void> {
  for (let ticks = 0; ticks < 12; ticks += 1) await new Promise(setImmediate);
}

/** A lead that calls a middle, which calls a search, which works for so many turns; `during` is called at each of them. */
function threeLevels(
  during: (tree: AgentTree, given: TreeCall) => unknown = () => {},
  { turns = 3, ...more }: Partial<TreeGiven> & { turns?: number } = {},
): AgentTree {
  const tree: AgentTree = agentTree({
    settings: YES,
    ...more,
    reply: async given => {
      const { path, times } = given;
      if (path === '') return times === 1 ? [call('middle', 'Have it counted.')] : 'All done.';
      if (path === 'middle/1') return times === 1 ? [call('search', 'Count.')] : 'Counted.';
      const replaced = await during(tree, given);
      await arrived();
      if (replaced !== undefined) return `${replaced}`;
      if (given.run.state.cursor.position.phase === 'wrap_up') return 'So far.';
      return times <= turns ? [['put', { path: `${times}` }]] : 'Found.';
    },
  });
  return tree;
}

/** As the update does. */
function budget(run: Run, limits: Partial<Limits>): void {
  const read = budgetReader(run.state, run.ports.now())(limits);
  if ('error' in read) throw new Error(read.error);
  setBudget(run, read.ok);
}

function model(run: Run, input: Record<string, unknown>): string[] {
  const read = modelReader(run.state)(input);
  if ('error' in read) throw new Error(read.error);
  return changeModel(run, read.ok).roles;
}

function takeBack(run: Run, id: string): string {
  const read = withdrawalReader(run)(id);
  if ('error' in read) throw new Error(read.error);
  return withdraw(run, read.ok).text;
}

function eventsOf<T extends string>({ state }: Run, type: T) {
  return state.log.journal.events.filter(event => event.type === type);
}

function receiptsOf({ state }: Run, id: string): string[] {
  return state.log.journal.events.flatMap(event =>
    event.type === 'receipt' && event.id === id ? [`${event.state}: ${event.how}`] : [],
  );
}

/** What people said, as it stands in the threads of a run. */
function heard(run: Run | undefined): string[] {
  return Object.values(run?.state.threads ?? {}).flatMap(({ messages }) =>
    messages.flatMap(each => (each.kind === 'user' && each.purpose === 'steer' ? [textOf(each)] : [])),
  );
}

function agent(tree: AgentTree, path: string): Run {
  const run = tree.agents.get(path);
  if (!run) throw new Error(`no ${path}`);
  return run;
}

describe('a budget that is changed while agents work', () => {
  test('lowered → the last level ends within it, and all that was used is counted', async () => {
    const tree = threeLevels(
      (now, { times }) => {
        if (times === 2) budget(now.lead, { tokens: 50 });
      },
      { turns: 30 },
    );
    await tree.end;
    // Each call is 11 tokens; the two levels above ask once more at their ends.
    expect(tree.called.filter(each => each.startsWith(SEARCH)).length).toBeLessThanOrEqual(5);
    expect(agent(tree, SEARCH).state.end?.cause).toBe('budget:tokens');
    const { usage } = tree.lead.state.total;
    expect(usage.inputTokens + usage.outputTokens).toBe(11 * tree.called.length);
  });

  test.each<[string, Partial<Limits>, Partial<Limits>]>([
    ['turns', { turns: 11 }, { turns: 9, totalTurns: 9 }],
    ['turns of the run', { totalTurns: 21 }, { turns: 19, totalTurns: 19 }],
    ['time', { wallTimeMs: 60_000 }, { wallTimeMs: 60_000 }],
    ['cost', { costUsd: 2 }, { costUsd: 2 }],
    ['rounds', { execution: 4 }, { execution: 4 }],
    ['more tokens', { tokens: 2_000_000 }, { tokens: 1_999_978 }],
  ])('%s → the last level has it at once', async (_title, limits, expected) => {
    let seen: Partial<Limits> = {};
    const tree = threeLevels(async (now, { times, run }) => {
      if (times !== 1) return;
      budget(now.lead, limits);
      await arrived();
      seen = run.limits;
    });
    await tree.end;
    expect(seen).toMatchObject(expected);
  });

  test('an agent that ended above its part of it → the others have what that leaves', async () => {
    const seen: number[] = [];
    const tree: AgentTree = agentTree({
      settings: YES,
      reply: async ({ path, times, run }) => {
        if (path === '')
          return times === 1 ? [call('search', 'One.'), call('search', 'Other.')] : 'All done.';
        if (path === 'search/1') {
          if (times === 5) budget(tree.lead, { tokens: 71 });
          await arrived();
          return run.state.cursor.position.phase === 'wrap_up' ? 'So far.' : [['put', { path: `${times}` }]];
        }
        while (!tree.agents.get('search/1')?.state.end) await new Promise(setImmediate);
        await arrived();
        seen.push(run.limits.tokens);
        return 'Found.';
      },
    });
    await tree.end;
    // Of 60 that were left it was to have 30, and used 66 with its last word.
    expect(seen).toEqual([0]);
  });

  test('raised at the run of an agent, above its part of its caller’s → refused with where to raise it', async () => {
    const refused: string[] = [];
    const tree = threeLevels((_now, { run, times }) => {
      if (times !== 1) return;
      const read = budgetReader(run.state, 1_000)({ tokens: 5_000_000 });
      refused.push('error' in read ? read.error : '');
      expect(budgetReader(run.state, 1_000)({ tokens: 5_000 })).toHaveProperty('ok');
    });
    await tree.end;
    expect(refused).toEqual([expect.stringMatching(/tokens.*run that called it/)]);
  });
});

test('an agent that has ended when it is told something → whoever said it reads which one, and what', () => {
  const { run } = runAtCalls([]);
  const child = { id: 'search/1', agent: 'search', callId: 'c1', instruction: '' };
  run.state.children = withChild(run.state.children, child);
  run.memory.agents.leases.set('search/1', { tokens: 1_000_000 });
  budget(run, { tokens: 5_000 });
  requestPause(run, null);
  expect(eventsOf(run, 'warning')).toMatchObject([
    { text: 'search/1 had ended before it was told its new limits.' },
    { text: 'search/1 had ended before it was told to pause.' },
  ]);
});

describe('a model that a person chooses while agents work', () => {
  const models = ['p/a', 'p/b'];

  test('for all → the last level has it, and agents that begin later', async () => {
    const tree = threeLevels(
      (now, { times }) => {
        if (times === 1) expect(model(now.lead, { model: 'p/b' })).toContain('search');
      },
      { models },
    );
    await tree.end;
    expect(tree.called).toEqual([
      ...['p/a', 'middle/1 p/a', `${SEARCH} p/a`],
      ...Array.from({ length: 3 }, () => `${SEARCH} p/b`),
      ...['middle/1 p/b', 'p/b'],
    ]);
  });

  test.each([
    ['before', true],
    ['while', false],
  ])('for a role of an agent, %s it works → all of the role have it, and nobody else', async (_, before) => {
    const tree: AgentTree = agentTree({
      settings: YES,
      models,
      reply: async ({ path, times }) => {
        if (path === '') {
          if (before && times === 1) model(tree.lead, { model: 'p/b', role: 'search' });
          return times === 1 ? [call('middle', 'Have it counted.')] : 'All done.';
        }
        if (path === 'middle/1') return times === 1 ? [call('search', 'A.')] : 'Counted.';
        if (!before && times === 1) model(tree.lead, { model: 'p/b', role: 'search' });
        await arrived();
        return times === 1 ? [['put', { path }]] : 'Found.';
      },
    });
    await tree.end;
    const first = `${SEARCH} p/${before ? 'b' : 'a'}`;
    expect(tree.called).toEqual(['p/a', 'middle/1 p/a', first, `${SEARCH} p/b`, 'middle/1 p/a', 'p/a']);
  });

  test('for a name that no role has, here or below → refused with those there are', async () => {
    const tree = threeLevels(() => {});
    await arrived();
    expect(modelReader(tree.lead.state)({ model: 'p/a', role: 'writer' })).toEqual({
      error: expect.stringMatching(/no role writer\. The roles are: lead, search, middle/),
    });
    await tree.end;
  });

  test('that an agent can not take → whoever chose it is told which agent goes without, and why', async () => {
    const tree = threeLevels(
      (now, { times, run }) => {
        if (times !== 1) return;
        // It was loaded when the configuration named no such model.
        const { 'p/b': _, ...known } = run.pinned.modelInfo;
        run.state.pinned = { ...run.pinned, modelInfo: known };
        model(now.lead, { model: 'p/b' });
      },
      { models },
    );
    await tree.end;
    expect(tree.called.filter(each => each.startsWith(SEARCH))).not.toContain(`${SEARCH} p/b`);
    expect(JSON.stringify(eventsOf(tree.lead, 'warning'))).toMatch(
      /middle\/1\/search\/1 did not take the model p\/b: .*does not know/,
    );
  });
});

describe('pause and resume of runs and their agents', () => {
  /** A search that a person holds before its second call, in one of these ways, and how the run lets it go on. */
  const ways: [string, (tree: AgentTree, run: Run) => void][] = [
    ['the agent', (_tree, run) => requestPause(run, null)],
    ['the run', tree => requestPause(tree.lead, null)],
    ['the agent, then the run', (tree, run) => [requestPause(run, null), requestPause(tree.lead, null)]],
    ['the run, then the agent', (tree, run) => [requestPause(tree.lead, null), requestPause(run, null)]],
  ];

  test.each(ways)('paused: %s → resume at the run lets it go on', async (_title, pause) => {
    const tree = threeLevels((now, { times, run }) => {
      if (times === 1) pause(now, run);
    });
    await arrived();
    await arrived();
    expect(tree.called).toHaveLength(3);
    expect(viewOf(tree.lead.state, ID).pausedAgents).toContain(SEARCH);
    expect(viewOf(tree.lead.state, ID).phase).toBe('paused');
    requestResume(tree.lead, null);
    expect(await tree.end).toMatchObject({ answer: 'All done.' });
    expect(
      eventsOf(tree.lead, 'signal_ignored').filter(event => /not paused/.test(`${Object.values(event)}`)),
    ).toEqual([]);
    expect(viewOf(tree.lead.state, ID).pausedAgents).toEqual([]);
  });

  test.each(ways)('paused: %s → stop at the run ends all', async (_title, pause) => {
    const tree = threeLevels((now, { times, run }) => {
      if (times === 1) pause(now, run);
    });
    await arrived();
    requestStop(tree.lead, null);
    expect(await tree.end).toMatchObject({ outcome: 'stopped' });
    expect(agent(tree, SEARCH).state.end).toMatchObject({ outcome: 'stopped' });
  });

  test.each(ways)(
    'paused: %s → a message to the agent waits, and is read when the run is resumed',
    async (_title, pause) => {
      const tree = threeLevels((now, { times, run }) => {
        if (times === 1) pause(now, run);
      });
      await arrived();
      receive(tree.lead, { id: 'u1', text: 'Sailing boats.', to: SEARCH }, 'steer');
      await arrived();
      expect(heard(agent(tree, SEARCH))).toEqual([]);
      requestResume(tree.lead, null);
      await tree.end;
      expect(heard(agent(tree, SEARCH))).toEqual(['Sailing boats.']);
    },
  );

  test('an agent goes on in a run that is paused, and the run is paused once more → it stands still again', async () => {
    const tree = threeLevels(
      async (now, { times, run }) => {
        if (times === 1) requestPause(now.lead, null);
        if (times === 2) requestPause(now.lead, null);
        await arrived();
        if (times === 1) requestResume(run, null);
      },
      { turns: 4 },
    );
    await arrived();
    await arrived();
    await arrived();
    expect(tree.called.filter(each => each.startsWith(SEARCH))).toHaveLength(2);
    requestResume(tree.lead, null);
    await tree.end;
  });

  test('an agent stands still alone → the time is none of the goal', async () => {
    const tree = threeLevels((_now, { times, run }) => {
      if (times === 1) requestPause(run, null);
    });
    await arrived();
    await arrived();
    tree.clock.now += 3_600_000;
    requestResume(tree.lead, null);
    expect(await tree.end).toMatchObject({ cause: 'direct_answer' });
  });

  test('resume where nothing stands still → told that it is not paused', async () => {
    const { lead, end } = threeLevels(() => {});
    await end;
    requestResume(lead, null);
    expect(eventsOf(lead, 'signal_ignored')).toMatchObject([{ reason: 'it is not paused' }]);
  });
});

const ID = { workflowId: 'lead', runId: 'r' };

describe('a message to an agent that is taken back', () => {
  test('before it is read → nobody reads it, and its sender is told, once', async () => {
    const tree = threeLevels((now, { times, run }) => {
      if (times !== 1) return;
      requestPause(run, null);
      receive(now.lead, { id: 'u1', text: 'Sailing boats.', to: SEARCH }, 'steer');
    });
    await arrived();
    await arrived();
    expect(viewOf(tree.lead.state, ID, passedOn(tree.lead)).inbox).toMatchObject([{ id: 'u1' }]);
    expect(takeBack(tree.lead, 'u1')).toBe('Sailing boats.');
    expect(() => takeBack(tree.lead, 'u1')).toThrow(/No message u1 waits/);
    await arrived();
    requestResume(tree.lead, null);
    await tree.end;
    expect([tree.lead, ...tree.agents.values()].flatMap(heard)).toEqual([]);
    expect(receiptsOf(tree.lead, 'u1')).toEqual([
      expect.stringMatching(/^accepted: It is passed on/),
      expect.stringMatching(/^accepted: It is called back from middle\/1\./),
      expect.stringMatching(/^dropped: taken back by its sender/),
    ]);
    receive(tree.lead, { id: 'u1', text: 'Sailing boats.' }, 'steer');
    expect(receiptsOf(tree.lead, 'u1').at(-1)).toMatch(/^dropped: The message with this id was taken back/);
  });

  test('when it has been read and the word of that is on its way → its sender is told that it was read', async () => {
    const tree = threeLevels(async (now, { times }) => {
      if (times === 1) receive(now.lead, { id: 'u1', text: 'Sailing boats.', to: SEARCH }, 'steer');
      // Its request has been made: it holds the message.
      if (times === 2) takeBack(now.lead, 'u1');
    });
    await tree.end;
    expect(heard(agent(tree, SEARCH))).toEqual(['Sailing boats.']);
    expect(receiptsOf(tree.lead, 'u1').at(-1)).toBe(
      `applied: Read by ${SEARCH}, before it could be taken back.`,
    );
  });

  test('and the agent ends before it reads either → nobody reads it', async () => {
    const tree = threeLevels((now, { times }) => {
      if (times !== 1) return;
      receive(now.lead, { id: 'u1', text: 'Sailing boats.', to: SEARCH }, 'steer');
      takeBack(now.lead, 'u1');
      return 'Found.';
    });
    await tree.end;
    expect([tree.lead, ...tree.agents.values()].flatMap(heard)).toEqual([]);
    expect(receiptsOf(tree.lead, 'u1').at(-1)).toMatch(/^dropped: taken back by its sender/);
  });

  test('and the agent is terminated before it says so → nobody reads it', async () => {
    const tree = threeLevels(async (now, { times }) => {
      if (times !== 1) return;
      receive(now.lead, { id: 'u1', text: 'Sailing boats.', to: 'middle/1' }, 'steer');
      await arrived();
      takeBack(now.lead, 'u1');
      now.terminate('middle/1');
    });
    await tree.end;
    expect([tree.lead, ...tree.agents.values()].flatMap(heard)).toEqual([]);
    expect(receiptsOf(tree.lead, 'u1').at(-1)).toMatch(/^dropped: taken back by its sender/);
  });
});

describe('a model that is out for good', () => {
  const models = ['p/a', 'p/b'];

  /** An endpoint that refuses the first model. */
  function refusing(given: Partial<TreeGiven> & { asked?: string[] } = {}): AgentTree {
    const asked = given.asked ?? ['search', 'search'];
    return agentTree({
      settings: YES,
      models,
      roles: { lead: { models: ['p/b', 'p/a'] } },
      ...given,
      reply: async ({ path, times, model: called }) => {
        if (called === 'p/a') return { failure: FAILURE.model.auth };
        if (path === '' && times <= asked.length) return [call(asked[times - 1] ?? '', 'Look.')];
        await arrived();
        return path === '' ? 'All done.' : 'Found.';
      },
    });
  }

  test('one agent finds it out → the next begins with another, and the run knows it', async () => {
    const tree = refusing();
    await tree.end;
    expect(tree.called.filter(each => each.endsWith('p/a'))).toEqual(['search/1 p/a']);
    expect(Object.keys(tree.lead.state.models.out)).toEqual(['p/a']);
  });

  test('an agent of an agent finds it out → so do those above, at once, and those that work beside it', async () => {
    const above = { models: ['p/b'] };
    const tree: AgentTree = agentTree({
      settings: YES,
      models: ['p/c', 'p/a', 'p/b'],
      roles: { lead: above, middle: above },
      reply: async ({ path, times, model: called }) => {
        if (path === '') return times === 1 ? [call('middle', 'A.'), call('search', 'B.')] : 'All done.';
        if (path === 'middle/1') return times === 1 ? [call('search', 'C.')] : 'Counted.';
        if (called === 'p/a') return { failure: FAILURE.model.unknownModel };
        if (called === 'p/b') return 'Found.';
        while (path === 'search/2' && !tree.agents.get(SEARCH)?.state.end) await new Promise(setImmediate);
        await arrived();
        return { failure: FAILURE.model.overloaded };
      },
    });
    await tree.end;
    expect(tree.called.filter(each => each.startsWith('search/2'))).toEqual(['search/2 p/c', 'search/2 p/b']);
    for (const run of [tree.lead, ...tree.agents.values()])
      expect(run.state.models.out).toEqual({ 'p/a': FAILURE.model.unknownModel });
  });

  test('an agent has no other → those that begin later end with that at once, and call nothing', async () => {
    const tree = refusing({ roles: { lead: { models: ['p/b'] }, search: { models: ['p/a'] } } });
    await tree.end;
    expect(tree.called).toEqual(['p/b', 'search/1 p/a', 'p/b', 'p/b']);
    expect(tree.lead.state.children.list.map(({ cause }) => cause)).toEqual([
      'failed:model.auth',
      'failed:model.auth',
    ]);
  });

  test('a person chooses it again at the run → agents call it again', async () => {
    const tree = refusing({ asked: ['search', 'middle', 'search'] });
    const told: string[][] = [];
    const { lead } = tree;
    const { show } = lead.ports;
    lead.ports.show = (state, sections) => {
      show(state, sections);
      if (state.children.started === 1 && state.children.list[0]?.outcome !== null && told.length === 0)
        told.push(model(lead, { model: 'p/a', role: 'search' }));
    };
    await tree.end;
    expect(tree.called.filter(each => each.endsWith('p/a'))).toEqual(['search/1 p/a', 'search/3 p/a']);
  });
});
