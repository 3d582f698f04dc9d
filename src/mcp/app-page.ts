/** Reads the page of an app from its server. */
import { z } from 'zod';
import { isRecord } from '../base/json/json.js';
import type { McpConnection } from './connection/connection.js';
import { APP_MIME } from './tools/apps.js';

const MOST_HTML_BYTES = 2_000_000;
/** The longest time that a result waits for the page of its app. */
const READ_MS = 5_000;

/** The page, and the needs that its server declares for it. */
export interface AppPage {
  html: string;
  /** Origins that it may connect to, load from, frame and use as base, as declared; the policy's user checks them. */
  csp: Record<string, string[]>;
}

/** Domains become part of an address and a header, so longer ones and further ones are dropped. */
const MOST_DOMAINS = 20;
const LONGEST_DOMAIN = 100;
const domains = z
  .array(z.unknown())
  .catch([])
  .transform(all =>
    all
      .filter((each): each is string => typeof each === 'string' && each.length <= LONGEST_DOMAIN)
      .slice(0, MOST_DOMAINS),
  );
const metaSchema = z.looseObject({
  csp: z
    .object({
      connectDomains: domains,
      resourceDomains: domains,
      frameDomains: domains,
      baseUriDomains: domains,
    })
    .partial()
    .catch({}),
});
const pageSchema = z.looseObject({
  mimeType: z.string(),
  text: z.string().optional(),
  blob: z.string().optional(),
  _meta: z.looseObject({ ui: z.unknown() }).optional().catch(undefined),
});
const answerSchema = z.looseObject({ contents: z.array(z.unknown()) });

/** Reads the page from its server. @throws Error in words, if there is no page that can be shown. */
export async function readAppPage(connection: McpConnection, uri: string): Promise<AppPage> {
  const reading = connection.request({ method: 'resources/read', params: { uri } }, answerSchema, READ_MS);
  const { contents } = await reading;
  const { success, data } = pageSchema.safeParse(contents[0]);
  if (!success || data.mimeType.replace(/\s/g, '') !== APP_MIME)
    throw new Error(`the resource ${uri} is not a page of the type ${APP_MIME}`);
  const html = data.text ?? Buffer.from(data.blob ?? '', 'base64').toString('utf8');
  const bytes = Buffer.byteLength(html);
  if (bytes > MOST_HTML_BYTES)
    throw new Error(`the page ${uri} has ${bytes} bytes, and at most ${MOST_HTML_BYTES} are shown`);
  const { csp } = metaSchema.parse(isRecord(data._meta?.ui) ? data._meta.ui : {});
  return { html, csp: csp as AppPage['csp'] };
}
