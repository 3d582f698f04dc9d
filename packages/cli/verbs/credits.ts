/** `credits`: reads and fills the accounts that runs are charged to, without Temporal. */

import { definedOptions, notEmpty, padId } from '@steersman/print';
import { type Command, InvalidArgumentError } from 'commander';
import { readNumber } from 'steersman/base';
import { type Account, Accounts } from 'steersman/client';
import { createOutput, verbCall } from 'steersman/shared';
import { type CommonOptions, describeVerb } from '../command/command.js';

export function addCredits(program: Command): void {
  const credits = program
    .command('credits')
    .description(
      'Accounts in the store of this machine, which runs are charged to: see credits of steersman.yaml.',
    );
  const show = credits
    .command('show')
    .description('Print what an account has, and the tokens that it has used on its last day.')
    .argument('<account>', 'id of the account');
  describeVerb(show, [verbCall('credits show ann'), verbCall('credits show ann --json')]).action(
    async (id: string, options: CommonOptions) => print(options, [await new Accounts().show(id)]),
  );
  const grant = credits
    .command('grant')
    .description('Give an account credits. Each key counts once, so the call may be repeated.')
    .argument('<account>', 'id of the account; a new one begins with 0', notEmpty)
    .argument('<credits>', 'how many', credit)
    .option('--key <key>', 'names this grant, such as the number of an order', notEmpty);
  describeVerb(grant, [
    verbCall('credits grant ann 100'),
    verbCall('credits grant ann 100 --key order-7'),
  ]).action(async (id: string, amount: number, { key, ...options }: CommonOptions & { key?: string }) =>
    print(options, [await new Accounts().grant(id, amount, definedOptions({ key }))]),
  );
  const list = credits.command('list').description('List all accounts, with what they have.');
  describeVerb(list, [verbCall('credits list')]).action(async (options: CommonOptions) => {
    const found = await new Accounts().list();
    print(options, found);
    if (found.length === 0) createOutput(options).notes.line('Nobody has an account yet.');
  });
}

const ID_COLUMNS = 30;

function print(options: CommonOptions, accounts: readonly Account[]): void {
  const { json, out, value } = createOutput(options);
  for (const account of accounts)
    if (json) value(account);
    else out.line(accountLine(account));
}

function accountLine({ id, balance, day, dayTokens }: Account): string {
  const used = day === '' ? '' : `  ${dayTokens} tokens on ${day}`;
  return `${padId(id, ID_COLUMNS)}  ${String(balance).padStart(12)}${used}`;
}

/** A negative number removes credits, for example after a mistake. */
function credit(value: string): number {
  const number = readNumber(value);
  if (number !== null && Math.abs(number) <= 1e12) return number;
  throw new InvalidArgumentError('It must be a number, such as 100 or 2.5.');
}
