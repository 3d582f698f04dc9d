/** Content with components in pages of React, and components of React in content. */
import {
  type Drawing,
  type Content as Drawn,
  draw,
  type Kit,
  type MountedDefinition,
} from '@steersman/components';
import { type ComponentType, createElement, useEffect, useRef } from 'react';
import { createRoot } from 'react-dom/client';

export type ContentProps = Drawn & { kit: Kit };

/** Draws a role's text, or parts of content, with the components of a kit. */
export function Content({ kit, ...content }: ContentProps) {
  const ref = useRef<HTMLDivElement>(null);
  const drawing = useRef<Drawing | null>(null);
  const latest = useRef(content);
  useEffect(() => {
    latest.current = content;
    drawing.current?.update(content);
  });
  useEffect(() => {
    if (ref.current === null) return;
    const drawn = draw(kit, ref.current, latest.current);
    drawing.current = drawn;
    return () => {
      drawing.current = null;
      drawn.remove();
    };
  }, [kit]);
  return createElement('div', { ref });
}

/** Lets a kit draw a component of React, with a root of its own. The component gets its own properties, and `ctx`. */
export function reactComponent<Props extends object>(
  Component: ComponentType<Props & { ctx: Parameters<MountedDefinition<Props>['mount']>[2] }>,
  definition: Omit<MountedDefinition<Props>, 'mount'> = {},
): MountedDefinition<Props> {
  return {
    ...definition,
    mount(element, first, firstCtx) {
      const root = createRoot(element, { onUncaughtError: error => firstCtx.fail(error) });
      const update: NonNullable<ReturnType<MountedDefinition<Props>['mount']>>['update'] = (props, ctx) =>
        root.render(createElement(Component, { ...props, ctx }));
      update(first, firstCtx);
      // React can't remove a root while it renders, and a render may be removing this component now.
      return { update, remove: () => queueMicrotask(() => root.unmount()) };
    },
  };
}
