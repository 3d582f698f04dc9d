/** Draws a component of another library in its own element. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type {
  ComponentContext,
  MountContext,
  MountedComponent,
  MountedDefinition,
  Props,
} from './definition.js';

interface MountedProps {
  component: MountedDefinition;
  props: Props;
  ctx: ComponentContext;
}

export function Mounted({ component, props, ctx }: MountedProps) {
  const ref = useRef<HTMLDivElement>(null);
  const mounted = useRef<MountedComponent | null>(null);
  const [failed, setFailed] = useState<{ error: unknown } | null>(null);
  // Thrown while drawing, so that the guard around the component shows the hint.
  if (failed !== null) throw failed.error;
  const given: MountContext = { ...ctx, fail: error => setFailed({ error }) };
  const leave = () => {
    mounted.current?.remove?.();
    mounted.current = null;
  };
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    // `update` is called in a block: a value that this effect returned would be called as its cleanup.
    if (mounted.current?.update) mounted.current.update(props, given);
    else {
      leave();
      element.replaceChildren();
      mounted.current = component.mount(element, props, given) ?? {};
    }
  }, [component, props, ctx]);
  useLayoutEffect(() => leave, [component]);
  return <div ref={ref} />;
}
