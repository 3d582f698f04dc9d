/**
 * Links that open the console once, and the tokens that replace them. Both are files of this user, named by a digest:
 * any process of the user can make a link, the serving console redeems it, and a restarted console knows its pages.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolder } from 'steersman/shared';
import { digestOf } from './proof.js';

/** A link expires after this time. */
const LINK_MS = 600_000;
/** A page that was opened longer ago needs a new link. */
const TOKEN_MS = 30 * 86_400_000;

export class Links {
  readonly #dir: string;

  /** `home`: folder of the local stack. */
  constructor(home: string) {
    this.#dir = join(home, 'console');
  }

  /** Creates a link and returns its code. */
  create(): string {
    return this.#write('link');
  }

  /** Redeems the code of a link for a token, once; null if it is unknown, used or too old. */
  redeem(word: string): string | null {
    const path = this.#path('link', word);
    try {
      const { mtimeMs } = statSync(path);
      // If two requests redeem the link at once, only one can remove the file.
      unlinkSync(path);
      if (Date.now() - mtimeMs > LINK_MS) return null;
    } catch {
      return null;
    }
    rmSync(this.#opener, { force: true });
    return this.#write('token');
  }

  /**
   * Writes a page that leads to a link, and returns its path, for a program that opens a browser: other users of the
   * machine see the arguments of programs (WB15).
   */
  pageTo(link: string): string {
    makeFolder(this.#dir);
    const to = JSON.stringify(link).replaceAll('<', '\\u003c');
    rmSync(this.#opener, { force: true });
    const page = `<!doctype html><meta charset="utf-8"><title>Steersman</title><script>location.replace(${to})</script>\n`;
    writeFileSync(this.#opener, page, { mode: 0o600, flag: 'wx' });
    return this.#opener;
  }

  get #opener(): string {
    return join(this.#dir, 'open.html');
  }

  /** The file name is a digest, so the time of the lookup reveals nothing about a token. */
  knows(token: string): boolean {
    if (token === '') return false;
    const found = statSync(this.#path('token', token), { throwIfNoEntry: false });
    return found !== undefined && Date.now() - found.mtimeMs <= TOKEN_MS;
  }

  /** Returns the digests of all tokens that are known. */
  *digests(): Generator<string> {
    for (const path of this.#paths('token')) {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found && Date.now() - found.mtimeMs <= TOKEN_MS) yield basename(path).slice('token-'.length);
    }
  }

  /** Removes expired files. */
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
