/** Prompts of tool servers as a person types them: `/server:prompt name=value …`. Pure. */
import type { ServerPrompt } from 'steersman/mcp';
import { type Line, withText } from './line-editor.js';

/** The known prompts by server; null for a server that was not asked yet. */
export type PromptMenu = Readonly<Record<string, readonly ServerPrompt[] | null>>;

/** A server's name contains neither slash nor space: a line with one of them before its colon is not a prompt. */
const CALL = /^\/([^\s/:]+:\S+)(?:\s+([\s\S]*))?$/;

/** Returns the prompt that the line calls, and its arguments; null for any other line. Quotes join words of a value. */
export function readPromptCall(line: string): { prompt: string; words: string[] } | null {
  const [, prompt, rest = ''] = CALL.exec(line) ?? [];
  if (prompt === undefined) return null;
  const words = rest.match(/(?:"[^"]*"?|[^\s"])+/g) ?? [];
  return { prompt, words: words.map(word => word.replaceAll('"', '')) };
}

/** Returns the server whose prompts the line needs and that was not asked yet; null for most lines. */
export function serverToAsk(
  { text, cursor }: Pick<Line, 'text' | 'cursor'>,
  known: PromptMenu,
): string | null {
  const [, server = ''] = /^\/([^\s/:]+):/.exec(text.slice(0, cursor)) ?? [];
  return Object.hasOwn(known, server) && known[server] === null ? server : null;
}

interface Suggestion {
  text: string;
  note: string;
}

/** Returns the names of servers, then of one server's prompts. `start` is the text after the slash. */
export function promptNames(start: string, known: PromptMenu): Suggestion[] {
  return Object.entries(known).flatMap(([server, prompts]) => {
    if (!start.startsWith(`${server}:`)) {
      return `${server}:`.startsWith(start) ? [{ text: `/${server}:`, note: 'its prompts' }] : [];
    }
    return (prompts ?? [])
      .filter(({ name }) => `${server}:${name}`.startsWith(start))
      .map(({ name, description, arguments: args }) => ({
        text: `/${server}:${name}${args.length > 0 ? ' ' : ''}`,
        note: description,
      }));
  });
}

/** Returns the missing arguments of a prompt as `name=`, if `before` ends in the beginning of one. */
export function promptArguments(
  before: string,
  known: PromptMenu,
): { word: string; offers: Suggestion[] } | null {
  const [, server = '', name = '', rest = '', word = ''] =
    /^\/([^\s/:]+):(\S+) ((?:[\s\S]*\s)?)([^\s"]*)$/.exec(before) ?? [];
  const prompts = Object.hasOwn(known, server) ? (known[server] ?? []) : [];
  const prompt = prompts.find(candidate => candidate.name === name);
  // Within quotes, a word is part of a value.
  if (prompt === undefined || (rest.match(/"/g) ?? []).length % 2 === 1) return null;
  const given = readPromptCall(`/${server}:${name} ${rest}`)?.words ?? [];
  const open = prompt.arguments.filter(arg => !given.some(said => said.startsWith(`${arg.name}=`)));
  const offers = open
    .filter(arg => `${arg.name}=`.startsWith(word))
    .map(({ name: of, description, required }) => ({
      text: `${of}=`,
      note: [required ? 'needed' : '', description].filter(Boolean).join(' · '),
    }));
  return { word, offers };
}

/** Returns the hint below a line that calls a prompt; null if it names no known server. */
export function promptHint(line: string, known: PromptMenu): string | null {
  const [, server = '', name = ''] = /^\/([^\s/:]+):(\S*)/.exec(line) ?? [];
  if (!Object.hasOwn(known, server)) return null;
  const prompts = known[server] ?? null;
  if (prompts === null) return `asking ${server} for its prompts`;
  const prompt = prompts.find(candidate => candidate.name === name);
  if (prompt === undefined) return `${server} has no such prompt: /help lists them`;
  const words = prompt.arguments.map(({ name: of, required }) => (required ? `${of}=…` : `[${of}=…]`));
  return [[`/${server}:${name}`, ...words].join(' '), prompt.description].filter(Boolean).join(' · ');
}

/** Puts the text of a prompt before the text that was begun. It is sent as a message, even if it begins with a slash. */
export function withPromptText(line: Line, text: string): Line {
  const message = text.startsWith('/') ? ` ${text}` : text;
  return withText(line, line.text === '' ? message : `${message}\n${line.text}`);
}

/** Returns the rows of `/help` for the known prompts. */
export function promptHelp(known: PromptMenu): [string, string][] {
  const rows = Object.values(known).flatMap(prompts => prompts ?? []);
  const servers = Object.keys(known);
  const of = servers.length === 0 ? '' : `; servers: ${servers.join(', ')}`;
  return [
    ['/SERVER:PROMPT [NAME=VALUE …]', `put the text of a tool server's prompt into your line${of}`],
    ...rows.map(({ server, name, description }): [string, string] => [`/${server}:${name}`, description]),
  ];
}
