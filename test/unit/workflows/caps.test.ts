/** What a run does at each cap, in each mode: the table of docs/caps.md, made of what happens. */
import { expect, test } from 'vitest';
import type { GateAnswer } from '../../../src/run/gates/gate.js';
import { DEFAULT_LIMITS, type Limits } from '../../../src/run/limits/limits.js';
import type { Usage } from '../../../src/run/messages/message.js';
import { stepsOf } from '../../../src/run/state/trace.js';
import { runTeam, type TeamReply } from '../../support/scripted-team.js';
import { fileTool, testRole } from '../../support/small-run.js';

const json = (value: object): TeamReply => ({ text: JSON.stringify(value) });
const planOf = (...ids: string[]) => ({
  summary: '',
  todos: ids.map(id => ({ id, description: `Do ${id}` })),
});
const PLAN = json({ ...planOf('t1'), needsMorePlanning: false });
const NO_PLAN_YET = json({ summary: 'Looking.', needsMorePlanning: true, todos: [] });
const MORE_PLAN = json({ ...planOf('t1'), needsMorePlanning: true });
const DONE = json({ summary: 'It says 42.', taskCompleted: true });
const NOT_DONE = json({ summary: 'Half of it.', taskCompleted: false });
const ANSWER: TeamReply = { text: 'The file says 42.' };
const READ: TeamReply = { calls: ['read'] };
const READ_TWICE: TeamReply = { calls: ['read', 'put'] };
const verdict = (done: boolean) =>
  json({
    allCompleted: done,
    userNeedsSatisfied: done,
    overallFeedback: '',
    ...(done ? { summary: 'The file says 42.' } : { improvements: ['More.'] }),
    tasks: [{ id: 't1', completed: done, feedback: '' }],
  });

const MODES = ['team', 'plan', 'react', 'review'] as const;
type CapMode = (typeof MODES)[number];

interface Case {
  mode: CapMode;
  /** What is limited, as the table names it. */
  limit: string;
  limits: Partial<Limits>;
  replies: TeamReply[];
  maxRounds?: number;
  answers?: GateAnswer[];
}

const BUDGETS = {
  turns: 1,
  totalTurns: 1,
  tokens: 50,
  costUsd: 0.5,
  wallTimeMs: 500,
} as const satisfies Partial<Limits>;
const USED: Partial<Usage> = { inputTokens: 100, costUsd: 1 };

async function runTo({ mode, limits, replies, maxRounds, answers }: Case) {
  const work = { output: 'text' as const, ...(maxRounds === undefined ? {} : { maxRounds }) };
  const { run, end, asked } = await runTeam(replies, {
    settings: { mode, autoApprove: true, ...(answers ? { attended: true, approvePlan: false } : {}) },
    pinned: {
      modes: { review: { does: null, steps: ['auditor', 'editor'] } },
      roles: {
        planner: testRole('planner', { tools: [], output: 'plan' }),
        executor: testRole('executor'),
        verifier: testRole('verifier', { tools: [], output: 'verdict' }),
        summary: testRole('summary', { tools: [], output: 'text' }),
        react: testRole('react', work),
        auditor: testRole('auditor', work),
        editor: testRole('editor', { output: 'text' }),
      },
      tools: [fileTool('put'), fileTool('read', { readOnly: true })],
      limits: { ...DEFAULT_LIMITS, ...limits },
      onBudget: answers ? 'ask' : 'wrap_up',
    },
    ...(answers ? { answers } : {}),
  });
  const { journal } = run.state.log;
  const reached = journal.events.flatMap(event => (event.type === 'limit_reached' ? [event.limit] : []));
  const gates = journal.events.flatMap(event => (event.type === 'gate_opened' ? [event.kind] : []));
  const last = run.state.models.calls.at(-1);
  const isLastCall = run.state.cursor.position.phase === 'wrap_up' || (last && 'executor' === last.role);
  const wrapUp =
    isLastCall && last
      ? `one call of \`${last.role}\` ${last.toolsOffered ? 'with' : 'without'} tools`
      : 'no call more';
  expect(asked).toHaveLength(replies.length);
  return { state: run.state, cause: end.cause, reached, gates, wrapUp };
}

const ALONE = { limit: '`replies`', limits: { replies: 1 } };
const IN_TURN = { limit: '`execution`', limits: { execution: 1 } };

const PLANNED: readonly CapMode[] = ['team', 'plan'];
const IN_STEPS: readonly CapMode[] = ['react', 'review'];

/** Caps of one part of the work: whoever attends, nobody is asked. Each with the cause that it ends with. */
const PARTS: [Case, string][] = [
  ...PLANNED.flatMap((mode): [Case, string][] => {
    const verified = mode === 'team' ? [verdict(true)] : [ANSWER];
    const failed = mode === 'team' ? [verdict(false)] : [ANSWER];
    const one = { verification: 1 };
    return [
      [
        {
          mode,
          limit: '`planning`, with tasks',
          limits: { planning: 1 },
          replies: [MORE_PLAN, DONE, ...verified],
        },
        mode === 'team' ? 'verified' : 'carried_out',
      ],
      [
        {
          mode,
          limit: '`planning`, without a task',
          limits: { planning: 1 },
          replies: [NO_PLAN_YET, ANSWER],
        },
        'planning_cap',
      ],
      [
        {
          mode,
          limit: '`execution`',
          limits: { execution: 1, ...one },
          replies: [PLAN, READ, NOT_DONE, ...failed],
        },
        mode === 'team' ? 'verification_cap' : 'failed:tasks',
      ],
      [
        {
          mode,
          limit: '`toolCallsPerTurn`',
          limits: { toolCallsPerTurn: 1 },
          replies: [PLAN, READ_TWICE, DONE, ...verified],
        },
        mode === 'team' ? 'verified' : 'carried_out',
      ],
    ];
  }),
  [
    {
      mode: 'team',
      limit: '`verification`',
      limits: { verification: 1 },
      replies: [PLAN, DONE, verdict(false)],
    },
    'verification_cap',
  ],
  ...IN_STEPS.flatMap((mode): [Case, string][] => {
    const rest = mode === 'review' ? [ANSWER, ANSWER] : [ANSWER];
    return [
      [{ mode, ...(mode === 'react' ? ALONE : IN_TURN), replies: [READ, READ, ANSWER] }, 'execution_cap'],
      [
        { mode, limit: '`maxRounds` of the role', limits: {}, maxRounds: 1, replies: [READ, READ, ANSWER] },
        'execution_cap',
      ],
      [
        {
          mode,
          limit: '`toolCallsPerTurn`',
          limits: { toolCallsPerTurn: 1 },
          replies: [READ_TWICE, ...rest],
        },
        'direct_answer',
      ],
    ];
  }),
];

const budgetCases: [Case, string][] = MODES.flatMap(mode =>
  Object.entries(BUDGETS).map(([name, most]): [Case, string] => {
    const begun = PLANNED.includes(mode) ? PLAN : READ;
    // The clock of these runs stands, with the time used up from the start.
    const replies = name === 'wallTimeMs' ? [ANSWER] : [{ ...begun, usage: USED }, ANSWER];
    const cause = name === 'turns' ? 'turn_cap' : `budget:${name}`;
    return [{ mode, limit: `\`${name}\``, limits: { [name]: most }, replies }, cause];
  }),
);

const named = (cases: [Case, string][]) =>
  cases.map(([each, cause]) => [each.mode, each.limit, each, cause] as const);

const rows = new Map<string, string[]>();

function note({ mode, limit }: Case, unattended: string, attended: string): void {
  rows.set(limit, [...(rows.get(limit) ?? []), `| ${limit} | \`${mode}\` | ${unattended} | ${attended} |`]);
}

test.each(named(PARTS))(
  'caps: mode %s, %s is reached → its end, with nobody asked, whoever attends (L11, L12)',
  async (_mode, _limit, each, cause) => {
    const alone = await runTo(each);
    const attended = await runTo({ ...each, answers: [] });
    expect(alone.cause).toBe(cause);
    expect([attended.cause, attended.reached, attended.gates]).toEqual([cause, alone.reached, []]);
    if (cause.endsWith('_cap') && cause !== 'verification_cap')
      expect(alone.wrapUp).toContain('without tools');
    if (each.limit === '`toolCallsPerTurn`')
      expect(
        stepsOf(alone.state.log.journal.events).filter(({ ending }) => ending === 'skipped'),
      ).toHaveLength(1);
    // A task has its report without tools before it has failed.
    const reports = alone.state.models.calls.filter(({ role }) => role === 'executor');
    if (each.limit === '`execution`' && PLANNED.includes(each.mode))
      expect(reports.map(({ toolsOffered }) => toolsOffered)).toEqual([true, false]);
    note(each, thenText(each, alone), 'the same');
  },
);

test.each(named(budgetCases))(
  'caps: mode %s, %s is used up → one call without tools; asked first, where somebody attends (L11)',
  async (mode, _limit, each, cause) => {
    const alone = await runTo(each);
    expect([alone.cause, alone.gates]).toEqual([cause, []]);
    expect(alone.wrapUp).toMatch(/without tools$/);
    const asked = await runTo({ ...each, answers: [{ kind: 'budget', decision: 'wrap_up' }] });
    expect([asked.cause, asked.gates, asked.wrapUp]).toEqual([cause, ['budget'], alone.wrapUp]);
    const rest = {
      team: [PLAN, DONE, verdict(true)],
      plan: [PLAN, DONE, ANSWER],
      react: [READ, ANSWER],
      review: [READ, ANSWER, ANSWER],
    }[mode];
    const [first, ...others] = rest;
    const raised = await runTo({
      ...each,
      replies: [{ ...first, usage: USED }, ...others],
      answers: [{ kind: 'budget', decision: 'raise', to: 100_000 }],
    });
    const whole = { team: 'verified', plan: 'carried_out', react: 'direct_answer', review: 'direct_answer' }[
      mode
    ];
    expect([raised.cause, raised.gates]).toEqual([whole, ['budget']]);
    note(each, thenText(each, alone), 'a person is asked. Raised: the work goes on; otherwise the same');
  },
);

/** What became of it, in words. */
function thenText({ limit }: Case, { cause, wrapUp, state }: Awaited<ReturnType<typeof runTo>>): string {
  const isTask = state.tasks.some(({ reason }) => reason === 'max_rounds');
  if (limit.startsWith('`toolCalls')) return 'the calls over it are `skipped`, and the work goes on';
  if (limit.endsWith('with tasks')) return 'the plan as it stands is carried out';
  if (isTask)
    return `the task reports in one call without tools; if that does not say that it is done, it has failed (\`max_rounds\`); if it was the only task, the goal then ends \`${cause}\``;
  return `\`${cause}\`, ${wrapUp}`;
}

const HEAD = `# What happens at each cap

For anyone who wants to know what a run does when a limit is reached, in each mode. Limits and defaults: [decisions.md](decisions.md#what-ends-at-a-cap).

\`react\` stands for \`lead\` and \`direct\` too, \`review\` for modes of \`steersman.yaml\`. \`auto\` does the same as the mode that it chose. "Somebody attends" means a run that was started as attended, with \`gates.onBudget: ask\`. With the default \`wrap_up\`, budgets end as if nobody attends. The table shows what test runs do, and is made by \`npx vitest run --project unit test/unit/workflows/caps.test.ts -u\`.

| limit | mode | nobody attends | somebody attends |
|---|---|---|---|
`;

test('caps: docs/caps.md → what these runs did (L11)', async () => {
  const lines = [...rows.values()].flat();
  expect(lines).toHaveLength(PARTS.length + budgetCases.length);
  await expect(`${HEAD}${lines.join('\n')}\n`).toMatchFileSnapshot('../../../docs/caps.md');
});
