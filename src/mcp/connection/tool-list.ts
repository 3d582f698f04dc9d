/** Reading a server's list of tools, every page of it. */
import { z } from 'zod';
import { MAX_JSON_DEPTH, nestsDeeper } from '../../core/text/json.js';
import { SteersmanError } from '../../shared/errors.js';
import { pagesOf } from './pages.js';

const MAX_LIST_PAGES = 200;
/** For all pages: a run that starts waits for the list, and must not fail for one slow server. */
const MAX_LIST_MS = 30_000;
/** Of all pages as JSON: a run takes far less. */
const MAX_LIST_CHARS = 8_000_000;

/** Read leniently: one odd tool must not hide the others of its server. */
const listedToolSchema = z.looseObject({
  name: z.string().min(1),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown().optional(),
  annotations: z
    .looseObject({
      readOnlyHint: z.boolean().optional().catch(undefined),
      idempotentHint: z.boolean().optional().catch(undefined),
      destructiveHint: z.boolean().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});
export const listPageSchema = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().nullish(),
});
/** Of a tool in a list: each level of its arguments takes two. Nobody writes deeper ones, and no call stack takes them. */
const MAX_TOOL_DEPTH = 4 * MAX_JSON_DEPTH;

export type ListedTool = z.infer<typeof listedToolSchema>;

/**
 * `askFor` gets one page, within so many milliseconds. `unreadable`: how many entries are left out.
 * @throws SteersmanError where the list is too long, or takes too long.
 */
export async function listAll(
  server: string,
  askFor: (params: { cursor?: string }, withinMs: number) => Promise<z.infer<typeof listPageSchema>>,
): Promise<{ tools: ListedTool[]; unreadable: number }> {
  const tools: ListedTool[] = [];
  let unreadable = 0;
  let chars = 0;
  const startedAt = performance.now();
  const askInTime = (params: { cursor?: string }) => {
    const leftMs = MAX_LIST_MS - (performance.now() - startedAt);
    if (leftMs <= 0) {
      throw new SteersmanError(
        `Tool server ${server} takes longer than ${MAX_LIST_MS / 1_000} s to list its tools.`,
        `Mend it, or set "enabled": false for ${server}.`,
      );
    }
    return askFor(params, leftMs);
  };
  for await (const result of pagesOf(askInTime, MAX_LIST_PAGES)) {
    const entries = result.tools.flatMap(entry => readEntry(entry) ?? []);
    unreadable += result.tools.length - entries.length;
    chars += JSON.stringify(entries).length;
    if (chars > MAX_LIST_CHARS) {
      throw new SteersmanError(
        `Tool server ${server} lists more than ${MAX_LIST_CHARS / 1_000_000} MB of tools.`,
        `Mend it, or set "enabled": false for ${server}.`,
      );
    }
    tools.push(...entries);
  }
  return { tools, unreadable };
}

function readEntry(entry: unknown): ListedTool | null {
  const { success, data } = listedToolSchema.safeParse(entry);
  return success && !nestsDeeper(data, MAX_TOOL_DEPTH) ? data : null;
}
