import { describe, expect, test } from 'vitest';
import { dependenciesOf, headingLines, headingsOf, introOf } from '../../../src/rehearsal/documents.js';
import { kindOf, languageOf } from '../../../src/rehearsal/file-kinds.js';
import { countLines, findPlaces, findWord, MARKERS } from '../../../src/rehearsal/places.js';

const file = (path: string, text: string) => ({ path, size: text.length, text, whole: true, error: null });

describe('rehearsal: counts', () => {
  test.each([
    ['', 0],
    ['a', 1],
    ['a\n', 1],
    ['a\n\nb', 3],
    ['\n', 1],
  ])('lines of %j → %i', (text, lines) => {
    expect(countLines(text)).toBe(lines);
  });

  test('markers: words of their own only, with line numbers', () => {
    const places = findPlaces([file('a.ts', '// TODO one\nTODOS\n// FIXME and XXX\nmytodo')], MARKERS);
    expect(places.map(place => [place.line, place.found])).toEqual([
      [1, ['TODO']],
      [3, ['FIXME', 'XXX']],
    ]);
  });

  test.each([
    ['foo', 'foo foobar a.foo', 2],
    ['a.b', 'a.b axb', 1],
    ['$x', '$x $xy', 1],
    ['two words', 'two words', 1],
    ['Foo', 'foo food FOO', 2],
  ])('word %s in %j → %i times', (word, text, times) => {
    expect(findWord([file('a.ts', text)], word).flatMap(place => place.found)).toHaveLength(times);
  });

  test.each([
    ['src/a.test.ts', 'TypeScript', 'text'],
    ['package-lock.json', 'JSON', 'generated'],
    ['a/b.min.js', 'JavaScript', 'generated'],
    ['logo.PNG', '.png', 'binary'],
    ['Makefile', 'Makefile', 'text'],
    ['.gitignore', 'other', 'text'],
  ])('%s → %s, %s', (path, language, kind) => {
    expect([languageOf(path), kindOf(path)]).toEqual([language, kind]);
  });
});

describe('rehearsal: documents', () => {
  const readme = [
    '---',
    'title: x',
    '---',
    '[![badge](https://x/y.svg)](https://x)',
    '',
    '# Boats #',
    '',
    'Boats is a *small* library for [boats](https://b.example) of all kinds.',
    '',
    '- a list',
    '',
    '```sh',
    '# not a heading',
    '```',
    '',
    'Usage',
    '-----',
    '',
    '<!-- # hidden -->',
    '### Deep',
  ].join('\n');

  test('headings: both forms, with lines; none from code, comments and front matter', () => {
    expect(headingsOf(readme)).toEqual([
      { level: 1, text: 'Boats', line: 6 },
      { level: 2, text: 'Usage', line: 16 },
      { level: 3, text: 'Deep', line: 20 },
    ]);
    expect(headingLines(headingsOf('## A\n### B'))).toEqual(['- A (1)', '  - B (2)']);
  });

  test('intro: title and the first paragraph of text; no badges and lists', () => {
    expect(introOf(readme)).toEqual({
      title: 'Boats',
      paragraphs: ['Boats is a *small* library for boats of all kinds.'],
    });
  });

  test.each([
    [
      'package.json',
      '{"dependencies":{"zod":"^4"},"devDependencies":{"x":"1"}}',
      { dependencies: ['zod ^4'], devDependencies: ['x 1'] },
    ],
    [
      'a/go.mod',
      'module m\nrequire github.com/a/b v1.0.0\nrequire (\n\tc.d/e v2 // indirect\n)\n',
      { require: ['github.com/a/b v1.0.0', 'c.d/e v2'] },
    ],
    [
      'Cargo.toml',
      '[package]\nname = "x"\n[dependencies]\nserde = "1"\ntokio = { version = "1" }\n',
      { dependencies: ['serde', 'tokio'] },
    ],
    [
      'pyproject.toml',
      '[project]\nname = "x"\ndependencies = [\n  "rich>=1",\n  "click",\n]\n',
      { dependencies: ['rich>=1', 'click'] },
    ],
    ['requirements.txt', '# c\nrequests==2\n-r other\nflask\n', { requirements: ['requests', 'flask'] }],
    ['package.json', 'broken', {}],
  ])('%s → its packages', (path, text, wanted) => {
    expect(dependenciesOf(path, text)).toEqual(wanted);
  });
});
