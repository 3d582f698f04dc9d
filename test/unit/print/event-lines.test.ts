import { describe, expect, test } from 'vitest';
import { eventLines, eventText } from '../../../packages/print/event-lines.js';
import { LineClock } from '../../../packages/print/plain-view.js';
import { BUILT_IN_WORDS } from '../../../src/base/words/words.js';
import type { JournalEvent, JournalPayloads, JournalType } from '../../../src/run/state/journal.js';
import { passingOnReceipt } from '../../../src/run/steering/receipt.js';
import { noColors } from '../../../src/shared/process/output.js';

const START = 1_000_000;

/** The lines of an event 65 s into the run. */
function lines<T extends JournalType>(type: T, payload: JournalPayloads[T]): string[] {
  const event = { seq: 1, at: START + 65_000, type, ...payload } as unknown as JournalEvent;
  return eventLines(event, START, noColors);
}

const usage = {
  inputTokens: 1_204,
  outputTokens: 88,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  costUsd: 0.0123,
};

describe('event lines', () => {
  test('a phase → one line with the time since the start', () => {
    expect(lines('phase_started', { phase: 'planning', cycle: 1 })).toEqual([' 1:05 planning']);
  });

  test.each([
    ['a/b at http://h answered HTTP 500.', 'model.server_error · a/b at http://h answered HTTP 500.'],
    ['The worker died.', 'a/b · model.server_error · The worker died.'],
    ['', 'a/b · model.server_error'],
  ])('a failed model call, %j → its model is named once, and nothing is empty', (message, said) => {
    const failed = { role: 'react', model: 'a/b', failure: 'model.server_error', message, next: 'fail' };
    expect(lines('model_call_failed', failed as never)).toEqual([` 1:05 model call failed · ${said} · fail`]);
  });

  test('a skill that was read → its name and digest, and the file of it', () => {
    const read = { name: 'pdf', digest: 'd1' };
    expect(lines('skill_loaded', read)).toEqual([' 1:05 skill pdf (d1)']);
    expect(lines('skill_loaded', { ...read, file: 'a.md' })).toEqual([' 1:05 skill pdf (d1) · a.md']);
  });

  test.each([
    ['approve', 'gate g2 · approval approved by --yes'],
    [
      'deny',
      'gate g2 · approval: the run is unattended, so deny (--yes approves, --attended waits for an answer)',
    ],
    ['write is allowed for this run', 'gate g2 · approval needs no answer: write is allowed for this run'],
  ])('a gate that a rule closed: %s → why', (decision, line) => {
    const closed = { gateId: 'g2', kind: 'approval', by: 'rule', decision } as const;
    expect(lines('gate_closed', closed)).toEqual([` 1:05 ${line}`]);
  });

  test('a gate that a person closed → what they changed of it, and why', () => {
    const closed = { gateId: 'g2', kind: 'approval', by: 'person' } as const;
    expect([
      ...lines('gate_closed', { ...closed, decision: 'approve', edited: true }),
      ...lines('gate_closed', { ...closed, decision: 'deny', reason: 'Not now.' }),
    ]).toEqual([
      ' 1:05 gate g2 closed by person: approve as edited',
      ' 1:05 gate g2 closed by person: deny · Not now.',
    ]);
  });

  test('a check → how it ended and why, with the last lines of what it said, whole (FC9)', () => {
    const check = { id: 'c1', check: 'npm test', durationMs: 1_200 };
    expect(lines('check_ended', { ...check, status: 'passed', why: 'exit code 0', output: '' })).toEqual([
      ' 1:05 check c1 passed · 1.2 s · npm test',
    ]);
    const output = `${'a line\n'.repeat(100)}AssertionError: expected 1 to be 2\n\n  at sum.test.ts:3:5\n`;
    const said = lines('check_ended', { ...check, status: 'failed', why: 'exit code 1', output });
    expect(said).toHaveLength(16);
    expect(said[0]).toBe(' 1:05 check c1 failed · 1.2 s · npm test · exit code 1');
    expect(said.slice(-3)).toEqual([
      '      | a line',
      '      | AssertionError: expected 1 to be 2',
      '      |   at sum.test.ts:3:5',
    ]);
  });

  test('receipts of a message from elsewhere → its words, also where only the first receipt has them', () => {
    const clock = new LineClock();
    const receipt = (payload: JournalPayloads['receipt']) =>
      eventText(
        clock.shown({ seq: 1, at: START, type: 'receipt', ...payload } as unknown as JournalEvent),
        noColors,
      );
    const item = { id: 'm-1', text: 'Leave the tests out' };
    const first = passingOnReceipt(BUILT_IN_WORDS.en, item, 'search/1');
    expect(receipt(first)).toEqual([`“Leave the tests out” accepted: ${first.how}`]);
    const how = 'Read by search/1.';
    expect(receipt({ id: 'm-1', state: 'applied', how })).toEqual([`“Leave the tests out” applied: ${how}`]);
    expect(receipt({ id: 'm-2', state: 'dropped', how })).toEqual([`message m-2 dropped: ${how}`]);
  });

  test('a later cycle → its number', () => {
    expect(lines('phase_started', { phase: 'checking', cycle: 1 })).toEqual([
      ' 1:05 checking: what was said counts if the checks pass',
    ]);
    expect(lines('phase_started', { phase: 'planning', cycle: 2 })).toEqual([' 1:05 planning · cycle 2']);
  });

  test('a plan → a line a task, with marks and what was cut', () => {
    const tasks = [
      { id: 't1', description: 'Read it', status: 'completed' },
      { id: 't2', description: 'Say it', status: 'pending' },
    ];
    expect(lines('plan_updated', { tasks, changed: true, cut: ['t3'] })).toEqual([
      ' 1:05 plan · 2 tasks · over the limit, left out: t3',
      '      [x] t1 · Read it',
      '      [ ] t2 · Say it',
    ]);
  });

  test('a loaded run → its tools and models, and a line a warning', () => {
    expect(
      lines('run_loaded', { tools: 1, models: ['openai/a', 'openai/b'], warnings: ['no server x'] }),
    ).toEqual([
      " 1:05 loaded 1 tool, the run's own included · openai/a, openai/b",
      '      warning: no server x',
    ]);
  });

  test('a task that failed → its reason, once', () => {
    expect(lines('task_ended', { taskId: 't1', status: 'failed', reason: 'max_rounds' })).toEqual([
      ' 1:05 task t1 failed (max_rounds)',
    ]);
    expect(lines('task_ended', { taskId: 't1', status: 'skipped', reason: 'skipped' })).toEqual([
      ' 1:05 task t1 skipped',
    ]);
  });

  test('a model call → role, round, model, task', () => {
    const call = {
      callId: 'c1',
      role: 'executor',
      model: 'openai/a',
      turn: 1,
      round: 2,
      taskId: 't1',
      form: 'json' as const,
    };
    expect(lines('model_call_started', call)).toEqual([' 1:05 executor · round 2 · openai/a · task t1']);
  });

  test('a reply → duration, tokens, cost, tool calls, and a stop reason that is not the usual', () => {
    const reply = {
      taskId: null,
      callId: 'c1',
      role: 'planner',
      model: 'openai/a',
      turn: 1,
      messageId: 'm1',
      toolCalls: 2,
      usage,
      durationMs: 3_180,
    };
    expect(lines('model_call_ended', { ...reply, stopReason: 'interrupted' })).toEqual([
      ' 1:05 planner replied · 3.1 s · 1,204 + 88 tokens · $0.0123 · 2 tool calls · interrupted',
    ]);
  });

  test('a tool call that the tool itself failed → failed, with the start of its text', () => {
    const call = {
      callId: 'c1',
      taskId: null,
      turn: 1,
      messageId: 'm1',
      tool: 'read',
      ending: 'executed',
      isError: true,
      durationMs: 12,
    } as const;
    expect(lines('tool_call_ended', { ...call, text: 'no such file' })).toEqual([
      ' 1:05 tool read failed · 12 ms · no such file',
    ]);
  });

  test('a verdict that wants more → a line an improvement', () => {
    const verdict = {
      done: false,
      feedback: 'Years.',
      improvements: ['Add them.'],
      contradictions: ['1961'],
    };
    expect(lines('verdict', verdict)).toEqual([
      ' 1:05 not done yet: Years.',
      '      - Add them.',
      '      ! 1961',
    ]);
  });

  test('a text with terminal codes and newlines → neither reaches the terminal', () => {
    const goal = 'a\u001b[2J\u0007b\r\nc';
    expect(lines('run_started', { mode: 'team', goal })).toEqual([' 1:05 run started · team · ab c']);
  });

  test('an event of a newer worker → its type', () => {
    const event = { seq: 1, at: START, type: 'from_the_future' } as unknown as JournalEvent;
    expect(eventLines(event, START, noColors)).toEqual([' 0:00 from_the_future']);
  });
});
