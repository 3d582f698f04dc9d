/** Refuses words at a position without effect, so that they are not lost or taken for a goal. */

import type { Argument, Command, CommanderError } from 'commander';
import { isWithin } from 'steersman/base';
import { SteersmanError } from 'steersman/client';
import { shellWord, startCall, verbCall } from 'steersman/shared';

/** Refuses options before a verb: the goal's command would take them, and the verb would not see them. */
export function refuseMisplaced(program: Command): void {
  program.hook('preAction', (_program, action) => {
    if (action === program) return;
    const names = program.options
      .filter(option => program.getOptionValueSource(option.attributeName()) === 'cli')
      .map(option => option.long);
    if (names.length === 0) return;
    const verb = verbPath(action, program).join(' ');
    throw new SteersmanError(
      `${names.join(', ')} must come after the verb ${verb}.`,
      `Put the verb first: ${verbCall(`${verb} … ${names.join(' ')}`)}`,
      'usage',
    );
  });
}

/** Arguments whose text must be quoted. Their verbs refuse further words themselves, with advice to quote them. */
const TEXTS: readonly string[] = ['goal', 'text', 'json'];

/** Refuses words that belong to no argument. */
export function refuseExtra(program: Command): Command {
  return program.allowExcessArguments().hook('preAction', (_program, action) => {
    const { registeredArguments: taken, args } = action;
    const last = taken.at(-1);
    const extra = last?.variadic || TEXTS.includes(last?.name() ?? '') ? [] : args.slice(taken.length);
    if (extra.length === 0) return;
    const verb = verbPath(action, program).join(' ');
    const isReason = action.options.some(({ long }) => long === '--reason');
    const advice = isReason ? `The reason: --reason ${shellWord(extra.join(' '))}\n` : '';
    throw new SteersmanError(
      `${verb} does not take ${extra.join(', ')}.`,
      advice + callOf(action, program),
      'usage',
    );
  });
}

/** Refuses `help` for an unknown verb: Commander would print the whole help without an explanation. */
export function refuseHelp(program: Command): Command {
  return program.addHelpText('beforeAll', ({ error, command }) => {
    const [first, verb] = command.args;
    if (!error || first !== 'help' || verb === undefined) return '';
    const verbs = command.commands.map(each => each.name());
    const meant = misspelt(verb, verbs);
    throw new SteersmanError(
      `There is no verb ${verb}.${meant === null ? '' : ` Did you mean ${meant}?`}`,
      `The verbs: ${verbs.join(', ')}.`,
      'usage',
    );
  });
}

/** Makes each verb answer a wrong option or a missing argument with its usage. */
export function tellCalls(program: Command, verbs: readonly Command[] = program.commands): void {
  for (const verb of verbs) {
    const call = callOf(verb, program);
    verb.showHelpAfterError(call).exitOverride(error => {
      CALLS.set(error, call);
      throw error;
    });
    tellCalls(program, verb.commands);
  }
}

const CALLS = new WeakMap<CommanderError, string>();

/** Returns the text below an error about a wrong option or a missing argument. */
export function remedyOf(error: CommanderError): string {
  return CALLS.get(error) ?? '--help shows how to call it.';
}

function callOf(action: Command, program: Command): string {
  const verb = verbPath(action, program).join(' ');
  const names = action.registeredArguments.map(placeholder);
  return `Call: ${[action === program ? verb : verbCall(verb), ...names, '[options]'].join(' ')}`;
}

export function placeholder(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** Adds a command that is a separate program. It runs only as the first word of the call, so here it is refused. */
export function addProgram(command: Command): void {
  command
    .allowUnknownOption()
    .argument('[options...]')
    .action(() => {
      const message = `${command.name()} has to be the first word of the call.`;
      throw new SteersmanError(message, `Call: ${verbCall(command.name())}`, 'usage');
    });
}

/** Returns the names of a nested verb, such as `schedule list`. */
function verbPath(action: Command, program: Command): string[] {
  const { parent } = action;
  return [...(parent === null || parent === program ? [] : verbPath(parent, program)), action.name()];
}

/**
 * Refuses a one-word goal that differs from a verb by one or two letters. `of`: another program whose verb names are
 * refused too, if this one has no verbs.
 */
export function refuseMisspelt(program: Command, of: Command = program): Command {
  return program.hook('preAction', (_program, action) => {
    const [goal = '', ...more] = action === program ? program.args : [];
    const verbs = of.commands.map(verb => verb.name());
    const meant = verbs.includes(goal) ? goal : misspelt(goal, verbs);
    if (meant === null || more.length > 1) return;
    throw new SteersmanError(
      meant === goal ? `${goal} is a verb, not a goal.` : `There is no verb ${goal}. Did you mean ${meant}?`,
      `Call: ${verbCall([meant, ...more].join(' '))}. If it is the goal, say it in more words: ${startCall(`"${goal} …"`)}`,
      'usage',
    );
  });
}

/** Returns the intended verb; null if no verb is similar. Pure. */
export function misspelt(word: string, verbs: readonly string[]): string | null {
  if (!/^[a-z-]{3,}$/.test(word) || verbs.includes(word)) return null;
  return verbs.find(verb => verb[0] === word[0] && isWithin(word, verb, verb.length > 4 ? 2 : 1)) ?? null;
}
