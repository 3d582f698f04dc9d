/** @jsxImportSource react */
/** A front end of its own: what authors write of components, of tools and of streams, each as a function on the page. */
import { Chat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls } from 'ai';
import { h } from 'preact';
import { useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import {
  type ComponentModule,
  type ComponentPart,
  createKit,
  draw,
  listenForActions,
  parseExecutorResponse,
  parsePartialJson,
  parsePlannerResponse,
  parseVerifierResponse,
  readParts,
  type TodoProps,
} from 'steersman/components';
import { Content, reactComponent, useRun } from 'steersman/react';

const root = () => document.querySelector('#app') as HTMLElement;
const said: unknown[] = [];

interface PlannerResponse {
  summary: string;
  todos: { id: string; description: string; priority: number }[];
}

/** Names of components, as an application registers them when it starts. */
const initComponents: ComponentModule = ({ registry, handlers }) => {
  const ResourceInfo = ({ name }: { name?: string }) => <b>Resource: {name}</b>;
  registry.register('resource-info', reactComponent(ResourceInfo));
  registry.register(
    'task-info',
    reactComponent<{ title?: string }>(({ title }) => <b>Task: {title}</b>),
  );
  registry.register('my-todos', reactComponent(TodoList));
  registry.register(
    'dead-card',
    reactComponent(() => {
      throw new Error('React is out of cards');
    }),
  );
  handlers.register('handleResourceClick', resource => said.push(resource));
};

interface TodoListProps {
  todos?: TodoProps[];
  onClick?: (todo: TodoProps) => void;
}

function TodoList({ todos = [], onClick = () => undefined }: TodoListProps) {
  const [clicks, setClicks] = useState(0);
  const click = (todo: TodoProps) => {
    setClicks(clicks + 1);
    onClick(todo);
  };
  return (
    <ul>
      {todos.map(todo => (
        <li key={todo.id}>
          <button type="button" onClick={() => click(todo)}>
            {todo.description} {clicks}
          </button>
        </li>
      ))}
    </ul>
  );
}

class MyCustomElement extends HTMLElement {
  connectedCallback() {
    this.attachShadow({
      mode: 'open',
    }).innerHTML = `<p>Element ${this.dataset.id} <slot name="more"></slot></p>`;
  }
}

/** Elements that fail, each in another moment of its life. */
const FAILING: Record<string, CustomElementConstructor> = {
  'dead-at-birth': class extends HTMLElement {
    constructor() {
      super();
      throw new Error('dead at birth');
    }
  },
  'dead-in-page': class extends HTMLElement {
    connectedCallback() {
      throw new Error('dead in the page');
    }
  },
  'dead-by-attribute': class extends HTMLElement {
    static observedAttributes = ['stars'];
    attributeChangedCallback() {
      throw new Error('dead by an attribute');
    }
  },
  'dead-when-asked': class extends HTMLElement {
    get updateComplete(): Promise<void> {
      throw new Error('dead when asked');
    }
  },
  'dead-later': class extends HTMLElement {
    updateComplete = Promise.reject(new Error('dead later'));
  },
  'dead-at-end': class extends HTMLElement {
    disconnectedCallback() {
      throw new Error('dead at its end');
    }
  },
};

class MyChart extends HTMLElement {
  connectedCallback() {
    this.textContent = `Chart ${this.dataset.id}`;
  }
}

const kit = createKit();
kit.registry.element('my-custom-element', MyCustomElement);
for (const [name, type] of Object.entries(FAILING)) kit.registry.element(name, type);
class MyCard extends HTMLElement {
  static observedAttributes = ['title', 'onclick', 'style', 'id'];
}
kit.registry.element('my-card', MyCard);
// As careless as it gets.
kit.registry.register('spread-card', { render: props => h('div', props, 'spread') });
kit.handlers.register('open', (data, ctx) => ctx.propose('Open', data));
kit.registry.element('my-chart', MyChart, {
  events: { 'data-update': detail => said.push(detail) },
});
await kit.use(async () => ({ default: initComponents }));

const card = (component: string, props: object) => ({
  type: 'component' as const,
  component,
  props: { ...props },
});

function PlannerResponseDisplay({ content, live }: { content: string; live: boolean }) {
  const parsed = useMemo(() => parsePartialJson<PlannerResponse>(content), [content]);
  return (
    <>
      <p id="parsed">{JSON.stringify(parsed?.data)}</p>
      <Content kit={kit} text={content} live={live} />
    </>
  );
}

function Thinking({ id }: { id: string }) {
  const { live, entries } = useRun(id);
  return (
    <>
      {live.map(({ callId, reasoning }) => (
        <em key={callId}>{reasoning}</em>
      ))}
      {entries.map(entry => entry.kind === 'said' && <q key={entry.key}>{entry.reasoning}</q>)}
    </>
  );
}

function ToolCalls({ id }: { id: string }) {
  const { entries, ended } = useRun(id);
  const calls = entries.flatMap(entry => (entry.kind === 'tool' ? [entry] : []));
  return (
    <ol>
      {calls.map(call => (
        <li key={call.key} className={call.isError ? 'failed' : 'done'}>
          {call.tool} {call.arguments} {call.ending} {call.result}
        </li>
      ))}
      {ended && <li>ended</li>}
    </ol>
  );
}

const app = createRoot(document.body.appendChild(document.createElement('div')));
let drawing: ReturnType<typeof draw> | undefined;
const show = (content: Parameters<typeof draw>[2]) => {
  drawing?.remove();
  drawing = draw(kit, root(), content);
};

/** What the tests call. */
Object.assign(window, {
  said,
  /** The four types of content of a tool's result. */
  contentTypes: () =>
    show({
      ofTool: true,
      parts:
        readParts(
          JSON.stringify({
            content: [
              { type: 'text', value: 'Found:' },
              { type: 'json', value: { count: 2 } },
              {
                type: 'webcomponent',
                value: "<my-custom-element data-id='123'><i slot='more'>more</i></my-custom-element>",
              },
              card('todo-list', { todos: [{ id: 'task-1', description: 'A task', status: 'pending' }] }),
            ],
          }),
        ) ?? [],
    }),
  /** Components of React by their names, and one that is not there. */
  registered: () => {
    const parts = [
      card('dead-card', {}),
      card('resource-info', { name: 'Harbour' }),
      card('task-info', { title: 'Dig' }),
      card('none', {}),
    ];
    show({ parts });
    const ctx = { partial: false, propose: () => undefined };
    return [kit.registry.get('resource-info') !== undefined, kit.registry.render('none', {}, ctx)];
  },
  /** A list of React with hooks, whose clicks a function of the page hears; and the one that is built in. */
  clicks: () => {
    const todos = [{ id: 'a', description: 'Furl the sail' }];
    const onClick = (todo: TodoProps) => void said.push(todo.id);
    const builtIn = {
      type: 'component',
      component: 'todo-list',
      props: { todos: [{ description: 'Cast off' }], onClick: todo => void said.push(todo.description) },
    } satisfies ComponentPart;
    show({ parts: [card('my-todos', { todos, onClick }), { ...builtIn, props: { ...builtIn.props } }] });
  },
  /** A result of a tool that names a handler. */
  toolResult: () =>
    show({
      parts: [
        { type: 'text', value: 'Query result:' },
        card('resource-list', {
          resources: [
            { id: 'res-1', name: 'Resource 1' },
            { id: 'res-2', name: 'Resource 2' },
          ],
          onClick: 'handleResourceClick',
        }),
      ],
    }),
  /** The planner's reply as it comes. */
  stream: (content: string, live: boolean) =>
    app.render(<PlannerResponseDisplay content={content} live={live} />),
  /** Whole replies of roles, as a run reads them. */
  replies: (plan: string, execution: string, verdict: string) => [
    parsePlannerResponse(plan).value?.tasks.length,
    parseExecutorResponse(execution).value?.summary,
    !parseVerifierResponse(verdict).ok,
  ],
  /** A tool of the page: its arguments are read, it is run, and its result goes on in the conversation. */
  ownTool: async (id: string) => {
    const tool = { name: 'get_system_info', parameters: { type: 'object', properties: {} } };
    const body = { steersman: { mode: 'react' }, tools: [tool] };
    const chat = new Chat({
      ...{ id, transport: new DefaultChatTransport({ api: '/chat', body }) },
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall: { toolName, toolCallId, input } }) => {
        said.push({ toolName, input });
        void chat.addToolOutput({ tool: toolName, toolCallId, output: { platform: 'a browser' } });
      },
    });
    await chat.sendMessage({ text: 'What system is it?' });
    return chat.messages.map(({ role, parts }) => `${role}: ${parts.map(({ type }) => type).join(' ')}`);
  },
  chart: () => show({ parts: [{ type: 'webcomponent', value: '<my-chart data-id="123"></my-chart>' }] }),
  chartElement: () => root().querySelector('.made')?.shadowRoot?.querySelector('my-chart'),
  gone: () => drawing?.remove(),
  hearWindow: () => listenForActions(window, action => said.push(action)),
  /** A text as a role says it. */
  says: (text: string) => show({ text, propose: action => (said.push(action) > 0 ? null : '') }),
  fails: (name: string) => {
    const html = (value: string) => ({ type: 'webcomponent' as const, value });
    show({ parts: [html(`<${name} stars="5"></${name}>`), card('todo-list', { todos: ['The rest'] })] });
  },
  /** A component that is registered once it was to be drawn. */
  late: () => {
    show({ parts: [card('late-card', { name: 'Late' })] });
    setTimeout(
      () =>
        kit.registry.register(
          'late-card',
          reactComponent(({ name }: { name?: string }) => <b>{name}</b>),
        ),
      50,
    );
  },
  thinking: (id: string) => app.render(<Thinking id={id} />),
  toolCalls: (id: string) => app.render(<ToolCalls id={id} />),
});
document.body.dataset.ready = 'yes';
