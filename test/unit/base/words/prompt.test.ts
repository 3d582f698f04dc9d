import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  delimit,
  lineOf,
  PromptError,
  renderTemplate,
  validateCoreTemplate,
} from '../../../../src/base/words/prompt.js';

const file = 'planner.md';

function errorOf(run: () => unknown): PromptError {
  try {
    run();
  } catch (error) {
    if (error instanceof PromptError) return error;
    throw error;
  }
  throw new Error('no error was thrown');
}

describe('renderTemplate', () => {
  it.each([
    ['one placeholder', 'Hi {{name}}!', { name: 'Ann' }, 'Hi Ann!'],
    ['P10 all occurrences', '{{a}}{{a}} {{a}}', { a: 'x' }, 'xx x'],
    ['P9 upper case', '{{SYSTEM_STATE}}', { SYSTEM_STATE: 's' }, 's'],
    ['spaces within', '{{ a }}', { a: 'x' }, 'x'],
    ['P10 dollar signs in values', '[{{a}}]', { a: "$& $1 $$ $' $`" }, "[$& $1 $$ $' $`]"],
    ['P10 placeholders in values', '{{a}} {{b}}', { a: '{{b}}', b: '{{a}}' }, '{{b}} {{a}}'],
    ['an empty value', '[{{a}}]', { a: '' }, '[]'],
    ['JSON', '{"a":{"b":1}}', {}, '{"a":{"b":1}}'],
    ['P18 undeclared single braces', '{a} {b}', { a: 'x' }, '{a} {b}'],
    ['closing braces', '}} {{a}}}}', { a: 'x' }, '}} x}}'],
    ['no placeholder', 'text', {}, 'text'],
  ])('%s → rendered once', (_name, template, values, text) => {
    expect(renderTemplate(template, values, { file })).toBe(text);
  });

  it('P18 renderTemplate: declared single braces → replaced, JSON around them not', () => {
    const source = { file, singleBrace: ['user_message'] };
    expect(renderTemplate('{"q":"{user_message}","n":{x}}', { user_message: '{x}' }, source)).toBe(
      '{"q":"{x}","n":{x}}',
    );
    expect(errorOf(() => renderTemplate('{user_message}', {}, source)).line).toBe(1);
  });

  it.each([
    ['an unknown variable', 'a\nb {{nope}}', 'planner.md:2: {{nope}} is not a known variable (known: a).'],
    [
      'an inherited property',
      '{{toString}}',
      'planner.md:1: {{toString}} is not a known variable (known: a).',
    ],
    [
      'an unclosed placeholder',
      '\n\n{{a',
      'planner.md:3: "{{a" begins a placeholder that is not complete: write {{name}}.',
    ],
    [
      'a bad name',
      '{{a-b}}',
      'planner.md:1: "{{a-b}}" begins a placeholder that is not complete: write {{name}}.',
    ],
    [
      'an empty name',
      '{{}}',
      'planner.md:1: "{{}}" begins a placeholder that is not complete: write {{name}}.',
    ],
  ])('P10 renderTemplate: %s → an error with file and line', (_name, template, message) => {
    expect(errorOf(() => renderTemplate(template, { a: 'x' }, { file })).message).toBe(message);
  });

  it('P10 renderTemplate: a template after front matter → lines of the file', () => {
    const error = errorOf(() => renderTemplate('a\n{{b}}', {}, { file, firstLine: 10 }));
    expect([error.file, error.line]).toEqual([file, 11]);
  });

  it('P10 renderTemplate: any values → each stands in the text as it is', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(renderTemplate('<{{a}}|{{b}}|{{a}}>', { a, b }, { file })).toBe(`<${a}|${b}|${a}>`);
      }),
    );
  });

  it.each(['{{', '{', '{{a', '{{ ', '{a', '{{a '])('renderTemplate: 1 MB of %j → no catastrophe', piece => {
    const template = `${piece.repeat(Math.ceil(1_000_000 / piece.length))}!`;
    // A time that grows by its square would be hours, and a test may take minutes.
    try {
      renderTemplate(template, {}, { file });
    } catch (error) {
      expect(error).toBeInstanceOf(PromptError);
    }
    try {
      renderTemplate(`{{${'a'.repeat(500_000)}${' '.repeat(500_000)}!`, {}, { file });
    } catch (error) {
      expect(error).toBeInstanceOf(PromptError);
    }
  });
});

describe('validateCoreTemplate', () => {
  it('P2 validateCoreTemplate: the business placeholder → accepted', () => {
    expect(() => validateCoreTemplate('x {{ businessContext }} {{other}}', { file })).not.toThrow();
  });

  it('P2 validateCoreTemplate: without it, or with a broken one → an error with file and line', () => {
    expect(errorOf(() => validateCoreTemplate('{businessContext}', { file, firstLine: 7 })).message).toBe(
      'planner.md:7: {{businessContext}} is missing: a core template must say where it goes.',
    );
    expect(errorOf(() => validateCoreTemplate('{{businessContext}}\n{{x', { file })).line).toBe(2);
  });
});

describe('delimit', () => {
  it.each([
    ['plain', 'plain'],
    ['</data>', '&lt;/data>'],
    ['< / DATA >', '&lt; / DATA >'],
    ['<data>', '&lt;data>'],
    ['</ data\n>', '&lt;/ data\n>'],
    ['<b>bold</b> a < b', '<b>bold</b> a < b'],
    ['$& </data>', '$& &lt;/data>'],
  ])('K2 delimit: %j → %j within the tag', (text, within) => {
    expect(delimit('data', text)).toBe(`<data>\n${within}\n</data>`);
  });

  it('K2 delimit: any text, wrapped twice → one closing tag each', () => {
    const pieces = fc.constantFrom('<', '/', 'data', 'DATA', '>', ' ', '\n', '</data>', 'text', '<<');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), parts => {
        const once = delimit('data', parts.join(''));
        expect(once.match(/<[\s/]*data/gi)).toHaveLength(2);
        expect(delimit('data', once).match(/<[\s/]*data/gi)).toHaveLength(2);
      }),
    );
  });

  // What backtracks takes minutes for these, and the test its time limit.
  it.each([
    ['opens with spaces', `<${' '.repeat(200_000)}`.repeat(3)],
    ['opens', '<'.repeat(200_000)],
  ])(
    'K2 delimit: text made to be slow, many %s → delimited whole',
    (_, text) => {
      expect(delimit('data', text).length).toBeGreaterThanOrEqual(text.length);
    },
    60_000,
  );

  it.each(['', 'A', 'a b', 'a>', '.*'])('K2 delimit: the tag %j → refused', tag => {
    expect(() => delimit(tag, 'x')).toThrow(RangeError);
  });
});

describe('lineOf', () => {
  it.each([
    ['a\nb\nc', 0, 1],
    ['a\nb\nc', 1, 1],
    ['a\nb\nc', 2, 2],
    ['a\nb\nc', 4, 3],
    ['', 0, 1],
  ])('lineOf: %j at %d → %d', (text, index, line) => {
    expect(lineOf(text, index)).toBe(line);
  });
});
