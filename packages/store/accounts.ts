/**
 * Accounts in a folder: a file of JSON lines for each. A change is one appended line whose effect follows from the
 * lines before it, so no lock is needed. The first of two charges with the same key counts, for every reader.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord, isText, ownValue, parseJson } from 'steersman/base';
import type { Account, AccountStore } from 'steersman/shared';
import { checkAccount, runFolder, SteersmanError } from 'steersman/shared';
import { openFile } from './folder-lines.js';

const SUFFIX = '.jsonl';
const NEWLINE = 10;
/** Bytes that are compared to detect that the lines read so far are still in the file. */
const END_BYTES = 1_000;
/** A lease that was not renewed for this long (by the store's clock) is free: its run was terminated, or waits for a person. */
export const LEASE_MS = 3_600_000;

type Entry = { account: string; by: string } & (
  | { k: 'grant'; key: string; credits: number }
  | { k: 'charge'; key: string; credits: number; tokens: number; at: number }
  | { k: 'refund'; prefix: string }
  | { k: 'lease'; chain: string; limit: number; at: number }
  | { k: 'release'; chain: string }
);
type NewEntry = Entry extends infer E ? (E extends Entry ? Omit<E, 'account' | 'by'> : never) : never;

/** Text and number fields of each kind of line. They are checked because a person may have written a line by hand. */
const FIELDS: Readonly<Record<Entry['k'], { texts: readonly string[]; numbers: readonly string[] }>> = {
  grant: { texts: ['key'], numbers: ['credits'] },
  charge: { texts: ['key'], numbers: ['credits', 'tokens', 'at'] },
  refund: { texts: ['prefix'], numbers: [] },
  lease: { texts: ['chain'], numbers: ['limit', 'at'] },
  release: { texts: ['chain'], numbers: [] },
};

function isEntry(line: unknown): line is Entry {
  if (!isRecord(line) || !isText(line.k)) return false;
  const { texts, numbers } = ownValue(FIELDS, line.k) ?? {};
  return (
    texts !== undefined &&
    [...texts, 'account', 'by'].every(name => isText(line[name])) &&
    numbers?.every(name => Number.isFinite(line[name])) === true &&
    (line.at === undefined || !Number.isNaN(new Date(Number(line.at)).getTime()))
  );
}

/** The state of an account, computed from the lines read so far. */
class Ledger {
  account: Account | null = null;
  /** The writer of each grant and charge, by its key. */
  readonly made = new Map<string, string>();
  readonly #charged = new Map<string, number>();
  readonly leases = new Map<string, number>();
  #read = 0;
  /** The last bytes that were read. Each line contains a uuid, so they are unique. */
  #end = Buffer.alloc(0);

  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Reads new lines synchronously, so no other reader of this process interferes. A restored folder is read from the start. */
  catchUp(): this {
    const file = openThere(this.path);
    if (file === null) return this.#forget();
    try {
      const { size } = fstatSync(file);
      if (!readAt(file, this.#read - this.#end.length, this.#read).equals(this.#end)) this.#forget();
      const bytes = readAt(file, this.#read, size);
      const whole = bytes.lastIndexOf(NEWLINE) + 1;
      this.#read += whole;
      this.#end = Buffer.concat([this.#end, bytes.subarray(0, whole)].map(part => part.subarray(-END_BYTES)));
      for (const text of bytes.subarray(0, whole).toString('utf8').split('\n')) {
        // Each line has an empty line before it, and parsing a text that is not JSON is slow.
        const line = text === '' ? null : parseJson(text);
        if (isEntry(line)) this.#take(line);
      }
    } finally {
      closeSync(file);
    }
    return this;
  }

  #forget(): this {
    this.account = null;
    for (const known of [this.made, this.#charged, this.leases]) known.clear();
    this.#read = 0;
    this.#end = Buffer.alloc(0);
    return this;
  }

  #take(line: Entry): void {
    this.account ??= { id: line.account, balance: 0, day: '', dayTokens: 0 };
    const { account } = this;
    switch (line.k) {
      case 'grant':
        if (this.#isFirst(`grant ${line.key}`, line.by))
          account.balance = rounded(account.balance + line.credits);
        return;
      case 'charge': {
        if (!this.#isFirst(`charge ${line.key}`, line.by)) return;
        this.#charged.set(line.key, line.credits);
        account.balance = rounded(account.balance - line.credits);
        const day = dayOf(line.at);
        // The day may also be an earlier one, so that the effect of a wrong clock ends with the next charge.
        if (day !== account.day) Object.assign(account, { day, dayTokens: 0 });
        account.dayTokens += line.tokens;
        return;
      }
      case 'refund':
        for (const [key, credits] of this.#charged) {
          if (!key.startsWith(line.prefix)) continue;
          this.#charged.delete(key);
          account.balance = rounded(account.balance + credits);
        }
        return;
      case 'lease':
        for (const [chain, at] of this.leases) if (at < line.at - LEASE_MS) this.leases.delete(chain);
        if (this.leases.has(line.chain) || this.leases.size < line.limit)
          this.leases.set(line.chain, line.at);
        return;
      case 'release':
        this.leases.delete(line.chain);
    }
  }

  #isFirst(key: string, by: string): boolean {
    if (this.made.has(key)) return false;
    this.made.set(key, by);
    return true;
  }
}

export function folderAccounts(dir: string): AccountStore {
  const ledgers = new Map<string, Ledger>();
  const ledgerAt = (path: string) => {
    const ledger = ledgers.get(path) ?? new Ledger(path);
    ledgers.set(path, ledger);
    return ledger.catchUp();
  };
  const pathOf = (account: string) => join(dir, `${runFolder(account)}${SUFFIX}`);
  const add = async (account: string, entryAt: (at: number) => NewEntry) => {
    checkAccount(account);
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const by = randomUUID();
    await appendLine(pathOf(account), at => JSON.stringify({ account, by, ...entryAt(at) }));
    const ledger = ledgerAt(pathOf(account));
    if (ledger.account === null)
      throw new Error(`${pathOf(account)} does not contain the line that was written`);
    return { ledger, account: { ...ledger.account }, by };
  };
  return {
    async charge(account, key, what) {
      const counted = countable(what);
      const charged = await add(account, at => ({ k: 'charge', key, ...counted, at }));
      return { ...charged.account, isNew: charged.ledger.made.get(`charge ${key}`) === charged.by };
    },
    async grant(account, key, given) {
      const { credits } = countable({ credits: given });
      return (await add(account, () => ({ k: 'grant', key, credits }))).account;
    },
    refund: async (account, prefix) => (await add(account, () => ({ k: 'refund', prefix }))).account,
    async show(account) {
      const found = ledgerAt(pathOf(account)).account;
      return found && { ...found };
    },
    async list() {
      const files = namesIn(dir)
        .map(name => join(dir, name))
        .filter(path => lstatSync(path, { throwIfNoEntry: false })?.isFile());
      const found = files.map(path => ledgerAt(path).account);
      return found
        .flatMap(account => (account ? [{ ...account }] : []))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    async lease(account, chain, limit) {
      const { ledger } = await add(account, at => ({ k: 'lease', chain, limit, at }));
      return ledger.leases.has(chain);
    },
    async release(account, chain) {
      await add(account, () => ({ k: 'release', chain }));
    },
  };
}

/** Appends a line, which is on the disk on return. `at`: the clock of the disk, which all hosts that write there share. */
async function appendLine(path: string, line: (at: number) => string): Promise<void> {
  const file = await openFile(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
  try {
    // An empty line first, because the line before may be torn.
    await file.write('\n');
    const at = Math.floor((await file.stat()).mtimeMs);
    const bytes = Buffer.from(`${line(at)}\n`);
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length) throw new Error(`${path} could not be written whole: no space left`);
    await file.datasync();
  } finally {
    await file.close();
  }
}

function readAt(file: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, to - from));
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
}

function openThere(path: string): number | null {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
    throw new Error(`${path} is not a regular file`);
  } catch (error) {
    return unlessGone(error, null);
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).filter(name => name.endsWith(SUFFIX));
  } catch (error) {
    return unlessGone(error, []);
  }
}

function unlessGone<T>(error: unknown, otherwise: T): T {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return otherwise;
  throw error;
}

/** Rounds to millionths, so that sums are the same in every store. */
export function rounded(credits: number): number {
  return Math.round(credits * 1e6) / 1e6;
}

/** Rounds the credits. @throws SteersmanError for NaN or infinity, which would spoil the balance permanently. */
export function countable<T extends { credits: number; tokens?: number }>(what: T): T {
  const { credits, tokens = 0 } = what;
  if (Number.isFinite(rounded(credits)) && Number.isSafeInteger(tokens))
    return { ...what, credits: rounded(credits) };
  throw new SteersmanError(
    `${credits} credits and ${tokens} tokens cannot be counted.`,
    'Give numbers.',
    'usage',
  );
}

/** Returns the day in UTC, `YYYY-MM-DD`. */
function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
