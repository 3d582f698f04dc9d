/** `completion`: a script that completes verbs, options and their values in a shell. */

import { stackState } from '@steersman/stack';
import { Argument, type Command } from 'commander';
import { type ChildTree, DEFAULT_LIMITS } from 'steersman/client';
import { MODES, READERS } from 'steersman/run';
import { outLine, resolveHome, usesLocalStack } from 'steersman/shared';
import { onRun } from '../command/command.js';

/** The possible words after a verb. */
interface Offered {
  verb: string;
  description: string;
  options: {
    name: string;
    description: string;
    /** Known values of the option; empty for folders, files and free text; null for a switch. */
    values: readonly string[] | null;
    /** The verb that prints further values of the run whose id precedes the option. */
    ofRun: string | undefined;
  }[];
  arguments: readonly string[];
}

const AGENTS_VERB = 'agents-of';

/** Verbs that print values of a run, by the name of the placeholder. */
const OF_RUN: Readonly<Record<string, string>> = { reader: AGENTS_VERB };

/** Known values by the name of the placeholder; other values are allowed too. */
type Known = Readonly<Record<string, readonly string[]>>;

const SCRIPTS = {
  bash: bashScript,
  zsh: (program: Offered, verbs: Offered[]) =>
    `autoload -U +X bashcompinit && bashcompinit\n${bashScript(program, verbs)}`,
  fish: fishScript,
} as const;

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('Print a script that completes verbs, options and their values in your shell.')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
To have it in every shell:
  steersman completion bash >> ~/.bashrc
  steersman completion zsh >> ~/.zshrc
  steersman completion fish > ~/.config/fish/completions/steersman.fish`,
    )
    .action(async (shell: keyof typeof SCRIPTS) => {
      const known = await knownValues();
      const verbs = program.commands.filter(verb => verb.name() !== AGENTS_VERB);
      const offered = verbs.map(verb => offeredBy(verb, known));
      outLine(SCRIPTS[shell](offeredBy(program, known), offered));
    });
  const tellAgents = onRun(async run => {
    for (const agent of openAgents(await run.children())) outLine(agent);
  });
  program
    .command(AGENTS_VERB, { hidden: true })
    .description('Print the sub-agents of a run that work, for the scripts of completion.')
    .argument('<id>')
    .action(async (id: string, options: object, verb: Command) => {
      // Pressing a key must not start the stack.
      if (usesLocalStack() && (await stackState(resolveHome())) === null) return;
      await tellAgents(id, options, verb);
    });
}

/** Returns the paths of working sub-agents, such as `lead/1` and `lead/1/search/2`. Pure. */
export function openAgents(children: readonly ChildTree[]): string[] {
  return children.flatMap(({ id, outcome, children: own }) =>
    outcome === null ? [id, ...openAgents(own).map(way => `${id}/${way}`)] : [],
  );
}

async function knownValues(): Promise<Known> {
  // The import is lazy, because no other verb needs the known models.
  const { knownModels } = await import('steersman/models');
  const [{ loadRoles }, { promptRoots }] = await Promise.all([
    import('steersman/config'),
    import('steersman/config'),
  ]);
  const roles = await loadRoles(promptRoots(null), 'en');
  const limits = Object.keys(DEFAULT_LIMITS).map(name => `${name}=`);
  return {
    'endpoint/model': [...knownModels(), 'demo'],
    role: READERS,
    reader: READERS,
    mode: MODES,
    'role-file': roles.filter(({ profile }) => profile.output === 'text').map(({ profile }) => profile.name),
    'name=value': limits,
    limits,
    shell: Object.keys(SCRIPTS),
  };
}

function offeredBy(command: Command, known: Known): Offered {
  return {
    verb: command.name(),
    description: command.description(),
    options: command.options.flatMap(({ long, flags, description, argChoices, required, optional }) => {
      if (!long) return [];
      const named = /[<[]([^>\]]+)[>\]]/.exec(flags)?.[1] ?? '';
      const values = required || optional ? (argChoices ?? known[named] ?? []) : null;
      return [{ name: long, description, values, ofRun: OF_RUN[named] }];
    }),
    arguments: command.registeredArguments.flatMap(each => each.argChoices ?? known[each.name()] ?? []),
  };
}

/** Completes files if nothing else matches, because options take folders and files. */
function bashScript(program: Offered, verbs: Offered[]): string {
  return `_steersman() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words
  # Bash takes --mode=team apart.
  [[ $word == "=" ]] && word=""
  [[ $before == "=" ]] && before="\${COMP_WORDS[COMP_CWORD-2]}"
  case "\${COMP_WORDS[1]}" in
${[...verbs, { ...program, verb: '*' }].map(bashCase).join('\n')}
  esac
  [[ $COMP_CWORD -eq 1 && $word != -* ]] && words="${verbs.map(({ verb }) => verb).join(' ')}"
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _steersman steersman`;
}

function bashCase({ verb, options, arguments: stand }: Offered): string {
  const values = options.flatMap(({ name, values, ofRun }) => {
    const more = ofRun === undefined ? [] : [`$(steersman ${ofRun} "\${COMP_WORDS[2]}" 2>/dev/null)`];
    return values === null ? [] : [`${name}) words="${[...values, ...more].join(' ')}" ;;`];
  });
  const rest = [options.map(({ name }) => name).join(' '), ...stand].join(' ');
  return `    ${verb}) case "$before" in
${[...values, `*) words="${rest}" ;;`].map(line => `        ${line}`).join('\n')}
      esac ;;`;
}

function fishScript(program: Offered, verbs: Offered[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const line = (when: string, what: string, description: string) =>
    `complete -c steersman -n ${quoted(when)} ${what} -d ${quoted(description)}`;
  const given = (values: readonly string[] | null, ofRun: string | undefined) => {
    if (values === null) return '';
    const more = ofRun === undefined ? [] : [`(steersman ${ofRun} (commandline -opc)[3] 2>/dev/null)`];
    return values.length === 0 ? ' -r' : ` -x -a ${quoted([...values, ...more].join(' '))}`;
  };
  const lines = ({ options, arguments: stand }: Offered, when: string) => [
    ...options.map(({ name, description, values, ofRun }) =>
      line(when, `-l ${name.slice(2)}${given(values, ofRun)}`, description),
    ),
    ...(stand.length === 0 ? [] : [line(when, `-a ${quoted(stand.join(' '))}`, '')]),
  ];
  const names = verbs.map(({ verb }) => verb).join(' ');
  return [
    ...verbs.map(({ verb, description }) => line('__fish_use_subcommand', `-a ${verb}`, description)),
    ...lines({ ...program, arguments: [] }, `not __fish_seen_subcommand_from ${names}`),
    ...verbs.flatMap(each => lines(each, `__fish_seen_subcommand_from ${each.verb}`)),
  ].join('\n');
}
