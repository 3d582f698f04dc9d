/** An option of a goal that stands before a verb must not be lost. */
import type { Command } from 'commander';
import { verbCall } from '../shared/called-as.js';
import { SteersmanError } from '../shared/errors.js';

/** Refuses options before a verb: they are read as the goal's, and the verb, also where it has them, sees none. */
export function refuseMisplaced(program: Command): void {
  program.hook('preAction', (_program, action) => {
    if (action === program) return;
    const given = program.options.filter(
      option => program.getOptionValueSource(option.attributeName()) === 'cli',
    );
    if (given.length === 0) return;
    const names = given.map(option => option.long);
    const verb = wayTo(action, program).join(' ');
    throw new SteersmanError(
      `${names.join(', ')} before the verb ${verb} would not count.`,
      `Say the verb first: ${verbCall(`${verb} … ${names.join(' ')}`)}`,
      'usage',
    );
  });
}

/** Makes a command of a program of its own, which starts where its name is the first word: nothing starts here. */
export function addProgram(command: Command): void {
  command
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new SteersmanError(
        `${command.name()} has to be the first word of the call.`,
        `Call: ${verbCall(command.name())}`,
        'usage',
      );
    });
}

/** The names of a verb of a verb, such as `schedule list`. */
function wayTo(action: Command, program: Command): string[] {
  return action.parent === null || action.parent === program
    ? [action.name()]
    : [...wayTo(action.parent, program), action.name()];
}
