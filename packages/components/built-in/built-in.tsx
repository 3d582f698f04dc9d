/** The eight built-in components (R3): outputs of the team's roles, and resources. */
import { type ComponentChild, h } from 'preact';
import { isRecord, isText, visibleText } from 'steersman/base';
import { Markdown } from '../text/markdown.js';
import type { Props, RenderedDefinition } from '../view/definition.js';
import { useHere } from '../view/here.js';
import type { ComponentRegistry } from '../view/registry.js';
import type { Say } from '../view/words.js';

type Draw = RenderedDefinition['render'];

type Shape = Readonly<Record<string, 'text' | 'list'>>;

export function registerBuiltIns(registry: ComponentRegistry, say: Say): void {
  for (const [name, { shape, draw }] of Object.entries(BUILT_IN))
    registry.register(name, { render: draw, faults: props => faultsOf(props, shape, say) });
}

function faultsOf(props: Props, shape: Shape, say: Say): string[] {
  return Object.entries(shape).flatMap(([name, kind]) => {
    const value = props[name] ?? null;
    const fits = kind === 'list' ? isListOfThings(value) : isText(value);
    return value === null || fits ? [] : [say(kind === 'list' ? 'wantsList' : 'wantsText', { name })];
  });
}

const shaped = (shape: Shape, draw: Draw) => ({ shape, draw });

function isListOfThings(value: unknown): boolean {
  return Array.isArray(value) && value.every(each => isRecord(each) || isText(each));
}

const BUILT_IN: Record<string, { shape: Shape; draw: Draw }> = {
  'resource-info': shaped({}, props => <Thing of={props} />),
  'task-info': shaped({}, props => (
    <Task of={isRecord(props.task) ? props.task : props} choose={props.onClick} />
  )),
  'resource-list': shaped({ resources: 'list' }, props => <Resources props={props} />),
  'planner-response': shaped({ summary: 'text', todos: 'list' }, props => (
    <>
      <Words text={props.summary} />
      <Todos of={props.todos} choose={props.onClick} />
    </>
  )),
  'executor-response': shaped({ summary: 'text', todos: 'list' }, props => (
    <>
      <Words text={props.summary} />
      <Todos of={props.todos} choose={props.onClick} />
    </>
  )),
  'verifier-response': shaped(
    { summary: 'text', overallFeedback: 'text', tasks: 'list', improvements: 'list' },
    props => (
      <>
        <Words text={props.overallFeedback} />
        <Words text={props.summary} />
        <Todos of={props.tasks} choose={props.onClick} />
        <Lines of={props.improvements} />
      </>
    ),
  ),
  'todo-list': shaped({ todos: 'list' }, props => <Todos of={props.todos} choose={props.onClick} />),
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
        <li key={line}>{visibleText(line)}</li>
      ))}
    </ul>
  );
}

/** `choose`: what a click calls; any other value than a function is ignored. */
interface ListProps {
  of: unknown;
  choose: unknown;
}

function Todos({ of, choose }: ListProps) {
  const todos = records(of);
  return todos.length === 0 ? null : (
    <ul class="todos">
      {todos.map((todo, at) => (
        <li key={at}>
          <Task of={todo} choose={choose} />
        </li>
      ))}
    </ul>
  );
}

function statusOf({ status, completed }: Props): string | null {
  if (isText(status)) return status;
  return typeof completed === 'boolean' ? (completed ? 'completed' : 'pending') : null;
}

/** A text, or a button if it can be clicked. */
function Choice({ of, words, choose }: { of: Props; words: string; choose: unknown }): ComponentChild {
  if (typeof choose !== 'function') return words;
  return (
    <button type="button" class="small" onClick={() => choose(of)}>
      {words}
    </button>
  );
}

function Task({ of, choose }: { of: Props; choose: unknown }) {
  const { kit } = useHere();
  const status = statusOf(of);
  const detail = of.completionCriteria ?? of.feedback ?? of.result;
  return (
    <div class="task-info">
      {status !== null && <span class="chip">{visibleText(kit.status(status))}</span>}{' '}
      <Choice of={of} words={wordOf(of, TASK_NAMES)} choose={choose} />
      {isText(detail) && <p class="muted">{visibleText(detail)}</p>}
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
  return (
    <ul class="resources">
      {records(props.resources).map((resource, at) => (
        <li key={at}>
          <strong>
            <Choice of={resource} words={wordOf(resource, RESOURCE_NAMES)} choose={props.onClick} />
          </strong>
          {isText(resource.description) && <span class="muted"> {visibleText(resource.description)}</span>}
        </li>
      ))}
    </ul>
  );
}

/** Shows each field with its value; objects as JSON. */
function Thing({ of }: { of: Props }): ComponentChild {
  const { onClick: choose, ...own } = of;
  const thing = isRecord(of.resource) ? of.resource : own;
  const fields = Object.entries(thing);
  const rows = fields.filter(([, value]) => typeof value !== 'function' && value !== null);
  const list = h(
    'dl',
    { class: 'thing' },
    rows.flatMap(([name, value]) => [
      <dt key={`${name}:`}>{visibleText(name)}</dt>,
      <dd key={name}>{visibleText(typeof value === 'object' ? JSON.stringify(value) : String(value))}</dd>,
    ]),
  );
  if (typeof choose !== 'function') return list;
  return (
    <>
      <Choice of={thing} words={wordOf(thing, RESOURCE_NAMES)} choose={choose} />
      {list}
    </>
  );
}
