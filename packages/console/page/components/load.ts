/** The page's kit of components. It loads a project's module, and the names of servers whose HTML is not sanitized. */
import { signal } from '@preact/signals';
import { createKit, loadSafeMarkup, sayIn } from '@steersman/components';
import { get } from '../ask.js';
import { language, named, said } from '../words/words.js';

/** The response of `GET /api/components`. */
interface ComponentSettings {
  /** Path of the module; null if there is no module. */
  module: string | null;
  unsafeHtml: string[];
  /** The reason why the configured module can't be loaded. */
  fault: string | null;
}

export const kit = createKit({
  say: sayIn(() => language.value),
  status: status => named('status', status),
  invalid: fault => said(fault),
});
/** MCP servers whose HTML is shown in a frame instead of sanitized. */
export const unsafeHtml = signal<readonly string[]>([]);

let begun = false;

export function loadComponents(): void {
  if (begun) return;
  begun = true;
  void kit.use(load);
}

async function load(): Promise<{ default?: unknown }> {
  const found = await get<ComponentSettings>('components').catch(() => {
    // The console was unreachable: the next drawing asks again.
    begun = false;
    return null;
  });
  if (found === null) return NOTHING;
  unsafeHtml.value = found.unsafeHtml;
  if (found.fault !== null) kit.fault(found.fault);
  if (found.module === null) return NOTHING;
  // Custom elements of the module may write HTML. A plain text that they write as HTML is sanitized first.
  const { trustedTypes } = globalThis as {
    trustedTypes?: { createPolicy(name: string, rules: object): void };
  };
  trustedTypes?.createPolicy('default', { createHTML: await loadSafeMarkup() });
  return import(found.module);
}

const NOTHING = { default: () => undefined };
