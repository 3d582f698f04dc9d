/** Accounts in the store of this machine, read and filled without Temporal or a worker. */
import { randomUUID } from 'node:crypto';
import { resolveHome } from '../../shared/local/home.js';
import { SteersmanError } from '../../shared/process/errors.js';
import type { Account, AccountStore } from '../../shared/store/store.js';
import { storeIn } from './store-in.js';

/** The accounts that runs are charged to: see `credits` of `steersman.yaml`. */
export class Accounts {
  readonly #store: AccountStore;

  /** `home`: folder of the local stack; default as for `connect`. */
  constructor(home?: string) {
    this.#store = storeIn(resolveHome(home)).accounts;
  }

  /** Returns an account. Throws a SteersmanError if it is unknown. */
  async show(id: string): Promise<Account> {
    const found = await this.#store.show(id);
    if (found === null) throw new SteersmanError(`There is no account ${id} in the store.`, '', 'not_found');
    return found;
  }

  /** Adds credits, once for each key, such as an order's number. Default: a new key. */
  grant(id: string, credits: number, { key = randomUUID() }: { key?: string } = {}): Promise<Account> {
    return this.#store.grant(id, key, credits);
  }

  /** Lists all accounts, sorted by id. */
  list(): Promise<Account[]> {
    return this.#store.list();
  }
}
