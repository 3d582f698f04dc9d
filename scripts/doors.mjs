// Reads doors of rooms and packages, in sources and in the build: the names that they export, and the files behind
// them.
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** An import of names. */
const NAMED = /^import (type )?\{([^}]*)\} from (["'])([^"'\n]+)\3;/gm;
const GIVEN = /^(import|export) (type )?\{([^}]*)\} from ["']([^"']+)["']/gm;
/** A door: `steersman/run`, or `@steersman/view`, which the build of `steersman` calls `#steersman/view`. */
const DOOR = /^([@#]?)steersman\/([\w-]+)$/;
const ENDING = /(?:\.d)?\.[jt]s$/;

/** Returns our file that `file` imports by this specifier, relative to the same folder; null for another package. */
export function ours(file, specifier) {
  const [, scope, name] = DOOR.exec(specifier) ?? [];
  if (name === undefined && !specifier.startsWith('.')) return null;
  const path =
    name === undefined
      ? posix.join(posix.dirname(file), specifier)
      : scope
        ? `packages/${name}/index.js`
        : exports[`./${name}`].default.replace('./dist/', '');
  return path.replace(ENDING, ENDING.exec(file)[0]);
}

/**
 * Returns the names that a text takes from other files, each with its name there: `export { own as given } from '…'`.
 */
export function namesOf(text) {
  return [...text.matchAll(GIVEN)].flatMap(([, how, , names, from]) =>
    parts(names).map(one => ({ how, from, ...one })),
  );
}

function parts(names) {
  return names
    .split(',')
    .map(one => /^(type )?(\S+)(?: as (\S+))?$/.exec(one.trim()))
    .filter(Boolean)
    .map(([, type = '', own, given = own]) => ({ type, own, given }));
}

/** Returns the names that a door exports, each with the file that it comes from. */
function behindDoor(door, read) {
  const text = read(door);
  const named = namesOf(text).map(one => ({ ...one, path: ours(door, one.from) }));
  const all = [...text.matchAll(/^export \* from ["'](\.[^"']+)["']/gm)];
  return [...named, ...all.flatMap(([, from]) => behindDoor(ours(door, from), read))];
}

/**
 * Replaces imports through our doors by imports from the files behind them, because a door loads everything that it
 * exports. `read` returns the text of our file, `pathTo` its path in the importing file.
 */
export function pastDoors(text, file, { read, pathTo }) {
  return text.replace(NAMED, (all, type = '', names, _quote, from) => {
    if (!DOOR.test(from)) return all;
    const behind = new Map(behindDoor(ours(file, from), read).map(one => [one.given, one]));
    return parts(names)
      .map(({ own, given, type: ofType }) => {
        const there = behind.get(own);
        if (there === undefined && type + ofType === '') throw new Error(`${from} does not name ${own}.`);
        if (there === undefined) return `import type { ${own} } from '${from}';`;
        const name = there.own === given ? given : `${there.own} as ${given}`;
        return `import ${type || ofType}{ ${name} } from '${pathTo(there.path)}';`;
      })
      .join('\n');
  });
}
