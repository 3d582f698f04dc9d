/** Prompts that servers offer to people: their list, and the text of one with its arguments filled in. */
import { z } from 'zod';
import { SteersmanError } from '../shared/process/errors.js';
import { terminalText } from '../shared/process/terminal-text.js';
import type { McpConnection } from './connection/connection.js';
import { pagesOf } from './connection/server-tools.js';

/** Limit for an expanded prompt, UTF-8 bytes. Longer ones are refused, because a part of an instruction may mean something else. */
const PROMPT_BYTES = 16_384;
const MAX_LIST_PAGES = 20;
const MAX_PROMPTS = 500;

export interface ServerPrompt {
  server: string;
  name: string;
  /** Empty if the server sends no description. */
  description: string;
  arguments: { name: string; description: string; required: boolean }[];
}

export interface ExpandedPrompt {
  /** The complete text as a person sees it: without control sequences or hidden characters. */
  text: string;
  /** Parts that are not text, described for people. */
  leftOut: string[];
}

/** A name that can't be typed or displayed unchanged can't be chosen. */
const typeable = z.string().refine(name => /^[^\s=]+$/.test(name) && terminalText(name) === name);
const description = z.string().catch('').transform(oneLine);

const promptSchema = z.looseObject({
  name: typeable,
  description: description.default(''),
  arguments: z
    .array(
      z.looseObject({
        name: typeable,
        description: description.default(''),
        required: z.boolean().catch(false).default(false),
      }),
    )
    .nullish(),
});
const pageSchema = z.looseObject({ prompts: z.array(z.unknown()), nextCursor: z.string().nullish() });

const partSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  uri: z.string().optional(),
  resource: z.looseObject({ uri: z.string().optional() }).optional(),
});
const answerSchema = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.union([partSchema, z.array(partSchema)]) })),
});
type Message = z.infer<typeof answerSchema>['messages'][number];

/** Returns the prompts with names that can be typed, at most 500. @throws SteersmanError of the request. */
export async function listPrompts(connection: McpConnection): Promise<ServerPrompt[]> {
  if (!connection.hasPrompts) return [];
  const prompts: ServerPrompt[] = [];
  const askFor = (params: { cursor?: string }) =>
    connection.request({ method: 'prompts/list', params }, pageSchema);
  for await (const page of pagesOf(askFor, MAX_LIST_PAGES)) {
    prompts.push(...page.prompts.flatMap(entry => readPrompt(connection.server.name, entry)));
    if (prompts.length >= MAX_PROMPTS) break;
  }
  return prompts.slice(0, MAX_PROMPTS);
}

function readPrompt(server: string, entry: unknown): ServerPrompt[] {
  const { data } = promptSchema.safeParse(entry);
  if (data === undefined) return [];
  const args = (data.arguments ?? []).map(({ name, description, required }) => ({
    name,
    description,
    required,
  }));
  return [{ server, name: data.name, description: data.description, arguments: args }];
}

/**
 * Returns the text of a prompt. In a conversation each message is preceded by its role; messages of the user alone are
 * returned unchanged.
 * @throws SteersmanError if the prompt does not exist (it lists those that do), an argument is missing or unknown (it
 *   names it), the text is empty or over 16 KB, or the server refuses.
 */
export async function expandPrompt(
  connection: McpConnection,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<ExpandedPrompt> {
  const prompts = await listPrompts(connection);
  const prompt = prompts.find(candidate => candidate.name === name);
  if (prompt === undefined) throw unknownPrompt(connection.server.name, name, prompts);
  checkArguments(prompt, args);
  const { messages } = await connection.request(
    { method: 'prompts/get', params: { name, arguments: args } },
    answerSchema,
  );
  const text = terminalText(textOf(messages)).trim();
  const called = `The prompt ${prompt.server}:${name}`;
  if (text === '') throw new SteersmanError(`${called} has no text with these arguments.`, '', 'rejected');
  const bytes = Buffer.byteLength(text);
  if (bytes > PROMPT_BYTES)
    throw new SteersmanError(
      `${called} has ${bytes} bytes with these arguments; ${PROMPT_BYTES} may be sent.`,
      'Let the prompt name the file to read, instead of containing its text.',
      'rejected',
    );
  return { text, leftOut: messages.flatMap(partsOf).flatMap(otherThanText) };
}

/** Returns how a prompt is called: `server:name ARG=VALUE [ARG=VALUE]`. */
export function promptUsage({ server, name, arguments: args }: ServerPrompt): string {
  const words = args.map(arg => (arg.required ? `${arg.name}=VALUE` : `[${arg.name}=VALUE]`));
  return [`${server}:${name}`, ...words].join(' ');
}

function checkArguments(prompt: ServerPrompt, args: Readonly<Record<string, string>>): void {
  const missing = prompt.arguments.filter(({ name, required }) => required && !Object.hasOwn(args, name));
  const known = new Set(prompt.arguments.map(({ name }) => name));
  const unknown = Object.keys(args).filter(name => !known.has(name));
  const faults = [
    ...missing.map(({ name }) => `the argument ${name} is missing`),
    ...unknown.map(name => `it has no argument ${name}`),
  ];
  if (faults.length === 0) return;
  throw new SteersmanError(
    `The prompt ${prompt.server}:${prompt.name}: ${faults.join('; ')}.`,
    `Call it as ${promptUsage(prompt)}`,
    'usage',
  );
}

function unknownPrompt(server: string, name: string, prompts: readonly ServerPrompt[]): SteersmanError {
  const names = prompts.map(prompt => `${server}:${prompt.name}`).join(', ');
  return new SteersmanError(
    `The tool server ${server} has no prompt ${terminalText(name)}.`,
    names === '' ? 'It has none.' : `There are ${names}.`,
    'usage',
  );
}

function partsOf({ content }: Message): z.infer<typeof partSchema>[] {
  return Array.isArray(content) ? content : [content];
}

function textOf(messages: readonly Message[]): string {
  const texts = messages.flatMap(message => {
    const text = partsOf(message)
      .flatMap(part => (part.type === 'text' ? (part.text ?? []) : []))
      .join('\n\n');
    return text === '' ? [] : [{ role: message.role, text }];
  });
  if (texts.every(({ role }) => role === 'user')) return texts.map(({ text }) => text).join('\n\n');
  return texts.map(({ role, text }) => `${role}: ${text}`).join('\n\n');
}

function otherThanText({ type, uri, resource }: z.infer<typeof partSchema>): string[] {
  if (type === 'text') return [];
  const at = uri ?? resource?.uri;
  return [oneLine(at === undefined ? type : `${type} ${at}`)];
}

function oneLine(text: string): string {
  return terminalText(text).replace(/\s+/g, ' ').trim().slice(0, 300);
}
