/** Loads the configuration of components: a project's module, and servers whose HTML is not sanitized. */
import { signal } from '@preact/signals';
import { h } from 'preact';
import { get } from '../ask.js';
import { registerBuiltIns } from './built-in.js';
import { handlers, registry } from './registry.js';

/** The response of `GET /api/components`. */
interface ComponentSettings {
  /** Path of the module; null if there is no module. */
  module: string | null;
  unsafeHtml: string[];
  /** The reason why the configured module can't be loaded. */
  fault: string | null;
}

export const settings = signal<ComponentSettings | null>(null);
/** The reason why the project's module does not work; null if it works, or is not configured. */
export const moduleFault = signal<string | null>(null);

let begun = false;

export function loadComponents(): void {
  if (begun) return;
  begun = true;
  registerBuiltIns(registry);
  void load();
}

async function load(): Promise<void> {
  const found = await get<ComponentSettings>('components').catch(() => {
    // The console was unreachable: the next drawing asks again.
    begun = false;
    return null;
  });
  if (found === null) return;
  moduleFault.value = found.fault;
  if (found.module !== null) await fill(found.module);
  settings.value = found;
}

async function fill(address: string): Promise<void> {
  try {
    const [made, react] = await Promise.all([
      import(address) as Promise<{ default?: unknown }>,
      import('preact/compat'),
    ]);
    if (typeof made.default !== 'function')
      throw new TypeError('It has no default export that is a function.');
    await made.default({ registry, handlers, h, react });
  } catch (error) {
    moduleFault.value = String(error);
  }
}
