import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pack } from '../../../../src/activities/pack.js';
import { unpack } from '../../../../src/workflows/platform/unpack.js';

describe('pack', () => {
  it('pack: any JSON value → the same value back, any script and lone surrogates as JSON writes them', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(unpack(pack(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(unpack(pack({ text: '计划 — 🧭' }))).toEqual({ text: '计划 — 🧭' });
  });

  it('pack: prompts → less than half of their JSON', () => {
    const prompts = ['planner', 'executor', 'verifier'].map(name =>
      readFileSync(`prompts/core/${name}.md`, 'utf8'),
    );
    expect(pack(prompts).length).toBeLessThan(JSON.stringify(prompts).length / 2);
  });
});
