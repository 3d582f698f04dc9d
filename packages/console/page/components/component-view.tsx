/** Draws a component by its name. A missing, invalid or failing one shows its error in place, without effect on others. */
import { Component, type ComponentChildren } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isRecord, isText, nestsDeeper } from 'steersman/base';
import { lazily } from '../parts/lazy.js';
import { pretty } from '../parts/text/plain.js';
import { t } from '../words/words.js';
import { RunHere } from './here.js';
import { moduleFault, settings } from './load.js';
import { propose, tellAction } from './proposals.js';
import {
  type ComponentContext,
  type ComponentDefinition,
  handlers,
  type Props,
  registry,
} from './registry.js';

const Checked = lazily(() => import('./schema-check.js').then(({ Checked }) => Checked));

interface ComponentViewProps {
  name: string;
  props: Props;
  partial: boolean;
}

export function ComponentView({ name, props, partial }: ComponentViewProps) {
  void registry.version.value;
  const component = registry.get(name);
  if (component !== undefined)
    return <Known key={name} name={name} component={component} props={props} partial={partial} />;
  if (partial || settings.value === null) return <p class="muted">{t('loading')}</p>;
  return <Hint text={`${t('noComponent', { name })} ${moduleFault.value ?? ''}`} data={props} />;
}

function Known({ component, ...view }: ComponentViewProps & { component: ComponentDefinition }) {
  const { name, props, partial } = view;
  const given = useMemo(() => ({ ...component.defaults, ...cleaned(props) }), [component, props]);
  const hint = (faults: readonly string[]) => (
    <Hint text={`${t('badProps', { name })} ${faults.join(' ')}`} data={props} />
  );
  const faults = (!partial && component.faults?.(given)) || [];
  if (faults.length > 0) return hint(faults);
  const drawn = <Drawn {...view} given={given} />;
  if (partial || component.props === undefined) return drawn;
  return (
    <Checked schema={component.props} given={given} hint={hint}>
      {drawn}
    </Checked>
  );
}

function Drawn({ name, props, given, partial }: ComponentViewProps & { given: Props }) {
  const { root, as, fault } = useProposing(partial);
  const ctx = useMemo(() => as(name), [as, name]);
  const drawn = useMemo(() => withHandlers(given, as), [given, as, handlers.version.value]);
  return (
    <div ref={root} class="component" data-component={name}>
      <Guard of={drawn} otherwise={error => <Broken {...{ name, props, partial, error }} />}>
        {registry.render(name, drawn, ctx)}
      </Guard>
      {partial && <span class="cursor" aria-hidden="true" />}
      {fault !== null && <p class="fault">{fault}</p>}
    </div>
  );
}

/** A component that fails on partial properties is drawn again when they are complete. */
function Broken({ name, props, partial, error }: ComponentViewProps & { error: unknown }) {
  if (partial) return <span class="muted">{t('writes')}</span>;
  return <Hint text={`${t('brokenComponent', { name })} ${String(error)}`} data={props} />;
}

function Hint({ text, data }: { text: string; data?: unknown }) {
  return (
    <div class="component-hint">
      <p class="fault">{text}</p>
      {data !== undefined && (
        <details class="data">
          <summary>{t('asData')}</summary>
          <pre>{pretty(JSON.stringify(data))}</pre>
        </details>
      )}
    </div>
  );
}

/** A component can only propose messages, by calling `propose` or by an event of its element. */
function useProposing(partial: boolean) {
  const run = useContext(RunHere);
  const root = useRef<HTMLDivElement>(null);
  const [fault, setFault] = useState<string | null>(null);
  const say = (action: string, label: string, data: unknown) =>
    setFault(propose(run, { action, label, data }) ? null : t('notProposed'));
  /** A proposal carries the name of the component or handler that makes it. */
  const as = useCallback(
    (name: string): ComponentContext => ({ partial, propose: (label, data) => say(name, label, data) }),
    [partial, run],
  );
  useEffect(() => {
    const element = root.current;
    const listen = (event: Event) => tellAction(event, say);
    element?.addEventListener('component-action', listen);
    return () => element?.removeEventListener('component-action', listen);
  }, [run]);
  return { root, as, fault };
}

const DEEPEST = 40;
const NOT_GIVEN = new Set(['__proto__', 'constructor', 'prototype', 'dangerouslySetInnerHTML', 'ref', 'key']);

/** Removes properties that a framework could interpret as code or markup. */
function cleaned(props: Props): Props {
  return nestsDeeper(props, DEEPEST) ? {} : (cleanedValue(props) as Props);
}

function cleanedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleanedValue);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([name]) => !NOT_GIVEN.has(name));
  return Object.fromEntries(entries.map(([name, inner]) => [name, cleanedValue(inner)]));
}

/** Replaces `"onClick": "openOrder"` by the registered handler of that name; unknown names are dropped. */
function withHandlers(props: Props, as: (name: string) => ComponentContext): Props {
  const entries = Object.entries(props).flatMap(([name, value]) => {
    if (!/^on/i.test(name) || typeof value === 'function') return [[name, value]];
    const handler = isText(value) && /^on[A-Z]/.test(name) ? handlers.get(value) : undefined;
    return handler === undefined ? [] : [[name, (data: unknown) => handler(asData(data), as(String(value)))]];
  });
  return Object.fromEntries(entries);
}

/** A click event is not data. */
function asData(given: unknown): unknown {
  return given instanceof Event ? null : given;
}

interface GuardProps {
  /** When this value changes, the children are tried again. */
  of: unknown;
  otherwise: (error: unknown) => ComponentChildren;
  children: ComponentChildren;
}

class Guard extends Component<GuardProps, { error: unknown; of: unknown }> {
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
