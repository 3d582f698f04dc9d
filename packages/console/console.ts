/** The console as a function from a request to a response: to serve on this machine, or to mount behind a login of one's own. */

import { Hono, type HonoRequest } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { errorText } from 'steersman/base';
import { explainError, type SteersmanClient, type SteersmanError } from 'steersman/client';
import { verbCall } from 'steersman/shared';
import { z } from 'zod';
import { agUiAnswer } from './ag-ui/route.js';
import type { Fault } from './api.js';
import { assets, safeHeaders } from './assets.js';
import { type ComponentOptions, Components, htmlFrame, NO_COMPONENTS } from './components.js';
import { refusalOf } from './guard.js';
import { Hub } from './hub.js';
import { apiOf, bodyAs, type Served } from './routes.js';

export interface ConsoleOptions {
  /** Connected when the first page asks. */
  client: () => Promise<SteersmanClient>;
  /** Values of the Host header that are ours. Default: any, for a server of yours has looked at it. */
  hosts?: readonly string[];
  /** Whether the bearer of a token may come in. Default: whoever reaches it may, for a login of yours asks who it is. */
  knows?: (token: string) => boolean;
  /** A token for the word of a one-use link; null where it is none. Default: there are no links. */
  redeem?: (word: string) => string | null;
  /** Folder in which runs work that the page starts. Default: the current one. */
  workspace?: string;
  /** Where `createSandbox` is served, under another origin than this. Without it apps of tool servers are shown as text. */
  sandboxUrl?: string;
  /** What draws components of yours: a module, and servers whose HTML is shown in a frame. Default: none. */
  components?: ComponentOptions;
}

export interface Console {
  /** Answers a request of a page; a failure is an answer, too. `env`: what `@hono/node-server` gives, where it serves. */
  fetch(request: Request, env?: object): Promise<Response>;
  /** Ends all streams and watchers; runs go on. */
  close(): void;
}

export function createConsole(options: ConsoleOptions): Console {
  const { client, hosts = null, knows = null, redeem = () => null, workspace = process.cwd() } = options;
  const { sandboxUrl = null } = options;
  const components = new Components(options.components ?? NO_COMPONENTS);
  const hub = new Hub(client);
  const scope = { client, hub, workspace, components, sandboxUrl };
  const headers = Object.entries(safeHeaders(sandboxUrl));
  const app = new Hono<Served>({ strict: false })
    .use(async ({ req }, next) => {
      // The page tells nothing, and who exchanges a link has no token yet.
      const isOpen = req.path === LOGIN || !/^\/(api\/|ag-ui$)/.test(req.path);
      const refused = refusalOf(req.raw, isOpen ? { hosts, knows: null } : { hosts, knows });
      return refused ? fault(refused.status, { code: 'refused', message: refused.message }) : next();
    })
    .post(LOGIN, ({ req }) => login(req, redeem))
    .post('/ag-ui', c => agUiAnswer(c, scope))
    .route('/api', apiOf(scope))
    .get('/components/frame', htmlFrame)
    .get('/components/*', async c => (await components.fetch(c.req.path)) ?? c.notFound())
    .route('/', assets())
    .notFound(c => c.text('There is nothing here.', /^(GET|HEAD)$/.test(c.req.method) ? 404 : 405))
    .onError(faultOf);
  return {
    async fetch(request, env = {}) {
      const answer = await app.fetch(request, env);
      for (const [name, value] of headers) if (!answer.headers.has(name)) answer.headers.set(name, value);
      return answer;
    },
    close: () => hub.close(),
  };
}

const LOGIN = '/api/session';

/** The word of a link for a token. */
async function login(request: HonoRequest, redeem: (word: string) => string | null): Promise<Response> {
  const { link } = await bodyAs(z.object({ link: z.string() }), request);
  const token = redeem(link);
  if (token !== null) return Response.json({ token }, { headers: NO_STORE });
  const remedy = `Make a new one: ${verbCall('console --open')}`;
  return fault(401, { code: 'refused', message: 'The link was used, or is too old.', remedy });
}

const NO_STORE = { 'cache-control': 'no-store' };

const STATUS: Partial<Record<SteersmanError['code'], number>> = {
  not_found: 404,
  usage: 400,
  rejected: 409,
  conflict: 409,
  ended: 409,
  open: 409,
  unserved: 503,
  unreachable: 503,
};

function faultOf(error: unknown): Response {
  if (error instanceof HTTPException) return fault(error.status, { code: 'refused', message: error.message });
  const known = explainError(error);
  if (known) return fault(STATUS[known.code] ?? 500, known);
  return fault(500, { code: 'internal', message: errorText(error) });
}

function fault(
  status: number,
  { code, message, remedy = '' }: { code: string; message: string; remedy?: string },
): Response {
  return Response.json({ error: { code, message, remedy } } satisfies Fault, { status, headers: NO_STORE });
}
