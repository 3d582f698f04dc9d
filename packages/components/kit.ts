/** Makes a kit: the registries of a front end, with the built-in components, and modules that add to them. */
import { computed, signal } from '@preact/signals';
import { h } from 'preact';
import { registerBuiltIns } from './built-in/built-in.js';
import type { ComponentModule } from './view/definition.js';
import type { Kit } from './view/here.js';
import { thrownText } from './view/hint.js';
import { ComponentRegistry, HandlerRegistry } from './view/registry.js';
import { type Say, sayIn } from './view/words.js';

export interface KitOptions {
  /** Texts of the kit. Default: English. */
  say?: Say;
  /** Names of task states. Default: the names in English, with blanks. */
  status?: (status: string) => string;
  /** Says what a schema finds wrong. Default: in English, as it is. */
  invalid?: (fault: string) => string;
}

const asIs = (text: string) => text;

export function createKit({
  say = sayIn(() => 'en'),
  status = inWords,
  invalid = asIs,
}: KitOptions = {}): Kit {
  const registry = new ComponentRegistry();
  const handlers = new HandlerRegistry();
  const faults = signal<readonly string[]>([]);
  const loading = signal(0);
  const isLoading = computed(() => loading.value > 0);
  const fault = (text: string) => {
    faults.value = [...faults.peek(), text];
  };
  const use: Kit['use'] = async load => {
    loading.value += 1;
    try {
      const [made, react] = await Promise.all([load(), import('preact/compat')]);
      if (typeof made.default !== 'function')
        throw new TypeError('It has no default export that is a function.');
      await (made.default as ComponentModule)({ registry, handlers, h, react, use });
    } catch (error) {
      fault(thrownText(error));
    } finally {
      loading.value -= 1;
    }
  };
  registerBuiltIns(registry, say);
  return { registry, handlers, faults, isLoading, say, status, invalid, use, fault };
}

function inWords(status: string): string {
  return status.replaceAll('_', ' ');
}
