// Doors of rooms and packages, in sources and in what is made of them: what they give, and from which files.
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** An import of names. */
const NAMED = /^import (type )?\{([^}]*)\} from (["'])([^"'\n]+)\3;/gm;
const GIVEN = /^(import|export) (type )?\{([^}]*)\} from ["']([^"']+)["']/gm;
/** `steersman/run`, or `@steersman/view`, which is `#steersman/view` in what is built into the package `steersman`. */
const DOOR = /^([@#]?)steersman\/([\w-]+)$/;
const ENDING = /(?:\.d)?\.[jt]s$/;

/** The file of ours that `file` imports so, both from one folder on as they are built; null for another package's. */
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

/** The names of a text that come from elsewhere, each with what its own file calls it: `export { own as given } from '…'`. */
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

/** What a door of ours gives, each with the file that it comes from. */
function behindDoor(door, read) {
  const text = read(door);
  const named = namesOf(text).map(one => ({ ...one, path: ours(door, one.from) }));
  const all = [...text.matchAll(/^export \* from ["'](\.[^"']+)["']/gm)];
  return [...named, ...all.flatMap(([, from]) => behindDoor(ours(door, from), read))];
}

/**
 * Lets a text import what comes through a door of ours from its own file: a door loads all that it gives. `read` gives
 * the text of a file of ours, `pathTo` how the importing file names it.
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
