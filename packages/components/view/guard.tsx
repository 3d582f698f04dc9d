/** Draws a replacement if its children fail to draw. */
import { Component, type ComponentChildren } from 'preact';

interface GuardProps {
  /** When this value changes, the children are tried again. */
  of: unknown;
  otherwise: (error: unknown) => ComponentChildren;
  children: ComponentChildren;
}

export class Guard extends Component<GuardProps, { error: unknown; of: unknown }> {
  override state = { error: null, of: null };

  override componentDidCatch(error: unknown): void {
    this.setState({ error: error ?? new Error('?'), of: this.props.of });
  }

  override render(
    { of, otherwise, children }: GuardProps,
    { error, of: failed }: { error: unknown; of: unknown },
  ) {
    return error !== null && failed === of ? otherwise(error) : children;
  }
}
