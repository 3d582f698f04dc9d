/** What summaries cost beside what a goal sends, over sizes, models and prices: the real loop, with scripted usage. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallModelResult } from '../../../../src/activities/types.js';
import { FEATURES } from '../../../../src/compose.js';
import type { PinnedRole } from '../../../../src/run/agents/role.js';
import { type CallFailure, FAILURE } from '../../../../src/run/limits/failure.js';
import { estimateMessageTokens } from '../../../../src/run/limits/tokens.js';
import { NO_USAGE, type Usage } from '../../../../src/run/messages/message.js';
import { executionAt } from '../../../../src/run/position/position.js';
import type { JournalEvent } from '../../../../src/run/state/journal.js';
import { newRunState, type RunState } from '../../../../src/run/state/run-state.js';
import { recallTool } from '../../../../src/shared/store/recall.js';
import type { Called, Ports } from '../../../../src/workflows/run/ports.js';
import { modelRequestPage } from '../../../../src/workflows/run/requests.js';
import { Run } from '../../../../src/workflows/run/run.js';
import { callModel } from '../../../../src/workflows/turn/call-model.js';
import { modelFacts, pinnedRun } from '../../../support/core-values.js';
import { propertyRuns } from '../../../support/property-runs.js';
import { quietPorts, testRole } from '../../../support/small-run.js';

const SUMMARIES = ['short', 'long', 'none', 'fails', 'refused', 'lost', 'interrupted', 'twice'] as const;
const ROLES = ['executor', 'planner', 'verifier'];

interface Conversation {
  contextTokens: number;
  softTokens: number;
  maxOutputTokens: number;
  /** Tokens of the endpoint to one that is estimated; share of the input that its cache has. */
  factor: number;
  cached: number;
  /** The model for summaries, if there is one: its factor beside that of the other. */
  own: number | null;
  /** How many work at once, each in a conversation of its own. */
  atOnce: number;
  /** Tokens of what is said before each turn, taken in turn. */
  said: number[];
  turns: number;
  summaries: (typeof SUMMARIES)[number][];
}

const conversation: fc.Arbitrary<Conversation> = fc.record({
  contextTokens: fc.constantFrom(8_000, 16_000, 32_000, 128_000, 1_000_000),
  softTokens: fc.constantFrom(2_000, 4_000, 8_000, 26_000, 100_000),
  maxOutputTokens: fc.constantFrom(1_000, 4_096, 16_384),
  factor: fc.double({ min: 0.5, max: 4, noNaN: true }),
  cached: fc.constantFrom(0, 0.5, 0.95),
  own: fc.constantFrom(null, null, 0.5, 1, 2),
  atOnce: fc.constantFrom(1, 1, 3),
  said: fc.array(fc.integer({ min: 20, max: 3_000 }), { minLength: 1, maxLength: 6 }),
  turns: fc.integer({ min: 20, max: 300 }),
  summaries: fc.array(fc.constantFrom(...SUMMARIES), { minLength: 1, maxLength: 4 }),
});

const summaryOf = (bytes: number) =>
  JSON.stringify({ goals: ['Measure.'], facts: [{ fact: 'x '.repeat(bytes / 2), source: '' }] });

/** An endpoint that counts what it is sent: a request above its window is refused. */
function endpointOf(given: Conversation, state: RunState) {
  const cost = { sent: 0, summaries: 0, asked: 0, refused: 0 };
  const usageOf = (inputTokens: number, outputTokens: number) => ({
    ...NO_USAGE,
    ...{ inputTokens, outputTokens, cachedInputTokens: Math.floor(inputTokens * given.cached) },
  });
  const says = (text: string, usage: Usage): Called<CallModelResult> => {
    const content = [{ type: 'text' as const, text }];
    return { ok: true, value: { content, stopReason: 'end_turn', usage, durationMs: 1 } };
  };
  const fails = (failure: Partial<CallFailure>): Called<CallModelResult> => {
    return { ok: false, failure: { kind: 'application', type: '', message: 'It failed.', ...failure } };
  };
  const summarise = (sent: number, attempts: number): Called<CallModelResult> => {
    const how = given.summaries[cost.asked++ % given.summaries.length] ?? 'short';
    const times = how === 'twice' ? attempts : 1;
    const usage = usageOf(sent * times, times * (how === 'short' ? 400 : given.maxOutputTokens));
    // What is refused costs nothing, and of what was lost or interrupted nothing may be told.
    if (how === 'refused') return fails({ type: FAILURE.model.contextTooLong });
    cost.summaries += usage.inputTokens + usage.outputTokens;
    if (how === 'fails') return fails({ type: FAILURE.model.badRequest, usage });
    if (how === 'lost') return fails({ kind: 'lost', usage });
    if (how === 'interrupted') return fails({ kind: 'cancelled', usage });
    return says(how === 'none' ? 'No.' : summaryOf(how === 'long' ? 15_000 : 1_200), usage);
  };
  const callModel: Ports['callModel'] = async ({ callId, model }, { attempts }) => {
    const { messages, head } = modelRequestPage(state, callId);
    const estimated = messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
    const factor = given.factor * (model === 'p/cheap' ? (given.own ?? 1) : 1);
    const sent = Math.ceil(estimated * factor);
    if (head?.output === 'text') return summarise(sent, attempts);
    if (sent > given.contextTokens) {
      cost.refused += 1;
      return fails({ type: FAILURE.model.contextTooLong });
    }
    cost.sent += sent;
    return says('Done.', usageOf(sent, 50));
  };
  return { cost, callModel };
}

/** Tokens that summaries took, of all that was sent and written for them; and what the journal tells of them. */
async function costOf(given: Conversation) {
  const roles = ROLES.slice(0, given.atOnce).map(name =>
    testRole(name, {
      ...{ tools: [], prompt: 'Execute.', maxOutputTokens: given.maxOutputTokens },
      ...(given.atOnce > 1 && { memory: 'private' as const }),
    }),
  );
  const state = newRunState('Measure.', { mode: 'team', workspace: '/w', autoApprove: false }, 0);
  const compacts = given.own === null ? {} : { model: 'p/cheap' };
  state.pinned = pinnedRun({
    ...{ keeps: true, context: { softTokens: given.softTokens, compacts }, tools: [recallTool] },
    ...{ models: ['p/a'], modelTimeoutMs: 300_000 },
    roles: Object.fromEntries(roles.map(role => [role.name, role])),
    modelInfo: {
      'p/a': modelFacts(given.contextTokens, true),
      'p/cheap': modelFacts(given.contextTokens * 2, true),
    },
  });
  state.cursor.position = executionAt(1, { kind: 'work', taskId: 'task-1' });
  const { cost, callModel: answer } = endpointOf(given, state);
  const run: Run = new Run(state, { ...quietPorts([]), callModel: answer }, FEATURES);
  const events: JournalEvent[] = [];
  const work = async (role: PinnedRole): Promise<boolean> => {
    const thread = run.threadOf(role);
    for (let times = 0; ; times++) {
      // Making a call ready comes to an end.
      expect(times).toBeLessThan(200);
      const { refused } = cost;
      const { tokens } = thread;
      const { kind } = await callModel(run, role, true);
      if (kind !== 'again') return kind === 'message';
      if (cost.refused > refused && given.atOnce === 1) expect(thread.tokens).toBeLessThan(tokens);
    }
  };
  for (const role of roles) {
    run.say(run.threadOf(role), 'role', 'Execute.', { role: role.name });
    run.say(run.threadOf(role), 'goal', 'Measure.');
  }
  for (let turn = 0; turn < given.turns; turn++) {
    const text = 'word'.repeat(given.said[turn % given.said.length] ?? 20);
    for (const role of roles) run.say(run.threadOf(role), 'instruction', text);
    const before = state.log.journal.lastSeq;
    const done = await Promise.all(roles.map(work));
    events.push(...state.log.journal.events.filter(({ seq }) => seq > before));
    // What is said now alone has more tokens than the model takes.
    if (done.includes(false)) break;
  }
  return { ...cost, events, ended: state.goal.summaries?.ended === true };
}

const RUNS = propertyRuns(60);

/** Many summaries, then one that is none. */
const CHEAP: Conversation = {
  ...{ contextTokens: 128_000, softTokens: 8_000, maxOutputTokens: 1_000, factor: 1, cached: 0, own: null },
  ...{ atOnce: 1, said: [1_000], turns: 200, summaries: ['short', 'short', 'short', 'none'] },
};
/** Tasks side by side, each of which could pay for a summary alone. */
const AT_ONCE: Conversation = {
  ...{ ...CHEAP, softTokens: 2_000, factor: 0.5, atOnce: 3 },
  ...{ said: [124], turns: 40, summaries: ['short'] },
};
/** A model for summaries of which nobody has counted a token yet, and calls that are made twice. */
const TWICE: Conversation = {
  ...CHEAP,
  softTokens: 2_000,
  factor: 1.5,
  own: 2,
  summaries: ['short', 'twice'],
};
/** A window that is soon full, and whose tokens are counted too low. */
const SMALL: Conversation = { ...CHEAP, contextTokens: 8_000, maxOutputTokens: 16_384, factor: 4, turns: 40 };
/** A window that is soon full, and a summary of it that would cost more than a tenth of what was sent. */
const DEAR: Conversation = { ...CHEAP, contextTokens: 8_000, maxOutputTokens: 16_384, turns: 40 };
/** With them, each kind that is counted is met whatever is drawn. */
const EXAMPLES: [Conversation][] = [[CHEAP], [AT_ONCE], [TWICE], [SMALL], [DEAR]];

test(
  'LL1: random conversations, models and prices → summaries take at most a tenth of the tokens sent, each shrinks what it replaces, and one that fails is the last',
  async () => {
    let worst = 0;
    const counted = { compacted: 0, ended: 0, dear: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(conversation, async given => {
        const { sent, summaries, events, ended, refused } = await costOf(given);
        worst = Math.max(worst, summaries / Math.max(1, sent));
        expect(summaries).toBeLessThanOrEqual(sent * 0.1);
        const told = events.map(({ type }) => type);
        for (const event of events) {
          if (event.type === 'thread_compacted') {
            counted.compacted += 1;
            // Of tasks beside it, others may have spoken meanwhile.
            expect(event.after).toBeLessThan(event.before);
          }
          if (event.type === 'thread_trimmed' && event.why.includes('more than a tenth')) counted.dear += 1;
        }
        counted.refused += refused;
        if (!ended) return;
        counted.ended += 1;
        // Those of tasks beside it were asked for already.
        const asked = told
          .slice(told.indexOf('compaction_failed'))
          .filter(type => type === 'compaction_started');
        if (given.atOnce === 1 && given.own === null && !given.summaries.some(isTriedAgain))
          expect(asked).toEqual([]);
      }),
      { numRuns: RUNS + EXAMPLES.length, examples: EXAMPLES },
    );
    expect(Math.min(...Object.values(counted))).toBeGreaterThan(0);
    console.log(
      `Summaries of ${RUNS} random conversations: at most ${(worst * 100).toFixed(1)} % of the tokens sent. ${JSON.stringify(counted)}`,
    );
  },
  Math.max(300_000, RUNS * 5_000),
);

function isTriedAgain(how: (typeof SUMMARIES)[number]): boolean {
  return how === 'lost' || how === 'interrupted';
}
