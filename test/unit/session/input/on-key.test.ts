import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  editedAnswer,
  editedElsewhere,
  editText,
  yesEffects,
} from '../../../../packages/session/input/gate-keys.js';
import { type Key, keyOf } from '../../../../packages/session/input/keys.js';
import { onKey } from '../../../../packages/session/input/on-key.js';
import type { Effect, SessionState } from '../../../../packages/session/input/session-state.js';
import { drawn, NEW_SESSION, withGates } from '../../../../packages/session/input/session-state.js';
import { visibleText } from '../../../../src/base/text/unseen.js';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import { partsOf } from '../../../../src/rules/gates/gate-parts.js';
import { approvalText } from '../../../../src/rules/gates/gate-text.js';
import { wholeParts } from '../../../../src/rules/gates/whole-gate.js';
import type { Gate } from '../../../../src/run/gates/gate.js';

const ENTER: Key = { name: 'return', sequence: '\r' };
const ALT_ENTER: Key = { name: 'return', meta: true, sequence: '\u001b\r' };
const ESC: Key = { name: 'escape', sequence: '\u001b' };
const CTRL = (name: string): Key => ({ name, ctrl: true, sequence: '' });
const typed = (text: string): Key[] => [...text].map(char => ({ name: char.toLowerCase(), sequence: char }));

const told = (sequence: string): Key => keyOf(sequence) ?? { sequence };

const base = { title: 'Run write_file?', openedAt: 0, deadline: null };
const APPROVAL: Gate = {
  ...base,
  id: 'g1',
  kind: 'approval',
  body: '```json\n{\n  "path": "a  b"\n}\n```',
  subject: { tool: 'write_file', callId: 'c', arguments: '{"path":"a b"}' },
};
const QUESTION: Gate = {
  ...base,
  id: 'g2',
  kind: 'question',
  body: 'Which?',
  subject: { role: 'planner' },
};
const PLAN: Gate = { ...base, id: 'g3', kind: 'plan', body: '- t1: Read', subject: { tasks: 1 } };
const BUDGET: Gate = {
  ...base,
  id: 'g4',
  kind: 'budget',
  body: '',
  subject: { budget: 'turns', limit: 10, used: 10 },
};

const FORM: Gate = {
  ...base,
  id: 'g5',
  kind: 'form',
  body: '',
  subject: { server: 's', tool: 't', callId: 'c', schema: { type: 'object', properties: {} } },
};

/** Long after a gate came up. */
const LATER = 10_000;

function at(gates: Gate[], more: Partial<SessionState> = {}): SessionState {
  return { ...drawn(withGates(NEW_SESSION, gates, [{ id: 't1', description: 'Read' }]), 0), ...more };
}

function press(
  session: SessionState,
  keys: Key[],
  now = LATER,
): { session: SessionState; effects: Effect[] } {
  const effects: Effect[] = [];
  for (const key of keys) {
    const step = onKey(session, key, now);
    session = step.session;
    effects.push(...step.effects);
  }
  return { session, effects };
}

const answer = (gate: Gate, input: object) => ({
  do: 'answer',
  gate,
  input: input,
});
const idle = { ...NEW_SESSION, idle: true };

const TABLE: [string, SessionState, Key[], object[]][] = [
  [
    'a line and Enter (S1) → steers',
    NEW_SESSION,
    [...typed('faster'), ENTER],
    [{ do: 'steer', text: 'faster', when: 'skip' }],
  ],
  [
    'a line and Enter after the answer (S2) → the next goal',
    idle,
    [...typed('more'), ENTER],
    [{ do: 'follow-up', text: 'more' }],
  ],
  ['Alt+Enter → a follow-up', NEW_SESSION, [...typed('x'), ALT_ENTER], [{ do: 'follow-up', text: 'x' }]],
  ['Ctrl+F → a follow-up', NEW_SESSION, [...typed('x'), CTRL('f')], [{ do: 'follow-up', text: 'x' }]],
  [
    'Esc with text → interrupts',
    NEW_SESSION,
    [...typed('no'), ESC],
    [{ do: 'steer', text: 'no', when: 'interrupt' }],
  ],
  ['Esc without text → cuts off what runs, once, and holds (TE5)', NEW_SESSION, [ESC, ESC], [{ do: 'hold' }]],
  [
    'Esc without text, then a line → it is said, and the run goes on (TE5)',
    NEW_SESSION,
    [ESC, ...typed('no'), ENTER],
    [{ do: 'hold' }, { do: 'steer', text: 'no', when: 'skip' }, { do: 'resume' }],
  ],
  ['Esc, then Enter alone → goes on', NEW_SESSION, [ESC, ENTER, ENTER], [{ do: 'hold' }, { do: 'resume' }]],
  [
    'Esc without text at a gate → says that it waits',
    at([APPROVAL]),
    [ESC],
    [{ do: 'say', lines: [expect.stringContaining('waits for your answer')] }],
  ],
  [
    'Alt+Up → what was said last is taken back',
    NEW_SESSION,
    [{ name: 'up', meta: true }],
    [{ do: 'take-back' }],
  ],
  ['/take-back → the same', NEW_SESSION, [...typed('/take-back'), ENTER], [{ do: 'take-back' }]],
  [
    'v at an approval → all that it is about (PR8)',
    at([APPROVAL]),
    typed('v'),
    [{ do: 'view', gate: APPROVAL }],
  ],
  [
    '/view at a question → all that it is about',
    at([QUESTION]),
    [...typed('/view'), ENTER],
    [{ do: 'view', gate: QUESTION }],
  ],
  [
    'Ctrl-J → a new line in the text (TE5)',
    NEW_SESSION,
    [...typed('a'), { name: 'enter', sequence: '\n' }, ...typed('b'), ENTER],
    [{ do: 'steer', text: 'a\nb', when: 'skip' }],
  ],
  [
    'Shift+Enter, where the terminal tells it → a new line; Alt+Enter → a follow-up',
    NEW_SESSION,
    [...typed('a'), told('\u001b[13;2u'), ...typed('b'), told('\u001b[27;3;13~')],
    [{ do: 'follow-up', text: 'a\nb' }],
  ],
  [
    'a backslash before Enter → a new line; a backslash elsewhere stays',
    NEW_SESSION,
    [...typed('a\\b\\'), ENTER, ...typed('c'), ENTER],
    [{ do: 'steer', text: 'a\\b\nc', when: 'skip' }],
  ],
  [
    'Esc, Ctrl-C and Alt+Up as newer terminals tell them → the same keys',
    NEW_SESSION,
    [told('\u001b[27u'), told('\u001b[1;131A'), told('\u001b[99;5u'), told('\u001b[99;133u')],
    [{ do: 'hold' }, { do: 'take-back' }, { do: 'detach' }],
  ],
  [
    'pasted lines → text, and nothing is sent',
    NEW_SESSION,
    [{ name: 'paste', sequence: '/stop\nall\u001b[2J' }],
    [],
  ],
  ['Enter on nothing → nothing', NEW_SESSION, [ENTER], []],
  ['/pause → pauses (S5)', NEW_SESSION, [...typed('/pause'), ENTER], [{ do: 'pause' }]],
  ['the start of a command → that command', NEW_SESSION, [...typed('/pa'), ENTER], [{ do: 'pause' }]],
  [
    '/interrupt TEXT → interrupts',
    NEW_SESSION,
    [...typed('/interrupt no'), ENTER],
    [{ do: 'steer', text: 'no', when: 'interrupt' }],
  ],
  [
    '/to ROLE TEXT → for that role',
    NEW_SESSION,
    [...typed('/to planner less'), ENTER],
    [{ do: 'steer', text: 'less', when: 'skip', to: 'planner' }],
  ],
  [
    '/to without text → asks for it',
    NEW_SESSION,
    [...typed('/to planner'), ENTER],
    [{ do: 'say', lines: ['Its text is missing: /to ROLE TEXT'] }],
  ],
  ['/plan → the tasks', NEW_SESSION, [...typed('/plan'), ENTER], [{ do: 'look', at: 'plan' }]],
  [
    '/plan TEXT → a task more',
    NEW_SESSION,
    [...typed('/plan Read it'), ENTER],
    [{ do: 'add-task', text: 'Read it' }],
  ],
  [
    '/budget with words → changes limits',
    NEW_SESSION,
    [...typed('/budget turns=9  tokens=1'), ENTER],
    [{ do: 'set-budget', words: ['turns=9', 'tokens=1'] }],
  ],
  [
    '/yes → approves what waits, but no budget; /yes off → says that you are asked',
    at([APPROVAL, BUDGET, PLAN]),
    [...typed('/yes'), ENTER, ...typed('/yes off'), ENTER],
    [
      { do: 'say', lines: [expect.stringContaining('approved from now on'), expect.any(String)] },
      answer(APPROVAL, { decision: 'approve' }),
      answer(PLAN, { decision: 'approve' }),
      { do: 'say', lines: [expect.stringContaining('asked again')] },
    ],
  ],
  [
    '/follow without text → asks for it',
    NEW_SESSION,
    [...typed('/follow'), ENTER],
    [{ do: 'say', lines: ['Its text is missing: /follow TEXT'] }],
  ],
  [
    'an unknown command → says so',
    NEW_SESSION,
    [...typed('/etc/x'), ENTER],
    [{ do: 'say', lines: [expect.stringContaining('no command /etc/x')] }],
  ],
  [
    'a word of other programs for the end → how one leaves this one',
    NEW_SESSION,
    [...typed('/exit'), ENTER],
    [{ do: 'say', lines: ['There is no command /exit. /help lists them, and Ctrl-C leaves.'] }],
  ],
  [
    'a space before / → a message',
    NEW_SESSION,
    [...typed(' /etc'), ENTER],
    [{ do: 'steer', text: '/etc', when: 'skip' }],
  ],
  ['Ctrl-C twice → detaches', NEW_SESSION, [CTRL('c'), CTRL('c')], [{ do: 'detach' }]],
  ['Ctrl-C, s → stops (L10)', NEW_SESSION, [CTRL('c'), ...typed('s')], [{ do: 'stop' }]],
  [
    'Ctrl-C, c, text → goes on',
    NEW_SESSION,
    [CTRL('c'), ...typed('cok'), ENTER],
    [{ do: 'steer', text: 'ok', when: 'skip' }],
  ],
  ['Ctrl-C after the answer → leaves', idle, [CTRL('c')], [{ do: 'finish' }]],
  [
    'y at an approval (S4) → approves',
    at([APPROVAL]),
    typed('y'),
    [answer(APPROVAL, { decision: 'approve' })],
  ],
  [
    'w and Enter at an approval → always, in this workspace too',
    at([APPROVAL]),
    [...typed('w'), ENTER],
    [answer(APPROVAL, { decision: 'always', alwaysFor: 'workspace' })],
  ],
  [
    'a and Enter at an approval → always',
    at([APPROVAL]),
    [...typed('a'), ENTER],
    [answer(APPROVAL, { decision: 'always' })],
  ],
  ['WB3 the first keys of wait, why and any at an approval → allow nothing', at([APPROVAL]), typed('wa'), []],
  [
    'WB3 a line that begins with always → decides nothing',
    at([APPROVAL]),
    [...typed('always ask me'), ENTER],
    [{ do: 'say', lines: [expect.stringContaining('nothing is decided'), expect.any(String)] }],
  ],
  [
    'n and Enter at a budget → wraps up',
    at([BUDGET]),
    [...typed('n'), ENTER],
    [answer(BUDGET, { decision: 'wrap_up' })],
  ],
  [
    'n and Enter at a form → declines',
    at([FORM]),
    [...typed('n'), ENTER],
    [answer(FORM, { decision: 'decline' })],
  ],
  [
    'n and Enter → denies without a reason',
    at([APPROVAL]),
    [...typed('n'), ENTER],
    [answer(APPROVAL, { decision: 'deny' })],
  ],
  [
    'n and a reason → denies with it',
    at([APPROVAL]),
    [...typed('no way'), ENTER],
    [answer(APPROVAL, { decision: 'deny', reason: 'o way' })],
  ],
  [
    'e, edited, Enter → approves with the edit',
    at([APPROVAL]),
    [...typed('e'), CTRL('u'), ...typed('{"path":"c"}'), ENTER],
    [answer(APPROVAL, { decision: 'approve', arguments: { path: 'c' } })],
  ],
  [
    'e and Enter at once → nothing is approved unseen',
    at([APPROVAL]),
    [...typed('e'), ENTER],
    [{ do: 'say', lines: [expect.stringContaining('Nothing is changed')] }],
  ],
  [
    'e and a broken text → says what is wrong',
    at([APPROVAL]),
    [...typed('e'), CTRL('u'), ...typed('{"path"'), ENTER],
    [{ do: 'say', lines: [expect.stringContaining('not YAML')] }],
  ],
  [
    'another word at an approval → says what may be said',
    at([APPROVAL]),
    [...typed('hm'), ENTER],
    [
      {
        do: 'say',
        lines: [expect.stringContaining('"hm" is none of these'), expect.stringContaining('/steer')],
      },
    ],
  ],
  [
    '/steer at an approval → steers',
    at([APPROVAL]),
    [...typed('/steer wait'), ENTER],
    [{ do: 'steer', text: 'wait', when: 'skip' }],
  ],
  [
    'a question (F17) → the line is the answer, whatever it begins with',
    at([QUESTION]),
    [...typed('yes /x'), ENTER],
    [answer(QUESTION, { text: 'yes /x' })],
  ],
  [
    'a question and a path → the answer, no command',
    at([QUESTION]),
    [...typed('/etc'), ENTER],
    [answer(QUESTION, { text: '/etc' })],
  ],
  [
    'n at a plan without a reason → asks for one',
    at([PLAN]),
    [...typed('n'), ENTER],
    [{ do: 'say', lines: [expect.stringContaining('what the plan should change'), 'Esc goes back.'] }],
  ],
  [
    'n at a plan with a reason → rejects',
    at([PLAN]),
    [...typed('nless'), ENTER],
    [answer(PLAN, { decision: 'reject', reason: 'less' })],
  ],
  [
    'any other words at a plan → what it should change',
    at([PLAN]),
    [...typed('fewer tasks'), ENTER],
    [answer(PLAN, { decision: 'reject', reason: 'fewer tasks' })],
  ],
  ['是 and Enter → approves', at([PLAN]), [...typed('是'), ENTER], [answer(PLAN, { decision: 'approve' })]],
  [
    '不, Enter, Enter → denies',
    at([APPROVAL]),
    [...typed('不'), ENTER, ENTER],
    [answer(APPROVAL, { decision: 'deny' })],
  ],
  ['y and Enter while nothing asks → is asked back first', NEW_SESSION, [...typed('y'), ENTER], []],
  ['好 and Enter after the answer → is asked back first', idle, [...typed('好'), ENTER], []],
  [
    'y, Enter, Enter while nothing asks → is said',
    NEW_SESSION,
    [...typed('y'), ENTER, ENTER],
    [{ do: 'steer', text: 'y', when: 'skip' }],
  ],
  ['y, Enter, Esc while nothing asks → nothing is said', NEW_SESSION, [...typed('y'), ENTER, ESC, ENTER], []],
  [
    'y, Enter, more words, Enter → is said whole',
    NEW_SESSION,
    [...typed('y'), ENTER, ...typed('es it is'), ENTER],
    [{ do: 'steer', text: 'yes it is', when: 'skip' }],
  ],
  [
    'e where there is an editor → the arguments in it',
    at([APPROVAL], { editor: true }),
    typed('e'),
    [{ do: 'edit', gate: APPROVAL, text: 'path: a  b' }],
  ],
  [
    'a number at a budget → raises it',
    at([BUDGET]),
    [...typed('20'), ENTER],
    [answer(BUDGET, { decision: 'raise', to: 20 })],
  ],
];

describe('onKey', () => {
  test.each(TABLE)('%s', (_name, session, keys, effects) => {
    expect(press(session, keys).effects).toEqual(effects);
  });

  test('a gate after /yes → is approved; while a person answers it, it is theirs', () => {
    const { session } = press(NEW_SESSION, [...typed('/yes'), ENTER]);
    const asked = withGates(session, [QUESTION, APPROVAL], []);
    expect(yesEffects(asked)).toEqual([answer(APPROVAL, { decision: 'approve' })]);
    expect(yesEffects({ ...asked, stage: { kind: 'reason', gateId: 'g1' } })).toEqual([]);
    expect(yesEffects(press(asked, [...typed('/yes off'), ENTER]).session)).toEqual([]);
  });

  test('y before a person could read the gate → text, not an answer', () => {
    const { session, effects } = press(at([APPROVAL]), typed('y'), 100);
    expect(effects).toEqual([]);
    expect(session.line.text).toBe('y');
  });

  test.each([
    [APPROVAL, 'y'],
    [QUESTION, 'The Alba'],
  ])(
    'keys before the gate $kind is drawn → no answer, and asked back; after it → the answer (TE5)',
    (gate, words) => {
      const listed = withGates(NEW_SESSION, [gate], []);
      const begun = press(listed, typed(words));
      expect(begun.effects).toEqual([]);
      const asked = press(drawn(begun.session, LATER), [ENTER], 2 * LATER);
      expect(asked).toMatchObject({ effects: [], session: { stage: { kind: 'sure' } } });
      const seen = press(drawn(listed, LATER), [...typed(words), ENTER], 2 * LATER);
      expect(seen.effects).toMatchObject([{ do: 'answer' }]);
    },
  );

  test('y in the middle of a line when a gate comes up → goes on with the line', () => {
    const { session } = press(NEW_SESSION, typed('da'));
    expect(press(drawn(withGates(session, [APPROVAL], []), 0), typed('y')).session.line.text).toBe('day');
  });

  test.each(['y', 'use metric units'])(
    '%s, begun before the gate opens → answers it only when asked back',
    words => {
      const begun = drawn(withGates(press(NEW_SESSION, typed(words)).session, [PLAN], []), 0);
      const asked = press(begun, [ENTER]);
      expect(asked.effects).toEqual([]);
      expect(press(asked.session, [ENTER]).effects).toMatchObject([{ do: 'answer' }]);
      expect(press(asked.session, [ESC, ...typed('y')]).effects).toMatchObject([{ do: 'answer' }]);
    },
  );

  test('texts of several lines → edited as they are, and come back as they were', () => {
    const input = { path: 'a', content: '# Boats\n\n- "two"\n', old: 'no', trailing: ' x \n\n', n: 3 };
    const text = editText(APPROVAL, [], input);
    expect(text).toContain('  # Boats\n\n  - "two"\n');
    const read = editedAnswer(APPROVAL, text.replace('two', 'three'), text);
    const content = '# Boats\n\n- "three"\n';
    expect(read).toEqual({ decision: 'approve', arguments: { ...input, content } });
  });

  test.each(['a\n\n', '\n', ' \n', 'a\n \t\n', 'a\n'])(
    'WB14 a last text %j → comes back with all its ends of lines',
    text => {
      const input = { path: 'a', text };
      const shown = editText(APPROVAL, [], input);
      const edited = `${shown.replace('path: a', 'path: b')}\n`;
      const { effects } = editedElsewhere(at([APPROVAL]), APPROVAL, shown, edited);
      expect(effects).toEqual([answer(APPROVAL, { decision: 'approve', arguments: { path: 'b', text } })]);
    },
  );

  test('WB7 texts that hide something → edited with it shown by its code, and come back as they were', () => {
    const input = {
      path: 'a\u202eb',
      'na\u200bme': `x\u{e0041}\n${'long '.repeat(40)}\u00ad`,
      plain: "it's",
    };
    const text = editText(APPROVAL, [], input);
    expect(text).toContain('path: "a\\u202eb"');
    expect(visibleText(text)).toBe(text);
    const edited = editedAnswer(APPROVAL, text.replace("it's", 'new'), text);
    expect(edited).toEqual({ decision: 'approve', arguments: { ...input, plain: 'new' } });
  });

  test('what comes out of an editor → the answer; unchanged or too late → is said', () => {
    const session = at([APPROVAL], { editor: true });
    const text = 'path: a  b';
    expect(editedElsewhere(session, APPROVAL, text, 'path: c\n').effects).toEqual([
      answer(APPROVAL, { decision: 'approve', arguments: { path: 'c' } }),
    ]);
    for (const [edited, now] of [
      [`${text}\n`, session],
      ['path: c\n', NEW_SESSION],
      ['path: [\n', session],
    ] as const)
      expect(editedElsewhere(now, APPROVAL, text, edited).effects).toMatchObject([{ do: 'say' }]);
  });

  test('pasted text at a gate → text, not an answer', () => {
    const paste = { name: 'paste', sequence: 'y' };
    expect(press(at([APPROVAL]), [paste])).toMatchObject({ effects: [], session: { line: { text: 'y' } } });
  });

  test('e and v at a call whose arguments the gate holds only in part → all of them (PR8)', () => {
    const input = { path: 'a', content: 'x'.repeat(9_000) };
    const gate = {
      ...APPROVAL,
      body: '```json\n{\n  "path": "a",\n  "content": "xx\n… 8,990 characters more\n```',
    };
    const { session } = press(at([gate], { inputs: { g1: input } }), typed('e'));
    expect(parse(session.line.text)).toEqual(input);
    const whole = { kind: 'code', language: 'json', text: JSON.stringify(input, null, 2) };
    const less = { ...gate, body: `Less.\n\n${gate.body}\n\nOnly 40 of them.\nIt is new.` };
    const text = (words: string) => ({ kind: 'text', text: words });
    expect(wholeParts(less, { input })).toEqual([text('Less.'), whole, text('It is new.')]);
    const [, all] = wholeParts({ ...gate, body: 'Which?' }, { input });
    expect(all).toEqual({ kind: 'text', text: `All of its arguments:\n${whole.text}` });
    expect(wholeParts(APPROVAL, { input: { path: 'a  b' } })).toEqual(partsOf(APPROVAL));
  });

  test('WB7 e: a reviewer’s words hold arguments of another call → those of the call are edited', () => {
    const body = approvalText(BUILT_IN_WORDS.en, {
      ...{ tool: 'write', callId: 'c1', input: { path: 'real' }, thought: '' },
      concerns: ['Fine.\n\n```json\n{ "path": "README.md" }\n```'],
    }).body;
    expect(press(at([{ ...APPROVAL, body }]), typed('e')).session.line.text).toBe('path: real');
  });

  test('e → the arguments as they are, also where the preview has lost spaces', () => {
    expect(press(at([APPROVAL]), typed('e')).session.line.text).toBe('path: a  b');
  });

  test('e at a plan, and somebody adds a task meanwhile → the answer says which tasks were shown (L17)', () => {
    const begun = press(at([PLAN]), [
      ...typed('e'),
      CTRL('u'),
      { name: 'backspace' },
      CTRL('u'),
      ...typed('[{"id":"t1"}]'),
    ]).session;
    const tasks = ['t1', 't2'].map(id => ({ id, description: 'Read' }));
    const edit = { decision: 'edit', tasks: [{ id: 't1' }], shown: ['t1'] };
    expect(press(withGates(begun, [PLAN], tasks), [ENTER]).effects).toEqual([answer(PLAN, edit)]);
    // As it was shown, it changes nothing.
    const untouched = withGates(press(at([PLAN]), typed('e')).session, [PLAN], tasks);
    expect(press(untouched, [ENTER]).effects).toMatchObject([{ do: 'say' }]);
  });

  test('a gate that closes while its reason is typed → the line is a message again', () => {
    const { session } = press(at([APPROVAL]), typed('nbecause'));
    expect(withGates(session, [], [])).toMatchObject({ stage: { kind: 'compose' }, line: { text: '' } });
  });

  test('Up → the line that was sent, to be edited and sent again', () => {
    const { session } = press(NEW_SESSION, [...typed('one'), ENTER, { name: 'up' }, ...typed('!')]);
    expect(session.line.text).toBe('one!');
  });

  test('Up and Down → what is being written comes back (TE5)', () => {
    const { session } = press(NEW_SESSION, [...typed('one'), ENTER, ...typed('draft')]);
    expect(press(session, [{ name: 'down' }]).session.line.text).toBe('draft');
    expect(press(session, [{ name: 'up' }, { name: 'down' }, { name: 'down' }]).session.line.text).toBe(
      'draft',
    );
    const edited = press(session, [{ name: 'up' }, ...typed('!'), { name: 'down' }]);
    expect(edited.session.line.text).toBe('draft');
  });

  test('Up and Down in a text of several lines → between them first, Home and End in their line', () => {
    const sentBefore = press(NEW_SESSION, [...typed('old'), ENTER]).session;
    const { session } = press(sentBefore, [{ name: 'paste', sequence: 'ab\nc\ndef' }]);
    const where = (...keys: string[]) => {
      const { text, cursor } = press(
        session,
        keys.map(name => ({ name })),
      ).session.line;
      return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
    };
    expect(where('up')).toBe('ab\nc|\ndef');
    expect(where('up', 'up', 'home')).toBe('|ab\nc\ndef');
    expect(where('home')).toBe('ab\nc\n|def');
    expect(where('up', 'up', 'up')).toBe('old|');
    expect(where('up', 'up', 'up', 'down')).toBe('ab\nc\ndef|');
  });

  test.each<[string, string, Key[], string]>([
    ['Alt+B', 'see src/a.ts now', [{ name: 'b', meta: true }], 'see src/a.ts |now'],
    ['Ctrl+Left twice', 'see src/a.ts now', [CTRL('left'), CTRL('left')], 'see src/|a.ts now'],
    ['Alt+Left in Chinese', '读取文件 然后总结', [{ name: 'left', meta: true }], '读取文件 然后|总结'],
    ['Ctrl-A, Alt+F', 'one two', [CTRL('a'), { name: 'f', meta: true }], 'one| two'],
    ['Ctrl-A, Ctrl+Right twice', 'one two', [CTRL('a'), CTRL('right'), CTRL('right')], 'one two|'],
    ['Ctrl-W', 'see src/a.ts', [CTRL('w')], 'see |'],
    ['Alt+Backspace', 'see src/a.ts', [{ name: 'backspace', meta: true }], 'see src/|'],
    ['Ctrl-A, Alt+D', 'one two', [CTRL('a'), { name: 'd', meta: true }], '| two'],
    ['Ctrl-U, Ctrl-Y twice', 'ab', [CTRL('u'), CTRL('y'), CTRL('y')], 'abab|'],
    ['Ctrl-K at the end of a line', 'a\nb', [{ name: 'up' }, CTRL('k')], 'a|b'],
    ['Ctrl-B', 'ab', [CTRL('b')], 'a|b'],
    ['characters told by their codes', '', [told('\u001b[97u'), told('\u001b[120;3u')], 'a|'],
    ['a key nobody knows', 'ab', [told('\u001b[57376;2u'), { name: 'f5', sequence: '\u001b[15~' }], 'ab|'],
  ])('%s → moves or cuts as in a shell', (_name, text, keys, shown) => {
    const { line } = press(NEW_SESSION, [{ name: 'paste', sequence: text }, ...keys]).session;
    expect(`${line.text.slice(0, line.cursor)}|${line.text.slice(line.cursor)}`).toBe(shown);
  });

  test('backspace → takes a whole character as a person sees it', () => {
    const { session } = press(NEW_SESSION, [{ sequence: 'a👩‍👩‍👧' }, { name: 'backspace' }]);
    expect(session.line.text).toBe('a');
  });
});
