/** The second origin of the console: it serves only the outer frame of apps, with a policy limited to what an app declares. */
import { readFile } from 'node:fs/promises';
import { isRecord, parseJson } from 'steersman/base';
import { builtBeside } from 'steersman/shared';

const SCRIPT = builtBeside(import.meta.url, 'page/app-frame.js');

export interface SandboxOptions {
  /** Origins of consoles that may frame it, such as `https://console.example`. */
  consoles: readonly string[];
}

export interface Sandbox {
  fetch(request: Request): Promise<Response>;
}

/** Serves the frames of apps, on their own origin: the value for `sandboxUrl` of `createConsole`. */
export function createSandbox({ consoles }: SandboxOptions): Sandbox {
  return {
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname !== '/' || (request.method !== 'GET' && request.method !== 'HEAD'))
        return new Response('There is nothing here.', { status: 404, headers: safeHeaders(consoles, {}) });
      const headers = safeHeaders(consoles, parseJson(searchParams.get('csp') ?? '{}'));
      return new Response(await frame(), {
        headers: { ...headers, 'content-type': 'text/html; charset=utf-8' },
      });
    },
  };
}

async function frame(): Promise<string> {
  const script = await readFile(SCRIPT, 'utf8');
  return `<!doctype html><meta charset="utf-8"><title>App</title><style>html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block;background:transparent}</style><body><script>${script.replaceAll('</', '<\\/')}</script>`;
}

function safeHeaders(consoles: readonly string[], csp: unknown): Record<string, string> {
  return {
    'content-security-policy': appPolicy(csp, consoles),
    'connection-allowlist': allowlist(csp),
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), clipboard-read=(), clipboard-write=()',
    'cache-control': 'no-store',
  };
}

/** Matches only an origin, and nothing that has another meaning in a policy. */
const PLACE = /^(?:https?|wss?):\/\/(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/i;
const MOST_PLACES = 20;

function placesIn(csp: unknown, name: string): string[] {
  const listed = isRecord(csp) ? csp[name] : undefined;
  const texts = Array.isArray(listed) ? listed.filter(each => typeof each === 'string') : [];
  return texts.filter(each => PLACE.test(each)).slice(0, MOST_PLACES);
}

/**
 * Returns the places that an app may connect to. Browsers look up and greet the host of a frame or a link before a
 * policy refuses it; where they know this header, they do not (WB11).
 */
function allowlist(csp: unknown): string {
  const names = ['resourceDomains', 'connectDomains', 'frameDomains'];
  const places = new Set(names.flatMap(name => placesIn(csp, name)));
  return `(${[...places].map(place => `"${place}"`).join(' ')})`;
}

/**
 * Returns the policy of an app. The app's page is in a frame within the outer one, so it inherits the policy: it can
 * load only from declared origins, and its frame can't navigate elsewhere.
 */
function appPolicy(csp: unknown, consoles: readonly string[]): string {
  const places = (name: string) => placesIn(csp, name);
  const loads = places('resourceDomains');
  const lists: [name: string, sources: string[]][] = [
    ['default-src', []],
    ['script-src', ["'unsafe-inline'", ...loads]],
    ['style-src', ["'unsafe-inline'", ...loads]],
    ['img-src', ['data:', ...loads]],
    ['font-src', ['data:', ...loads]],
    ['media-src', ['data:', ...loads]],
    ['connect-src', places('connectDomains')],
    ['frame-src', places('frameDomains')],
    ['base-uri', places('baseUriDomains')],
    ['object-src', []],
    ['form-action', []],
    // A policy can't contain an IPv6 address: browsers report it as an error.
    ['frame-ancestors', consoles.filter(each => PLACE.test(each))],
  ];
  return lists.map(([name, sources]) => `${name} ${sources.join(' ') || "'none'"}`).join('; ');
}
