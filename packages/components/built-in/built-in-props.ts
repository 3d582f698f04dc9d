/** The properties of the built-in components, for roles, tools and front ends that write them. */

/** A click handler, which gets the item: its name from roles and tools, or a function from a front end. */
export type OnClick<Clicked> = string | ((clicked: Clicked) => void);

export interface TodoProps {
  id?: string;
  description?: string;
  title?: string;
  status?: string;
  completed?: boolean;
  completionCriteria?: string;
  feedback?: string;
  result?: string;
}

export interface ResourceProps {
  id?: string | number;
  name?: string;
  title?: string;
  uri?: string;
  description?: string;
  [field: string]: unknown;
}

export interface BuiltInProps {
  'resource-info': ResourceProps | { resource: ResourceProps; onClick?: OnClick<ResourceProps> };
  'resource-list': { resources: (ResourceProps | string)[]; onClick?: OnClick<ResourceProps> };
  'task-info': TodoProps | { task: TodoProps; onClick?: OnClick<TodoProps> };
  'todo-list': { todos: (TodoProps | string)[]; onClick?: OnClick<TodoProps> };
  'planner-response': { summary?: string; todos?: (TodoProps | string)[]; onClick?: OnClick<TodoProps> };
  'executor-response': { summary?: string; todos?: (TodoProps | string)[]; onClick?: OnClick<TodoProps> };
  'verifier-response': {
    summary?: string;
    overallFeedback?: string;
    tasks?: (TodoProps | string)[];
    improvements?: string[];
    onClick?: OnClick<TodoProps>;
  };
  'summary-response': { summary: string } | { text: string };
}

/** A component in content; a built-in one has typed properties. */
export type ComponentPart = {
  [Name in keyof BuiltInProps]: { type: 'component'; component: Name; props: BuiltInProps[Name] };
}[keyof BuiltInProps];
