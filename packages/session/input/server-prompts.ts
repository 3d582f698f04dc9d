/**
 * Prompts of the tool servers that are configured here. This process starts each server, as the doctor does, for as
 * long as it asks it. Servers that only a remote worker has are not reachable.
 */

import { toolsOf } from '@steersman/workspace-tools';
import { SteersmanError } from 'steersman/client';
import { localToolsDir } from 'steersman/config';
import type { ExpandedPrompt, McpConnection, ServerPrompt } from 'steersman/mcp';
import { loadMcpConfig, type McpConfig } from 'steersman/mcp';
import { env, usesLocalStack } from 'steersman/shared';
import { type Ask, trustedConfigDir } from './trusted-dir.js';

export interface PromptPlace {
  config: string | undefined;
  /** The folder for which servers are started. Absolute. */
  workspace: string;
  /** Asks whether the folder is trusted; null if no person can answer. Default: on stderr, in a terminal. */
  ask?: Ask;
}

/** Lists the enabled servers by name, without starting them. @throws SteersmanError, also if the folder is not trusted. */
export async function promptServers(place: PromptPlace): Promise<string[]> {
  return (await configOf(place)).servers.map(({ name }) => name);
}

/** Returns the prompts of a server. @throws SteersmanError if it does not start or answer, or its folder is not trusted. */
export async function promptsOf(server: string, place: PromptPlace): Promise<ServerPrompt[]> {
  const { listPrompts } = await import('steersman/mcp');
  return withServer(server, place, listPrompts);
}

/**
 * Returns the text of the prompt `server:name` with arguments as `name=value`.
 * @throws SteersmanError that says what is missing, unknown or refused.
 */
export async function promptText(
  called: string,
  words: readonly string[],
  place: PromptPlace,
): Promise<ExpandedPrompt> {
  const [, server = '', name = ''] = /^([^:]+):(.+)$/s.exec(called) ?? [];
  if (name === '')
    throw new SteersmanError(`${called} is not the name of a prompt.`, 'The form is SERVER:NAME.', 'usage');
  const args = Object.fromEntries(words.map(argumentOf));
  const { expandPrompt } = await import('steersman/mcp');
  return withServer(server, place, connection => expandPrompt(connection, name, args));
}

/** Returns a line about parts that are not sent; empty if the whole prompt is text. */
export function leftOutLine({ leftOut }: ExpandedPrompt): string[] {
  return leftOut.length === 0 ? [] : [`Left out, because they are not text: ${leftOut.join(', ')}`];
}

function argumentOf(word: string): [string, string] {
  const at = word.indexOf('=');
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw new SteersmanError(
    `${word} is not an argument of a prompt.`,
    'It is NAME=VALUE; a value with spaces stands in quotes.',
    'usage',
  );
}

async function configOf({ config, ask }: PromptPlace): Promise<McpConfig> {
  const dir = await trustedConfigDir(config, ask);
  return loadMcpConfig(usesLocalStack() ? localToolsDir(dir) : dir);
}

async function withServer<T>(
  name: string,
  place: PromptPlace,
  work: (connection: McpConnection) => Promise<T>,
): Promise<T> {
  const config = await configOf(place);
  if (!config.servers.some(server => server.name === name)) throw unknownServer(name, config);
  // Loads the protocol's SDK here, so that other verbs do not load it.
  const { McpPool } = await import('steersman/mcp');
  const pool = new McpPool({ config, lookup: env.lookup, toolsHere: toolsOf() });
  try {
    return await work(await pool.connect(name, place.workspace));
  } finally {
    await pool.close();
  }
}

function unknownServer(name: string, { file, servers }: McpConfig): SteersmanError {
  const names = servers.map(server => server.name).join(', ');
  return new SteersmanError(
    `There is no enabled tool server ${name} in ${file}.`,
    names === '' ? 'It has none.' : `There are ${names}.`,
    'usage',
  );
}
