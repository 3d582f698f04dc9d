import { describe, expect, test } from 'vitest';
import { inventoryOf } from '../../../../src/activities/looks/inventory.js';
import { jsonBytes, utf8Length } from '../../../../src/base/json/json.js';
import { LOOKED_BYTES } from '../../../../src/base/sizes/bounds.js';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import { lookedUp } from '../../../../src/features/evidence/looked.js';
import {
  agentNote,
  callNote,
  isNoted,
  withCall,
  withSnapshots,
} from '../../../../src/features/evidence/record.js';
import {
  basisOf,
  type CallNote,
  EVIDENCE_BYTES,
  type Evidence,
  itemsCited,
  newEvidence,
} from '../../../../src/features/evidence/rules.js';
import { citationDoubts, failureDoubts } from '../../../../src/rules/outputs/citations.js';
import type {
  EvidenceItem,
  FileNow,
  FilesNow,
  Looked,
  Snapshot,
  WorkspaceChanges,
} from '../../../../src/run/evidence/evidence.js';
import { NOT_SEEN } from '../../../../src/run/evidence/evidence.js';
import { namedPaths, pathsOf } from '../../../../src/run/tools/tool-paths.js';
import { task } from '../../../support/core-values.js';
import { fileTool } from '../../../support/small-run.js';

const then = (path: string, more: Partial<Snapshot> = {}): Snapshot => ({
  ...{ path, named: path, hash: 'old', bytes: 3, ref: 'blob:old', taskIds: ['t1'] },
  ...more,
});
const now = (path: string, more: Partial<FileNow> = {}): FileNow => ({
  ...{ path, hash: 'new', bytes: 5, diff: null, left: 0, why: null },
  ...more,
});
const call = (more: Partial<CallNote> = {}): CallNote => ({
  ...{ taskId: 't1', call: 'send_mail ann', named: [], ending: 'executed', isError: false },
  ...{ acted: true, cut: false, said: null },
  ...more,
});
const plan = [task('t1'), task('t2')];
const words = BUILT_IN_WORDS.en;

/** Ended well, with what it said. */
const ended = (text: string) => ({
  ending: 'executed' as const,
  isError: false,
  content: [{ type: 'text' as const, text }],
});
const runs = {
  ...fileTool('run'),
  description: 'by bash with pipefail',
  inputSchema: { properties: { command: {} } },
};
const computes = { ...fileTool('compute', { readOnly: true }), inputSchema: { properties: { code: {} } } };

/** Calls as they follow each other. */
type Step = (before: Evidence) => Evidence;
const noted =
  (text: string, about: Pick<Parameters<typeof callNote>[1], 'tool' | 'line' | 'input'>): Step =>
  before => {
    const named = namedPaths(about.input, '/w');
    const at = before.changes ?? 0;
    return withCall(before, callNote(ended(text), { ...about, named, taskId: 't1', at }));
  };
const ran = (command: string): Step =>
  noted('exit code 0 (0.1 s)', { tool: runs, line: `run ${command}`, input: { command } });
const computed = (code: string, text = '42'): Step =>
  noted(text, { tool: computes, line: `compute ${code}`, input: { code } });
const put =
  (path: string, more: Partial<Snapshot> = {}): Step =>
  before => {
    const isKnown = before.files.some(({ named }) => named === path);
    const known = isKnown ? before : withSnapshots(before, [then(path, more)]);
    return noted('Done.', { tool: fileTool('put'), line: `put ${path}`, input: { path } })(known);
  };
const following = (steps: readonly Step[]) => steps.reduce((evidence, step) => step(evidence), newEvidence());

/** What a verifier is told of them where every file has changed but those of `void`, which never were. */
function lookAfter(steps: readonly Step[], more: Partial<FilesNow> = {}, never: readonly string[] = []) {
  const evidence = following(steps);
  const files = evidence.files.map(({ path }) =>
    now(path, never.includes(path) ? { hash: null } : { diff: '+y' }),
  );
  const seen = { files, others: [], more: 0, ...more };
  return lookedUp({ evidence, checks: [], now: seen, plan, tools: [runs], words }) ?? { text: '', items: [] };
}

/** The item whose line has this. */
function itemOf({ text, items }: Looked, part: string) {
  const id = text
    .split('\n')
    .find(line => line.includes(part))
    ?.split(' · ')[0];
  return items.find(item => item.id === id);
}

function look(
  files: Snapshot[],
  calls: CallNote[],
  seen: FileNow[] | null,
  others: string[] = [],
  tools = [fileTool('put')],
) {
  const evidence = { files, calls, left: 0 };
  return lookedUp({
    evidence,
    checks: [],
    now: seen && { files: seen, others, more: 0 },
    plan,
    tools,
    words,
  });
}

/** What a verifier is told of a command that ended with 0. */
function lookedAt(command: string, description: string) {
  const content = [{ type: 'text' as const, text: 'exit code 0 (0.1 s)\nok' }];
  const tool = { ...fileTool('run'), description, inputSchema: { properties: { command: {} } } };
  const about = { tool, line: `run ${command}`, input: { command }, named: [], taskId: 't1' };
  const note = callNote({ ending: 'executed', isError: false, content }, about);
  return look([], [note], []) ?? { text: '', items: [] };
}

const evidenceOf = (...given: Parameters<typeof lookedAt>) => lookedAt(...given).items[0];

describe('the text of evidence', () => {
  test.each<[string, Snapshot, FileNow, string | null]>([
    ['changed', then('a'), now('a', { diff: '-x\n+y' }), 'e1 · t1 · a: changed, 5 bytes:\n-x\n+y'],
    ['new', then('a', { hash: null }), now('a', { diff: '+y' }), 'e1 · t1 · a: new, 5 bytes:\n+y'],
    ['the same again', then('a'), now('a', { hash: 'old' }), 'a: named by a call, and now as it was before'],
    ['gone', then('a'), now('a', { hash: null }), 'a: was there, and is gone'],
    [
      'changed before its first call',
      then('a'),
      now('a', { diff: '-x\n+y', isLater: true }),
      'a: changed, 5 bytes; changed before that too, by a command or somebody else, which is not shown here:\n-x\n+y',
    ],
    [
      'changed before its first call, which changed nothing',
      then('a'),
      now('a', { hash: 'old', isLater: true }),
      'and now as it was before; changed before that too',
    ],
    [
      'gone before its first call',
      then('a', { hash: null }),
      now('a', { hash: null, isLater: true }),
      'a: was there, and is gone',
    ],
    ['never there', then('a', { hash: null }), now('a', { hash: null }), null],
    ['no text', then('a'), now('a', { why: 'no_text' }), 'a: changed, 5 bytes; no text, so not compared'],
    [
      'a name with a line in it',
      then('a\ne9 · t2'),
      now('a\ne9 · t2', { hash: null }),
      'e1 · t1 · a?e9 · t2: was',
    ],
  ])('a file that is %s → said so, on its line', (_, first, there, expected) => {
    const { text = '' } = look([first], [], [there]) ?? {};
    if (expected === null) expect(text).toContain('no call changed anything');
    else expect(text).toContain(expected);
  });

  test.each<[string, CallNote, string, boolean]>([
    ['done', call(), 'e1 · t1 · send_mail ann: executed', true],
    ['of no task', call({ taskId: null }), 'e1 · send_mail ann: executed', true],
    ['denied', call({ ending: 'denied', acted: false }), 'send_mail ann: denied', false],
    ['unknown', call({ ending: 'outcome_unknown' }), 'send_mail ann: outcome_unknown', false],
    [
      'an error',
      call({ isError: true, said: 'no such user' }),
      'executed, the tool reports an error · no such',
      false,
    ],
    ['a command', call({ said: 'exit code 0 (0.1 s)' }), 'executed · exit code 0', true],
    ['a command that tells no code', call({ said: '3 tests passed' }), 'executed · 3 tests', true],
    ['a command that failed', call({ said: 'exit code 1 (0.1 s)' }), 'executed · exit code 1', false],
    [
      'a command that failed and says else',
      call({ said: 'exit 0 … exited with 13' }),
      'exited with 13',
      false,
    ],
    ['a command that a signal ended', call({ said: 'ended by SIGKILL (1 s)' }), 'ended by SIGKILL', false],
    ['a command that hung', call({ said: 'timed out after 9 s … exit code 0' }), 'timed out', false],
    ['seen in part', call({ acted: false, cut: true }), 'executed, only a part of its output is here', false],
  ])('a call that is %s → its ending, and whether a task may rest on it', (_, note, expected, supports) => {
    const { text = '', items = [] } = look([], [note], []) ?? {};
    expect(text).toContain(expected);
    expect(items[0]?.supports).toBe(supports);
  });

  test('a call that computed → what it said, and a task may rest on it; one that read → nothing', () => {
    const ended = {
      ending: 'executed' as const,
      isError: false,
      content: [{ type: 'text' as const, text: '42' }],
    };
    const sums = { ...fileTool('compute', { readOnly: true }), inputSchema: { properties: { code: {} } } };
    const reads = fileTool('read', { readOnly: true });
    expect([isNoted(sums, ended), isNoted(reads, ended)]).toEqual([true, false]);
    const input = { code: "readLines('a').length" };
    const about = { tool: sums, line: 'compute sum', input, named: [], taskId: 't1' };
    const { text = '', items = [] } = look([], [callNote(ended, about)], []) ?? {};
    expect(text).toContain('e1 · t1 · compute sum: executed · 42');
    expect(items[0]?.supports).toBe(true);
  });

  test('nobody else has changed a file → said, so that an answer may say so', () => {
    expect(look([then('a')], [], [now('a')])?.text).toContain('No other file');
    expect(look([then('a')], [], [now('a')], ['b'])?.text).not.toContain('No other file');
  });

  test.each<[string, Partial<WorkspaceChanges>, string, string | null]>([
    ['nothing', {}, 'No other file has changed, come or gone', null],
    ['a new hidden file', { added: ['.npmrc'] }, '.npmrc (new)', 'No other file'],
    ['a file that is gone', { gone: ['a.txt'] }, 'a.txt (gone)', 'No other file'],
    ['what git ignores', { ignored: ['node_modules/ (1 → 2)'] }, 'node_modules/ (1 → 2)', 'No other file'],
    ['nothing, of too many', { unseen: 'cut' }, 'others may have changed', 'No other file'],
    ['no list of the beginning', { unseen: 'start' }, 'is not known', 'No other file'],
    ['no list of now', { unseen: 'now' }, 'is not known', 'No other file'],
    ['some, of too many', { changed: ['b'], unseen: 'cut' }, 'others may have changed', 'No other file'],
  ])('the workspace has %s → said, and no more than is known (WK2)', (_, more, expected, never) => {
    const changes = { changed: [], added: [], gone: [], more: 0, ignored: [], unseen: null, ...more };
    const now = { files: [], others: [], more: 0, changes };
    const evidence = { files: [], calls: [call()], left: 0 };
    const { text = '' } = lookedUp({ evidence, checks: [], now, plan, tools: [], words }) ?? {};
    expect(text).toContain(expected);
    if (never !== null) expect(text).not.toContain(never);
  });

  test('checks of the goal → first, by their own ids; any task may rest on one that passed', () => {
    const check = { check: 'npm test', why: 'exit code 0', ms: 1 };
    const checks = [
      { ...check, id: 'c1', status: 'passed' as const },
      { ...check, id: 'c2', status: 'failed' as const, why: 'exit\ncode 1' },
    ];
    const given = { evidence: { files: [], calls: [call()], left: 0 }, checks, now: null, plan, words };
    const { text = '', items = [] } = lookedUp({ ...given, tools: [] }) ?? {};
    expect(text).toContain(
      'c1 · check that the run made, npm test: passed (exit code 0)\nc2 · check that the run made, npm test: failed (exit?code 1)\ne1 ·',
    );
    expect(text).not.toContain('No tool here runs commands');
    expect(items.map(({ id, taskIds, supports }) => [id, taskIds, supports])).toEqual([
      ['c1', [], true],
      ['c2', [], false],
      ['e1', ['t1'], true],
    ]);
  });

  test.each<[string, Snapshot, FileNow, string]>([
    ['now', then('a'), now('a', { hash: NOT_SEEN, bytes: 0, why: 'unread' }), 'a: cannot be looked at now'],
    [
      'before the first write',
      then('a', { hash: NOT_SEEN, ref: null }),
      now('a', { why: 'unread' }),
      'a: what it was before is not known',
    ],
  ])(
    'a file that could not be looked at %s → no task rests on it, and its call is told',
    (_, first, there, line) => {
      const { text = '', items = [] } = look([first], [call({ call: 'put a', named: ['a'] })], [there]) ?? {};
      expect(text).toContain(line);
      expect(text).toContain('put a: executed');
      expect(items[0]).toMatchObject({ supports: false });
      expect(items[0]?.file).toBeUndefined();
    },
  );

  test('a file with signs that end a line for readers → its difference has no line but its own', () => {
    const forged = 'e9 · t1 · report.md: new, 900 bytes:';
    const diff = ['+a\r', '+b\u2028', '+c\v', '+d\u0085'].map(line => `${line}${forged}`).join('\n');
    const { text = '' } = look([then('a')], [], [now('a', { diff })]) ?? {};
    expect(text.split(/[\n\r\v\f\u0085\u2028\u2029]/).filter(line => line.startsWith('e9'))).toEqual([]);
  });

  test.each([
    ['first', 'exit code 1 (0.1 s)\nall well: exit code 0', 'exit code 1 (0.1 s) … all well: exit code 0'],
    [
      'first, of one that did not exit',
      'timed out after 120 s\nexit code 0',
      'timed out after 120 s … exit code 0',
    ],
    ['last', 'exit code 0, I say\nExit code: 1', 'exit code 0, I say … Exit code: 1'],
    ['alone', 'exit code 0 (0.1 s)\nall well', 'exit code 0 (0.1 s)'],
    ['last, in a long line', `out\n${'x'.repeat(400)} exited with code 1`, 'out … exited with code 1'],
    ['alone, in a long line', `${'x'.repeat(400)} exited with code 1`, 'exited with code 1'],
    ['last, after much', `${'x'.repeat(400)}\nexit code 1`, `${'x'.repeat(77)}… … exit code 1`],
  ])('a command whose end is told %s → its output does not stand for it', (_, text, said) => {
    const result = {
      ending: 'executed' as const,
      isError: false,
      content: [{ type: 'text' as const, text }],
    };
    const about = { tool: fileTool('run'), line: 'run x', named: [], taskId: null };
    expect(callNote(result, { ...about, input: { command: 'x' } }).said).toBe(said);
  });

  test.each([
    ['npm test', 'Runs a line by bash with pipefail.', true],
    ['npm test 2>&1 | head -5', 'Runs a line by bash with pipefail.', true],
    ['npm test 2>&1 | head -5', 'Runs a line by /bin/sh without pipefail.', false],
    ['npm test 2>&1 | head -5', 'Runs a line.', false],
    ['npm test; echo done', 'Runs a line by bash with pipefail.', false],
  ])(
    '%j by a tool that says %j, exit code 0 → a task may rest on it: %s (SE1)',
    (command, description, rests) => {
      const item = evidenceOf(command, description);
      expect(item?.supports).toBe(rests);
    },
  );

  test.each(['true', ':', 'echo deployed', 'exit 0', 'test 1 = 1'])(
    '%j, cited for a goal that it has nothing to do with → no task rests on it, and its line says why (WK12)',
    command => {
      const { text = '', items = [] } = lookedAt(command, 'Runs a line by bash with pipefail.');
      expect(items[0]?.supports).toBe(false);
      expect(text).toContain('exit code does not say that anything was done');
    },
  );

  test('a call that the difference of its file shows → not told twice; one that failed is', () => {
    const wrote = call({ call: 'put a', named: ['a'] });
    const seen = [now('a', { diff: '+y' })];
    expect(look([then('a')], [wrote], seen)?.items).toHaveLength(1);
    expect(look([then('a')], [{ ...wrote, isError: true }], seen)?.items).toHaveLength(2);
  });

  test('tasks of an earlier plan → their evidence is of no task, and any may cite it', () => {
    const [item] = look([then('a', { taskIds: ['gone'] })], [], [now('a')])?.items ?? [];
    expect(item?.taskIds).toEqual([]);
  });

  test('a goal without tools → nothing; with tools that did nothing → a line', () => {
    expect(look([], [], null, [], [])).toBeNull();
    expect(look([], [], null)?.text.length).toBeLessThan(200);
  });

  test('a tool that takes a command → it is not said that nothing can run; one that only computes → it is', () => {
    const inputSchema = { type: 'object', properties: { command: { type: 'string' } } };
    const said = (readOnly: boolean) =>
      look([], [], null, [], [{ ...fileTool('run', { readOnly }), inputSchema }])?.text.includes(
        'No tool here runs',
      );
    expect([said(false), said(true)]).toEqual([false, true]);
  });

  test('hundreds of files with long differences → within the bound, and what is left out is said', () => {
    const files = Array.from({ length: 300 }, (_, at) => then(`${'f'.repeat(80)}${at}`));
    const kept = withSnapshots(newEvidence(), files);
    expect(jsonBytes(kept)).toBeLessThanOrEqual(EVIDENCE_BYTES);
    const seen = files.map(({ path }) => now(path, { diff: '+y\n'.repeat(1_300), left: 9 }));
    const found = { files: seen, others: files.map(({ path }) => path), more: 7 };
    const looked = lookedUp({
      evidence: kept,
      checks: [],
      now: found,
      plan,
      tools: [fileTool('put')],
      words,
    });
    expect(jsonBytes(looked)).toBeLessThanOrEqual(LOOKED_BYTES);
    expect(looked?.text).toContain('characters more of this difference');
    expect(looked?.text).toMatch(/\d+ more are not listed/);
  });

  test('calls beyond the bound → those that only looked go first', () => {
    const notes = Array.from({ length: 200 }, (_, at) =>
      call({ call: `c${at}`, acted: at % 2 === 0, said: 's'.repeat(90) }),
    );
    const { calls, left } = notes.reduce(withCall, newEvidence());
    expect(calls.every(({ acted }) => acted)).toBe(true);
    expect(calls.length + left).toBe(200);
    expect(jsonBytes(calls)).toBeLessThanOrEqual(EVIDENCE_BYTES / 2);
  });
});

describe('what was changed after a command or a computation', () => {
  const many = Array.from({ length: 60 }, (_, at) => put(`${'f'.repeat(80)}${at}`));
  const agent =
    (line: string): Step =>
    before =>
      withCall(before, agentNote(line, { tools: [runs], taskId: 't1', at: before.changes ?? 0 }));

  test.each<[string, Step[], boolean]>([
    ['nothing', [put('a'), ran('npm test')], true],
    ['a file', [put('a'), ran('npm test'), put('a')], false],
    ['one of two files', [put('a'), put('b'), ran('npm test'), put('a')], false],
    ['a new file', [ran('npm test'), put('b', { hash: null })], false],
    [
      'nothing, by a call that names no file that ever was',
      [ran('npm test'), put('ann', { hash: null })],
      true,
    ],
    ['something, by a command', [ran('npm test'), ran("sed -i 's/a/b/' a")], false],
    ['something, perhaps, by a script', [ran('npm test'), ran('python3 fix.py')], false],
    ['nothing, by commands that look', [ran('npm test'), ran('git status'), ran('npm run lint')], true],
    ['something, by a command and by itself', [ran('npm install && npm test')], true],
    [
      'something, by a patch',
      [ran('npm test'), noted('Done.', { tool: fileTool('apply'), line: 'apply', input: { patch: '+y' } })],
      false,
    ],
    ['something, by an agent', [ran('npm test'), agent('search/1: put a: executed')], false],
    [
      'nothing, by a command of an agent',
      [ran('npm test'), agent('search/1: run git status: executed')],
      true,
    ],
    ['a file that there was no room for', [...many, ran('npm test'), put(`${'f'.repeat(80)}59`)], false],
    ['nothing, after many files', [...many, ran('npm test')], true],
  ])('tests ran, then %s → they prove how things stand, or are told as older (SE1)', (_, steps, holds) => {
    const looked = lookAfter(steps, {}, ['ann']);
    const item = itemOf(looked, 'npm test: executed');
    expect(item?.supports).toBe(holds);
    expect(looked.text.includes('npm test: executed, before later changes · exit code 0')).toBe(!holds);
    expect(following(steps).unkept !== undefined).toBe(steps.length > 60);
  });

  test('tests that began before the edit of a task beside had ended → told as older (SE1)', () => {
    const about = {
      tool: runs,
      line: 'run npm test',
      input: { command: 'npm test' },
      named: [],
      taskId: 't1',
    };
    const steps = [
      put('a'),
      (before: Evidence) => withCall(before, callNote(ended('exit code 0'), { ...about, at: 0 })),
    ];
    expect(itemOf(lookAfter(steps), 'npm test')?.supports).toBe(false);
  });

  test('a computation, then an edit → told as older; a failure, too (SE1)', () => {
    expect(itemOf(lookAfter([computed("read('a')"), put('a')]), 'compute')?.supports).toBe(false);
    expect(itemOf(lookAfter([put('a'), computed("read('a')")]), 'compute')?.supports).toBe(true);
    const failed = noted('exit code 1 (0.1 s)', {
      tool: runs,
      line: 'run npm test',
      input: { command: 'npm test' },
    });
    expect(lookAfter([failed, put('a')]).text).toContain('executed, before later changes · exit code 1');
  });

  test('the text → "just now" is said of files and checks, not of calls', () => {
    const { text } = lookAfter([ran('npm test'), put('a')]);
    expect(text).toMatch(
      /^Evidence of the run, as data: files and checks as they are now, calls as they ended\./,
    );
  });

  test('notes of an older version, which have no order → as they were', () => {
    const old = call({ call: 'run npm test', said: 'exit code 0 (0.1 s)' });
    expect(itemOf(lookAfter([before => withCall(before, old), put('a')]), 'npm test')?.supports).toBe(true);
  });

  test('a command of a sub-agent, whose exit code is not known → no task rests on it (SE1)', () => {
    expect(itemOf(lookAfter([agent('search/1: run npm test: executed')]), 'npm test')?.supports).toBe(false);
    expect(itemOf(lookAfter([agent('search/1: send_mail ann: executed')]), 'send_mail')?.supports).toBe(true);
  });
});

describe('what a computation said', () => {
  const lineOf = (text: string, code = "read('a')") => {
    const looked = lookAfter([computed(code, text)]);
    return {
      line: looked.text.split('\n').find(line => line.includes('· compute')) ?? '',
      item: looked.items[0],
    };
  };

  test('two lines → both are told (SE1)', () => {
    const { line, item } = lineOf('first half ok: true\nsecond half ok: false');
    expect(line).toMatch(/executed · first half ok: true \/ second half ok: false$/);
    expect([item?.supports, item?.cut]).toEqual([true, undefined]);
  });

  test('many lines → beginning and end, how many are between, and no task rests on it (SE1)', () => {
    const lines = Array.from({ length: 100 }, (_, at) => `row ${at} is as it must be`);
    const { line, item } = lineOf([...lines, 'all ok: false'].join('\n'));
    expect(line).toContain('executed, only a part of its output is here · row 0 is');
    expect(line).toMatch(/\[\d+ lines more\] row \d+ is .* \/ all ok: false$/);
    expect(line.length).toBeLessThan(760);
    expect([item?.supports, item?.cut]).toEqual([false, true]);
  });

  test('one long line → its beginning and its end (SE1)', () => {
    const { line } = lineOf(`${'x'.repeat(2_000)} ok: false`);
    expect(line).toMatch(/· x{300}… …x+ ok: false$/);
  });

  test.each([
    ['print("Checked all lines of a.txt: ok")', false],
    ["print(readLines('a.txt').length)", true],
  ])('%j → a task may rest on it only if the code reads: %s (WK12)', (code, supports) => {
    const { line, item } = lineOf('Checked all lines of a.txt: ok', code);
    expect(item?.supports).toBe(supports);
    expect(line.includes('its code reads nothing')).toBe(!supports);
  });

  test('what failed → beginning and end, not its first line alone', () => {
    const content = [{ type: 'text' as const, text: 'Usage:\nput <file>\nno such file: a' }];
    const about = { tool: fileTool('put'), line: 'put a', input: {}, named: [], taskId: null };
    const note = callNote({ ending: 'executed', isError: true, content }, about);
    expect(note.said).toBe('Usage: / put <file> / no such file: a');
  });
});

describe('many files and few commands', () => {
  const edits = Array.from({ length: 60 }, (_, at) => put(`src/module-number-${at}/index.ts`));
  const changes = (more: Partial<WorkspaceChanges> = {}) => ({
    changes: { changed: [], added: [], gone: [], more: 0, ignored: [], unseen: null, ...more },
  });

  test('60 edits, then tests → the tests are listed, and no edit is laid on somebody else (SE1)', () => {
    const steps = [...edits, ran('npm test')];
    const { unkept } = following(steps);
    const paths = unkept?.files.map(({ path }) => path) ?? [];
    expect(paths.length).toBeGreaterThan(5);
    const looked = lookAfter(steps, changes({ changed: [...paths, 'other.ts'] }));
    expect(itemOf(looked, 'npm test')?.supports).toBe(true);
    expect(jsonBytes(following(steps))).toBeLessThanOrEqual(EVIDENCE_BYTES);
    for (const path of paths)
      expect(itemOf(looked, `${path}: changed; what it was before was not kept`)).toMatchObject({
        supports: true,
        taskIds: ['t1'],
      });
    expect(looked.text).toContain(
      '<files>other.ts</files>'.replace('<files>', '<files>\n').replace('</files>', '\n</files>'),
    );
    expect(jsonBytes(looked)).toBeLessThanOrEqual(LOOKED_BYTES);
  });

  test('long differences of many files → they give way, not the command (SE1)', () => {
    const evidence = following([...edits, ran('npm test')]);
    const files = evidence.files.map(({ path }) => now(path, { diff: `+${'"'.repeat(290)}` }));
    const seen = { files, others: [], more: 0 };
    const looked = lookedUp({ evidence, checks: [], now: seen, plan, tools: [runs], words });
    expect(looked?.text).toContain('run npm test: executed · exit code 0');
    expect(looked?.text).toMatch(/\d+ more are not listed/);
  });

  test('files that a command changed → each has an id, of the task whose command may have (WK2)', () => {
    const looked = lookAfter([ran('python3 fix.py')], changes({ changed: ['a'], added: ['b'], gone: ['c'] }));
    expect(looked.text).toContain(
      'e2 · t1 · a: changed; no call names it\ne3 · t1 · b: new; no call names it\ne4 · t1 · c: gone;',
    );
    expect(looked.items.map(({ supports }) => supports)).toEqual([true, true, true, true]);
    expect(looked.text).not.toContain('<files>');
  });

  test('a file that changed beside one that a call named → is said to be of no call (WK2)', () => {
    expect(lookAfter([put('a')], changes({ changed: ['b'] })).text).toContain(words.evidenceOthers);
  });

  test('files that changed while commands only looked → named, and nobody may rest on them (WK2)', () => {
    const looked = lookAfter([ran('npm test')], changes({ changed: ['a'], added: ['b'] }));
    expect(looked.items).toHaveLength(1);
    expect(looked.text).toContain('a, b (new)');
  });
});

describe('citations', () => {
  const items: EvidenceItem[] = [
    { id: 'e1', taskIds: ['t1'], supports: true },
    { id: 'e2', taskIds: [], supports: true },
    { id: 'e3', taskIds: ['t1'], supports: false },
    { id: 'e5', taskIds: ['t1'], supports: false, failed: true },
  ];
  const judged = (id: string, ...evidence: string[]) => ({ id, completed: true, feedback: '', evidence });
  const done = [task('t1', { status: 'completed' }), task('t2', { status: 'completed' })];

  test.each([
    ['of the task', [judged('t1', 'e1')], 0],
    ['of no task', [judged('t2', 'e2')], 0],
    ['in brackets, in one text', [judged('t1', '[e1], e2')], 0],
    ['with a comma after it', [judged('t1', 'e1, ')], 0],
    ['of another task', [judged('t2', 'e1')], 1],
    ['that is not there', [judged('t1', 'e4')], 1],
  ])('a citation: an id %s → sent back or not', (_, tasks, faults) => {
    expect(citationDoubts({ tasks }, items)).toHaveLength(faults);
    expect(citationDoubts({ tasks }, undefined)).toEqual([]);
  });

  test('a citation of what is not there → told what is', () => {
    const tasks = [judged('t1', 'e4')];
    expect(citationDoubts({ tasks }, items)).toEqual([expect.stringContaining('(e1, e2, e3, e5), got "e4"')]);
    expect(citationDoubts({ tasks }, [])).toEqual([expect.stringContaining('(nothing: leave it empty)')]);
  });

  test.each([
    ['only what failed', [judged('t1', 'e5')], 1],
    ['what failed, for a task that is not done', [{ ...judged('t1', 'e5'), completed: false }], 0],
    ['what failed, beside what shows it', [judged('t1', 'e1, e5')], 0],
    ['what shows nothing, without a failure', [judged('t1', 'e3')], 0],
    ['nothing', [judged('t1')], 0],
  ])('a verdict that cites %s → sent back or not', (_, tasks, faults) => {
    expect(failureDoubts({ tasks }, items)).toHaveLength(faults);
    expect(failureDoubts({ tasks }, undefined)).toEqual([]);
  });

  test.each([
    ['each task cites what shows it', [judged('t1', 'e1'), judged('t2', 'e2')], items, 'evidence'],
    ['one cites nothing', [judged('t1', 'e1'), judged('t2')], items, 'opinion'],
    ['one cites what shows no work', [judged('t1', 'e3'), judged('t2', 'e2')], items, 'opinion'],
    ['one cites what holds no more', [judged('t1', 'e1'), judged('t2', 'e2')], items.slice(1), 'opinion'],
    ['no task was completed', [], items, 'opinion'],
  ])('a basis: %s → counted so', (_, tasks, holding, basis) => {
    expect(basisOf({ tasks }, done, { holding, changed: [] })).toBe(basis);
    expect(itemsCited({ tasks }, holding).every(item => holding.includes(item))).toBe(true);
  });

  test.each([
    ['is cited too', items, 'evidence'],
    ['is not', items.filter(({ id }) => id !== 'e2'), 'opinion'],
  ])('a basis: a file that a replaced task changed %s → counted so', (_, holding, basis) => {
    const plan = [task('t1', { status: 'completed' })];
    const changed = items.filter(({ id }) => id === 'e2');
    expect(basisOf({ tasks: [judged('t1', 'e1')] }, plan, { holding, changed })).toBe(basis);
  });
});

describe('the inventory', () => {
  const files = (count: number, folder: string) =>
    Array.from({ length: count }, (_, at) => ({ path: `${folder}file-${at}.ts`, bytes: 1_500 }));

  test.each([
    [
      'a few files → each with its size',
      files(2, 'src/'),
      /^src\/file-0\.ts 1\.5 KB\nsrc\/file-1\.ts 1\.5 KB$/,
    ],
    ['many → folders with what they hold', files(400, 'src/deep/'), /^src\/deep\/ 400 files, 600\.0 KB$/],
    ['many at the top → cut, and how many are left out', files(400, ''), /\n… \(\d+\)$/],
    [
      'a name with a line and an escape → on one line',
      [{ path: 'a\n\u001b[1mb', bytes: 1 }],
      /^a\?\?\[1mb 1 B$/,
    ],
  ])('%s', (_, found, expected) => {
    const text = inventoryOf(found, false);
    expect(text).toMatch(expected);
    expect(utf8Length(text)).toBeLessThanOrEqual(2_000);
  });
});

test.each([
  ['paths', { paths: ['A/../b', '/x'] }, ['/w/b', '/x']],
  ['an address', { path: 'https://example.org/a' }, null],
  ['a blank', { path: ' ' }, null],
  ['a path, and a number', { paths: ['a', 1] }, null],
  ['a path beside a command', { path: 'a', command: 'rm b' }, null],
  ['a path beside another', { path: 'a', to: 'b' }, null],
  ['no path', { text: 'a' }, null],
])('pathsOf: %s → %j is %j', (_, input, expected) => {
  expect(pathsOf(input, '/w')).toEqual(expected);
});

test.each([
  ['a path', { path: './a/../b.txt', content: 'x' }, ['b.txt']],
  ['two of a move', { from: 'a', to: '/w/b' }, ['a', 'b']],
  ['a list', { paths: ['a', 'b'] }, ['a', 'b']],
  ['out of the folder', { path: '../x' }, ['/x']],
  ['an address, of mail or of a page', { to: 'ann@example.org', url: 'https://example.org/a' }, []],
  ['none', { command: 'rm a', text: 'a' }, []],
])('namedPaths: %s → %j is %j', (_, input, expected) => {
  expect(namedPaths(input, '/w')).toEqual(expected);
});
