import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pack } from '../../../../src/activities/pack.js';
import { loadRoles, promptRoots } from '../../../../src/config/prompts.js';
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

  it('pack: the prompts that come with Steersman → 2 KB, by the words of a dictionary', async () => {
    const roles = await loadRoles(promptRoots(null), 'en');
    const pinned = ['executor', 'planner', 'router', 'summary', 'understanding', 'verifier'].map(name => {
      const { profile, template } = roles.find(role => role.profile.name === name) ?? {};
      return [name, { ...profile, system: template }];
    });
    const bytes = pack(Object.fromEntries(pinned)).length;
    // Much more: they have moved far from the dictionary, and it is time for another (dictionaries.ts).
    expect(bytes).toBeLessThan(2_500);
  });

  it('unpack: a dictionary of a newer version → an error that fails the task, not the run', () => {
    const [, ...rest] = pack({ a: 1 });
    expect(() => unpack(Uint8Array.from([200, ...rest]))).toThrow('dictionary 200, of a newer version');
  });
});
