import { describe, expect, test } from 'vitest';
import { execution, plan, verdict } from '../../../../packages/test-kit/role-outputs.js';
import { DEFAULT_LIMITS } from '../../../../src/run/limits/limits.js';
import type { SteerTime } from '../../../../src/run/steering/inbox.js';
import {
  editPlan,
  receive,
  requestFinish,
  requestPause,
  requestResume,
  setBudget,
  takeAnswer,
} from '../../../../src/workflows/inbox/inbox-handlers.js';
import { answerReader, planEditReader } from '../../../../src/workflows/inbox/read-input.js';
import type { Run } from '../../../../src/workflows/run/run.js';
import { runNextCalls } from '../../../../src/workflows/turn/tools/run-tools.js';
import { skipForSteering } from '../../../../src/workflows/turn/turn-loop.js';
import { runTeam } from '../../../support/scripted-team.js';
import { answer, runAtCalls } from '../../../support/small-run.js';
import type { TeamRun } from '../../../support/team-run.js';
import { intentOf, teamRun } from '../../../support/team-run.js';

const named = ({ calls }: TeamRun) => calls.map(({ role, times }) => `${role} ${times}`);

const receiptsOf = (run: Run, id: string) =>
  run.state.log.journal.events.flatMap(event =>
    event.type === 'receipt' && event.id === id ? [event.state] : [],
  );

const eventsOf = (run: Run) => run.state.log.journal.events.map(event => event.type);

const ADDED = { tasks: [{ id: 'p1', description: 'Look at the tests too' }] };

/** As the update does: what its reader lets pass is handled. */
function edit(run: Run, input: unknown): void {
  const read = planEditReader(run.state)(input);
  if ('error' in read) throw new Error(read.error);
  editPlan(run, read.ok);
}

describe('editPlan', () => {
  test('editPlan: while the verifier is asked → the verdict ends nothing, the task is done and verified (PR2)', async () => {
    const team = await teamRun({
      answer: ({ role, times, run }) => {
        if (role === 'verifier' && times === 1) edit(run, ADDED);
        return undefined;
      },
    });
    expect(named(team)).toEqual(['planner 1', 'executor 1', 'verifier 1', 'executor 2', 'verifier 2']);
    expect(team.run.state.tasks.map(({ id, status }) => `${id} ${status}`)).toEqual([
      't1 completed',
      'p1 completed',
    ]);
    expect(team.end.outcome).toBe('completed');
  });

  test('editPlan: while the last verification is asked → the task is done, and the answer is unverified (PR2)', async () => {
    const team = await teamRun({
      limits: { verification: 1 },
      answer: ({ role, run }) => {
        if (role === 'verifier') edit(run, ADDED);
        return undefined;
      },
    });
    expect(named(team)).toEqual(['planner 1', 'executor 1', 'verifier 1', 'executor 2', 'summary 1']);
    expect(team.run.state.tasks[1]).toMatchObject({ id: 'p1', status: 'completed' });
    expect(team.end.outcome).toBe('unverified');
  });

  test('editPlan: while the plan is made, by an id that the planner gives too → the words of the person stay (PR2)', async () => {
    const team = await teamRun({
      answer: ({ role, run }) => {
        if (role === 'planner') edit(run, { tasks: [{ id: 't1', description: 'As a person wants it' }] });
        return undefined;
      },
    });
    expect(team.calls.find(({ role }) => role === 'executor')?.request).toContain(
      't1 — As a person wants it',
    );
  });

  test('editPlan: the turns are used up before the task begins → the answer names it as not done (PR2)', async () => {
    const team = await teamRun({
      limits: { turns: 2 },
      answer: ({ role, times, run }) => {
        if (role === 'executor' && times === 1) edit(run, ADDED);
        return undefined;
      },
    });
    expect(team.end).toMatchObject({ outcome: 'unverified' });
    expect(team.end.answer).toBe('What was found.\n\nNot done: p1 (Look at the tests too).');
  });

  test('editPlan: while the goal is wrapped up → refused, and says what to do instead (PR2)', async () => {
    const faults: unknown[] = [];
    await teamRun({
      limits: { turns: 1 },
      answer: ({ role, run }) => {
        if (role === 'summary') faults.push(planEditReader(run.state)(ADDED));
        return undefined;
      },
    });
    expect(faults).toEqual([
      { error: 'The goal is being wrapped up and begins no further task: send a follow-up instead.' },
    ]);
  });
});

describe('steering', () => {
  test('steer: during the last unreadable reply of the planner → in the request of the wrap-up call (PR5)', async () => {
    const team = await teamRun({
      answer: ({ role, times, run }) => {
        if (role === 'planner' && times === 2) receive(run, { id: 'x', text: 'Say it in French.' }, 'steer');
        return role === 'planner' ? 'no plan' : undefined;
      },
    });
    expect(named(team)).toEqual(['planner 1', 'planner 2', 'summary 1']);
    expect(team.calls[2]?.request).toContain('Say it in French.');
    expect(receiptsOf(team.run, 'x')).toEqual(['accepted', 'applied']);
  });

  test('steer: a wish during a task → part of what is verified, however far back it stands (OU10)', async () => {
    const team = await teamRun({
      answer: ({ role, run }) => {
        if (role === 'planner') receive(run, { id: 'x', text: 'Leave a.txt as it is.' }, 'steer');
        return undefined;
      },
    });
    const { state } = team.run;
    expect(state.goal.userNotes).toEqual(['Leave a.txt as it is.']);
    const instructions = state.threads.main?.messages.filter(
      message => message.kind === 'user' && message.purpose === 'instruction',
    );
    expect(JSON.stringify(instructions?.at(-1))).toContain(
      'where two differ, the later counts:\\n<user_notes>\\n- Leave a.txt as it is.',
    );
  });

  test.each([
    ['the only task', 1, ['understanding 1', 'executor 2', 'verifier 1']],
    ['one of two tasks', 2, ['understanding 1', 'planner 2', 'executor 2', 'executor 3', 'verifier 1']],
  ])(
    'steer: a small change to %s → no model is asked that decides nothing (SE7)',
    async (_case, count, then) => {
      const todos = ['t1', 'p1'].slice(0, count).map(id => ({ id, description: `Read ${id}` }));
      const team = await teamRun({
        ...{ understands: true, routes: true },
        answer: ({ role, times, run }) => {
          if (role === 'planner') return plan({ todos });
          if (role === 'understanding') return intentOf('same_task_minor_change');
          if (role !== 'executor' || times > 1) return undefined;
          receive(run, { id: 'x', text: 'In French, please.' }, 'steer');
          return execution({ summary: 'Not yet.', taskCompleted: false, shouldContinue: true });
        },
      });
      expect(named(team)).toEqual(['planner 1', 'executor 1', ...then]);
      expect(team.calls.at(-1)?.request).toContain('In French, please.');
      expect(receiptsOf(team.run, 'x')).toEqual(['accepted', 'applied']);
    },
  );

  test('steer: a small change → the planner reads how it was understood, with the doubts (OU10)', async () => {
    const team = await teamRun({
      understands: true,
      answer: ({ role, times, run }) => {
        if (role === 'executor' && times === 1) receive(run, { id: 'x', text: 'As CSV.' }, 'steer');
        if (role === 'planner') return plan({ todos: ['t1', 'p1'].map(id => ({ id, description: id })) });
        return role === 'understanding' ? intentOf('same_task_minor_change') : undefined;
      },
    });
    expect(team.calls.filter(({ role }) => role === 'planner')[1]?.request).toContain(
      '"goal": "As it was read"',
    );
  });

  test('steer: a task is not wanted any more → the planner gives it up, and it is neither done nor judged (F18)', async () => {
    const todo = { id: 't2', description: 'Do t2' };
    const team = await teamRun({
      understands: true,
      answer: ({ role, times, run }) => {
        if (role === 'executor' && times === 1) receive(run, { id: 'x', text: 'Leave t2.' }, 'steer');
        if (role === 'understanding') return intentOf('same_task_minor_change');
        if (role !== 'planner') return undefined;
        const todos =
          times === 1 ? [{ id: 't1', description: 'Do t1' }, todo] : [{ ...todo, status: 'skipped' }];
        return { summary: 'A plan.', needsMorePlanning: false, todos };
      },
    });
    expect(named(team)).toEqual(['planner 1', 'executor 1', 'understanding 1', 'planner 2', 'verifier 1']);
    expect(team.run.state.tasks[1]).toMatchObject({ status: 'skipped', reason: 'replanned' });
    expect(team.calls.at(-1)?.request).toContain(
      'Tasks of an earlier plan that were replaced: t2. They are not judged, but what they changed stays.',
    );
  });

  test('steer: a task that a person set, given up by the planner → stays (PR2)', async () => {
    const team = await teamRun({
      understands: true,
      answer: ({ role, times, run }) => {
        if (role === 'executor' && times === 1) {
          edit(run, ADDED);
          receive(run, { id: 'x', text: 'As CSV.' }, 'steer');
        }
        if (role === 'understanding') return intentOf('same_task_minor_change');
        const todos = [{ id: 'p1', status: 'skipped' }];
        return role === 'planner' && times === 2 ? { needsMorePlanning: false, todos } : undefined;
      },
    });
    expect(team.run.state.tasks[1]).toMatchObject({ id: 'p1', status: 'completed' });
  });

  test.each([
    [
      'named by the reading of a later message',
      ['p1'],
      'skipped',
      'removed by a person',
      'gives up p1, which',
    ],
    ['not named by it', ['t1'], 'completed', null, 'only a person removes'],
  ])(
    'steer: a task of a person, given up by the planner and %s → counts where both read it so, and is told (PR2, OU10)',
    async (_what, names, status, reason, told) => {
      const team = await teamRun({
        understands: true,
        answer: ({ role, times, run }) => {
          if (role === 'executor' && times === 1) {
            edit(run, ADDED);
            receive(run, { id: 'x', text: 'Leave the tests alone.' }, 'steer');
          }
          if (role === 'understanding') return intentOf('same_task_minor_change', 'modify', { names });
          const todos = [{ id: 'p1', status: 'skipped' }];
          return role === 'planner' && times === 2 ? { needsMorePlanning: false, todos } : undefined;
        },
      });
      expect(team.run.state.tasks[1]).toMatchObject({ id: 'p1', status, reason });
      expect(team.end.outcome).toBe('completed');
      const warnings = team.run.state.log.journal.events.flatMap(event =>
        event.type === 'warning' ? [event.text] : [],
      );
      expect(warnings).toEqual([expect.stringContaining(told)]);
      const asked = team.calls.filter(({ role }) => role === 'planner')[1]?.request;
      if (names.includes('p1')) expect(asked).toMatch(/"mayGiveUp": \[\s+"p1"\s+\]/);
      else expect(asked).not.toContain('"mayGiveUp"');
    },
  );

  const applied = (run: Run) =>
    run.state.log.journal.events.flatMap(event =>
      event.type === 'receipt' && event.state === 'applied' ? [event.how] : [],
    );

  test.each([
    ['pause', 'pause', 'Wait until I say go on. And then do not touch src/add.js.'],
    ['continue', 'continue', 'Go on without asking me, but n.txt must be named lines.txt.'],
    ['status', 'query', 'How far are you? And write it in French.'],
  ])(
    'steer: the instruction "%s" with a wish beside it → obeyed, and a note to the roles (S5, OU10)',
    async (control, action, text) => {
      const team = await teamRun({
        understands: true,
        answer: ({ role, times, run }) => {
          if (role === 'executor' && times === 1) receive(run, { id: 'x', text }, 'steer');
          if (role === 'executor' && times === 1) return 'Still at it.';
          const scope = 'partial_task';
          return role === 'understanding' ? intentOf('control_instruction', action, { scope }) : undefined;
        },
        waits: run => requestResume(run, null),
      });
      expect(team.run.state.goal.userNotes).toEqual([text]);
      expect(team.calls.find(({ role, times }) => role === 'executor' && times === 2)?.request).toContain(
        text,
      );
      expect(applied(team.run)).toEqual([
        expect.stringContaining(`Applied as the instruction "${control}" and a note to the roles`),
      ]);
    },
  );

  test('steer: nothing but an instruction → obeyed, and no note to the roles (S5)', async () => {
    const team = await teamRun({
      understands: true,
      answer: ({ role, times, run }) => {
        if (role === 'executor' && times === 1) receive(run, { id: 'x', text: 'How far are you?' }, 'steer');
        return role === 'understanding' ? intentOf('control_instruction', 'query') : undefined;
      },
    });
    expect(team.run.state.goal.userNotes).toEqual([]);
    expect(applied(team.run)).toEqual([expect.stringContaining('Applied as the instruction "status", turn')]);
  });

  test('steer: two messages that are read as one instruction → marked one by one, and both noted (S5, OU10)', async () => {
    const said = ['If you write a comment, write it in English.', 'Wait a moment please.'];
    const team = await teamRun({
      understands: true,
      answer: ({ role, times, run }) => {
        if (role === 'executor' && times === 1)
          for (const [index, text] of said.entries()) receive(run, { id: `x${index}`, text }, 'steer');
        return role === 'understanding' ? intentOf('control_instruction', 'pause') : undefined;
      },
      waits: run => requestResume(run, null),
    });
    const asked = team.calls.find(({ role }) => role === 'understanding')?.request;
    for (const text of said) expect(asked).toContain(`<user_message>\n${text}\n</user_message>`);
    expect(team.run.state.goal.userNotes).toEqual(said);
    expect(applied(team.run)).toHaveLength(2);
  });

  test('steer: a message skips all calls of a reply → the reply costs no round, once for each message (S1)', async () => {
    const limits = { ...DEFAULT_LIMITS, execution: 2 };
    const skipped = (said: string) => ({ calls: ['put', 'put'], said });
    const { end, asked, run } = await runTeam(
      [
        { text: plan({ todos: ['Read'] }) },
        skipped('In French.'),
        skipped('In short.'),
        { calls: ['read'] },
        { text: execution({ summary: 'It says 42.', taskCompleted: true }) },
        {
          text: verdict({ summary: 'It says 42.', tasks: [{ id: 'task-1', completed: true, feedback: '' }] }),
        },
      ],
      { pinned: { limits } },
    );
    expect(asked.filter(role => role === 'executor')).toHaveLength(4);
    const results = (run.state.threads.main?.messages ?? []).flatMap(message =>
      message.kind === 'tool_result' ? message.content : [],
    );
    expect(results.slice(0, 2).map(({ note }) => note)).toEqual([
      'Skipped: Not run: a message of the user came first. Make the call again if it is still wanted.',
      'Skipped: Not run, for the same reason as above.',
    ]);
    expect(run.state.tasks).toMatchObject([{ status: 'completed', rounds: 2 }]);
    expect(end.outcome).toBe('completed');
  });

  test.each([
    [0, 0],
    [1, 1],
  ])(
    'steer: a message when %i of two calls of a reply have run → the reply costs %i round(s) (S1)',
    (next, rounds) => {
      const { run, results } = runAtCalls([
        { name: 'put', input: {} },
        { name: 'put', input: {} },
      ]);
      const { turns } = run.state.cursor.position;
      const { batch } = turns;
      if (!batch) throw new Error('no calls are open');
      Object.assign(turns, { round: 1 });
      batch.next = next;
      receive(run, { text: 'In French.' }, 'steer');
      expect(skipForSteering(run, batch, 'executor')).toBe(true);
      expect(results().map(({ ending }) => ending)).toEqual(['skipped', 'skipped'].slice(next));
      expect(turns.round).toBe(rounds);
    },
  );

  test.each<[SteerTime, string[], string[]]>([
    ['skip', ['executed', 'skipped', 'executed'], ['put']],
    ['interrupt', ['skipped', 'skipped', 'skipped'], ['read', 'put', 'read']],
    ['after-batch', ['executed', 'executed', 'executed'], []],
  ])(
    'steer: %s, while a read, a change and a read wait → reads run unless it interrupts, and the event names the rest (SE7)',
    async (when, endings, skipped) => {
      const { run, results } = runAtCalls(
        [
          { name: 'read', input: { path: 'a' } },
          { name: 'put', input: {} },
          { name: 'read', input: { path: 'b' } },
        ],
        { settings: { autoApprove: true } },
      );
      receive(run, { text: 'In French.', when }, 'steer');
      for (
        let { batch } = run.state.cursor.position.turns;
        batch;
        { batch } = run.state.cursor.position.turns
      )
        if (!skipForSteering(run, batch, 'executor')) await runNextCalls(run, batch);
      expect(results().map(({ ending }) => ending)).toEqual(endings);
      const { events } = run.state.log.journal;
      expect(events.flatMap(event => (event.type === 'steering' ? event.skippedTools : []))).toEqual(skipped);
    },
  );

  test('stop: a message that may mean it, and a person who says why at its gate → the stop has both as its reason (PR1)', async () => {
    const unsure = intentOf('control_instruction', 'cancel');
    const team = await teamRun({
      understands: true,
      settings: { attended: true, autoApprove: false },
      answer: ({ role, times, run }) => {
        if (role === 'executor' && times === 1)
          receive(run, { id: 'x', text: `Leave it. ${'So much of it. '.repeat(90)}` }, 'steer');
        if (role !== 'understanding') return undefined;
        return { ...unsure, taskRelation: { ...(unsure.taskRelation as object), confidence: 0.5 } };
      },
      waits: run => {
        const [open] = run.state.people.gates;
        expect(open?.gate).toMatchObject({ kind: 'route', subject: { act: 'control' } });
        answer(run, { gateId: open?.gate.id, decision: 'approve', reason: 'The disk is full.' });
      },
    });
    const reasons = team.run.state.log.journal.events.flatMap(event =>
      event.type === 'stop_requested' ? [event.reason] : [],
    );
    expect(reasons).toEqual([expect.stringMatching(/^Leave it\. .*… The disk is full\.$/)]);
    expect(team.run.state.people.stop?.reason).toBe(reasons[0]);
  });

  test.each<[string, string | null, number, string, string[]]>([
    [
      'a change of the plan, of which the role stays unsure',
      'same_task_minor_change',
      1,
      'Plan anew',
      ['full_replan'],
    ],
    [
      'a change, which the person wants noted',
      'same_task_minor_change',
      0,
      'Go on with it in mind',
      ['continue'],
    ],
    ['an instruction that names none', 'control_instruction', 0, 'Show its status', ['control']],
    ['a message that no role could read', null, 0, 'Go on with it in mind', ['continue']],
    [
      'a change, answered in words of their own',
      'same_task_minor_change',
      0,
      'Hm, as you like',
      ['continue'],
    ],
  ])(
    'C19 steer: %s → the chosen answer is obeyed, and only other words are read again',
    async (_, type, confirms, text, acts) => {
      let read = 0;
      const team = await teamRun({
        understands: true,
        settings: { attended: true, autoApprove: false },
        answer: ({ role, times, run }) => {
          if (role === 'executor' && times === 1) receive(run, { id: 'x', text: 'In red.' }, 'steer');
          if (role !== 'understanding') return undefined;
          read += 1;
          if (type === null) return 'Hm.';
          const unsure = intentOf(type, 'modify');
          return { ...unsure, taskRelation: { ...(unsure.taskRelation as object), confidence: 0.5 } };
        },
        waits: run => {
          const [open] = run.state.people.gates;
          const { id, kind } = open?.gate ?? {};
          answer(run, kind === 'route' ? { gateId: id, decision: 'approve' } : { gateId: id, text });
        },
      });
      const events = team.run.state.log.journal.events;
      expect(events.flatMap(event => (event.type === 'route' ? [event.act] : []))).toEqual(acts);
      expect(events.filter(({ type: kind }) => kind === 'gate_opened')).toHaveLength(1 + confirms);
      expect(read).toBe(type === null || text.startsWith('Hm') ? 2 : 1);
    },
  );

  test('pause: a message comes to the held run → understood at once; only one that says so ends the pause (PR4)', async () => {
    const said = ['What is the status?', 'Go on.'];
    const held: string[][] = [];
    const team = await teamRun({
      understands: true,
      answer: ({ role, times, run }) => {
        if (role === 'planner') requestPause(run, null);
        if (role !== 'understanding') return undefined;
        return intentOf('control_instruction', times === 1 ? 'query' : 'continue');
      },
      waits: (run, times) => {
        held.push(run.state.log.journal.events.flatMap(event => (event.type === 'route' ? [event.act] : [])));
        receive(run, { id: `x${times}`, text: said[times - 1] }, 'steer');
      },
    });
    expect(held).toEqual([[], ['control']]);
    expect(named(team)).toEqual([
      'planner 1',
      'understanding 1',
      'understanding 2',
      'executor 1',
      'verifier 1',
    ]);
    expect(receiptsOf(team.run, 'x2')).toEqual(['accepted', 'applied']);
  });

  test('pause: nobody understands messages → the message waits, and its receipt says for what (PR4)', async () => {
    const team = await teamRun({
      answer: ({ role, run }) => {
        if (role === 'planner') requestPause(run, null);
        return undefined;
      },
      waits: (run, times) => {
        if (times === 1) receive(run, { id: 'x', text: 'Go on.' }, 'steer');
        else run.state.people.pausedAt = null;
      },
    });
    const receipt = team.run.state.log.journal.events.find(event => event.type === 'receipt');
    expect(receipt).toMatchObject({ how: expect.stringContaining('nothing happens before it is resumed') });
    expect(receiptsOf(team.run, 'x')).toEqual(['accepted', 'applied']);
  });
});

describe('a run that is paused at a gate', () => {
  const planGate = { settings: { attended: true, approvePlan: true, autoApprove: false }, understands: true };
  const answerFirst = (run: Run, given: Record<string, unknown>) => {
    const [open] = run.state.people.gates;
    const read = answerReader(run.state, 'answerGate')({ gateId: open?.gate.id, ...given });
    if ('error' in read) throw new Error(read.error);
    takeAnswer(run, read.ok);
  };
  const gateEvents = (run: Run) =>
    run.state.log.journal.events.flatMap(event =>
      event.type === 'gate_opened' || event.type === 'gate_closed' ? [`${event.type} ${event.kind}`] : [],
    );

  test('pause: "go on" while a plan waits for approval → obeyed at once, and the plan still waits (PR4)', async () => {
    const paused: boolean[] = [];
    const team = await teamRun({
      ...planGate,
      answer: ({ role }) =>
        role === 'understanding' ? intentOf('control_instruction', 'continue') : undefined,
      waits: (run, times) => {
        if (times === 1) requestPause(run, null);
        if (times === 2) receive(run, { id: 'x', text: 'Go on.' }, 'steer');
        if (times < 3) return;
        paused.push(run.state.people.pausedAt !== null);
        answerFirst(run, { decision: 'approve' });
      },
    });
    expect(named(team)).toEqual(['planner 1', 'understanding 1', 'executor 1', 'verifier 1']);
    expect(paused).toEqual([false]);
    expect(receiptsOf(team.run, 'x')).toEqual(['accepted', 'applied']);
    const [accepted] = team.run.state.log.journal.events.filter(event => event.type === 'receipt');
    expect(accepted).toMatchObject({ how: expect.stringContaining('resumed or the message says so') });
    expect(gateEvents(team.run)).toEqual(['gate_opened plan', 'gate_closed plan']);
  });

  test('pause: a change while a plan waits for approval → planned anew, and only the new plan waits (PR4)', async () => {
    const open: string[][] = [];
    const team = await teamRun({
      ...planGate,
      answer: ({ role }) => (role === 'understanding' ? intentOf('same_task_minor_change') : undefined),
      waits: (run, times) => {
        if (times === 1) requestPause(run, null);
        if (times === 2) receive(run, { id: 'x', text: 'As CSV.', to: 'planner' }, 'steer');
        if (times === 3) requestResume(run, null);
        if (times < 4) return;
        open.push(run.state.people.gates.map(({ key }) => key));
        answerFirst(run, { decision: 'approve' });
      },
    });
    expect(named(team)).toEqual(['planner 1', 'understanding 1', 'planner 2', 'executor 1', 'verifier 1']);
    expect(open).toEqual([['plan:1:2']]);
  });

  test('pause: a message while more of a used-up budget is asked for → taken as it was said, and asked once (PR4, S3)', async () => {
    const team = await teamRun({
      settings: { attended: true },
      understands: true,
      limits: { turns: 1 },
      waits: (run, times) => {
        if (times === 1) requestPause(run, null);
        if (times === 2) receive(run, { id: 'x', text: 'In French.' }, 'steer');
        if (times !== 3) return;
        answerFirst(run, { decision: 'raise', to: 10 });
        requestResume(run, null);
      },
    });
    expect(named(team)).toEqual(['planner 1', 'executor 1', 'verifier 1']);
    expect(gateEvents(team.run)).toEqual(['gate_opened budget', 'gate_closed budget']);
    expect(team.calls[1]?.request).toContain('In French.');
  });

  test('steer: another task, where plans are to be approved → its receipt says that the new run waits for that (TR11)', async () => {
    const team = await teamRun({
      ...planGate,
      answer: ({ role, run, times }) => {
        if (role === 'planner' && times === 1) receive(run, { id: 'x', text: 'Book a table.' }, 'steer');
        return role === 'understanding' ? intentOf('different_task') : undefined;
      },
      waits: run => answerFirst(run, { decision: 'approve' }),
    });
    const last = team.run.state.log.journal.events.findLast(event => event.type === 'receipt');
    expect(last).toMatchObject({
      how: expect.stringMatching(/a run of its own, \S+, whose plan waits there/),
    });
  });

  test.each(['planner', 'executor', 'verifier'])(
    'pause: a message while the %s asks → noted at once, the question is asked once and answered (PR4)',
    async asking => {
      const team = await teamRun({
        settings: { attended: true },
        understands: true,
        answer: ({ role, times }) => {
          if (role === asking && times === 1)
            return { action: 'CLARIFICATION_REQUIRED', params: { question: 'Which file?' } };
          return role === 'understanding' ? intentOf('same_task_no_change') : undefined;
        },
        waits: (run, times) => {
          if (times === 1) requestPause(run, null);
          if (times === 2) receive(run, { id: 'x', text: 'Mind the tests.' }, 'steer');
          if (times !== 3) return;
          expect(receiptsOf(run, 'x')).toEqual(['accepted', 'applied']);
          answerFirst(run, { text: 'a.txt' });
          requestResume(run, null);
        },
      });
      expect(gateEvents(team.run)).toEqual(['gate_opened question', 'gate_closed question']);
      expect(team.end.outcome).toBe('completed');
      const asked = team.calls.filter(({ role }) => role === asking);
      expect(asked[1]?.request).toMatch(/Mind the tests[\s\S]*a\.txt/);
    },
  );
});

describe('follow-ups', () => {
  const idle = { keepOpenSeconds: 60, attended: true };

  test('follow-up: the status is asked for after a goal that used its turns up → told, no goal and no gate (PR7)', async () => {
    const team = await teamRun({
      understands: true,
      limits: { turns: 3, totalTurns: 6 },
      settings: idle,
      answer: ({ role }) => (role === 'understanding' ? intentOf('control_instruction', 'query') : undefined),
      waits: (run, times) => {
        if (times === 1) receive(run, { id: 'x', text: 'What is the status?' }, 'follow-up');
        else requestFinish(run);
      },
    });
    expect(named(team)).toEqual(['planner 1', 'executor 1', 'verifier 1', 'understanding 1']);
    expect(team.run.state).toMatchObject({
      total: { turns: 4 },
      goals: [{ outcome: 'completed', turns: 3 }],
    });
    expect(team.end.outcome).toBe('completed');
    expect(eventsOf(team.run)).toContain('user_message');
    expect(eventsOf(team.run)).not.toContain('gate_opened');
  });

  test('follow-up: the next goal → pays for being understood, and its turns count once in the run (PR7)', async () => {
    const team = await teamRun({
      understands: true,
      limits: { turns: 4, totalTurns: 8 },
      settings: idle,
      answer: ({ role }) => (role === 'understanding' ? intentOf('different_task', 'create') : undefined),
      waits: (run, times) => {
        if (times === 1) receive(run, { id: 'x', text: 'And the other file?' }, 'follow-up');
        else requestFinish(run);
      },
    });
    expect(team.run.state.goals.map(({ outcome, turns }) => `${outcome} ${turns}`)).toEqual([
      'completed 3',
      'completed 4',
    ]);
    expect(team.run.state.total.turns).toBe(7);
  });

  test('follow-up: the turns of the whole run are used up → taken as it was said, without a call that understands it (S3)', async () => {
    const team = await teamRun({
      understands: true,
      limits: { totalTurns: 3 },
      settings: { ...idle, attended: false },
      waits: (run, times) => {
        if (times === 1) receive(run, { id: 'x', text: 'And the other file?' }, 'follow-up');
        else requestFinish(run);
      },
    });
    expect(named(team)).toEqual(['planner 1', 'executor 1', 'verifier 1', 'summary 1']);
    expect(team.run.state.total.turns).toBe(3);
    expect(team.end).toMatchObject({ cause: 'budget:totalTurns', answer: 'What was found.' });
    expect(receiptsOf(team.run, 'x')).toEqual(['accepted', 'applied']);
  });

  test('steer: while the goal is wrapped up, the turns of the whole run used up → in the request of the wrap-up (S3)', async () => {
    const team = await teamRun({
      understands: true,
      limits: { totalTurns: 2 },
      answer: ({ role, times, run }) => {
        if (role === 'executor') receive(run, { id: 'x', text: 'Say it in French.' }, 'steer');
        if (role !== 'summary' || times > 1) return undefined;
        receive(run, { id: 'y', text: 'In short.' }, 'steer');
        return '{"summary": "A form.", "taskCompleted": true}';
      },
    });
    expect(named(team)).toEqual(['planner 1', 'executor 1', 'summary 1', 'summary 2']);
    expect(team.calls.at(-1)?.request).toMatch(/Say it in French[\s\S]*In short/);
    expect(team.run.state.total.turns).toBe(2);
  });

  test.each([false, true])(
    'steer: at the gate of a used budget, the run continues as new there: %s → understood when more is given (S1, L20)',
    async handsOver => {
      const team = await teamRun({
        understands: true,
        limits: { turns: 1 },
        settings: { attended: true, autoApprove: false, approvePlan: false },
        handsOver: run => handsOver && run.state.segment === 1 && run.state.people.inbox.items.length > 0,
        answer: ({ role }) => (role === 'understanding' ? intentOf('same_task_minor_change') : undefined),
        waits: (run, times) => {
          if (times === 1) receive(run, { id: 'x', text: 'Look at the tests too.' }, 'steer');
          else answer(run, { gateId: run.state.people.gates[0]?.gate.id, decision: 'raise', to: 20 });
        },
      });
      expect(named(team).slice(0, 3)).toEqual(['planner 1', 'understanding 1', 'executor 1']);
      expect(team.run.state.segment).toBe(handsOver ? 2 : 1);
    },
  );

  test('setBudget: while a run that waits at the gate of a used budget continues as new → the gate closes before the work goes on (C23, L20)', async () => {
    const open: number[] = [];
    const team = await teamRun({
      limits: { turns: 1 },
      settings: { attended: true, autoApprove: false, approvePlan: false },
      answer: ({ run }) => void open.push(run.state.people.gates.length),
      handsOver: run => run.state.segment === 1,
      between: run => setBudget(run, { turns: 9 }),
    });
    expect(open).toEqual([0, 0, 0]);
    expect(team.end.cause).toBe('verified');
  });
});
