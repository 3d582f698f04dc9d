/** `SKILL.md` of others: what is read as it is, and what is refused with its line. */
import { expect, test } from 'vitest';
import { parseSkillFile } from '../../../../src/config/skills/skill-file.js';
import { SteersmanError } from '../../../../src/shared/process/errors.js';

const FILE = '/skills/pdf/SKILL.md';
const parse = (text: string) => parseSkillFile(text, FILE, 'pdf');

function front(lines: string, body = 'Do it.'): string {
  return `---\n${lines}\n---\n${body}\n`;
}

/** Each line has nine of the line before. */
const LAUGHS = [1, 2, 3, 4, 5].reduce(
  (lines, at) =>
    `${lines}\nx${at}: &x${at} [${Array(9)
      .fill(`*x${at - 1}`)
      .join()}]`,
  'x0: &x0 ["ha"]',
);

function keys(count: number): string {
  return Array.from({ length: count }, (_, at) => `k${at}: 1`).join('\n');
}

function faultOf(text: string): SteersmanError {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof SteersmanError) return error;
  }
  throw new Error('it was read');
}

test('SKILL.md: every field of the format → read, and what grants tools grants nothing (SK1, SK4)', () => {
  const text = front(
    'name: pdf\ndescription: Fills forms.\nlicense: MIT\ncompatibility: Needs qpdf.\nmetadata:\n  author: me\nallowed-tools: Bash(qpdf:*) Read',
    '# PDF\n\nFill it.',
  );
  expect(parse(text)).toEqual({
    name: 'pdf',
    description: 'Fills forms.',
    license: 'MIT',
    compatibility: 'Needs qpdf.',
    allowedTools: 'Bash(qpdf:*) Read',
    body: '# PDF\n\nFill it.',
    notices: [`${FILE}:8: allowed-tools: it grants nothing here: permissions are for people to give.`],
  });
});

test.each([
  [
    'a byte order mark and line ends of Windows',
    `\uFEFF${front('name: pdf\ndescription: Fills.').replaceAll('\n', '\r\n')}`,
  ],
  [
    'keys that nobody knows',
    front('name: pdf\ndescription: Fills.\nversion: 2\ntriggers: [a, b]\nuser-invocable: true'),
  ],
  ['a colon in a value without quotes', front('name: pdf\ndescription: Fills. Use when: a form comes')],
  ['a description of several lines', front('name: pdf\ndescription: >-\n  Fills\n  forms.')],
  ['fences with spaces behind them', '---  \nname: pdf\ndescription: Fills.\n--- \nDo it.'],
  ['a rule in the text', front('name: pdf\ndescription: Fills.', 'Do it.\n\n---\n\nMore.')],
])('SKILL.md: %s → read as it is (SK1)', (_what, text) => {
  const { name, description, body, notices } = parse(text);
  expect([name, description.slice(0, 5), body.slice(0, 6), notices]).toEqual(['pdf', 'Fills', 'Do it.', []]);
});

test.each([
  [
    'a name that is not its folder',
    front('name: forms\ndescription: Fills.'),
    ':2: name: "forms" holds, though the folder is "pdf"',
  ],
  [
    'a description over its bound',
    front(`name: pdf\ndescription: ${'x'.repeat(1_100)}`),
    ':3: description: it has 1100 characters: only the first 1024 count',
  ],
  ['no instructions', front('name: pdf\ndescription: Fills.', ''), ':4: there are no instructions below'],
])('SKILL.md: %s → read, with a notice that names the line (SK1)', (_what, text, notice) => {
  const { description, notices } = parse(text);
  expect(description.length).toBeLessThanOrEqual(1_024);
  expect(notices).toEqual([expect.stringContaining(`${FILE}${notice}`)]);
});

test.each([
  ['no front matter', '# PDF\n', ':1: front matter is missing', 'name and description'],
  [
    'front matter without an end',
    '---\nname: pdf\n',
    ':1: its front matter has no end',
    'another line "---"',
  ],
  ['no YAML', front('name: [pdf\ndescription: Fills.'), 'not valid YAML', 'Check indentation'],
  ['no name', front('description: Fills.'), ':2: name: it is missing', 'Write "name: pdf"'],
  [
    'capitals in the name',
    front('name: PDF Forms\ndescription: Fills.'),
    '"PDF Forms" is not a valid name',
    'lower-case letters',
  ],
  [
    'a path for a name',
    front('name: ../pdf\ndescription: Fills.'),
    '"../pdf" is not a valid name',
    'Write "name: pdf"',
  ],
  ['two hyphens', front('name: a--b\ndescription: Fills.'), '"a--b" is not a valid name', 'single hyphens'],
  ['a long name', front(`name: ${'x'.repeat(65)}\ndescription: Fills.`), 'is not a valid name', 'at most 64'],
  [
    'a number for a name',
    front('name: 7\ndescription: Fills.'),
    '7 is not a valid name',
    'Write "name: pdf"',
  ],
  ['no description', front('name: pdf'), ':2: description: it is missing', 'when to use it'],
  [
    'an empty description',
    front('name: pdf\ndescription: " "'),
    ':3: description: it is missing',
    'when to use it',
  ],
  ['references that multiply', front(`${LAUGHS}\nname: pdf`), 'cannot be read', 'references'],
  [
    'thousands of keys, the last twice',
    front(`name: pdf\n${keys(30_000)}\nk29999: 1`),
    ':30003: not valid YAML: Map keys must be unique',
    'Remove the second',
  ],
  [
    'thousands of references, the last to nothing',
    front(`name: &n pdf\nx:\n${'  - *n\n'.repeat(30_000)}  - *m`),
    ':30004: not valid YAML: *m is a reference',
    'into quotes',
  ],
  ['a mapping that is in itself', front('name: pdf\nx: &x\n  y: *x'), 'cannot be read', 'references'],
])('SKILL.md: %s → refused, with place, fault and remedy (SK1)', (_what, text, message, remedy) => {
  const fault = faultOf(text);
  expect(fault.message).toContain(message);
  expect(fault.message).toContain(FILE);
  expect(fault.remedy).toContain(remedy);
});
