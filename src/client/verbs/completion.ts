/** `completion`: a script that completes verbs and options in a shell. */
import { Argument, type Command } from 'commander';
import { outLine } from '../../print/output.js';

interface Offered {
  name: string;
  description: string;
}

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('Print a script that completes verbs and options in your shell.')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
To have it in every shell:
  steersman completion bash >> ~/.bashrc
  steersman completion zsh >> ~/.zshrc
  steersman completion fish > ~/.config/fish/completions/steersman.fish`,
    )
    .action((shell: keyof typeof SCRIPTS) => outLine(SCRIPTS[shell](program)));
}

function verbsOf(program: Command): Offered[] {
  return program.commands.map(verb => ({ name: verb.name(), description: verb.description() }));
}

function optionsOf(command: Command): Offered[] {
  const named = command.options.filter(({ long }) => long);
  return named.map(({ long, description }) => ({ name: long ?? '', description }));
}

function names(offered: readonly Offered[]): string {
  return offered.map(({ name }) => name).join(' ');
}

/** Files where nothing else fits: options take folders and files. */
function bashScript(program: Command): string {
  const cases = program.commands.map(verb => `    ${verb.name()}) words="${names(optionsOf(verb))}" ;;`);
  return `_steersman() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words="${names(optionsOf(program))}" ;;
  esac
  [[ $COMP_CWORD -eq 1 && $word != -* ]] && words="${names(verbsOf(program))}"
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _steersman steersman`;
}

function zshScript(program: Command): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bashScript(program)}`;
}

function fishScript(program: Command): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const line = (when: string, what: string, description: string) =>
    `complete -c steersman -n ${quoted(when)} ${what} -d ${quoted(description)}`;
  const verbs = verbsOf(program).map(({ name, description }) =>
    line('__fish_use_subcommand', `-a ${name}`, description),
  );
  const options = program.commands.flatMap(verb =>
    optionsOf(verb).map(({ name, description }) =>
      line(`__fish_seen_subcommand_from ${verb.name()}`, `-l ${name.slice(2)}`, description),
    ),
  );
  return [...verbs, ...options].join('\n');
}
