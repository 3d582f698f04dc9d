import { describe, expect, test } from 'vitest';
import { jsonBytes } from '../../../../src/base/json/json.js';
import { EFFECTS_BYTES } from '../../../../src/base/sizes/bounds.js';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import { readAgentMessage, readFromCaller, readGate } from '../../../../src/rules/agents/agent-message.js';
import {
  type AgentOutcome,
  decideDelegation,
  outcomeForCaller,
  settingsOfAgent,
} from '../../../../src/rules/agents/subagent.js';
import type { AgentReport, AgentTotals } from '../../../../src/run/agents/children.js';
import {
  type AgentEnd,
  addresseeOf,
  addresses,
  type Children,
  childId,
  noChildren,
  withChild,
  withEnd,
} from '../../../../src/run/agents/children.js';
import type { AgentCard } from '../../../../src/run/agents/role.js';
import type { Gate } from '../../../../src/run/gates/gate.js';
import { outcomeOf } from '../../../../src/run/limits/cause.js';
import { type BudgetUse, DEFAULT_LIMITS, type Limits } from '../../../../src/run/limits/limits.js';
import { NO_USAGE } from '../../../../src/run/messages/message.js';
import { nothingKnown } from '../../../../src/run/models/model-use.js';
import { withEffects } from '../../../../src/run/tools/tool-use.js';

const words = BUILT_IN_WORDS.en;
const SEARCH: AgentCard = { name: 'search', description: '', requires: [] };
const EDITOR = { name: 'editor' };
const CRAWL: AgentCard = { name: 'crawl', description: '', requires: ['url'] };
const NOTHING: BudgetUse = { turns: 0, totalTurns: 0, tokens: 0, wallTimeMs: 0, costUsd: 0 };

function decide(
  { agent = 'search', text = 'Look.' }: { agent?: string; text?: string },
  given: {
    limits?: Partial<Limits>;
    used?: Partial<BudgetUse>;
    together?: number;
    agents?: AgentCard[];
  } = {},
) {
  const { agents = [SEARCH, CRAWL], together = 1 } = given;
  const limits = { ...DEFAULT_LIMITS, ...given.limits };
  return decideDelegation(
    { agent, text },
    { agents, limits, used: { ...NOTHING, ...given.used }, together, words },
  );
}

describe('decideDelegation', () => {
  test.each([
    ['nobody of that name', decide({ agent: 'serach' }), /serach.*search, crawl/],
    ['nobody at all', decide({}, { agents: [] }), /—/],
    ['no URL', decide({ agent: 'crawl', text: 'Read http: or https://' }), /URL/],
    ['no tokens left', decide({}, { used: { tokens: 1_000_000 } }), /tokens/],
    [
      'a cost that is not known, with a limit of it',
      decide({}, { limits: { costUsd: 1 }, used: { costUsd: null } }),
      /costUsd/,
    ],
  ])('decideDelegation: %s → refused, with why', (_title, decision, note) => {
    expect(decision).toEqual({ kind: 'refuse', note: expect.stringMatching(note) });
  });

  test.each([
    ['a URL', decide({ agent: 'crawl', text: 'Read https://example.org now.' })],
    ['in capitals', decide({ agent: 'crawl', text: 'HTTP://EXAMPLE.ORG' })],
  ])('decideDelegation: crawl with %s → starts', (_title, decision) => {
    expect(decision.kind).toBe('start');
  });

  test.each<[string, Parameters<typeof decide>[1], Partial<Limits>]>([
    [
      'alone → what is left',
      { used: { turns: 4, totalTurns: 450, tokens: 400_000, wallTimeMs: 600_000.5 } },
      { turns: 50, totalTurns: 50, tokens: 600_000, wallTimeMs: 2_999_999, costUsd: null },
    ],
    [
      'three at once → a third each, and all of the time',
      { limits: { turns: 10, tokens: 100, costUsd: 3 }, together: 3 },
      { turns: 3, totalTurns: 3, tokens: 33, wallTimeMs: 3_600_000, costUsd: 1 },
    ],
    [
      'more at once than replies are left → one each',
      { limits: { turns: 2, tokens: 3 }, together: 4 },
      { turns: 1, totalTurns: 1, tokens: 1, wallTimeMs: 3_600_000, costUsd: null },
    ],
  ])('the lease: %s', (_title, given, limits) => {
    expect(decide({}, given)).toEqual({ kind: 'start', limits });
  });
});

test('childId: of long ids, and far down a tree → short enough for the server, and no two alike', () => {
  const ids = new Set<string>();
  let own = 'run';
  for (let depth = 0; depth < 200; depth += 1) {
    for (const id of ['search/1', 'search/2', `${'ö'.repeat(200)}/1`, `${'ö'.repeat(200)}/2`])
      ids.add(childId(own, id));
    own = childId(own, 'search/1');
  }
  expect(ids.size).toBe(800);
  for (const id of [...ids, childId('x'.repeat(1_000), 'put/c1')])
    expect(Buffer.byteLength(id)).toBeLessThanOrEqual(1_000);
});

test('settingsOfAgent: attended as its caller, with what a person allowed for good, under its own name, without client tools, plan or follow-ups', () => {
  const settings = {
    mode: 'auto' as const,
    workspace: '/w',
    autoApprove: true,
    attended: true,
    keepOpenSeconds: 60,
    approvePlan: true,
    onStepFailure: 'abort' as const,
    clientTools: [],
    allowTools: ['put'],
    context: { user: 'u1' },
  };
  const limits = { ...DEFAULT_LIMITS, execution: 3 };
  expect(
    settingsOfAgent(settings, limits, {
      id: 'search/1',
      agent: 'search',
      lease: { tokens: 9 },
      known: nothingKnown(),
    }),
  ).toEqual({
    mode: 'react',
    role: 'search',
    calledAs: 'search/1',
    agentDepth: 1,
    workspace: '/w',
    autoApprove: true,
    attended: true,
    allowTools: ['put'],
    context: { user: 'u1' },
    limits: { ...limits, tokens: 9 },
  });
});

describe('what runs of a tree tell each other', () => {
  const from = { id: 'search/1', run: 'run/search/1' };
  const long = 'x'.repeat(2_000);

  test.each<[string, Record<string, unknown>, boolean]>([
    ['a pause', { type: 'paused', by: 'search/1' }, true],
    ['a pause of a way without end', { type: 'paused', by: long }, false],
    ['a model that is out', { type: 'model_out', model: 'p/a', failure: 'model.auth' }, true],
    ['a model of a name without end', { type: 'model_out', model: long, failure: 'model.auth' }, false],
    ['a message that was taken back', { type: 'message_withdrawn', messageId: 'u1' }, true],
    ['what was not taken', { type: 'not_taken', what: 'a model', why: 'No.', by: '' }, true],
    ['what was not taken, by nobody', { type: 'not_taken', what: 'a model', why: 'No.' }, false],
  ])('up: %s → read as it came, or nothing', (_title, said, isRead) => {
    expect(readAgentMessage({ ...from, ...said })).toEqual(isRead ? { ...from, ...said } : null);
  });

  test.each<[string, unknown, boolean]>([
    ['limits', { type: 'limits', limits: { tokens: 0, costUsd: null } }, true],
    ['a limit that there is not', { type: 'limits', limits: { tokns: 5 } }, false],
    ['a limit below nothing', { type: 'limits', limits: { tokens: -1 } }, false],
    ['a cost of a part of a cent', { type: 'limits', limits: { costUsd: 0.001 } }, true],
    ['no cost, and no time any more', { type: 'limits', limits: { costUsd: 0, wallTimeMs: 0 } }, true],
    ['a number of calls that is no budget', { type: 'limits', limits: { parallelTools: 2 } }, true],
    ['more at the same time than may be', { type: 'limits', limits: { parallelTasks: 9_999 } }, false],
    ['none at the same time', { type: 'limits', limits: { parallelTools: 0 } }, false],
    ['a part of a turn', { type: 'limits', limits: { turns: 0.5 } }, false],
    ['more than can be counted', { type: 'limits', limits: { tokens: 1e300 } }, false],
    ['no limits', { type: 'limits', limits: {} }, false],
    ['tokens without a limit', { type: 'limits', limits: { tokens: null } }, false],
    ['a model for all', { type: 'model_chosen', model: 'p/a', role: null }, true],
    ['a model for a role that is a number', { type: 'model_chosen', model: 'p/a', role: 7 }, false],
    ['models that are out', { type: 'models_out', out: { 'p/a': 'model.auth' } }, true],
    ['more of them than a run keeps', { type: 'models_out', out: { [long]: 'model.auth' } }, false],
    ['a message that is taken back', { type: 'withdraw', messageId: 'u1' }, true],
    ['nothing', null, false],
  ])('down: %s → read as it came, or nothing', (_title, said, isRead) => {
    expect(readFromCaller(said)).toEqual(isRead ? said : null);
  });
});

describe('outcomeForCaller', () => {
  const report = (more: Partial<AgentReport>): AgentReport => ({
    ...REST,
    outcome: outcomeOf(more.cause ?? 'direct_answer'),
    cause: 'direct_answer',
    answer: 'Found.',
    ...more,
  });
  const REST: AgentTotals = {
    usage: NO_USAGE,
    usageBy: [],
    turns: 1,
    failedCalls: 0,
    unread: [],
    effects: [],
  };

  test.each<[string, Partial<AgentReport>, RegExp, { isError: boolean; texts: number }]>([
    ['an answer', {}, /has answered/, { isError: false, texts: 1 }],
    [
      'a cap, with something',
      { cause: 'execution_cap' },
      /reached a limit \(execution_cap/,
      { isError: false, texts: 1 },
    ],
    [
      'a budget, with something',
      { outcome: 'budget_exhausted', cause: 'budget:tokens' },
      /limit \(budget:tokens\)/,
      { isError: false, texts: 1 },
    ],
    [
      'a cap, with nothing',
      { cause: 'execution_cap', answer: '' },
      /without an answer to its instruction \(.*\)\.$/,
      { isError: true, texts: 0 },
    ],
    [
      'stopped',
      { outcome: 'stopped', cause: 'stopped' },
      /without an answer.*stopped.* follow\.$/,
      { isError: true, texts: 1 },
    ],
    [
      'failed',
      { outcome: 'failed', cause: 'failed:model.auth', answer: '' },
      /failed:model\.auth/,
      { isError: true, texts: 0 },
    ],
  ])('outcomeForCaller: %s → told so', (_title, more, note, { isError, texts }) => {
    const end: AgentEnd = { kind: 'ended', report: report(more) };
    const outcome = outcomeForCaller(EDITOR, end, end.report, words);
    expect(outcome).toMatchObject({ ending: 'executed', isError, note: expect.stringMatching(note) });
    expect(outcome.content).toHaveLength(texts);
  });

  const did = { effects: ['write_file report.md: executed'] };
  const cancelled: AgentEnd = { kind: 'cancelled' };
  const lost: AgentEnd = { kind: 'lost', why: 'terminated' };
  const stopped: AgentEnd = {
    kind: 'ended',
    report: report({ ...did, outcome: 'stopped', cause: 'stopped', answer: '' }),
  };
  const texts = [{ type: 'text' as const, text: '- write_file report.md: executed' }];

  type Known = Partial<Pick<AgentOutcome, 'ending' | 'content'>> & { note: RegExp };
  test.each<[string, AgentEnd, Pick<AgentTotals, 'effects'> | null, Known]>([
    ['cancelled before it began', cancelled, null, { ending: 'cancelled', note: /Not run/ }],
    [
      'cancelled, and only read',
      cancelled,
      { effects: [] },
      { ending: 'cancelled', note: /changed nothing/ },
    ],
    [
      'cancelled after a write',
      cancelled,
      did,
      { ending: 'outcome_unknown', note: /do not/, content: texts },
    ],
    ['stopped after a write', stopped, did, { ending: 'outcome_unknown', note: /do not/, content: texts }],
    ['terminated', lost, null, { ending: 'outcome_unknown', note: /may or may not.*terminated/ }],
    ['not started', { ...lost, notStarted: true }, null, { ending: 'executed', note: /terminated/ }],
  ])('outcomeForCaller: %s → what is known of its effects', (_title, end, told, expected) => {
    const { note, ...rest } = { content: [], ...expected };
    const outcome = outcomeForCaller(EDITOR, end, told, words);
    expect(outcome).toMatchObject({ ...rest, isError: true, note: expect.stringMatching(note) });
  });

  test('outcomeForCaller: the role may only look, and its run was terminated → it changed nothing', () => {
    const reader = { ...EDITOR, readOnly: true } as const;
    expect(outcomeForCaller(reader, lost, null, words)).toMatchObject({ ending: 'executed', isError: true });
  });
});

test('withEffects: more than there is room for → the last of them, and a mark for those before', () => {
  const lines = Array.from(
    { length: 100 },
    (_, line) => `write_file ${line}.md ${'x'.repeat(400)}: executed`,
  );
  const kept = lines.reduce<string[]>((effects, line) => withEffects(effects, [line]), []);
  expect(jsonBytes(kept)).toBeLessThanOrEqual(EFFECTS_BYTES);
  expect(kept.length).toBeGreaterThan(5);
  expect(kept[0]).toBe('…');
  expect(kept.at(-1)).toContain('write_file 99.md');
});

describe('addresses of agents', () => {
  const begin = (children: Children, id: string): Children =>
    withChild(children, { id, agent: id.split('/')[0] ?? '', callId: 'c1', instruction: 'Look.' });
  const all = ['search/1', 'search/2', 'lead/3', 'crawl/4'].reduce(begin, noChildren());
  const children = withEnd(all, 'crawl/4', { kind: 'cancelled' });

  test('addresses: those that run → names that one alone has, and ids', () => {
    expect(addresses(children)).toEqual(['lead', 'search/1', 'search/2', 'lead/3']);
  });

  test.each([
    ['search/2', { id: 'search/2', to: null }],
    ['lead', { id: 'lead/3', to: null }],
    ['lead/3/search', { id: 'lead/3', to: 'search' }],
    ['lead/3/lead/1/search/2', { id: 'lead/3', to: 'lead/1/search/2' }],
    ['search', null],
    ['crawl', null],
    ['search/9', null],
    [7, null],
  ])('addresseeOf: %s → %j', (to, addressee) => {
    expect(addresseeOf(children, to)).toEqual(addressee);
  });
});

/** Deeper than what walks it by recursion can go. */
function nested(levels: number): unknown {
  return JSON.parse('['.repeat(levels) + ']'.repeat(levels));
}

describe('readAgentMessage', () => {
  const base = { id: 'search/1', run: 'r/search/1' };
  const gate: Gate = {
    id: 'g1',
    title: 'T',
    body: 'B',
    openedAt: 1,
    deadline: null,
    kind: 'question',
    subject: { role: 'react' },
  };
  const unread = [{ id: 'u1', kind: 'steer', text: 'x', when: 'skip', to: null, at: 1 }];
  const rest = {
    usage: NO_USAGE,
    usageBy: [{ role: 'search', model: 'p/a', calls: 2, inputTokens: 3 }],
    turns: 2,
    failedCalls: 0,
    unread,
    effects: ['put a: executed'],
  };

  test.each<[string, object]>([
    ['a gate', { ...base, type: 'gate_opened', gate }],
    ['an end of one', { ...base, type: 'gate_closed', gateId: 'g1', by: 'timeout', decision: 'deny' }],
    ['a refusal', { ...base, type: 'answer_refused', gateId: 'g1', why: 'no' }],
    ['the last word', { ...base, type: 'cancelled', rest }],
    ['who read a message', { ...base, type: 'message_read', messageId: 'u1', by: 'search/1' }],
  ])('readAgentMessage: %s → as it is', (_title, raw) => {
    expect(readAgentMessage(JSON.parse(JSON.stringify(raw)))).toEqual(raw);
  });

  test.each<[string, unknown]>([
    ['nothing', null],
    ['no id', { type: 'gate_opened', run: 'r', gate }],
    ['an unknown type', { ...base, type: 'hello' }],
    ['a closer that is none', { ...base, type: 'gate_closed', gateId: 'g1', by: 'magic', decision: '' }],
    [
      'usage below 0',
      { ...base, type: 'cancelled', rest: { ...rest, usage: { ...NO_USAGE, inputTokens: -1 } } },
    ],
    ['a part that is none', { ...base, type: 'cancelled', rest: { ...rest, usageBy: [{ role: 'x' }] } }],
    ['a reader that is none', { ...base, type: 'message_read', messageId: 'u1', by: null }],
    ['a message that is none', { ...base, type: 'cancelled', rest: { ...rest, unread: [{ id: 'u1' }] } }],
    ['a gate of no kind', { ...base, type: 'gate_opened', gate: { ...gate, kind: 'constructor' } }],
    ['what is nested too deep', { ...base, type: 'gate_opened', gate, more: nested(20_000) }],
  ])('readAgentMessage: %s → none', (_title, raw) => {
    expect(readAgentMessage(raw)).toBeNull();
  });

  test('readGate: subject of another kind, a deadline that is no time, an asker without a run → none', () => {
    for (const odd of [{ kind: 'approval' }, { deadline: 'soon' }, { from: { agent: 'x' } }])
      expect(readGate({ ...gate, ...odd })).toBeNull();
  });

  test('readGate: a time that no date can tell, an id or a form without end → none', () => {
    const schema = { type: 'object', properties: { ['x'.repeat(9_000)]: { type: 'string' } } };
    const form = { kind: 'form', subject: { server: 's', tool: 't', callId: 'c1', schema } };
    for (const odd of [{ deadline: 1e300 }, { openedAt: 1e300 }, { id: 'x'.repeat(9_000) }, form])
      expect(readGate({ ...gate, ...odd })).toBeNull();
  });

  test.each<Pick<Gate, 'kind' | 'subject'>>([
    { kind: 'approval', subject: { tool: 'put', callId: 'c1', arguments: '{}', digest: 'abc' } },
    { kind: 'approval', subject: { tool: 'put', callId: 'c1', arguments: '{}' } },
    {
      kind: 'approval',
      subject: { tool: 'run', callId: 'c1', arguments: '{}', always: 'run(ls)', why: 'To look.' },
    },
    {
      kind: 'approval',
      subject: {
        ...{ tool: 'put', callId: 'c1', arguments: '{}', always: null, concerns: ['High risk.'] },
        calls: [
          { tool: 'put', callId: 'c1', path: 'a', concerns: ['High risk.'] },
          { tool: 'put', callId: 'c2', path: 'b', compared: 'new' },
        ],
      },
    },
    { kind: 'route', subject: { act: 'orchestration', messageId: 'm1', enlarges: true } },
  ])('readGate: $kind → with all that a subject may have, for what a person says there goes by it', about => {
    expect(readGate({ ...gate, ...about })).toEqual({ ...gate, ...about });
  });

  test('readGate: a digest that is no name → the gate without it', () => {
    const subject = { tool: 'put', callId: 'c1', arguments: '{}' };
    for (const digest of [1, 'x'.repeat(9_000)]) {
      const read = readGate({ ...gate, kind: 'approval', subject: { ...subject, digest } });
      expect(read?.subject).toEqual(subject);
    }
  });

  test('what a gate or a message does not have → left out', () => {
    const more = { ['x'.repeat(9_000)]: 1 };
    expect(readGate({ ...gate, ...more, subject: { ...gate.subject, ...more } })).toEqual(gate);
    const [item] = unread;
    const refused = { ...base, type: 'message_refused', item: { ...item, ...more }, why: 'no' };
    expect(readAgentMessage(refused)).toMatchObject({ item: { id: 'u1' } });
    expect(JSON.stringify(readAgentMessage(refused))).not.toContain('xx');
  });
});
