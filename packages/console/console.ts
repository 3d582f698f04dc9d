/** The console as a function from request to response, to serve locally or to mount behind your own login. */

import { Hono, type HonoRequest } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { type FaultBody, httpFault, type SteersmanClient } from 'steersman/client';
import { verbCall } from 'steersman/shared';
import { z } from 'zod';
import { agUiAnswer } from './ag-ui/route.js';
import { assets, safeHeaders } from './assets.js';
import { chatOf } from './chat/route.js';
import { type ComponentOptions, Components, htmlFrame, NO_COMPONENTS } from './components.js';
import { bearerOf, refusalOf } from './guard.js';
import { Hub } from './hub.js';
import { apiOf, bodyAs, type Served } from './routes.js';
import { whileTrue } from './stream.js';

export interface ConsoleOptions {
  /** Connects to Temporal at the first page's request. */
  client: () => Promise<SteersmanClient>;
  /** Accepted values of the Host header. Default: any, because your server has checked it. */
  hosts?: readonly string[];
  /** Returns true for a valid token. Default: every request is accepted, because your login has checked it. */
  knows?: (token: string) => boolean;
  /** Exchanges the code of a one-time link for a token; null if the link is invalid. Default: there are no links. */
  redeem?: (word: string) => string | null;
  /** Proves to a page that this console knows its token, before the page sends it; null if it does not. Default: pages ask for no proof. */
  prove?: (id: string, challenge: string) => string | null;
  /** The folder for runs that the page starts. Default: the current one. */
  workspace?: string;
  /** Folder of the local stack whose conversations are shown. Default: as for `connect`. */
  home?: string;
  /** The URL of `createSandbox`, on another origin. Without it, apps of tool servers are shown as text. */
  sandboxUrl?: string;
  /** Your components: a module, and servers whose HTML is shown in a frame. Default: no components. */
  components?: ComponentOptions;
}

export interface Console {
  /** Answers a request; failures become responses too. `env`: the argument of `@hono/node-server`, if that serves. */
  fetch(request: Request, env?: object): Promise<Response>;
  /** Ends all streams and watchers; runs continue. */
  close(): void;
}

export function createConsole(options: ConsoleOptions): Console {
  const { client, hosts = null, knows = null, redeem = () => null, workspace = process.cwd() } = options;
  const { sandboxUrl = null, prove = null } = options;
  const components = new Components(options.components ?? NO_COMPONENTS);
  const hub = new Hub(client);
  const scope = { client, hub, workspace, home: options.home, components, sandboxUrl };
  const headers = Object.entries(safeHeaders(sandboxUrl));
  const app = new Hono<Served>({ strict: false })
    .use(async (c, next) => {
      const { req } = c;
      // The page has no data of runs, and a browser that redeems a link has no token yet.
      const isOpen = [LOGIN, PROOF].includes(req.path) || !/^\/(api\/|ag-ui$|chat(\/|$))/.test(req.path);
      const refusal = refusalOf(req.raw, { hosts, knows, isOpen });
      if (refusal) return refused(refusal.status, refusal.message);
      await next();
      const token = bearerOf(req.raw);
      if (!isOpen && knows !== null) c.res = whileTrue(() => knows(token), c.res);
      return undefined;
    })
    .post(LOGIN, ({ req }) => login(req, redeem))
    .get(PROOF, c => (prove === null ? c.notFound() : proofOf(c.req, prove)))
    .post('/ag-ui', c => agUiAnswer(c, scope))
    .route('/chat', chatOf(scope))
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
const PROOF = '/api/proof';

function proofOf(request: HonoRequest, prove: NonNullable<ConsoleOptions['prove']>): Response {
  const { id = '', nonce = '' } = request.query();
  const proof = prove(id, `${nonce} ${request.header('host') ?? ''}`);
  return proof === null
    ? refused(401, 'No such token is known.')
    : Response.json({ proof }, { headers: NO_STORE });
}

/** Exchanges the code of a link for a token. */
async function login(request: HonoRequest, redeem: (word: string) => string | null): Promise<Response> {
  const { link } = await bodyAs(z.object({ link: z.string() }), request);
  const token = redeem(link);
  if (token !== null) return Response.json({ token }, { headers: NO_STORE });
  return refused(401, 'The link was used, or is too old.', `Make a new one: ${verbCall('console --open')}`);
}

const NO_STORE = { 'cache-control': 'no-store' };

function faultOf(error: unknown): Response {
  if (error instanceof HTTPException) return refused(error.status, error.message);
  const { status, body } = httpFault(error);
  return answer(status, body);
}

function refused(status: number, message: string, remedy = ''): Response {
  return answer(status, { error: { code: 'refused', message, remedy } });
}

function answer(status: number, body: FaultBody): Response {
  return Response.json(body, { status, headers: NO_STORE });
}
