import { describe, expect, it } from 'vitest';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import {
  decideRoute,
  deniedRoute,
  leavesChoice,
  type RouteCase,
  type RouteDecision,
} from '../../../../src/rules/steering/route.js';
import {
  CONTROLS,
  type Control,
  INTENT_ACTIONS,
  type IntentAction,
  type IntentScope,
  ROUTES,
  type Route,
  TASK_RELATIONS,
  type TaskRelation,
} from '../../../../src/run/outputs/contracts.js';

interface Cell {
  relation: TaskRelation | null;
  confidence: number | null;
  action: IntentAction | null;
  route: Route | null;
  requires: boolean;
  control: Control | null;
  concerns: boolean;
  clarification: boolean;
  idle: boolean;
}

const BOTH = [true, false];
const ONE = [{}];

function* everyCell(): Generator<Cell> {
  for (const relation of [...TASK_RELATIONS, null])
    for (const confidence of [null, 0, 69.99, 70, 70.01, 71, 100])
      for (const action of [...INTENT_ACTIONS, null])
        for (const route of [...ROUTES, null])
          for (const control of [...CONTROLS, null])
            for (const requires of BOTH)
              for (const concerns of BOTH)
                for (const clarification of BOTH)
                  for (const idle of BOTH)
                    yield {
                      relation,
                      confidence,
                      action,
                      route,
                      requires,
                      control,
                      concerns,
                      clarification,
                      idle,
                    };
}

const UNSAID: Cell = {
  ...{ relation: null, confidence: null, action: null, route: null, control: null },
  ...{ requires: false, concerns: false, clarification: false, idle: false },
};

function caseOf(cell: Cell): RouteCase {
  return {
    intent:
      cell.relation === null
        ? null
        : {
            normalizedIntent: { goal: 'g', action: cell.action, scope: 'meta_control', urgency: null },
            taskRelation: { type: cell.relation, confidence: cell.confidence, reasoning: '' },
          },
    proposal:
      cell.route === null
        ? null
        : {
            route: cell.route,
            payload: { reason: '', requiresConfirmation: cell.requires, control: cell.control },
          },
    clarification: cell.clarification ? 'Which file?' : null,
    concerns: cell.concerns ? ['High risk: d.'] : [],
    idle: cell.idle,
    paused: false,
    items: ONE,
    words: BUILT_IN_WORDS.en,
    hasPlan: true,
    isOnlyTask: false,
  };
}

const short = ({ act, confirm, control }: RouteDecision) =>
  `${act}${control ? ` ${control}` : ''}${confirm ? ' !' : ''}`;

const isControl = (cell: Cell) => cell.relation === 'control_instruction';
const isSure = (cell: Cell) => cell.confidence !== null && cell.confidence > 70;
const agrees = (cell: Cell) => cell.route === null || cell.route === 'continue_execution';
const wantsConfirm = (cell: Cell) => cell.concerns || (cell.route !== null && cell.requires);

/** The table again, told as rows: the first whose condition holds. `!` means that a person confirms. */
const ROWS: readonly (readonly [
  name: string,
  when: (cell: Cell) => boolean,
  then: (cell: Cell) => string,
])[] = [
  ['F17 a role asks', cell => cell.clarification, () => 'ask_user'],
  ['idle, no control', cell => cell.idle && cell.relation !== 'control_instruction', () => 'next_goal'],
  ['not understood', cell => cell.relation === null, () => 'ask_user'],
  ['wait_user_decision', cell => !cell.idle && cell.route === 'wait_user_decision', () => 'ask_user'],
  ['control, none named', cell => isControl(cell) && controlsOf(cell).length === 0, () => 'ask_user'],
  ['control, two named', cell => isControl(cell) && controlsOf(cell).length === 2, () => 'ask_user'],
  [
    'control, idle',
    cell => isControl(cell) && cell.idle && controlsOf(cell)[0] === 'continue',
    () => 'next_goal',
  ],
  [
    'control',
    isControl,
    cell => {
      const [control = ''] = controlsOf(cell);
      const careful = !isSure(cell) || (!cell.idle && wantsConfirm(cell));
      return `control ${control}${control === 'cancel' && careful ? ' !' : ''}`;
    },
  ],
  [
    'no change',
    cell => cell.relation === 'same_task_no_change' && (isSure(cell) || agrees(cell)),
    () => 'continue',
  ],
  ['C19 unsure', cell => !isSure(cell), () => 'ask_user'],
  [
    'minor change',
    cell => cell.relation === 'same_task_minor_change',
    cell => `minor_replan${wantsConfirm(cell) ? ' !' : ''}`,
  ],
  ['major change', cell => cell.relation === 'same_task_major_change', () => 'full_replan !'],
  ['different task', cell => cell.relation === 'different_task', () => 'new_task !'],
];

/** The different controls that the two roles name. */
function controlsOf(cell: Cell): string[] {
  const byAction: Partial<Record<IntentAction, Control>> = {
    cancel: 'cancel',
    pause: 'pause',
    continue: 'continue',
    query: 'status',
  };
  const named = cell.route === null ? null : cell.control;
  const meant = cell.action === null ? undefined : byAction[cell.action];
  return [...new Set([named, meant].filter(control => control !== null && control !== undefined))];
}

describe('decideRoute', () => {
  it('F15 F16 C19 decideRoute: all combinations → the first row that holds', () => {
    let cells = 0;
    const met = new Set<string>();
    for (const cell of everyCell()) {
      cells += 1;
      const row = ROWS.find(([, when]) => when(cell));
      const got = short(decideRoute(caseOf(cell)));
      // Not `expect` for each of them: that takes seconds.
      if (got !== row?.[2](cell)) expect([cell, got]).toEqual([cell, row?.[2](cell)]);
      if (row) met.add(row[0]);
    }
    expect(cells).toBe(6 * 7 * 8 * 7 * 5 * 2 * 2 * 2 * 2);
    expect([...met].sort()).toEqual(ROWS.map(([name]) => name).sort());
  });

  it('F16 decideRoute: all combinations → question and control are there exactly when they are meant', () => {
    for (const cell of everyCell()) {
      const decision = decideRoute(caseOf(cell));
      const fits =
        (decision.question !== null) === (decision.act === 'ask_user') &&
        decision.options.length > 0 === (decision.question !== null && !cell.clarification) &&
        (decision.control !== null) === (decision.act === 'control') &&
        decision.reason !== '' &&
        !(decision.confirm && (decision.act === 'ask_user' || decision.act === 'continue'));
      if (!fits) expect([cell, decision]).toBe('consistent');
    }
  });

  it.each<[string, Partial<Cell>, boolean, string[]]>([
    [
      'a plan',
      { relation: null },
      true,
      ['Go on with it in mind', 'Change a part of the plan', 'Plan anew', 'Start another task'],
    ],
    ['no plan', { relation: null }, false, ['Go on with it in mind', 'Start another task']],
    [
      'an instruction that names no control',
      { relation: 'control_instruction' },
      true,
      ['Pause', 'Continue', 'Cancel the run', 'Show its status'],
    ],
    ['a question of a role', { clarification: true }, true, []],
  ])(
    'C19 decideRoute: a person is asked, %s → what may be meant, as options',
    (_, cell, hasPlan, options) => {
      const given = caseOf({ ...UNSAID, ...cell });
      expect(decideRoute({ ...given, hasPlan })).toMatchObject({ act: 'ask_user', options });
    },
  );

  it('SE7 leavesChoice: all combinations → where it is false, the router could only have had a person asked', () => {
    let asked = 0;
    let cells = 0;
    for (const cell of everyCell()) {
      const given = caseOf(cell);
      cells += 1;
      if (leavesChoice(given)) {
        asked += 1;
        continue;
      }
      const without = short(decideRoute({ ...given, proposal: null }));
      const got = short(decideRoute(given));
      if (![without, `${without} !`].includes(got) && !got.startsWith('ask_user'))
        expect([cell, got]).toEqual([cell, without]);
    }
    // Of five relations it is one and a part of two others.
    expect(asked).toBeGreaterThan(0);
    expect(asked / cells).toBeLessThan(0.4);
  });

  const relation = (type: TaskRelation, confidence: number) =>
    decideRoute({
      intent: {
        normalizedIntent: { goal: 'g', action: 'modify', scope: 'partial_task', urgency: 'low' },
        taskRelation: { type, confidence, reasoning: '' },
      },
      proposal: {
        route: 'minor_replan',
        payload: { reason: '', requiresConfirmation: false, control: null },
      },
      clarification: null,
      concerns: [],
      idle: false,
      paused: false,
      items: ONE,
      words: BUILT_IN_WORDS.en,
      hasPlan: true,
      isOnlyTask: false,
    });

  it.each([
    [69.99, 'ask_user'],
    [70, 'ask_user'],
    [70.00000001, 'minor_replan'],
    [71, 'minor_replan'],
  ])('C19 decideRoute: a minor change at %d %% → %s', (confidence, act) => {
    expect(relation('same_task_minor_change', confidence).act).toBe(act);
  });

  it('SE7 decideRoute: a small change to a plan of one task → its role reads it, unless somebody is to confirm', () => {
    const small = { type: 'same_task_minor_change', confidence: 90, reasoning: '' } as const;
    for (const cell of everyCell()) {
      const given = caseOf(cell);
      if (given.intent === null || cell.relation !== 'same_task_minor_change' || cell.idle) continue;
      const decision = decideRoute({ ...given, isOnlyTask: true });
      const before = short(decideRoute(given));
      if (short(decision) !== (before === 'minor_replan' ? 'continue' : before))
        expect([cell, decision]).toBe(before);
      expect(leavesChoice({ ...given, intent: { ...given.intent, taskRelation: small } })).toBe(false);
    }
  });

  it('F16 decideRoute: the router proposes less than the relation needs → the table has the last word', () => {
    expect(short(relation('same_task_major_change', 95))).toBe('full_replan !');
    expect(short(relation('different_task', 95))).toBe('new_task !');
    expect(short(relation('same_task_no_change', 95))).toBe('continue');
  });

  it('F17 decideRoute: a role asks → its own question', () => {
    const nothing = {
      intent: null,
      proposal: null,
      concerns: [],
      idle: true,
      paused: false,
      items: ONE,
      words: BUILT_IN_WORDS.en,
      hasPlan: true,
      isOnlyTask: false,
    };
    const given = { ...nothing, clarification: 'Which file?' };
    expect(decideRoute(given).question).toBe('Which file?');
  });

  it.each([
    [false, 'next_goal'],
    [true, 'control continue'],
  ])('F16 decideRoute: "go on" to an idle run that is paused: %s → %s (PR4)', (paused, wanted) => {
    const intent = {
      normalizedIntent: {
        goal: 'g',
        action: 'continue' as const,
        scope: 'meta_control' as const,
        urgency: null,
      },
      taskRelation: { type: 'control_instruction' as const, confidence: 95, reasoning: '' },
    };
    const given = {
      proposal: null,
      clarification: null,
      concerns: [],
      idle: true,
      items: ONE,
      words: BUILT_IN_WORDS.en,
      hasPlan: true,
      isOnlyTask: false,
    };
    expect(short(decideRoute({ ...given, intent, paused }))).toBe(wanted);
  });

  it.each<[IntentAction, IntentScope | null, number, boolean, string, boolean]>([
    // Nothing but the instruction; more than that; nobody says; and several messages, read as one.
    ['pause', 'meta_control', 1, false, 'control pause', false],
    ['pause', 'partial_task', 1, false, 'control pause', true],
    ['continue', 'full_task', 1, false, 'control continue', true],
    ['query', null, 1, false, 'control status', true],
    ['pause', 'meta_control', 2, false, 'control pause', true],
    // A run that is cancelled has no role that could read it.
    ['cancel', 'partial_task', 1, false, 'control cancel', false],
    ['cancel', 'partial_task', 2, false, 'control cancel', false],
    // Nothing runs that could answer the rest of a question.
    ['query', 'meta_control', 1, true, 'control status', false],
    ['query', 'partial_task', 1, true, 'next_goal', false],
    ['pause', 'partial_task', 1, true, 'control pause', true],
  ])(
    'F16 decideRoute: the instruction %s of scope %s in %i message(s), idle: %s → %s, noted too: %s (S5, OU10)',
    (action, scope, count, idle, wanted, noted) => {
      const cell = { relation: 'control_instruction', confidence: 95, action, route: null } as const;
      const no = { requires: false, control: null, concerns: false, clarification: false };
      const given = caseOf({ ...cell, ...no, idle });
      const { intent } = given;
      if (intent) intent.normalizedIntent.scope = scope;
      const decision = decideRoute({ ...given, items: Array.from({ length: count }, () => ({})) });
      expect([short(decision), decision.noted]).toEqual([wanted, noted]);
    },
  );

  it('F16 deniedRoute: not approved, or not answered → goes on as it was, or with the next goal', () => {
    expect(deniedRoute(false, 'No.')).toMatchObject({ act: 'continue', confirm: false, reason: 'No.' });
    expect(deniedRoute(true, 'No.').act).toBe('next_goal');
  });

  it('F16 decideRoute: no plan to change → whatever a message wants changed, nothing is asked or confirmed', () => {
    for (const cell of everyCell()) {
      if (!cell.relation?.endsWith('_change') || cell.clarification || cell.idle) continue;
      const decision = decideRoute({ ...caseOf(cell), hasPlan: false });
      const leavesIt = cell.route === 'wait_user_decision';
      const isSame = cell.relation === 'same_task_no_change';
      if (leavesIt) expect(short(decision)).toBe('ask_user');
      else if (!isSame) expect(short(decision)).toBe('continue');
      expect(decision.question ?? '').not.toContain('plan');
    }
  });
});
