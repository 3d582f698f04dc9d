/** `prompts new` writes a project's first prompts, `prompts show` prints a role's, `prompts list` lists those of tool servers. */

import { EXIT, userPath } from '@steersman/print';
import { answerOf, promptServers, promptsOf, trustedConfigDir } from '@steersman/session';
import { type Command, Option } from 'commander';
import { errorText } from 'steersman/base';
import { composePrompt, SteersmanError } from 'steersman/client';
import { CONFIG_OPTION, defaultConfigDir, localToolsDir, writeNewPrompts } from 'steersman/config';
import { createOutput, quietVerbCall, startCall, terminalText, verbCall } from 'steersman/shared';
import { type CommonOptions, describeVerb } from '../command/command.js';

interface NewOptions extends CommonOptions {
  language?: string;
  platform?: string;
  about?: string;
  provider?: string;
  in: 'en' | 'zh';
}

/** The questions about values that no option sets. */
const QUESTIONS = {
  language: 'Which programming language is the project written in?',
  platform: 'What does it run on, or what is it built on?',
  about: 'What is it, for whom, and what must always hold there?',
} as const;

export function addPrompts(program: Command): void {
  const prompts = program.command('prompts').description('Prompts of a project, and of its tool servers.');
  addPromptsList(prompts);
  addPromptsShow(prompts);
  const verb = prompts
    .command('new')
    .description("Write a project's first prompts from a few answers; asks for what no option sets.")
    .argument('[dir]', 'folder of the project', '.')
    .option('--language <name>', 'programming language, such as TypeScript')
    .option('--platform <name>', 'what it runs on or is built on, such as Express')
    .option('--about <text>', 'what the project is, for whom, and what must always hold there')
    .option('--provider <name>', 'whose models it uses, where that matters to the work')
    .addOption(new Option('--in <language>', 'language of the prompts').choices(['en', 'zh']).default('en'));
  describeVerb(verb, [
    verbCall('prompts new'),
    verbCall(
      'prompts new --language Go --platform "gRPC on Kubernetes" --about "Ships parcels for small shops."',
    ),
  ]).action(async (dir: string, options: NewOptions) => {
    const output = createOutput(options);
    const { language, platform, about } = await answers(options);
    const { provider } = options;
    const written = await writeNewPrompts(
      userPath(dir),
      { language, platform, businessContext: about, ...(provider === undefined ? {} : { provider }) },
      options.in,
    );
    if (output.json) return output.value(written);
    output.out.line(
      `Wrote ${written.context}: what every role knows of the project. Fill in the lines that have dots.`,
    );
    output.out.line(
      `Wrote ${written.task}: the task of writing a context for each role. To have a run do it:`,
    );
    output.out.line(`  ${startCall(`"$(cat ${written.task})" --workspace ${userPath(dir)}`)}`);
    output.out.line(
      `Wrote ${written.application}: the task of building an application with such a team, for any coding agent.`,
    );
  });
}

interface ListOptions extends CommonOptions {
  workspace: string;
  config?: string;
}

function addPromptsList(prompts: Command): void {
  const verb = prompts
    .command('list')
    .description(
      'List the prompts that tool servers offer, for --prompt and for /SERVER:PROMPT in a session: starts each server.',
    )
    .option('--workspace <dir>', 'folder that tool servers are started for', '.')
    .option('--config <dir>', CONFIG_OPTION)
    .addHelpText('after', '\nExit codes: 0 all servers were asked; 1 one could not be.');
  describeVerb(verb, [verbCall('prompts list'), quietVerbCall('prompts list --json | jq .name')]).action(
    async ({ workspace, config, ...options }: ListOptions) => {
      const output = createOutput(options);
      const place = { config, workspace: userPath(workspace) };
      const servers = await promptServers(place);
      const asked = await Promise.allSettled(servers.map(server => promptsOf(server, place)));
      const { promptUsage } = await import('steersman/mcp');
      for (const result of asked) {
        if (result.status === 'rejected') {
          output.notes.line(errorText(result.reason));
          process.exitCode = EXIT.failed;
        } else {
          for (const prompt of result.value) {
            if (output.json) output.value({ type: 'prompt', ...prompt });
            else output.out.line([promptUsage(prompt), prompt.description].filter(Boolean).join('  '));
          }
        }
      }
      const none = asked.every(result => result.status === 'fulfilled' && result.value.length === 0);
      if (none) output.notes.line('No tool server offers a prompt.');
    },
  );
}

interface ShowOptions extends ListOptions {
  mode?: string;
}

function addPromptsShow(prompts: Command): void {
  const verb = prompts
    .command('show')
    .description("Print a role's prompt as its requests have it, or the fault of its files.")
    .argument('<role>', 'the name of its file in prompts/core')
    .option('--mode <mode>', 'mode of the run (default: one that asks the role)')
    .option('--workspace <dir>', 'folder that the run would work in', '.')
    .option('--config <dir>', CONFIG_OPTION);
  describeVerb(verb, [
    verbCall('prompts show planner'),
    quietVerbCall('prompts show planner --json | jq -r .system'),
  ]).action(async (role: string, { workspace, config, mode, ...options }: ShowOptions) => {
    const output = createOutput(options);
    const configDir = config === undefined ? defaultConfigDir() : userPath(config);
    const folder = userPath(workspace);
    const composed = await composePrompt(role, {
      ...{ configDir, workspace: folder },
      ...(mode !== undefined && { mode }),
      tools: () => toolsAt(config, folder),
    });
    if (output.json) return output.value({ type: 'prompt', ...composed });
    const say = (text: string) => output.out.line(terminalText(text));
    say(`System text:\n\n${composed.system}`);
    if (composed.message !== null) say(`\nMessage of the conversation:\n\n${composed.message}`);
    if (composed.told.length > 0) output.notes.line(`Each instruction repeats: ${composed.told.join(', ')}.`);
    for (const warning of composed.warnings) output.notes.line(warning);
  });
}

/** Returns the tools that such a run would have. The servers are started only if the folder is trusted. */
async function toolsAt(config: string | undefined, workspace: string) {
  const { openTools } = await import('steersman/worker');
  const tools = await openTools({ configDir: localToolsDir(await trustedConfigDir(config)), workspace });
  try {
    return (await tools.list()).tools;
  } finally {
    await tools.close();
  }
}

async function answers(options: NewOptions): Promise<Record<keyof typeof QUESTIONS, string>> {
  const missing = (Object.keys(QUESTIONS) as (keyof typeof QUESTIONS)[]).filter(
    name => !options[name]?.trim(),
  );
  const given = { language: '', platform: '', about: '', ...options };
  if (missing.length === 0) return given;
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw missingValues(missing);
  for (const name of missing) {
    given[name] = (await answerOf(QUESTIONS[name])).trim();
    if (given[name] === '') throw missingValues([name]);
  }
  return given;
}

function missingValues(missing: readonly string[]): SteersmanError {
  const options = missing.map(name => `--${name}`).join(', ');
  return new SteersmanError(`Missing: ${options}.`, `See: ${verbCall('prompts new --help')}`, 'usage');
}
