/** The eight built-in components (R3): outputs of the team's roles, and resources. */
import { type ComponentChild, h } from 'preact';
import { isRecord, isText, visibleText } from 'steersman/base';
import { Markdown } from '../parts/text/markdown.js';
import { named } from '../words/words.js';
import type { ComponentDefinition, ComponentRegistry, Props } from './registry.js';

type Draw = ComponentDefinition['render'];

type Shape = Readonly<Record<string, 'text' | 'list'>>;

export function registerBuiltIns(registry: ComponentRegistry): void {
  // A project's own component of the same name has priority.
  for (const [name, definition] of Object.entries(BUILT_IN))
    if (registry.get(name) === undefined) registry.register(name, definition);
}

const shaped = (shape: Shape, draw: Draw): ComponentDefinition => ({
  faults: props =>
    Object.entries(shape).flatMap(([name, kind]) => {
      const value = props[name] ?? null;
      const fits = kind === 'list' ? isListOfThings(value) : isText(value);
      return value === null || fits ? [] : [`${name}: expected ${EXPECTED[kind]}`];
    }),
  render: draw,
});

const EXPECTED = { text: 'a text', list: 'a list of objects or texts' };

function isListOfThings(value: unknown): boolean {
  return Array.isArray(value) && value.every(each => isRecord(each) || isText(each));
}

const BUILT_IN: Record<string, ComponentDefinition> = {
  'resource-info': { render: props => <Thing of={props} /> },
  'task-info': { render: props => <Task of={isRecord(props.task) ? props.task : props} /> },
  'resource-list': shaped({ resources: 'list' }, props => <Resources props={props} />),
  'planner-response': shaped({ summary: 'text', todos: 'list' }, props => (
    <>
      <Words text={props.summary} />
      <Todos of={props.todos} />
    </>
  )),
  'executor-response': shaped({ summary: 'text', todos: 'list' }, props => (
    <>
      <Words text={props.summary} />
      <Todos of={props.todos} />
    </>
  )),
  'verifier-response': shaped(
    { summary: 'text', overallFeedback: 'text', tasks: 'list', improvements: 'list' },
    props => (
      <>
        <Words text={props.overallFeedback} />
        <Words text={props.summary} />
        <Todos of={props.tasks} />
        <Lines of={props.improvements} />
      </>
    ),
  ),
  'todo-list': shaped({ todos: 'list' }, props => <Todos of={props.todos} />),
  'summary-response': shaped({ summary: 'text', text: 'text' }, props => (
    <Words text={props.summary ?? props.text} />
  )),
};

function Words({ text }: { text: unknown }) {
  return isText(text) && text.trim() !== '' ? <Markdown text={text} /> : null;
}

/** The page draws at most this many entries; the complete list is in the text's data. */
const MOST_THINGS = 500;

function records(value: unknown): Props[] {
  return Array.isArray(value)
    ? value.slice(0, MOST_THINGS).map(each => (isRecord(each) ? each : { description: String(each) }))
    : [];
}

function Lines({ of }: { of: unknown }) {
  const all = Array.isArray(of) ? of.filter(isText).slice(0, MOST_THINGS) : [];
  return all.length === 0 ? null : (
    <ul class="lines">
      {all.map(line => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function Todos({ of }: { of: unknown }) {
  const todos = records(of);
  return todos.length === 0 ? null : (
    <ul class="todos">
      {todos.map((todo, at) => (
        <li key={at}>
          <Task of={todo} />
        </li>
      ))}
    </ul>
  );
}

function statusOf({ status, completed }: Props): string | null {
  if (isText(status)) return status;
  return typeof completed === 'boolean' ? (completed ? 'completed' : 'pending') : null;
}

function Task({ of }: { of: Props }) {
  const status = statusOf(of);
  const detail = of.completionCriteria ?? of.feedback ?? of.result;
  return (
    <div class="task-info">
      {status !== null && <span class="chip">{named('status', status)}</span>} {wordOf(of, TASK_NAMES)}
      {isText(detail) && <p class="muted">{detail}</p>}
    </div>
  );
}

const TASK_NAMES = ['description', 'title', 'name', 'id'];
const RESOURCE_NAMES = ['name', 'title', 'id', 'uri'];

function wordOf(of: Props, names: readonly string[]): string {
  const found = names.map(name => of[name]).find(value => isText(value) || typeof value === 'number');
  return found === undefined ? '' : visibleText(String(found));
}

function Resources({ props }: { props: Props }) {
  const choose = props.onClick;
  return (
    <ul class="resources">
      {records(props.resources).map((resource, at) => (
        <li key={at}>
          {typeof choose === 'function' ? (
            <button type="button" class="small" onClick={() => choose(resource)}>
              {wordOf(resource, RESOURCE_NAMES)}
            </button>
          ) : (
            <strong>{wordOf(resource, RESOURCE_NAMES)}</strong>
          )}
          {isText(resource.description) && <span class="muted"> {resource.description}</span>}
        </li>
      ))}
    </ul>
  );
}

/** Shows each field with its value; objects as JSON. */
function Thing({ of }: { of: Props }): ComponentChild {
  const fields = Object.entries(isRecord(of.resource) ? of.resource : of);
  const rows = fields.filter(([, value]) => typeof value !== 'function' && value !== null);
  return h(
    'dl',
    { class: 'thing' },
    rows.flatMap(([name, value]) => [
      <dt key={`${name}:`}>{name}</dt>,
      <dd key={name}>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</dd>,
    ]),
  );
}
