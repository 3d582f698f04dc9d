/** What summaries cost beside what a goal sends, over sizes, models and prices: the real loop, with scripted usage. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallModelInput } from '../../../../src/activities/types.js';
import { FAILURE } from '../../../../src/core/limits/failure.js';
import { estimateMessageTokens } from '../../../../src/core/limits/tokens.js';
import type { JournalEvent } from '../../../../src/core/state/journal.js';
import { NO_USAGE } from '../../../../src/core/state/message.js';
import { executionAt } from '../../../../src/core/state/position.js';
import { newRunState } from '../../../../src/core/state/run-state.js';
import { recallTool } from '../../../../src/shared/store/recall.js';
import { modelRequestPage } from '../../../../src/workflows/platform/requests.js';
import type { Ports } from '../../../../src/workflows/ports.js';
import { Run } from '../../../../src/workflows/run.js';
import { callModel } from '../../../../src/workflows/turn/call-model.js';
import { modelFacts, pinnedRun } from '../../../support/core-values.js';
import { propertyRuns } from '../../../support/property-runs.js';
import { quietPorts, testRole } from '../../../support/small-run.js';

const SUMMARIES = ['short', 'long', 'none', 'fails', 'refused'] as const;

interface Conversation {
  contextTokens: number;
  softTokens: number;
  maxOutputTokens: number;
  /** Tokens of the endpoint to one that is estimated; share of the input that its cache has. */
  factor: number;
  cached: number;
  /** Tokens of what is said before each turn, taken in turn. */
  said: number[];
  turns: number;
  summaries: (typeof SUMMARIES)[number][];
}

const conversation: fc.Arbitrary<Conversation> = fc.record({
  contextTokens: fc.constantFrom(8_000, 16_000, 32_000, 128_000, 1_000_000),
  softTokens: fc.constantFrom(2_000, 4_000, 8_000, 26_000, 100_000),
  maxOutputTokens: fc.constantFrom(1_000, 4_096, 16_384),
  factor: fc.double({ min: 0.8, max: 1.8, noNaN: true }),
  cached: fc.constantFrom(0, 0.5, 0.95),
  said: fc.array(fc.integer({ min: 20, max: 3_000 }), { minLength: 1, maxLength: 6 }),
  turns: fc.integer({ min: 20, max: 300 }),
  summaries: fc.array(fc.constantFrom(...SUMMARIES), { minLength: 1, maxLength: 4 }),
});

const summaryOf = (bytes: number) =>
  JSON.stringify({ goals: ['Measure.'], facts: [{ fact: 'x '.repeat(bytes / 2), source: '' }] });

/** Tokens that summaries took, of all that was sent and written for them; and what the journal tells of them. */
async function costOf(given: Conversation) {
  const role = testRole('executor', {
    tools: [],
    prompt: 'Execute.',
    maxOutputTokens: given.maxOutputTokens,
  });
  const state = newRunState('Measure.', { mode: 'team', workspace: '/w', autoApprove: false }, 0);
  state.pinned = pinnedRun({
    ...{ keeps: true, context: { softTokens: given.softTokens, compacts: {} }, tools: [recallTool] },
    ...{ roles: { executor: role }, models: ['p/a'], modelTimeoutMs: 300_000 },
    modelInfo: { 'p/a': modelFacts(given.contextTokens, true) },
  });
  state.cursor.position = executionAt(1, { kind: 'work', taskId: 'task-1' });
  const cost = { sent: 0, summaries: 0, asked: 0 };
  const usageOf = (estimated: number, outputTokens: number) => {
    const inputTokens = Math.ceil(estimated * given.factor);
    return {
      ...NO_USAGE,
      inputTokens,
      cachedInputTokens: Math.floor(inputTokens * given.cached),
      outputTokens,
    };
  };
  const ports: Ports = {
    ...quietPorts([]),
    callModel: async ({ callId }: CallModelInput) => {
      const { messages, head } = modelRequestPage(state, callId);
      const estimated = messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
      if (head?.output !== 'text') {
        const usage = usageOf(estimated, 50);
        cost.sent += usage.inputTokens;
        const content = [{ type: 'text' as const, text: 'Done.' }];
        return { ok: true, value: { content, stopReason: 'end_turn', usage, durationMs: 1 } };
      }
      const how = given.summaries[cost.asked++ % given.summaries.length] ?? 'short';
      const usage = usageOf(estimated, how === 'short' ? 400 : given.maxOutputTokens);
      cost.summaries += usage.inputTokens + usage.outputTokens;
      if (how === 'fails' || how === 'refused') {
        const type = how === 'fails' ? FAILURE.model.badRequest : FAILURE.model.contextTooLong;
        const told = how === 'fails' ? { usage } : {};
        return { ok: false, failure: { kind: 'application', type, message: 'It failed.', ...told } };
      }
      const text = how === 'none' ? 'No.' : summaryOf(how === 'short' ? 1_200 : 15_000);
      const content = [{ type: 'text' as const, text }];
      return { ok: true, value: { content, stopReason: 'end_turn', usage, durationMs: 1 } };
    },
  };
  const run: Run = new Run(state, ports);
  const thread = run.mainThread();
  const events: JournalEvent[] = [];
  run.say(thread, 'role', 'Execute.', { role: 'executor' });
  run.say(thread, 'goal', 'Measure.');
  for (let turn = 0; turn < given.turns; turn++) {
    run.say(thread, 'instruction', 'word'.repeat(given.said[turn % given.said.length] ?? 20));
    const before = state.log.journal.lastSeq;
    let replied = false;
    for (let times = 0; !replied; times++) {
      // Preparing a call comes to an end.
      expect(times).toBeLessThan(5);
      replied = (await callModel(run, role, true)).kind !== 'again';
    }
    events.push(...state.log.journal.events.filter(({ seq }) => seq > before));
  }
  return { ...cost, events, ended: state.goal.compaction?.ended === true };
}

test('LL1: random conversations, models and prices → summaries take at most a tenth of the tokens sent, each shrinks what it replaces, and one that fails is the last', async () => {
  const runs = propertyRuns(60);
  let worst = 0;
  let compacted = 0;
  let forced = 0;
  await fc.assert(
    fc.asyncProperty(conversation, async given => {
      const { sent, summaries, events, ended } = await costOf(given);
      worst = Math.max(worst, summaries / sent);
      expect(summaries).toBeLessThanOrEqual(sent * 0.1);
      for (const event of events)
        if (event.type === 'thread_compacted') expect(event.after).toBeLessThan(event.before);
      const told = events.map(({ type }) => type);
      compacted += told.filter(type => type === 'thread_compacted').length;
      forced += told.filter(type => type === 'thread_trimmed').length;
      expect(told.filter(type => type === 'compaction_failed').length).toBe(ended ? 1 : 0);
      if (ended)
        expect(told.lastIndexOf('compaction_started')).toBeLessThan(told.indexOf('compaction_failed'));
    }),
    { numRuns: runs },
  );
  expect(compacted).toBeGreaterThan(0);
  expect(forced).toBeGreaterThan(0);
  console.log(
    `Summaries of ${runs} random conversations: ${compacted}, at most ${(worst * 100).toFixed(1)} % of the tokens sent.`,
  );
}, 300_000);
