/** `completion`: a script that completes verbs, options and their values in a shell. */
import { Argument, type Command } from 'commander';
import type { ChildTree } from '../../client/index.js';
import { MODES, READERS } from '../../core/agents/modes.js';
import { DEFAULT_LIMITS } from '../../core/limits/limits.js';
import { outLine } from '../../shared/output.js';
import { resolveHome, usesLocalStack } from '../../stack/home.js';
import { stackState } from '../../stack/local-stack.js';
import { withRun } from '../command.js';
import { EXIT } from '../exit-codes.js';

interface Offered {
  name: string;
  description: string;
  /** What may follow an option: the values that are known, none for folders, files and free text; null for a switch. */
  values: readonly string[] | null;
  /** Values that only the run knows, which stands before it: what this verb prints of it. */
  ofRun?: string | undefined;
}

const AGENTS_VERB = 'agents-of';

/** By what a placeholder names. */
const OF_RUN: Readonly<Record<string, string>> = { reader: AGENTS_VERB };

/** Known values by what a placeholder names, where any other value may be given as well. */
type Known = Readonly<Record<string, readonly string[]>>;

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

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
    .action(async (shell: keyof typeof SCRIPTS) => outLine(SCRIPTS[shell](program, await knownValues())));
  program
    .command(AGENTS_VERB, { hidden: true })
    .description('Print the sub-agents of a run that work, for the scripts of completion.')
    .argument('<id>')
    .action(async (id: string) => {
      // A key starts nothing.
      if (usesLocalStack() && (await stackState(resolveHome())) === null) return;
      await withRun({}, id, async run => {
        for (const agent of openAgents(await run.children())) outLine(agent);
        return EXIT.ok;
      });
    });
}

/** The ways to those that work, such as `lead/1` and `lead/1/search/2`. Pure. */
export function openAgents(children: readonly ChildTree[]): string[] {
  return children.flatMap(({ id, outcome, children: own }) =>
    outcome === null ? [id, ...openAgents(own).map(way => `${id}/${way}`)] : [],
  );
}

async function knownValues(): Promise<Known> {
  // Read where it is wanted: no other verb needs what is known of models.
  const { knownModels } = await import('../../models/model-info.js');
  const [{ loadRoles }, { promptRoots }] = await Promise.all([
    import('../../config/prompts/prompts.js'),
    import('../../config/prompts/prompt-files.js'),
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

function verbsOf(program: Command): Offered[] {
  return verbs(program).map(verb => ({
    name: verb.name(),
    description: verb.description(),
    values: null,
  }));
}

function verbs(program: Command): Command[] {
  return program.commands.filter(verb => verb.name() !== AGENTS_VERB);
}

function optionsOf(command: Command, known: Known): Offered[] {
  return command.options.flatMap(({ long, flags, description, argChoices, required, optional }) => {
    if (!long) return [];
    const named = /[<[]([^>\]]+)[>\]]/.exec(flags)?.[1] ?? '';
    const values = required || optional ? (argChoices ?? known[named] ?? []) : null;
    return [{ name: long, description, values, ofRun: OF_RUN[named] }];
  });
}

/** What may stand for the arguments of a verb. */
function argumentsOf(command: Command, known: Known): string[] {
  return command.registeredArguments.flatMap(argument => argument.argChoices ?? known[argument.name()] ?? []);
}

/** Files where nothing else fits: options take folders and files. */
function bashScript(program: Command, known: Known): string {
  const cases = verbs(program).map(verb => bashCase(verb.name(), verb, known));
  return `_steersman() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words
  # Bash takes --mode=team apart.
  [[ $word == "=" ]] && word=""
  [[ $before == "=" ]] && before="\${COMP_WORDS[COMP_CWORD-2]}"
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
${bashCase('*', program, known)}
  esac
  [[ $COMP_CWORD -eq 1 && $word != -* ]] && words="${words(verbsOf(program))}"
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _steersman steersman`;
}

function bashCase(pattern: string, command: Command, known: Known): string {
  const options = optionsOf(command, known);
  const values = options.flatMap(option =>
    option.values === null ? [] : [`${option.name}) words="${bashValues(option.values, option.ofRun)}" ;;`],
  );
  const rest = [words(options), ...argumentsOf(command, known)].join(' ');
  return `    ${pattern}) case "$before" in
${[...values, `*) words="${rest}" ;;`].map(line => `        ${line}`).join('\n')}
      esac ;;`;
}

function bashValues(values: readonly string[], ofRun: string | undefined): string {
  const more = ofRun === undefined ? [] : [`$(steersman ${ofRun} "\${COMP_WORDS[2]}" 2>/dev/null)`];
  return [...values, ...more].join(' ');
}

function words(offered: readonly Offered[]): string {
  return offered.map(({ name }) => name).join(' ');
}

function zshScript(program: Command, known: Known): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bashScript(program, known)}`;
}

function fishScript(program: Command, known: Known): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const line = (when: string, what: string, description: string) =>
    `complete -c steersman -n ${quoted(when)} ${what} -d ${quoted(description)}`;
  const given = (values: readonly string[] | null, ofRun: string | undefined) => {
    if (values === null) return '';
    const more = ofRun === undefined ? [] : [`(steersman ${ofRun} (commandline -opc)[3] 2>/dev/null)`];
    return values.length === 0 ? ' -r' : ` -x -a ${quoted([...values, ...more].join(' '))}`;
  };
  const options = (command: Command, when: string) =>
    optionsOf(command, known).map(({ name, description, values, ofRun }) =>
      line(when, `-l ${name.slice(2)}${given(values, ofRun)}`, description),
    );
  const own = verbsOf(program).map(({ name, description }) =>
    line('__fish_use_subcommand', `-a ${name}`, description),
  );
  const ofVerbs = verbs(program).flatMap(verb => {
    const when = `__fish_seen_subcommand_from ${verb.name()}`;
    const stand = argumentsOf(verb, known);
    const values = stand.length === 0 ? [] : [line(when, `-a ${quoted(stand.join(' '))}`, '')];
    return [...options(verb, when), ...values];
  });
  const names = verbs(program)
    .map(verb => verb.name())
    .join(' ');
  return [...own, ...options(program, `not __fish_seen_subcommand_from ${names}`), ...ofVerbs].join('\n');
}
