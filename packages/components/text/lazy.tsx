/** Components that are loaded when they are first drawn. */
import { signal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';

const AGAIN_MS = 2_000;

/** `meanwhile`: drawn until the component is loaded. Default: three dots. */
export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  meanwhile: (props: Props) => JSX.Element = () => <p class="muted">…</p>,
): (props: Props) => JSX.Element {
  const loaded = signal<ComponentType<Props> | null>(null);
  let asked = false;
  const ask = () => {
    asked = true;
    load().then(
      found => {
        loaded.value = found;
      },
      // The server was unreachable. Try again after a delay, because the component may never be drawn again.
      () => setTimeout(ask, AGAIN_MS),
    );
  };
  return props => {
    const Loaded = loaded.value;
    if (Loaded) return <Loaded {...props} />;
    if (!asked) ask();
    return meanwhile(props);
  };
}
