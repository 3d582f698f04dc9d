import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { roleOf } from '../../packages/test-kit/by-role.js';
import { wireText } from '../../packages/test-kit/model-server.js';
import type { Message } from '../../src/run/messages/message.js';
import type { JournalEvent } from '../../src/run/state/journal.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import { pairingFaults } from '../support/pairing.js';
import type { Script } from '../support/rig.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { inputTokensOf, journalOf, messagesOf, toolTexts, transcriptOf } from '../support/run-views.js';
import {
  BOATS,
  BUSINESS,
  CALLS_OF_FIRST_REPLY,
  IMPROVEMENT,
  REQUEST,
  teamScript,
} from '../support/team-script.js';

let script: Script;
let handle: WorkflowHandle;
let result: RunResult;
let journal: JournalEvent[];
let messages: Message[];

const rig = rigOfFile({ workspace: BOATS, config: BUSINESS });
beforeAll(async () => {
  script = rig.play(teamScript());
  ({ handle, result } = await rig.run('Which boat is older?', { systemMessage: 'Answer in plain words.' }));
  journal = await journalOf(handle);
  messages = await transcriptOf(handle);
});

const roles = () => script.requests.map(roleOf);

describe('a whole team run', () => {
  test('phases: planner twice, tasks, verifier, replan, verifier → one request each, in that order (L1, L2, L5)', () => {
    expect(roles()).toEqual([
      ...['planner', 'planner'],
      ...Array.from({ length: 5 }, () => 'executor'),
      ...['verifier', 'planner', 'executor', 'executor', 'verifier'],
    ]);
    expect(journal.filter(event => event.type === 'phase_started')).toMatchObject([
      { phase: 'planning', cycle: 1 },
      { phase: 'execution', cycle: 1 },
      { phase: 'verification', cycle: 1 },
      { phase: 'planning', cycle: 2 },
      { phase: 'execution', cycle: 2 },
      { phase: 'verification', cycle: 2 },
    ]);
  });

  test('result: verified in the second round → completed, with the summary as answer (L5, F8, C9)', () => {
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'Alba is older: 1961, against 1974 for Brise.',
      goal: 'Which boat is older?',
      mode: 'team',
    });
    expect(result.tasks.map(({ id, status, cycle }) => [id, status, cycle])).toEqual([
      ['readme', 'completed', 1],
      ['compare', 'completed', 2],
      ['boats', 'completed', 1],
    ]);
  });

  test('tasks: priorities and dependencies of the merged plan → dependency first, then priority (L7, C20)', () => {
    const started = journal.flatMap(event => (event.type === 'task_started' ? [event.taskId] : []));
    expect(started).toEqual(['boats', 'readme', 'compare', 'compare']);
  });

  test('system prompt: run, framework and business text → all three, the extra system text first (P1, P5)', () => {
    for (const request of script.requests) {
      expect(request.system).toMatch(/^Answer in plain words\.\n\n# The conversation\n/);
      expect(request.system).toContain('The fleet lies in Brest.');
      expect(messagesOf(request, 'system')).toHaveLength(1);
    }
  });

  test('tools: planner and verifier → may call none; executor → those of the server and read_result (L9, T1)', () => {
    for (const [index, { toolNames, body }] of script.requests.entries()) {
      expect(body.tools).toEqual(script.requests[0]?.body.tools);
      if (roles()[index] === 'executor') {
        expect(toolNames).toEqual(expect.arrayContaining(['read_text_file', 'edit_file', 'read_result']));
      } else {
        expect(toolNames).toEqual([]);
      }
    }
  });

  test('first planning: asked for more → told how many rounds are left (L2, F7)', () => {
    const [first, second] = script.requests;
    expect(messagesOf(first, 'user').map(wireText)).toEqual([
      'Which boat is older?',
      expect.stringMatching(/^You are now in the role `planner`\..*\n\n# Planner\n/),
      expect.stringMatching(/^To `planner`:\n\nPlan the goal/),
    ]);
    expect(second?.lastUser).toContain('2 planning round(s) left');
  });

  test('tool results: every kind of call in one reply → the executor sees one result each, in order (T12, T16, G7)', () => {
    const request = script.requests[REQUEST.boatsReport];
    const reply = messagesOf(request, 'assistant').at(-1);
    const answers = messagesOf(request, 'tool');
    expect(answers.map(answer => answer.tool_call_id)).toEqual(reply?.tool_calls?.map(call => call.id));
    expect(toolTexts(request)).toEqual([
      expect.stringContaining('Alba: built 1961'),
      expect.stringMatching(/The call failed\..*ENOENT/s),
      expect.stringMatching(/^Reused: .*Alba: built 1961/s),
      expect.stringContaining('Brise: built 1974'),
      expect.stringMatching(/^Invalid: Not run.*not readable as JSON/s),
      expect.stringMatching(/^Invalid: Not run.*not readable as JSON/s),
      expect.stringMatching(/there is no tool named read_txt_file\. Nearest: read_text_file/),
      expect.stringMatching(/Not run.*do not fit the tool's schema:\n- .*path/s),
    ]);
  });

  test('tool endings: each kind of call → its ending in trace and journal (T3, T5, T6, D1, O2)', () => {
    const endings = [
      'executed',
      'executed',
      'reused',
      'executed',
      'invalid',
      'invalid',
      'unavailable',
      'invalid',
    ];
    const steps = result.trace.steps.filter(step => step.taskId === 'boats' && step.action.type === 'tool');
    expect(steps.map(step => step.ending)).toEqual(endings);
    expect(steps.map(step => (step.action.type === 'tool' ? step.action.tool : ''))).toEqual(
      CALLS_OF_FIRST_REPLY.map(call => call.name),
    );
    const [first, missing, , mended] = steps;
    expect(first).toMatchObject({
      role: 'executor',
      thought: 'I read what there is of both boats.',
      observation: expect.stringContaining('Alba: built 1961'),
    });
    expect(first).not.toHaveProperty('error');
    expect(missing?.error).toContain('ENOENT');
    expect(mended?.action).toMatchObject({ arguments: "{'path': 'boats/b.txt',}" });
    const ended = journal.flatMap(event => (event.type === 'tool_call_ended' ? [event] : []));
    expect(ended.slice(0, endings.length).map(event => event.ending)).toEqual(endings);
    expect(ended.every(event => event.durationMs >= 0)).toBe(true);
  });

  test('trace: used tools → counts only what really ran (O1)', () => {
    expect(result.trace).toMatchObject({
      finishReason: 'completed',
      dropped: 0,
      usedTools: {
        read_text_file: { count: 4, totalMs: expect.any(Number) },
      },
    });
    expect(result.trace.totalMs).toBeGreaterThan(0);
  });

  test('repeated call: same arguments in a later task → reused across tasks, the file is read once (D1, D4, F12)', () => {
    const reused = toolTexts(script.requests[REQUEST.compareReport]).at(-1);
    expect(reused).toMatch(/^Reused: .*Alba: built 1961/s);
    expect(script.requests[REQUEST.compareFirst]?.lastUser).toContain('read_text_file: boats/a.txt');
  });

  test('flow fields beside tool calls: taskCompleted in a reply that calls tools → the calls win (F4)', () => {
    expect(roles()[REQUEST.readmeReport]).toBe('executor');
    expect(toolTexts(script.requests[REQUEST.readmeReport]).at(-1)).toContain('Two boats.');
    expect(result.tasks[0]).toMatchObject({ id: 'readme', result: 'README.md says: two boats.', rounds: 2 });
  });

  test('verifier: goal, task and report → stand in its conversation, and are not told again (L4, F8)', () => {
    const { lastUser } = script.requests[REQUEST.verdict] ?? { lastUser: '' };
    expect(lastUser).toContain('- readme [completed]');
    expect(lastUser).not.toMatch(/<goal>|<report>/);
    expect(messagesOf(script.requests[REQUEST.verdict], 'user').map(wireText)).toContain(
      'Which boat is older?',
    );
    expect(messagesOf(script.requests[REQUEST.verdict], 'assistant').map(wireText).join()).toContain(
      'README.md says: two boats.',
    );
  });

  test('improvements: a verdict that wants more → key input of the next plan, with the rejected task (F13)', () => {
    const { lastUser } = script.requests[REQUEST.replan] ?? { lastUser: '' };
    expect(lastUser).toContain(`<improvements>\n- ${IMPROVEMENT}\n</improvements>`);
    expect(lastUser).toMatch(/compare \[failed \(rejected\)/);
    expect(toolTexts(script.requests[REQUEST.replan]).join()).toContain('Brise: built 1974');
  });

  test('shared memory: every request → begins with the messages of the one before it (Y2)', () => {
    const bodies = script.requests.map(({ body }) =>
      body.messages.filter(message => message.role !== 'system').map(message => JSON.stringify(message)),
    );
    for (const [index, body] of bodies.entries()) {
      const before = bodies[index - 1] ?? [];
      expect(body.slice(0, before.length)).toEqual(before);
    }
  });

  test('conversation: at the end → paired calls, unique ids, nothing but what a model may see (G3, G6, G7)', () => {
    expect(pairingFaults(messages)).toEqual({ open: [], stray: [] });
    expect(new Set(messages.map(message => message.id)).size).toBe(messages.length);
    // The system prompt is sent and not kept, the last reply is kept and not sent.
    expect(script.requests.at(-1)?.body.messages).toHaveLength(messages.length);
  });

  test('usage and counters: twelve calls → summed, each counter its own (L19, M9, O4)', () => {
    const replies = messages.flatMap(message => (message.kind === 'assistant' ? [message] : []));
    const sum = (key: 'inputTokens' | 'outputTokens' | 'cachedInputTokens') =>
      replies.reduce((total, { usage }) => total + usage[key], 0);
    const cached = sum('cachedInputTokens');
    // Each request but the first of a role begins with the one before it.
    expect(cached).toBeGreaterThan(sum('inputTokens') / 2);
    expect(result.usage).toMatchObject({
      inputTokens: inputTokensOf(script.requests),
      outputTokens: sum('outputTokens'),
      costUsd: expect.closeTo(
        ((sum('inputTokens') - cached) * 0.25 + cached * 0.025 + sum('outputTokens') * 2) / 1e6,
        9,
      ),
    });
    expect(result.counters).toEqual({
      planning: 1,
      verification: 2,
      replans: 0,
      turns: 12,
      toolCalls: 10,
      reasks: 0,
      failedCalls: 0,
    });
    expect(replies.every(reply => reply.model === 'openai/gpt-5-mini')).toBe(true);
  });

  test('journal: every turn → call, reply, then its tool calls begun and ended, without gaps (H4)', () => {
    expect(journal.map(event => event.seq)).toEqual(journal.map((_, index) => index + 1));
    expect(journal[0]).toMatchObject({ type: 'run_started', goal: 'Which boat is older?' });
    expect(journal[1]).toMatchObject({ type: 'run_loaded', models: ['openai/gpt-5-mini'], warnings: [] });
    expect(journal.at(-1)).toMatchObject({ type: 'run_ended', outcome: 'completed' });
    const expected: string[] = [];
    // Calls of one reply that only read may run together: they begin and end in their order.
    const turns = journal.flatMap(({ type }) => (/^(model|tool)_call/.test(type) ? [type] : [])).join(' ');
    for (const message of messages) {
      if (message.kind !== 'assistant') continue;
      const { length } = message.content.filter(block => block.type === 'tool_use');
      expected.push(`model_call_started model_call_ended ${length}`);
    }
    const found = turns.split(/(?=model_call_started)/).map(turn => {
      const count = (type: string) => turn.split(type).length - 1;
      expect(count('tool_call_ended')).toBe(count('tool_call_started'));
      return `${turn.split(' ').slice(0, 2).join(' ')} ${count('tool_call_started')}`;
    });
    expect(found).toEqual(expected);
    const ids = (type: string) =>
      journal.flatMap(event => (event.type === type && 'callId' in event ? [event.callId] : []));
    expect(ids('tool_call_ended')).toEqual(ids('tool_call_started'));
    for (const callId of ids('tool_call_started')) {
      const [begun, ended] = journal.filter(event => 'callId' in event && event.callId === callId);
      expect([begun?.type, ended?.type]).toEqual(['tool_call_started', 'tool_call_ended']);
    }
  });

  test('workspace: a run that only reads → unchanged', () => {
    for (const [name, text] of Object.entries(BOATS)) {
      expect(readFileSync(join(rig.project.workspace, name), 'utf8')).toBe(text);
    }
  });
});
