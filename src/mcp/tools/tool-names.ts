/** Tool names in the form that providers allow: `[a-zA-Z0-9_-]`, at most 64 characters, unique in a run (T2). */
import { createHash } from 'node:crypto';
import anyAscii from 'any-ascii';

const MAX_NAME_CHARS = 64;
const HASH_CHARS = 8;

/**
 * Names tools in the order they come. The names depend on the configured servers and their order, not on which servers
 * are running. A name with a permission must not pass to another server while the intended one is down. `reserved`
 * holds names that are already taken.
 */
export function toolNamer(
  servers: readonly string[],
  reserved: Iterable<string> = [],
): (server: string, tool: string) => string {
  const taken = new Set(reserved);
  return (server, tool) => {
    const names = possibleNames(server, tool, servers);
    const name = names.find(candidate => !taken.has(candidate)) ?? hashedName(server, tool);
    taken.add(name);
    return name;
  };
}

/**
 * Returns the possible names of a tool, the preferred one first: the bare name if its server is the first one, then
 * `server__tool`. The last has a short hash, in case the others are too long or could belong to another server.
 */
export function possibleNames(server: string, tool: string, servers: readonly string[]): string[] {
  const bare = allowed(tool);
  const qualified = `${allowed(server)}__${bare}`;
  const others = servers.filter(name => name !== server).map(name => `${allowed(name)}__`);
  const fits = [...(servers[0] === server ? [bare] : []), qualified].filter(
    name =>
      /[a-zA-Z0-9]/.test(bare) &&
      name.length <= MAX_NAME_CHARS &&
      !others.some(prefix => name.startsWith(prefix)),
  );
  return [...fits, hashedName(server, tool)];
}

function hashedName(server: string, tool: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, HASH_CHARS);
  return `${allowed(tool).slice(0, MAX_NAME_CHARS - HASH_CHARS - 1)}_${hash}`;
}

/** Transliterates other scripts to Latin letters: 中文工具 → ZhongWenGongJu. */
function allowed(name: string): string {
  const latin = /^[\x20-\x7e]*$/.test(name) ? name : anyAscii(name).trim();
  return latin.replace(/[^a-zA-Z0-9_-]/g, '_');
}
