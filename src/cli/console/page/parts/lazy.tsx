/** A component that is loaded when it is drawn first. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { t } from '../words/words.js';

export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => preact.JSX.Element {
  const loaded = signal<ComponentType<Props> | null>(null);
  let asked = false;
  const ask = () => {
    asked = true;
    load().then(
      found => {
        loaded.value = found;
      },
      // Asked again when it is drawn next: the console was away.
      () => {
        asked = false;
      },
    );
  };
  return props => {
    const Loaded = loaded.value;
    if (Loaded) return <Loaded {...props} />;
    if (!asked) ask();
    return <p class="muted">{t('loading')}</p>;
  };
}
