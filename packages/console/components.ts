/** The module of components that a project brings, served to its page: that file and the scripts beside it, nothing else. */
import { createHash, randomBytes } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { errorText } from 'steersman/base';
import { settingsOfAny, trustedScripts } from 'steersman/config';
import { verbCall } from 'steersman/shared';

export interface ComponentOptions {
  /** The module; null: there is none. */
  module: string | null;
  /** MCP servers whose HTML is shown in a frame of its own instead of taken apart. */
  unsafeHtml: readonly string[];
  /** Why the module that is meant is not used. */
  fault?: string;
  /**
   * The scripts that may be served, by name; null: they are others than a person trusted, and what was trusted before
   * is served. Default: what lies in the module's folder.
   */
  scripts?: () => ReadonlyMap<string, string | null> | null;
}

export const NO_COMPONENTS: ComponentOptions = { module: null, unsafeHtml: [] };

/** What a folder of configuration says of them. */
export async function componentsIn(configDir: string): Promise<ComponentOptions> {
  const { components, unsafeHtml } = (await settingsOfAny(configDir)).settings.console;
  const module = components === undefined ? null : join(configDir, components);
  return { module, unsafeHtml, scripts: () => trustedScripts(configDir) };
}

/** What `GET /api/components` answers. */
export interface ComponentAnswer {
  module: string | null;
  unsafeHtml: readonly string[];
  fault: string | null;
}

export class Components {
  readonly #options: ComponentOptions;
  /** As they were when they were last trusted; null: nobody says which may be served. */
  #scripts: ReadonlyMap<string, string | null> | null;
  /** Scripts are loaded without the token: their place is told to who has it alone. */
  readonly #place = `/components/${randomBytes(24).toString('base64url')}/`;

  constructor(options: ComponentOptions) {
    this.#options = options;
    this.#scripts = options.scripts?.() ?? null;
  }

  async answer(): Promise<ComponentAnswer> {
    const { module, unsafeHtml, fault: unused = null } = this.#options;
    if (module === null) return { module, unsafeHtml, fault: unused };
    const name = basename(module);
    const changed = this.#changed(module);
    const fault = await this.#read(name).then(() => null, errorText);
    const isThere = fault === null;
    return {
      module: isThere ? this.#place + name : null,
      unsafeHtml,
      fault: isThere ? changed : `${module}: ${fault}`,
    };
  }

  /** Takes what is trusted now; else says that there is something else, which is not served. */
  #changed(module: string): string | null {
    const { scripts } = this.#options;
    if (scripts === undefined) return null;
    const now = scripts();
    this.#scripts = now ?? this.#scripts;
    if (now !== null) return null;
    return `${module}, or what is beside it, is not what was trusted, which is used still. Look at it; to trust it, call there, in a terminal: ${verbCall('doctor')}. Then load the page again.`;
  }

  /** The script at this path; null where there is none. */
  async fetch(path: string): Promise<Response | null> {
    const content = path.startsWith(this.#place)
      ? await this.#read(path.slice(this.#place.length)).catch(() => null)
      : null;
    if (content === null) return null;
    return new Response(new Uint8Array(content), {
      headers: { 'content-type': 'text/javascript; charset=utf-8' },
    });
  }

  /** Of the module's own folder, links included: none leads out of it. */
  async #read(name: string): Promise<Buffer> {
    const { module } = this.#options;
    if (module === null || !isScript(name)) throw new Error('it is no script (.js, .mjs)');
    const folder = await realpath(dirname(module));
    const file = await realpath(join(folder, name));
    if (dirname(file) !== folder || !isScript(basename(file))) throw new Error('it leads out of its folder');
    if (this.#options.scripts === undefined) return readFile(file);
    const text = this.#scripts?.get(name) ?? null;
    if (text === null) throw new Error('it was not there when its folder was trusted');
    return Buffer.from(text);
  }
}

function isScript(name: string): boolean {
  return /^[\w-][\w.-]*$/.test(name) && ['.js', '.mjs'].includes(extname(name));
}

/** It shows what it is sent: markup has no scripts then, and what it loads is nowhere. */
const RECEIVER =
  "addEventListener('message',event=>{if(event.source===parent)document.body.innerHTML=String(event.data)})";
const HASH = createHash('sha256').update(RECEIVER).digest('base64');

const FRAME_POLICY = [
  'sandbox allow-scripts',
  "default-src 'none'",
  `script-src 'sha256-${HASH}'`,
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** The frame of HTML that is shown as it is. */
export function htmlFrame(): Response {
  const page = `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><script>${RECEIVER}</script><body>`;
  return new Response(page, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': FRAME_POLICY },
  });
}
