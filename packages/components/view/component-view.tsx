/** Draws a component by its name. A missing, invalid or failing one shows its error in place, without effect on others. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isText } from 'steersman/base';
import { lazily } from '../text/lazy.js';
import { listenForActions } from './action-events.js';
import type { ComponentContext, ComponentDefinition, Props } from './definition.js';
import { Guard } from './guard.js';
import { useHere } from './here.js';
import { Hint, thrownText } from './hint.js';
import type { HandlerRegistry } from './registry.js';

const Checked = lazily(() => import('./schema-check.js').then(({ Checked }) => Checked), Loading);

interface ComponentViewProps {
  name: string;
  props: Props;
  partial: boolean;
}

export function ComponentView({ name, props, partial }: ComponentViewProps) {
  const { kit } = useHere();
  void kit.registry.version.value;
  const component = kit.registry.get(name);
  if (component !== undefined)
    return <Known key={name} name={name} component={component} props={props} partial={partial} />;
  if (partial || kit.isLoading.value) return <Loading />;
  return <Hint text={`${kit.say('noComponent', { name })} ${kit.faults.value.join(' ')}`} data={props} />;
}

function Loading() {
  return <p class="muted">{useHere().kit.say('loading')}</p>;
}

function Known({ component, ...view }: ComponentViewProps & { component: ComponentDefinition }) {
  const { name, props, partial } = view;
  const { kit } = useHere();
  const given = useMemo(() => ({ ...component.defaults, ...cleaned(props) }), [component, props]);
  const hint = (faults: readonly string[]) => (
    <Hint text={`${kit.say('badProps', { name })} ${faults.join('; ')}`} data={props} />
  );
  const faults = (!partial && component.faults?.(given)) || [];
  if (faults.length > 0) return hint(faults);
  const drawn = <Drawn {...view} given={given} />;
  if (partial || component.props === undefined) return drawn;
  return (
    <Checked schema={component.props} given={given} hint={found => hint(found.map(kit.invalid))}>
      {drawn}
    </Checked>
  );
}

function Drawn({ name, props, given, partial }: ComponentViewProps & { given: Props }) {
  const { kit } = useHere();
  const { root, as, fault } = useProposing(partial);
  const ctx = useMemo(() => as(name), [as, name]);
  const { handlers } = kit;
  const drawn = useMemo(() => withHandlers(given, handlers, as), [given, as, handlers.version.value]);
  return (
    <div ref={root} class="component" data-component={name}>
      <Guard of={drawn} otherwise={error => <Broken {...{ name, props, partial, error }} />}>
        {kit.registry.render(name, drawn, ctx)}
      </Guard>
      {partial && (
        <span class="cursor" aria-hidden="true">
          ▍
        </span>
      )}
      {fault !== null && <p class="fault">{fault}</p>}
    </div>
  );
}

/** A component that fails on partial properties is drawn again when they are complete. */
function Broken({ name, props, partial, error }: ComponentViewProps & { error: unknown }) {
  const { kit } = useHere();
  if (partial) return <span class="muted">{kit.say('writes')}</span>;
  return <Hint text={`${kit.say('brokenComponent', { name })} ${thrownText(error)}`} data={props} />;
}

/** A component can only propose messages, by calling `propose` or by an event in its element. */
function useProposing(partial: boolean) {
  const here = useHere();
  const root = useRef<HTMLDivElement>(null);
  const [fault, setFault] = useState<string | null>(null);
  /** A proposal carries the name of the component or handler that makes it. */
  const as = useCallback(
    (action: string): ComponentContext => ({
      partial,
      propose: (label, data) => setFault(here.propose({ action, label, data })),
    }),
    [partial, here],
  );
  useEffect(
    () =>
      root.current ? listenForActions(root.current, action => setFault(here.propose(action))) : undefined,
    [here],
  );
  return { root, as, fault };
}

const DEEPEST = 40;
const NOT_GIVEN = new Set(['__proto__', 'constructor', 'prototype', 'dangerouslySetInnerHTML', 'ref', 'key']);

/**
 * Copies what JSON can hold, without properties that a framework could interpret as code or markup. Values of other
 * kinds come from the page itself. They are passed unchanged, even if they refer to each other.
 */
function cleaned(props: Props): Props {
  const copies = new Map<object, unknown>();
  const copyOf = (value: unknown, depth: number): unknown => {
    if (!isData(value)) return value;
    if (depth > DEEPEST) throw new RangeError('It nests too deeply.');
    if (copies.has(value)) return copies.get(value);
    const copy: unknown[] | Record<string, unknown> = Array.isArray(value) ? [] : {};
    copies.set(value, copy);
    for (const [name, inner] of Object.entries(value))
      if (!NOT_GIVEN.has(name)) Object.assign(copy, { [name]: copyOf(inner, depth + 1) });
    return copy;
  };
  try {
    return copyOf(props, 0) as Props;
  } catch {
    return {};
  }
}

function isData(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const above: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || above === Object.prototype || above === null;
}

/**
 * Replaces `"onClick": "openOrder"` by the registered handler of that name; an unknown name is dropped, and so is a
 * text that could be code. A property such as `online: true` is unchanged.
 */
function withHandlers(
  props: Props,
  handlers: HandlerRegistry,
  as: (name: string) => ComponentContext,
): Props {
  const entries = Object.entries(props).flatMap(([name, value]) => {
    const isHandler = /^on/i.test(name) && (/^on[A-Z]/.test(name) || isText(value) || Array.isArray(value));
    if (!isHandler || typeof value === 'function') return [[name, value]];
    const handler = isText(value) && /^on[A-Z]/.test(name) ? handlers.get(value) : undefined;
    return handler === undefined ? [] : [[name, (data: unknown) => handler(asData(data), as(String(value)))]];
  });
  return Object.fromEntries(entries);
}

/** A click event is not data. */
function asData(given: unknown): unknown {
  return given instanceof Event ? null : given;
}
