/** What simulated runs find when they look at files. */
import type { LookFinds, LookInput } from '../../src/activities/types.js';
import type { Random } from './random.js';

const HASHES = ['a', 'b', 'c', null];

export function filesFound(random: Random, input: LookInput): LookFinds[LookInput['at']] {
  switch (input.at) {
    case 'before':
      return input.paths.map(named => {
        const hash = random.pick(HASHES);
        const ref = hash === null ? null : random.pick(['blob:then', null]);
        return { named, path: named.toLowerCase(), hash, bytes: random.int(0, 9_000), ref };
      });
    case 'now': {
      const files = input.files.map(({ path, hash: before, ref }) => {
        const hash = random.pick([...HASHES, before, before]);
        const bytes = random.int(0, 9_000);
        if (hash === null || hash === before) return { path, hash, bytes, diff: null, left: 0, why: null };
        const diff = ref === null ? null : `-old\n+${'new '.repeat(random.int(1, 900))}`;
        return { path, hash, bytes, diff, left: 0, why: diff === null ? ('no_text' as const) : null };
      });
      const others = input.since === null ? [] : random.some(['b.txt', 'c.txt'], 0.5);
      if (input.start === undefined) return { files, others, more: 0 };
      const unseen = random.pick(['start', 'now', 'cut', 'ignored', null] as const);
      const changes = { changed: others, added: ['.npmrc'], gone: [], more: 0, ignored: [], unseen };
      return { files, others: [], more: 0, changes };
    }
    case 'start':
      return { ref: random.pick(['blob:start', null]) };
    case 'list':
      return 'a.txt 3 B';
  }
}
