/** The colours of the console's page: in both schemes words can be read, and marks can be told. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync(
  new URL('../../../../packages/console/page/styles/tokens.css', import.meta.url),
  'utf8',
);
const [light = '', dark = ''] = css.split('@media');

type Scheme = ReadonlyMap<string, string>;

function coloursIn(text: string): Scheme {
  return new Map(
    [...text.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', hex = '']) => [name, hex]),
  );
}

const LIGHT = coloursIn(light);
/** What the dark scheme does not name is as in the light one. */
const DARK: Scheme = new Map([...LIGHT, ...coloursIn(dark)]);

/** The relative luminance of WCAG. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(scheme: Scheme, one: string, other: string): number {
  const [a = 0, b = 0] = [one, other].map(name => luminance(scheme.get(name) ?? '')).sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}

const SURFACES = ['page', 'card', 'sunk'];
const WORDS: readonly (readonly [string, readonly string[]])[] = [
  ['text', [...SURFACES, 'accent-soft']],
  ['muted', [...SURFACES, 'accent-soft']],
  ['accent', [...SURFACES, 'accent-soft']],
  ['on-accent', ['accent']],
  ['good', [...SURFACES, 'good-soft']],
  ['warn', [...SURFACES, 'warn-soft']],
  ['bad', [...SURFACES, 'bad-soft']],
  ['on-bar', ['turn', 'tool', 'agent']],
  ['on-wait', ['wait']],
];
const MARKS = ['turn', 'tool', 'agent', 'wait', ...Array.from({ length: 6 }, (_, at) => `series-${at}`)];

describe.each([
  ['light', LIGHT],
  ['dark', DARK],
] as const)('the %s scheme', (_, scheme) => {
  it.each(WORDS)('words in %s → a contrast of 4.5 on all that they stand on', (word, surfaces) => {
    const low = surfaces.filter(surface => !(contrast(scheme, word, surface) >= 4.5));
    expect(low).toEqual([]);
  });

  it('bars and parts of plots → a contrast of 3 to the card', () => {
    expect(MARKS.filter(mark => !(contrast(scheme, mark, 'card') >= 3))).toEqual([]);
  });
});

it('the dark scheme → names every colour but those that are the same on purpose', () => {
  const own = coloursIn(dark);
  expect([...LIGHT.keys()].filter(name => !own.has(name))).toEqual(['on-wait']);
});
