/** The console as a function from a request to a response: to serve on this machine, or to mount behind a login of one's own. */

import { errorText, isRecord, parseJson, stringOr } from 'steersman/base';
import { explainError, type SteersmanClient, type SteersmanError } from 'steersman/client';
import { verbCall } from 'steersman/shared';
import { agUiAnswer } from './ag-ui/route.js';
import type { Fault } from './api.js';
import { assetOf } from './assets.js';
import { type ComponentOptions, Components, NO_COMPONENTS } from './components.js';
import { bodyOf, type Guard, refusalOf, TooLarge } from './guard.js';
import { Hub } from './hub.js';
import { answerTo } from './routes.js';

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
  /** Answers a request of a page; a failure is an answer, too. */
  fetch(request: Request): Promise<Response>;
  /** Ends all streams and watchers; runs go on. */
  close(): void;
}

export function createConsole(options: ConsoleOptions): Console {
  const { client, hosts = null, knows = null, redeem = () => null, workspace = process.cwd() } = options;
  const { sandboxUrl = null } = options;
  const components = new Components(options.components ?? NO_COMPONENTS);
  const hub = new Hub(client);
  const guard: Guard = { hosts, knows };
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const isAgUi = pathname === '/ag-ui' && request.method === 'POST';
    const isApi = isAgUi || pathname.startsWith('/api/');
    const isLogin = pathname === '/api/session';
    // The page tells nothing, and who exchanges a link has no token yet.
    const refused = refusalOf(request, isApi && !isLogin ? guard : { ...guard, knows: null });
    if (refused) return fault(refused.status, { code: 'refused', message: refused.message });
    if (!isApi) return (await components.fetch(request, pathname)) ?? assetOf(request, pathname, sandboxUrl);
    if (isLogin) return login(request, redeem);
    const scope = { client, hub, workspace, components, sandboxUrl };
    return isAgUi ? agUiAnswer(request, scope) : answerTo(request, scope);
  };
  return {
    fetch: request => answer(request).catch(faultOf),
    close: () => hub.close(),
  };
}

/** The word of a link for a token. */
async function login(request: Request, redeem: (word: string) => string | null): Promise<Response> {
  const given = parseJson(await bodyOf(request));
  const token = redeem(stringOr(isRecord(given) ? given.link : null, ''));
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
  if (error instanceof TooLarge) return fault(413, { code: 'refused', message: error.message });
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
