/** Offers a server's resources as two read-only tools, so that all rules for tools apply to them. */
import { z } from 'zod';
import { isRecord } from '../../base/json/json.js';
import { isAppUri } from '../tools/apps.js';
import { McpCallError } from './call-failure.js';
import type { Requests } from './requests.js';

const LIST = 'list_resources';
const READ = 'read_resource';

const RESOURCE_TOOLS = [
  {
    name: LIST,
    description: 'Lists the resources of this server: their addresses (uri), names and what they are.',
    inputSchema: {
      type: 'object',
      properties: {
        cursor: { type: 'string', description: 'Of the next page, as the page before gave it.' },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: READ,
    description: 'Reads a resource of this server.',
    inputSchema: {
      type: 'object',
      properties: { uri: { type: 'string', description: 'Its address, as list_resources gives it.' } },
      required: ['uri'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
  },
];

/** Returns our resource tools, except those whose name the server itself uses for a tool. */
export function resourceToolsBeside(tools: readonly { name: string }[]): typeof RESOURCE_TOOLS {
  const names = new Set(tools.map(({ name }) => name));
  return RESOURCE_TOOLS.filter(({ name }) => !names.has(name));
}

const RESOURCE_LISTS: readonly (readonly [method: string, entries: string])[] = [
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
];
/** Short, because a starting run waits for it. */
const LOOK_MS = 5_000;

/**
 * True if the server lists resources other than pages of its apps, which are for people. If it does not answer in time,
 * the resources are assumed to exist; if it rejects the request, they are not.
 */
export async function hasResources(requests: Pick<Requests, 'ask'>): Promise<boolean> {
  const found = await Promise.all(
    RESOURCE_LISTS.map(([method, entries]) =>
      requests.ask({ method, params: {} }, z.record(z.string(), z.unknown()), { timeoutMs: LOOK_MS }).then(
        ({ [entries]: listed }) => Array.isArray(listed) && listed.some(entry => !isPage(entry)),
        error => !(error instanceof McpCallError && error.kind === 'rejected'),
      ),
    ),
  );
  return found.includes(true);
}

function isPage(entry: unknown): boolean {
  return isRecord(entry) && isAppUri(entry.uri ?? entry.uriTemplate);
}

/** Returns the protocol request for a call of a resource tool. */
export function resourceRequest(
  tool: string,
  args: Record<string, unknown>,
): { method: string; params: Record<string, unknown> } {
  if (tool === READ) return { method: 'resources/read', params: { uri: args.uri } };
  return { method: 'resources/list', params: args.cursor === undefined ? {} : { cursor: args.cursor } };
}

export const resourceAnswerSchema = z.looseObject({
  resources: z.array(z.unknown()).optional(),
  nextCursor: z.string().nullish(),
  contents: z.array(z.unknown()).optional(),
});

/** Converts the answer to a tool result: a page of the list as JSON, or the contents of the resource. */
export function resourceContent({
  resources,
  nextCursor,
  contents = [],
}: z.infer<typeof resourceAnswerSchema>): { content: unknown[] } {
  if (resources === undefined) return { content: contents.map(resource => ({ type: 'resource', resource })) };
  const page = { resources, ...(nextCursor && { nextCursor }) };
  return { content: [{ type: 'text', text: JSON.stringify(page, null, 1) }] };
}
