/** Serves a project's module of components to its page: that file and the scripts in its folder, nothing else. */
import { createHash, randomBytes } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { errorText } from 'steersman/base';
import { settingsOfAny, trustedScripts } from 'steersman/config';
import { verbCall } from 'steersman/shared';

export interface ComponentOptions {
  /** Path of the module; null if there is no module. */
  module: string | null;
  /** MCP servers whose HTML is shown unchanged in its own frame instead of sanitized. */
  unsafeHtml: readonly string[];
  /** The reason why the configured module is not used. */
  fault?: string;
  /**
   * Returns the trusted scripts by name; null if they changed since a person trusted them (then the earlier ones are
   * served). Default: the files in the module's folder.
   */
  scripts?: () => ReadonlyMap<string, string | null> | null;
}

export const NO_COMPONENTS: ComponentOptions = { module: null, unsafeHtml: [] };

/** Reads the components of a folder's configuration. */
export async function componentsIn(configDir: string): Promise<ComponentOptions> {
  const { components, unsafeHtml } = (await settingsOfAny(configDir)).settings.console;
  const module = components === undefined ? null : join(configDir, components);
  return { module, unsafeHtml, scripts: () => trustedScripts(configDir) };
}

/** The response of `GET /api/components`. */
export interface ComponentAnswer {
  module: string | null;
  unsafeHtml: readonly string[];
  fault: string | null;
}

export class Components {
  readonly #options: ComponentOptions;
  /** The scripts when they were last trusted; null if every script in the folder may be served. */
  #scripts: ReadonlyMap<string, string | null> | null;
  /** Browsers load scripts without the token, so their path contains a secret that only token holders learn. */
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

  /** Reads the trusted scripts again. Returns a fault if the files differ from them: changed files are not served. */
  #changed(module: string): string | null {
    const { scripts } = this.#options;
    if (scripts === undefined) return null;
    const now = scripts();
    this.#scripts = now ?? this.#scripts;
    if (now !== null) return null;
    return `${module} or a script next to it is not what was trusted; the trusted version is still used. Look at it; to trust it, call there, in a terminal: ${verbCall('doctor')}. Then load the page again.`;
  }

  /** Returns the script at this path; null if it is unknown. */
  async fetch(path: string): Promise<Response | null> {
    const content = path.startsWith(this.#place)
      ? await this.#read(path.slice(this.#place.length)).catch(() => null)
      : null;
    if (content === null) return null;
    return new Response(new Uint8Array(content), {
      headers: { 'content-type': 'text/javascript; charset=utf-8' },
    });
  }

  /** Reads a script of the module's folder. A link out of that folder is refused. */
  async #read(name: string): Promise<Buffer> {
    const { module } = this.#options;
    if (module === null || !isScript(name)) throw new Error('it is not a script (.js, .mjs)');
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

/** Shows the HTML that it receives: scripts in it do not run, and the policy blocks everything that it loads. */
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

/** Returns the page that frames unchanged HTML. */
export function htmlFrame(): Response {
  const page = `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><script>${RECEIVER}</script><body>`;
  return new Response(page, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': FRAME_POLICY },
  });
}
