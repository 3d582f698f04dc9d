/** Components that are loaded when they are drawn first. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { t } from '../words/words.js';

/** `meanwhile`: what is drawn until it is there. */
export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  meanwhile: (props: Props) => preact.JSX.Element = () => <p class="muted">{t('loading')}</p>,
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
    return meanwhile(props);
  };
}
