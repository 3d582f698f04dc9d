import { describe, expect, test } from 'vitest';
import { jsonBytes } from '../../../../src/base/json/json.js';
import { BOUNDS } from '../../../../src/conversation/state-bounds.js';
import {
  cautiousFactor,
  type InputCounts,
  MOST_MODELS_COUNTED,
  tokenFactor,
  withInputCount,
} from '../../../../src/run/models/model-use.js';

const request = (estimated: number, inputTokens: number, isEstimate = false) => ({
  estimated,
  usage: { inputTokens, ...(isEstimate ? { estimated: true } : {}) },
});

describe('estimates corrected by what endpoints count', () => {
  test.each<[string, ReturnType<typeof request>[], number]>([
    ['nothing counted yet → as estimated', [], 1],
    ['too little to tell → as estimated', [request(999, 1_998)], 1],
    ['more than estimated → by the totals of all requests', [request(500, 500), request(1_500, 2_000)], 1.25],
    ['fewer → by as much', [request(2_000, 1_600)], 0.8],
    ['far more → twice at most', [request(2_000, 20_000)], 2],
    ['far fewer → three quarters at least', [request(2_000, 10)], 0.75],
    ['our own estimate of what was used → says nothing', [request(2_000, 4_000, true)], 1],
    ['a count beside an estimate → the count alone', [request(9_000, 90, true), request(2_000, 3_000)], 1.5],
  ])('X4 tokenFactor: %s', (_title, requests, factor) => {
    const counts = requests.reduce<InputCounts>((all, each) => withInputCount(all, 'p/a', each), {});
    expect(tokenFactor(counts, 'p/a')).toBe(factor);
    expect(tokenFactor(counts, 'p/b')).toBe(1);
  });

  test.each<[string, Record<string, [number, number]>, number]>([
    ['nothing counted yet → twice', {}, 2],
    ['counted → as counted, however much', { 'p/a': [2_000, 7_000], 'p/b': [2_000, 2_000] }, 3.5],
    ['fewer than estimated → three quarters at least', { 'p/a': [2_000, 200] }, 0.75],
    ['others counted alone → twice the most of them', { 'p/b': [2_000, 3_000], 'p/c': [2_000, 2_000] }, 3],
    ['others counted, and fewer than estimated → twice', { 'p/b': [2_000, 1_800] }, 2],
  ])('LL1 cautiousFactor: %s', (_title, counted, factor) => {
    const counts = Object.entries(counted).reduce<InputCounts>(
      (all, [model, [estimated, reported]]) => withInputCount(all, model, request(estimated, reported)),
      {},
    );
    expect(cautiousFactor(counts, 'p/a')).toBe(factor);
  });

  test('X4 withInputCount: more models than are kept, names of any length → within the bound, known ones go on (ST1)', () => {
    let counts: InputCounts = {};
    for (let n = 0; n < 30; n += 1) {
      const model = n === 3 ? 'p/'.padEnd(500, 'x') : `p/${n}`.padEnd(88, 'x');
      counts = withInputCount(counts, model, request(999_999_999_998, 999_999_999_998));
    }
    counts = withInputCount(counts, 'p/0'.padEnd(88, 'x'), request(1, 1));
    expect(Object.keys(counts)).toHaveLength(MOST_MODELS_COUNTED);
    expect(counts['p/0'.padEnd(88, 'x')]).toEqual({ estimated: 999_999_999_999, reported: 999_999_999_999 });
    expect(jsonBytes(counts)).toBeLessThanOrEqual(BOUNDS['models.inputCounts']);
  });
});
