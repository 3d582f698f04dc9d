/** Finds the folder whose configuration a command uses. At first use it asks a person, if one is there, to trust the folder. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { userPath } from '@steersman/print';
import { escapeUnseen, isRecord, stringOr } from 'steersman/base';
import {
  defaultConfigDir,
  isTrusted,
  loadVariables,
  markOf,
  notTrusted,
  SKILL_FOLDERS,
  skillsIn,
  TOOL_FILES,
  toolFilesOf,
  trustedSections,
  trustForNow,
  trustFrom,
  variablesOf,
} from 'steersman/config';
import { loadMcpConfig, type McpServerConfig } from 'steersman/mcp';
import { errorLine, oneLine, usesLocalStack } from 'steersman/shared';

/** Shows the lines and asks; null if no person can answer. */
export type Ask = ((lines: readonly string[]) => Promise<boolean>) | null;

/**
 * Returns the named folder, which needs no trust, else the default one; and loads its `.env`.
 * @throws SteersmanError if the folder is not trusted, and no person confirms it.
 */
export async function trustedConfigDir(named: string | undefined, ask: Ask = personHere()): Promise<string> {
  const dir = named === undefined ? defaultConfigDir() : userPath(named);
  if (named !== undefined && existsSync(dir)) trustForNow(dir);
  else if (named === undefined && !isTrusted(dir)) {
    if (ask !== null) {
      // Only files that did not change while the person read are trusted.
      const mark = markOf(dir);
      if (await ask(whatItBrings(dir))) trustFrom(dir, mark);
    }
    if (!isTrusted(dir)) throw notTrusted(dir);
  }
  tellPassedOver(dir, loadVariables(dir));
  return dir;
}

const MOST_NAMES = 8;

function tellPassedOver(dir: string, names: readonly string[]): void {
  if (names.length === 0) return;
  errorLine(
    `Passed over in ${oneLine(join(dir, '.env'))}: ${listOf(names)}. A folder's .env sets variables of models, Temporal and Steersman, and those that its steersman.yaml and .mcp.json name as \${NAME}; others are set in the environment: export ${/^\w+$/.test(names[0] ?? '') ? names[0] : 'NAME'}=…`,
  );
}

/** Names of addresses are always listed, because they decide where data goes. */
function listOf(names: readonly string[]): string {
  const listed = names.filter((name, at) => at < MOST_NAMES || /ADDRESS|URL|HOST|ENDPOINT/i.test(name));
  const more = names.length > listed.length ? ` and ${names.length - listed.length} more` : '';
  return `${listed.map(shown).join(', ')}${more}`;
}

const MOST_CHARS = 300;

/** Quotes a text that is not a plain word, on one line, so that a file can't add lines to the question. */
function shown(text: string): string {
  const word = /^[\w@%+=:,./~-]+$/.test(text) ? text : escapeUnseen(JSON.stringify(text));
  return cut(word, MOST_CHARS);
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}… (${text.length - most} characters more)` : text;
}

/** Asks for trust before a start. On another server than the local stack, remote workers decide and nothing starts here. */
export async function trustForStart({ config }: { config?: string }): Promise<void> {
  if (config !== undefined || usesLocalStack()) await trustedConfigDir(config);
}

/** Reports on stderr that a `.env` was not read because its folder is not trusted. */
export function tellUnread(): void {
  const file = join(defaultConfigDir(), '.env');
  if (existsSync(file) && !isTrusted(defaultConfigDir()))
    errorLine(`Not read, because its folder is not trusted: ${oneLine(file)}`);
}

/** Returns what a person must know before trusting the folder, above all which programs it starts. */
export function whatItBrings(dir: string): string[] {
  const brings = (file: string, what: string) =>
    existsSync(join(dir, file)) ? [`  ${file.padEnd(16)}${what}`] : [];
  return [
    `${shown(dir)} brings its own configuration:`,
    ...brings('steersman.yaml', 'chooses models, where they are reached, and what tools may do unasked'),
    ...addressesOf(dir).map(line => `    ${line}`),
    ...brings('.env', `sets ${listOf(Object.keys(variablesOf(dir).set)) || 'nothing'}`),
    ...brings('.mcp.json', 'starts as you:'),
    ...programsOf(dir).map(line => `    ${line}`),
    ...brings(TOOL_FILES, 'runs as you, in the worker:'),
    ...toolFilesOf(dir).map(name => `    ${shown(name)}`),
    ...SKILL_FOLDERS.flatMap(name => {
      const skills = skillsIn(join(dir, name)).map(folder => shown(basename(folder)));
      return skills.length > 0
        ? [`  ${name.padEnd(16)}tells models how to work: ${cut(skills.join(', '), MOST_CHARS)}`]
        : [];
    }),
  ];
}

/** Returns the addresses, other than those of models, that parts of conversations go to. */
function addressesOf(dir: string): string[] {
  try {
    const { hooks, store, console } = trustedSections(dir);
    const named = Object.entries(isRecord(hooks) ? hooks : {}).map(([name, hook]) => {
      const url = isRecord(hook) ? stringOr(hook.url, '') : '';
      return `hooks: ${shown(name)} of each run goes to ${shown(url)}`;
    });
    const isElsewhere = isRecord(store) && store.kind === 'postgres';
    if (isRecord(console) && console.components !== undefined)
      named.push(`console: ${shown(String(console.components))} runs in the console's page, as you`);
    return isElsewhere
      ? [
          ...named,
          `store: conversations go to the database of ${shown(stringOr(store.urlVariable, 'DATABASE_URL'))}`,
        ]
      : named;
  } catch {
    return ['(it cannot be read)'];
  }
}

function programsOf(dir: string): string[] {
  try {
    return loadMcpConfig(dir).servers.map(commandOf);
  } catch {
    return ['(it cannot be read)'];
  }
}

function commandOf(server: McpServerConfig): string {
  const name = shown(server.name);
  if (server.type === 'http') return `${name}: connects to ${shown(server.url)}`;
  const variables = Object.entries(server.env).map(
    ([variable, value]) => `${shown(variable)}=${shown(value)}`,
  );
  return cut(
    `${name}: ${[...variables, ...[server.command, ...server.args].map(shown)].join(' ')}`,
    4 * MOST_CHARS,
  );
}

function personHere(): Ask {
  return process.stdin.isTTY === true && process.stderr.isTTY === true ? askHere : null;
}

async function askHere(lines: readonly string[]): Promise<boolean> {
  for (const line of lines) errorLine(line);
  return /^\s*y(es)?\s*$/i.test(await answerOf('Do you trust it? (y/N)'));
}

/** Asks on stderr. Returns an empty answer on Ctrl-D and Ctrl-C. */
export async function answerOf(question: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const left = new Promise<string>(resolve => reader.once('close', () => resolve('')));
  const answer = await Promise.race([reader.question(`${question} `).catch(() => ''), left]);
  reader.close();
  return answer;
}
