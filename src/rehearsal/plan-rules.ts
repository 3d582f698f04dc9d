/** Planner rules: tasks from the goal's words, the tools there are, and what the last verification missed. */
import type { BriefedTask } from './briefs.js';
import { findGaps } from './checks.js';
import { plural } from './markdown.js';
import type { RuleReply } from './reply.js';
import { jsonReply } from './reply.js';
import { say } from './sections.js';
import { canSeeFiles, toolboxOf, toolsInOverview } from './tools.js';
import type { View } from './view.js';
import type { Work } from './work.js';
import { workFor } from './work.js';

/** The task of a run in which no files can be seen. */
export const EXPLAIN_TASK = 'explain';
/** Begins the improvement of a goal that rules cannot serve. */
export const ADVICE = 'Give this goal to a model that understands';
/** Begins the improvement of a goal whose file was refused: nothing is planned for it. */
export const REFUSED = 'Nothing more can be done without permission';

interface PlannedTask {
  id: string;
  description: string;
  dependencies: string[];
  completionCriteria: string;
}

/** Answers a planning brief. */
export function planReply(view: View): RuleReply {
  const { brief } = view.conversation;
  const again = brief?.kind === 'plan' && brief.improvements.length > 0 ? brief : null;
  const tasks = again ? replanned(view, again) : firstPlan(view);
  const todos = tasks.map((task, index) => ({ ...task, priority: index + 1, status: 'pending' }));
  const summary = say(
    view,
    `Rehearsal plan by rules: ${plural(todos.length, 'task')}.`,
    `按规则制定的演练计划：${todos.length} 项任务。`,
  );
  const thought = again
    ? 'Plans what the verification found missing.'
    : 'Plans from the words of the goal and the tools offered.';
  return jsonReply(thought, 'planner-response', { summary, needsMorePlanning: false, todos });
}

function firstPlan(view: View): PlannedTask[] {
  const box = toolboxOf(toolsInOverview(view.conversation.system));
  if (!canSeeFiles(box)) return [explainTask(view)];
  return tasksFor(
    view,
    workFor(view.intent).filter(kind => kind !== 'write' || box.write !== undefined),
  );
}

/** New tasks for the gaps; what another verifier asks for becomes a task in its words. */
function replanned(view: View, brief: { improvements: string[]; tasks: BriefedTask[] }): PlannedTask[] {
  const gaps = findGaps(view, view.usedBox, view.roomChars);
  if (gaps.length > 0)
    return tasksFor(
      view,
      gaps.map(gap => gap.work),
    );
  const asked = brief.improvements.filter(text => !text.startsWith(ADVICE) && !text.startsWith(REFUSED));
  if (asked.length > 0) {
    return asked.slice(0, 5).map(description => ({
      id: freeId(view, 'more'),
      description,
      dependencies: [],
      completionCriteria: description,
    }));
  }
  return brief.tasks.map(({ id, description }) => ({
    id,
    description,
    dependencies: [],
    completionCriteria: description,
  }));
}

function explainTask(view: View): PlannedTask {
  const description = say(
    view,
    'Say what can be done without tools that see files',
    '说明没有文件工具时能做什么',
  );
  return { id: freeId(view, EXPLAIN_TASK), description, dependencies: [], completionCriteria: description };
}

function tasksFor(view: View, work: readonly Work[]): PlannedTask[] {
  const ids = new Map(work.map(kind => [kind, freeId(view, kind)]));
  return work.map(kind => ({
    id: ids.get(kind) ?? kind,
    ...DESCRIPTIONS[kind](view),
    dependencies: dependenciesOf(kind, ids),
  }));
}

/** What is written comes last; everything else needs the survey. */
function dependenciesOf(kind: Work, ids: ReadonlyMap<Work, string>): string[] {
  const before = kind === 'write' ? [...ids.keys()] : kind === 'survey' ? [] : (['survey'] as const);
  return before.filter(other => other !== kind).flatMap(other => ids.get(other) ?? []);
}

/** Ids of earlier plans belong to their tasks: `source`, then `source-2`. */
function freeId(view: View, name: string): string {
  const taken = view.conversation.plannedIds;
  let id = name;
  for (let number = 2; taken.includes(id); number += 1) id = `${name}-${number}`;
  taken.push(id);
  return id;
}

type Description = Pick<PlannedTask, 'description' | 'completionCriteria'>;

const DESCRIPTIONS: Record<Work, (view: View) => Description> = {
  survey: view => ({
    description: say(
      view,
      `List ${placeOf(view)} as a tree with file sizes, without dependency and build folders`,
      `列出${placeOf(view)}的目录树和文件大小，不含依赖和构建目录`,
    ),
    completionCriteria: say(
      view,
      'Every folder found is listed, with the sizes of its files',
      '找到的每个文件夹都已列出，并有文件大小',
    ),
  }),
  read: view => ({
    description: say(view, `Read ${documentNames(view)}`, `读取${documentNames(view)}`),
    completionCriteria: say(
      view,
      'Each of them was read whole, or is named with the reason',
      '每个文件都已完整读取，或说明了原因',
    ),
  }),
  source: view => ({
    description: say(view, `Read the text files to ${countWords(view)}`, `读取文本文件，${countWords(view)}`),
    completionCriteria: say(
      view,
      'Every text file found was read whole, or is named as not read',
      '找到的每个文本文件都已完整读取，或列为未读取',
    ),
  }),
  write: view => ({
    description: say(
      view,
      `Write what was found to ${view.intent.writeTo}`,
      `把结果写入 ${view.intent.writeTo}`,
    ),
    completionCriteria: say(
      view,
      'The file was written, or a person did not want it',
      '文件已写入，或有人不同意写入',
    ),
  }),
};

function placeOf(view: View): string {
  const { folders } = view.intent;
  return folders.length > 0 ? folders.join(', ') : say(view, 'the folder', '工作目录');
}

function documentNames(view: View): string {
  const { files, topics } = view.intent;
  const names = [
    ...files,
    ...(topics.includes('readme') ? [say(view, 'the README', ' README')] : []),
    ...(topics.includes('headings')
      ? [say(view, 'the Markdown files for their headings', 'Markdown 文件的标题')]
      : []),
    ...(topics.includes('dependencies') ? [say(view, 'the package files for dependencies', '依赖清单')] : []),
  ];
  return names.join(say(view, ', ', '、'));
}

function countWords(view: View): string {
  const { words, related, topics } = view.intent;
  const aims = [
    ...(topics.includes('lines') ? [say(view, 'count lines by language', '按语言统计行数')] : []),
    ...(topics.includes('todos') ? [say(view, 'find TODO, FIXME and XXX', '查找 TODO、FIXME 和 XXX')] : []),
    ...words.map(word => say(view, `find the places of "${word}"`, `查找“${word}”出现的位置`)),
    ...(related.length > 0
      ? [say(view, 'find lines that share words with the goal', '查找与目标用词接近的行')]
      : []),
  ];
  return aims.join(say(view, ', ', '、'));
}
