/** Names as providers allow them: `[a-zA-Z0-9_-]`, at most 64 long, unique in a run (T2). */
import { createHash } from 'node:crypto';
import anyAscii from 'any-ascii';

const MAX_NAME_CHARS = 64;
const HASH_CHARS = 8;

/**
 * Picks the name to offer for a tool and adds it to `taken`. The first tool of a name keeps it bare, one of a
 * later server becomes `server__tool`; what is too long, or still not unique, gets a short hash.
 */
export function offerName(server: string, tool: string, taken: Set<string>): string {
  const bare = allowed(tool);
  const qualified = allowed(`${server}__${tool}`);
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, HASH_CHARS);
  const hashed = `${bare.slice(0, MAX_NAME_CHARS - HASH_CHARS - 1)}_${hash}`;
  const isMeaningful = /[a-zA-Z0-9]/.test(bare);
  const fits = [bare, qualified].filter(
    name => isMeaningful && name.length <= MAX_NAME_CHARS && !taken.has(name),
  );
  const name = fits[0] ?? hashed;
  taken.add(name);
  return name;
}

/** Names in other scripts are written in Latin letters: 中文工具 → ZhongWenGongJu. */
function allowed(name: string): string {
  const latin = /^[\x20-\x7e]*$/.test(name) ? name : anyAscii(name).trim();
  return latin.replace(/[^a-zA-Z0-9_-]/g, '_');
}
