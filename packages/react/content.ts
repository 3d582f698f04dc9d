/** Content with components in pages of React, and components of React in content. */
import {
  type Drawing,
  type Content as DrawnContent,
  draw,
  type Kit,
  type MountedDefinition,
} from '@steersman/components';
import { Component, type ComponentType, createElement, type ReactNode, useEffect, useRef } from 'react';
import { createRoot } from 'react-dom/client';

export type ContentProps = DrawnContent & { kit: Kit };

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

interface ReportingProps {
  fail(error: unknown): void;
  children?: ReactNode;
}

/** Reports what fails while it is drawn. React 18 has no option of a root for that. */
class Reporting extends Component<ReportingProps, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override componentDidCatch(error: unknown): void {
    this.props.fail(error);
  }

  override render(): ReactNode {
    return this.state.isBroken ? null : this.props.children;
  }
}

/** Lets a kit draw a component of React in a separate root. The component gets its own properties, and `ctx`. */
export function reactComponent<Props extends object>(
  Drawn: ComponentType<Props & { ctx: Parameters<MountedDefinition<Props>['mount']>[2] }>,
  definition: Omit<MountedDefinition<Props>, 'mount'> = {},
): MountedDefinition<Props> {
  return {
    ...definition,
    mount(element, first, firstCtx) {
      const root = createRoot(element);
      const update: NonNullable<ReturnType<MountedDefinition<Props>['mount']>>['update'] = (props, ctx) =>
        root.render(createElement(Reporting, { fail: ctx.fail }, createElement(Drawn, { ...props, ctx })));
      update(first, firstCtx);
      // React can't remove a root while it renders, and a render may be removing this component now.
      return { update, remove: () => queueMicrotask(() => root.unmount()) };
    },
  };
}
