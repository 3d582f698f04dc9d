import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pack } from '../../../../src/activities/pack.js';
import { promptRoots } from '../../../../src/config/files/prompt-files.js';
import { loadPrefix, loadRoles } from '../../../../src/config/prompts/prompts.js';
import { renderPrefix, renderRole } from '../../../../src/config/prompts/render-prompts.js';
import { DEFAULT_LIMITS } from '../../../../src/run/limits/limits.js';
import { unpack } from '../../../../src/workflows/platform/temporal-ports.js';

const ROLES = new Set(['executor', 'planner', 'router', 'summary', 'understanding', 'verifier']);

describe('pack', () => {
  it('pack: any JSON value → the same value back, any script and lone surrogates as JSON writes them', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(unpack(pack(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(unpack(pack({ text: '计划 — 🧭' }))).toEqual({ text: '计划 — 🧭' });
  });

  it.each(['en', 'zh'])(
    'pack: the prompts that come with Steersman, in %s → less than 1 KB, by the words of a dictionary',
    async language => {
      const values = { limits: DEFAULT_LIMITS, tools: [], today: '2027-12-24', workspace: '/home/ann/shop' };
      const roles = (await loadRoles(promptRoots(null), language)).filter(({ profile }) =>
        ROLES.has(profile.name),
      );
      const pinned = {
        roles: Object.fromEntries(roles.map(role => [role.profile.name, renderRole(role, values)])),
        prefix: renderPrefix(await loadPrefix(promptRoots(null), language), values),
      };
      expect(roles).toHaveLength(ROLES.size);
      // Much more: they have moved far from the dictionary, and it is time for another (dictionaries.ts).
      expect(pack(pinned).length).toBeLessThan(1_000);
      expect(unpack(pack(pinned))).toEqual(JSON.parse(JSON.stringify(pinned)));
    },
  );

  it('unpack: a dictionary of a newer version → an error that fails the task, not the run', () => {
    const [, ...rest] = pack({ a: 1 });
    expect(() => unpack(Uint8Array.from([200, ...rest]))).toThrow('dictionary 200 of a newer version');
  });
});
