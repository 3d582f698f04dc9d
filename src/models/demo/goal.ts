/** What a goal asks for, read from its words by tables: nothing else of the demo model reads goals. */

/** The kinds of work: list the folder; read what is named; count and search all text; write the answer to a file. */
export const WORKS = ['survey', 'read', 'source', 'write'] as const;
export type Work = (typeof WORKS)[number];

/** Parts of an answer, in the order of an overview: the work that brings them, and the words that ask for them. */
const TOPICS = {
  readme: ['read', /\breadme\b|自述文件|说明文件/i],
  tree: [
    'survey',
    /\b(structure|layout|(what|which|list|how many|count)( all| of| the)* (files|folders)|what('s| is) (in )?(here|there|this|it))\b|结构|(哪些|多少个?|几个|列出.{0,6})文件|里(面)?有什么/i,
  ],
  lines: ['source', /\b(lines?|loc)\b|行数|多少行|代码行|代码量/i],
  todos: ['source', /\b(to-?dos?|fixmes?|(left|still|remains) to (do|be done)|unfinished)\b|待办|未完成/i],
} as const satisfies Record<string, readonly [Work, RegExp]>;
export type Topic = keyof typeof TOPICS;
const ALL_TOPICS = Object.keys(TOPICS) as Topic[];

const OVERVIEW =
  /\b(overview|summar(y|i[sz]e)|describe|explain|analy[sz]e|explore|tell me about|look (at|around)|what('s| is| does) (in )?(this|the|my) (project|repo(sitory)?|folder|directory|code(base)?|package))\b|概述|概览|总结|介绍|分析|了解|看看|是什么|做什么/i;

export const HAN = /\p{Script=Han}/u;
export const TEXT_FILE =
  /(?<!package-lock|pnpm-lock|\.min)\.(mdx?|txt|rst|[cm]?[jt]sx?|jsonc?|ya?ml|toml|xml|csv|ini|cfg|conf|html?|s?css|vue|svelte|py|go|rs|java|kts?|rb|php|[ch]|cc|cpp|hpp|cs|swift|dart|exs?|lua|sh|sql|tf|proto|mod)$|(^|\/)(\.\w+|[A-Z]\w*)$/i;
/** Names may have letters of any script. */
const NAME = '[\\p{L}\\p{N}\\p{M}@+_-][\\p{L}\\p{N}\\p{M}@+_.-]*';
const FILE = `(?:\\.?\\/)?(?:${NAME}\\/)*${NAME}\\.[A-Za-z][A-Za-z0-9]{0,9}(?![\\w/])`;
/** "Write … to FILE": what comes between, then the name, in quotes or not; none for one that can't be read. */
const WRITE_TO: readonly RegExp[] = [
  '\\b(write|save|put|store)\\b([^\\n]*?)\\b(?:in)?(?:to|as) (?:(?:a|the) (?:new )?file (?:called |named )?)?(?=["`“]|\\S*\\.\\w|(?:a|the) file)',
  '(写入|写到|写进|写成|保存到|保存为|存到|存为)()\\s*(?:文件)?\\s*',
].map(verb => new RegExp(`${verb}(?:["\`“「]([^"\`”」\\n]+)["\`”」]|(${FILE})|\\S)`, 'iu'));

/** What rules can't do; the first group names it. A summary and its like are what they make. */
const UNSERVED: readonly RegExp[] = [
  /(?:^|[.!?;:,\n]\s*|\b(?:and|then|please|you|to)\s+)(fix|implement|refactor|rewrite|add|delete|remove|rename|move|translate|deploy|install|build|run|commit|send|download|convert|update|change|edit|improve|design|debug|solve|(?:write|create|generate)(?!(?: \w+){0,4} (?:summary|overview|report|list|table|count|todos?)\b))\b/i,
  /((?:编写|写一|创建|生成)(?![^，。]{0,8}(?:总结|报告|列表|概述|清单|说明))|实现|修复|修正|重构|新增|删除|翻译|部署|安装|运行|提交|修改|改进)/,
  /(https?:\/\/|\b(?:internet|online|news|weather)\b|天气|新闻|网上)/i,
];

export interface Intent {
  /** Answer in Chinese. */
  zh: boolean;
  topics: Topic[];
  files: string[];
  /** File that the answer goes to. */
  writeTo: string | null;
  /** What can't be done by rules, by a word that says so; empty where nothing was recognised; null for nothing. */
  unserved: string | null;
}

/** Reads the goal and what was said later, which adds to it. */
export function readIntent(wishes: readonly string[]): Intent {
  const read = wishes.map(readWish);
  const topics = [...new Set(read.flatMap(wish => wish.topics))];
  const files = [...new Set(read.flatMap(wish => wish.files))];
  const isKnown = topics.length + files.length > 0;
  return {
    zh: read.some(({ zh }) => zh),
    topics: isKnown ? topics : ['readme', 'tree'],
    files,
    writeTo: read.findLast(({ writeTo }) => writeTo !== null)?.writeTo ?? null,
    unserved: read.find(wish => wish.unserved !== null)?.unserved ?? (isKnown ? null : ''),
  };
}

function readWish(said: string): Intent {
  const target = WRITE_TO.map(pattern => pattern.exec(said)).find(Boolean);
  const path = target?.[3] ?? target?.[4] ?? null;
  const asked = path === null ? said : said.replace(target?.[0] ?? '', () => ` ${target?.[2]} `);
  const names = asked.replace(/https?:\S+/g, '').match(new RegExp(FILE, 'gu')) ?? [];
  const files = names.filter(name => TEXT_FILE.test(name) || name.includes('/'));
  // Names ask for nothing themselves.
  const rest = files.reduce((text, name) => text.replace(name, ' '), asked);
  const action = UNSERVED.map(pattern => pattern.exec(rest)?.[1]).find(Boolean);
  const lost = path === null ? target?.[1] : undefined;
  return {
    zh: HAN.test(rest),
    topics: topicsIn(rest, files.length > 0),
    files: files.map(name => name.replace(/^\.?\//, '')),
    writeTo: path?.replace(/^\.\//, '') ?? null,
    unserved: (lost ?? action)?.toLowerCase() ?? null,
  };
}

/** In the order of the words. The whole is asked for where an overview is wanted, and no part of it. */
function topicsIn(text: string, namesFile: boolean): Topic[] {
  const at = (topic: Topic) => text.search(TOPICS[topic][1]);
  const named = ALL_TOPICS.filter(topic => at(topic) >= 0).sort((a, b) => at(a) - at(b));
  if (namesFile || !OVERVIEW.test(text)) return named;
  const isWhole = named.every(topic => topic === 'tree');
  return isWhole ? ALL_TOPICS : [...new Set<Topic>(['readme', 'tree', ...named])];
}

export function topicsOf(work: readonly Work[], { topics }: Intent): Topic[] {
  return topics.filter(topic => work.includes(TOPICS[topic][0]));
}

/** Every kind of work that the goal needs, in order. */
export function workFor(intent: Intent): Work[] {
  const { files, topics, writeTo } = intent;
  const wanted = {
    survey: topics.length > 0,
    read: files.length > 0,
    source: false,
    write: writeTo !== null,
  };
  return WORKS.filter(work => wanted[work] || topicsOf([work], intent).length > 0);
}
