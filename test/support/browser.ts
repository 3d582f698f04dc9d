/** Chromium for tests of the console, and a console to look at. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { type ComponentOptions, NO_COMPONENTS } from '../../packages/console/components.js';
import { type ConsoleServed, serveConsole } from '../../packages/console/serve.js';
import { connect, type SteersmanClient } from '../../src/client/index.js';
import type { Rig } from './rig.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The browser of this machine; null where there is none: its tests are not there then. */
export const browserPath: string | null =
  process.env.CHROMIUM_PATH ??
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap(dir => NAMES.map(name => join(dir, name)))
    .find(path => existsSync(path)) ??
  null;

export function openBrowser(args: string[] = []): Promise<Browser> {
  return chromium.launch({
    ...(browserPath !== null && { executablePath: browserPath }),
    // As root it has no sandbox of its own.
    args: ['--no-sandbox', ...args],
  });
}

export interface ConsoleOfFile {
  client: SteersmanClient;
  served: ConsoleServed;
  /** Such as `http://127.0.0.1:40123/`. */
  url: string;
  browser: Browser;
  /** A page that a link has opened, in a profile of its own. */
  open(run?: string): Promise<Page>;
}

/** A console over the rig's Temporal, and a browser, for all tests of a file. `homeOf`: default: a home of its own. */
export function consoleOfFile(
  rig: Pick<Rig, 'env'>,
  {
    browserArgs = () => [],
    components = () => NO_COMPONENTS,
    homeOf,
  }: {
    browserArgs?: (port: string) => string[];
    components?: () => ComponentOptions;
    homeOf?: () => string;
  } = {},
): ConsoleOfFile {
  const fresh = mkdtempSync(join(tmpdir(), 'console-'));
  const own = {} as ConsoleOfFile;
  beforeAll(async () => {
    const home = homeOf?.() ?? fresh;
    const client = await connect({ temporal: { client: rig.env.client }, home });
    const served = await serveConsole({
      ...{ client, home, port: 0 },
      components: components(),
      report: () => undefined,
    });
    const url = new URL('/', served.link()).href;
    const browser = await openBrowser(browserArgs(new URL(url).port));
    const open = async (run?: string) => {
      const page = await (await browser.newContext()).newPage();
      await page.goto(served.link(run));
      return page;
    };
    Object.assign(own, { client, served, url, browser, open });
  });
  afterAll(async () => {
    await own.browser?.close();
    await own.served?.close();
    await own.client?.close();
    rmSync(fresh, { recursive: true, force: true });
  });
  return own;
}
