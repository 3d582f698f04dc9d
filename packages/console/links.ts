/**
 * Links that open the console once, and the tokens that they are exchanged for. Both are files of this user, named by a
 * digest: any process of theirs makes a link, the console that serves takes it, and a console that starts again knows
 * its pages.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from 'steersman/shared';

/** A link that nobody has opened for so long is none. */
const LINK_MS = 600_000;
/** A page that was opened longer ago asks for a new link. */
const TOKEN_MS = 30 * 86_400_000;

export class Links {
  readonly #dir: string;

  /** `home`: folder of the local stack. */
  constructor(home: string) {
    this.#dir = join(home, 'console');
  }

  /** The word of a new link. */
  create(): string {
    return this.#write('link');
  }

  /** A token for the word of a link, once; null where it is no link, or was taken, or is too old. */
  redeem(word: string): string | null {
    const path = this.#path('link', word);
    try {
      const { mtimeMs } = statSync(path);
      // Of two that come at once, one removes it.
      unlinkSync(path);
      if (Date.now() - mtimeMs > LINK_MS) return null;
    } catch {
      return null;
    }
    return this.#write('token');
  }

  /** The name of a file is a digest: how long looking it up takes tells nothing of a token. */
  knows(token: string): boolean {
    if (token === '') return false;
    const found = statSync(this.#path('token', token), { throwIfNoEntry: false });
    return found !== undefined && Date.now() - found.mtimeMs <= TOKEN_MS;
  }

  /** Removes what is too old. */
  sweep(now = Date.now()): void {
    for (const [kind, ms] of [
      ['link', LINK_MS],
      ['token', TOKEN_MS],
    ] as const)
      for (const path of this.#paths(kind)) {
        const found = statSync(path, { throwIfNoEntry: false });
        if (found && now - found.mtimeMs > ms) rmSync(path, { force: true });
      }
  }

  #paths(kind: string): string[] {
    const names = existsSync(this.#dir) ? readdirSync(this.#dir) : [];
    return names.filter(name => name.startsWith(`${kind}-`)).map(name => join(this.#dir, name));
  }

  #write(kind: 'link' | 'token'): string {
    const word = randomBytes(32).toString('base64url');
    makeFolder(this.#dir);
    writeFileSync(this.#path(kind, word), '', { mode: 0o600, flag: 'wx' });
    return word;
  }

  #path(kind: 'link' | 'token', word: string): string {
    return join(this.#dir, `${kind}-${digestOf(word)}`);
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
