import { describe, expect, test } from 'vitest';
import { jsonBytes } from '../../../../src/base/json/json.js';
import { MOST_TOOLS_COUNTED, TRACE_BYTES } from '../../../../src/base/sizes/bounds.js';
import { type AssistantMessage, NO_USAGE, type ToolEnding } from '../../../../src/run/messages/message.js';
import { type Journal, newJournal, record } from '../../../../src/run/state/journal.js';
import { aboutOf, stepsOf, traceOf, traceReport, withEarlier } from '../../../../src/run/state/trace.js';
import { noteCall, noteReply } from '../../../support/journaled.js';

function journalOf(note: (journal: Journal) => void): Journal {
  const journal = newJournal();
  note(journal);
  return journal;
}

const reportOf = (journal: Journal) => traceReport({ journal, usage: NO_USAGE, startedAt: 0 }, null, 1);
const stepsIn = (note: (journal: Journal) => void) => stepsOf(journalOf(note).events);

function noteFinal(journal: Journal, turn: number, more: { decidedBy?: string; error?: string } = {}): void {
  const of = { role: 'executor', taskId: 'task-1', turn, messageId: 'm1' };
  record(journal, 2, 'output_read', { ...of, ...more });
}

describe('stepsOf', () => {
  test('stepsOf: calls of one reply, one of them never started → steps with what the reply says, its tokens once (O1, O2, O5)', () => {
    const risk = { level: 'low', description: 'None' } as const;
    const about = { thought: 'Read both.', expectedOutcome: 'Two texts', risk, confidence: 0 };
    const steps = stepsIn(journal => {
      const turn = noteReply(journal, { about });
      const told = { callId: 'c1', taskId: 'task-1', turn, tool: 'read', arguments: '{"path":"a"}' };
      record(journal, 1, 'tool_call_started', told);
      noteCall(journal, 'read', { turn, callId: 'c1', at: 2, text: 'A' });
      const skipped = { ending: 'skipped', isError: true, at: 3, text: 'later', taskId: null } as const;
      noteCall(journal, 'read', { turn, ...skipped });
    });
    const said = { role: 'executor', messageId: 'm1', ...about };
    expect(steps).toEqual([
      {
        ...{ step: 1, at: 2, ...said, taskId: 'task-1', tokens: { input: 3, output: 4 } },
        action: { type: 'tool', tool: 'read', arguments: '{"path":"a"}' },
        ...{ observation: 'A', ending: 'executed', resultId: 'm2', elapsedMs: 5 },
      },
      {
        ...{ step: 2, at: 3, ...said },
        action: { type: 'tool', tool: 'read', arguments: '{}' },
        ...{ observation: 'later', ending: 'skipped', resultId: 'm2', elapsedMs: 5, error: 'later' },
      },
    ]);
  });

  test('stepsOf: a reply that counts → time in the model, what decided its task, or why it can not be read (O2, O5)', () => {
    const steps = stepsIn(journal => {
      noteFinal(journal, noteReply(journal), { decidedBy: 'todos' });
      noteFinal(journal, noteReply(journal), { error: 'no JSON' });
    });
    const final = { action: { type: 'final' }, elapsedMs: 7, tokens: { input: 3, output: 4 } };
    expect(steps).toMatchObject([
      { step: 1, ...final, decidedBy: 'todos' },
      { step: 2, ...final, error: 'no JSON' },
    ]);
  });

  test('stepsOf: checks → a step each, but none of one that was interrupted (O1)', () => {
    const check = {
      id: 'c1',
      check: 'npm test',
      why: 'exit code 1',
      output: '',
      durationMs: 3,
      role: 'planner',
    };
    const steps = stepsIn(journal => {
      for (const status of ['interrupted', 'passed', 'failed'] as const)
        record(journal, 1, 'check_ended', { ...check, status });
    });
    expect(steps).toEqual([
      expect.objectContaining({ step: 1, role: 'planner', observation: 'passed: exit code 1', elapsedMs: 3 }),
      expect.objectContaining({ step: 2, observation: 'failed: exit code 1', error: 'exit code 1' }),
    ]);
  });

  test('stepsOf: the event of the reply is gone, or earlier code numbered none → the step is there all the same (O2)', () => {
    const events = journalOf(journal => {
      noteCall(journal, 'read');
      noteCall(journal, 'write');
    }).events.flatMap(({ step: _, ...event }) => (event.seq === 1 ? [] : [event]));
    expect(stepsOf(events as Journal['events'])).toMatchObject([
      { step: 1, role: '', action: { tool: 'read' } },
      { step: 2, role: 'executor', action: { tool: 'write' } },
    ]);
  });
});

describe('traceReport', () => {
  test('traceReport: steps in Chinese without end → bounded in bytes, the last stay, numbers go on, the dropped are counted (O2, ST1)', () => {
    const { steps, dropped, usedTools } = reportOf(
      journalOf(journal => {
        for (let n = 0; n < 1_000; n += 1)
          noteCall(journal, 'read', { text: '帆'.repeat(2_000), durationMs: 1 });
      }),
    );
    expect(jsonBytes(steps)).toBeLessThanOrEqual(TRACE_BYTES);
    expect(steps.length).toBeGreaterThan(20);
    expect(dropped + steps.length).toBe(1_000);
    expect(steps.map(({ step }) => step)).toEqual(steps.map((_, index) => dropped + index + 1));
    expect(usedTools).toEqual({ read: { count: 1000, totalMs: 1000 } });
  });

  test('traceReport: a hundred calls in replies of their own → all of them (O2)', () => {
    const journal = journalOf(noted => {
      for (let n = 0; n < 100; n += 1) noteCall(noted, 'read', { text: 'x'.repeat(200) });
    });
    expect(reportOf(journal)).toMatchObject({ dropped: 0, steps: { length: 100 } });
  });

  test('withEarlier: the journal has dropped the first steps → those of stored events stand before; not if some of them are lost (O2)', () => {
    const journal = newJournal();
    const stored: Journal['events'] = [];
    for (let n = 1; n <= 400; n += 1) {
      noteCall(journal, 'read', { turn: n });
      stored.push(...journal.events.slice(-1));
    }
    const report = reportOf(journal);
    expect(report.dropped).toBeGreaterThan(60);
    const whole = withEarlier(report, traceOf(stored));
    expect([whole.dropped, whole.steps.map(({ step }) => step)]).toEqual([0, stored.map(({ seq }) => seq)]);
    const gap = stored.filter(({ seq }) => seq < 50 || seq > 60);
    expect(withEarlier(report, traceOf(gap))).toBe(report);
  });

  test('traceReport: more tools than are counted each → the rest counted together (ST1)', () => {
    const { usedTools } = journalOf(journal => {
      for (let n = 0; n < 400; n += 1) noteCall(journal, `tool${n}`, { durationMs: 1 });
    });
    expect(Object.keys(usedTools)).toHaveLength(MOST_TOOLS_COUNTED + 1);
    const rest = 400 - MOST_TOOLS_COUNTED;
    expect(usedTools['(others)']).toEqual({ count: rest, totalMs: rest });
  });

  test('traceOf: stored events → calls that were executed are counted and timed by tool (O1, O3)', () => {
    const { events } = journalOf(journal => {
      noteCall(journal, 'read', { durationMs: 5 });
      noteCall(journal, 'write', { durationMs: 1 });
      noteFinal(journal, noteReply(journal));
      noteCall(journal, 'read', { durationMs: 7 });
    });
    const { usedTools, dropped, steps } = traceOf(events);
    expect(usedTools).toEqual({ read: { count: 2, totalMs: 12 }, write: { count: 1, totalMs: 1 } });
    expect([dropped, steps.length, traceOf(events.slice(2)).dropped]).toEqual([0, 4, 1]);
  });

  test.each<ToolEnding>([
    'reused',
    'invalid',
    'denied',
    'skipped',
    'cancelled',
    'timed_out',
    'unavailable',
    'outcome_unknown',
  ])('traceReport: a call that ended %s → a step, but no use of the tool (O1)', ending => {
    const { steps, usedTools } = reportOf(journalOf(journal => noteCall(journal, 'read', { ending })));
    expect([steps.length, usedTools]).toEqual([1, {}]);
  });

  test.each(['constructor', 'toString', '__proto__'])(
    'traceReport: a tool named %s → counted like any (O1)',
    name => {
      const { usedTools } = journalOf(journal => {
        noteCall(journal, name, { durationMs: 2 });
        noteCall(journal, name, { durationMs: 3 });
      });
      expect(Object.entries(usedTools)).toEqual([[name, { count: 2, totalMs: 5 }]]);
    },
  );
});

describe('aboutOf', () => {
  const replyWith = (text: string): AssistantMessage => ({
    id: 'm1',
    at: 1,
    kind: 'assistant',
    action: 'answering',
    role: 'executor',
    model: 'test/a',
    stopReason: 'end_turn',
    usage: NO_USAGE,
    content: [{ type: 'text', text }],
  });

  test('aboutOf: an envelope → what it expects, risks and how sure it is stay with the step (F19, O5)', () => {
    const said = {
      ...{ expectedOutcome: 'The text of a', risk: { level: 'low', description: 'None' }, confidence: 90 },
      thought: 'Read it.',
    };
    const text = JSON.stringify({ ...said, action: 'read', params: { path: 'a' } });
    expect(aboutOf(replyWith(text))).toEqual(said);
  });

  test('aboutOf: plain words → nothing is made up (C1)', () => {
    expect(aboutOf(replyWith('I read it.'))).toEqual({ thought: 'I read it.' });
  });
});
