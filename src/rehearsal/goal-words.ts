/** Words by which goals are recognised, in English and Chinese. Tables only: `goal.ts` applies them. */

/**
 * The kinds of work that goals are split into. `survey`: list the folder; `read`: files named, README, manifests,
 * headings; `source`: all text, to count and search; `write`: the answer into a file.
 */
export const WORKS = ['survey', 'read', 'source', 'write'] as const;
export type Work = (typeof WORKS)[number];

interface TopicRule {
  /** By these words a goal asks for it. */
  words: RegExp;
  /** What it takes, besides the survey. */
  work: Work;
  /** What is read, or what for, in words. */
  aim: readonly [english: string, chinese: string];
}

/** Parts of an answer that a goal can ask for, in the order of an overview. */
export const TOPICS = {
  readme: { words: /\breadme\b|自述文件|说明文件|说明文档/i, work: 'read', aim: ['the README', ' README'] },
  tree: {
    words:
      /\b(structure|layout|file tree|directory tree|(what|which) (files|folders)(?! (that )?(use|mention|contain|import|call|refer))|list (of )?(all |the )*(files|folders)|(how many|count|number of)( all| the)? (files|folders)|what('s| is) (in )?(here|there|this|it))\b|结构|(哪些|多少个?|几个|列出.{0,6})文件|里(面)?有什么/i,
    work: 'survey',
    aim: ['all folders', '所有文件夹'],
  },
  lines: {
    words:
      /\b(lines?(?! (with|that|where|contain|mention))|loc|line counts?|languages?)\b|行数|多少行|代码行|代码量|编程语言|哪些语言/i,
    work: 'source',
    aim: ['count lines by language', '按语言统计行数'],
  },
  largest: {
    words: /\b(largest|biggest|longest|file sizes?|sizes of)\b|最大|最长|文件大小/i,
    work: 'survey',
    aim: ['the sizes of files', '文件大小'],
  },
  todos: {
    words: /\b(to-?dos?|fixmes?|xxx|(left|still|remains) to (do|be done)|unfinished)\b|待办|未完成/i,
    work: 'source',
    aim: ['find TODO, FIXME and XXX', '查找 TODO、FIXME 和 XXX'],
  },
  headings: {
    words: /\b(headings?|outlines?|table of contents|sections)\b|标题|大纲/i,
    work: 'read',
    aim: ['the Markdown files for their headings', 'Markdown 文件的标题'],
  },
  dependencies: {
    words: /\b(dependenc(y|ies)|depends? on|third[- ]party)\b|依赖/i,
    work: 'read',
    aim: ['the package files for dependencies', '依赖清单'],
  },
} as const satisfies Record<string, TopicRule>;
export type Topic = keyof typeof TOPICS;
export const ALL_TOPICS = Object.keys(TOPICS) as Topic[];

/** Asks for the folder as a whole. */
export const OVERVIEW_WORDS =
  /\b(overview|summar(y|i[sz]e|ies)|describe|explain|analy[sz]e|explore|introduce|inspect|survey|tell me about|understand|look (at|around|through)|what('s| is| does) (in )?(this|the|my) (project|repo(sitory)?|folder|directory|code(base)?|package|library|tool|workspace|about))\b|概述|概览|总结|介绍|分析|了解|梳理|看看|是什么|做什么/i;

/** Files that goals name without an extension. */
export const BARE_FILE_NAMES =
  /\b(Makefile|Dockerfile|Jenkinsfile|LICEN[CS]E|NOTICE|CHANGELOG|CONTRIBUTING|AUTHORS|SECURITY|CODEOWNERS)\b/g;

/** Names of products that look like files. */
export const NOT_FILES = /^(node|next|nuxt|vue|express|three|d3|nest|electron|chart|discord)\.js$/i;

/** Things that rules cannot make, at the place of a verb: what begins a sentence or follows "and", "please", "to me". */
const MAKING =
  'write|create|implement|fix|refactor|rewrite|add|delete|remove|rename|move|translate|deploy|install|build|run|execute|commit|push|email|send|download|fetch|browse|generate|optimi[sz]e|convert|update|change|edit|improve|port|migrate|design|debug|solve|draw|compare|book|buy|play';
const ACTION = new RegExp(
  `(?:^|[.!?;:,\\n]\\s*|\\b(?:and|then|please|you|to)\\s+|\\bi (?:want|need) you to\\s+)(${MAKING})\\b`,
  'i',
);
const ACTION_ZH =
  /(编写|写一|写个|创建|实现|修复|修正|重构|新增|删除|移除|重命名|翻译|部署|安装|运行|执行|提交|下载|生成|优化|转换|修改|改进)/;
const FILE_PATH = '((?:[\\w@.+-]+\\/)*[\\w@+-][\\w@.+-]*\\.[A-Za-z][A-Za-z0-9]{0,9})';
/** "Write … to FILE": what comes between, then the file that the answer is written to. */
export const WRITE_TO: readonly RegExp[] = [
  new RegExp(
    `\\b(?:write|save|put|store|record)\\b([^.\\n]*?)\\b(?:to|into|in|as)\\s+(?:(?:a|the) (?:new )?file (?:called |named )?)?[\`'"]?${FILE_PATH}(?![\\w/])[\`'"]?`,
    'i',
  ),
  new RegExp(`()(?:写入|写到|写进|保存到|保存为|存到|存为|记录到)\\s*[\`“"]?${FILE_PATH}[\`”"]?`),
];
/** Making a summary is what the rules do: these are no actions. */
export const REPORTING: readonly RegExp[] = [
  /\b(write|create|generate|make|build|add|draw|update|send|give)( me| us)?( up)?( an?| the| some)?( short| brief| quick| full| complete| detailed| concise)*( one-page| markdown)? (summary|overview|report|list|listing|table|inventory|outline|count|description|answer|breakdown)\b/gi,
  /(编写|写一|写个|创建|生成)[^，。,.]{0,8}(总结|报告|列表|概述|概览|清单|表格|说明|摘要)/g,
];

const WEB =
  /https?:\/\/|\b(the web|internet|online|google|news|weather|stock price|website)\b|天气|新闻|网上|互联网|网页/i;
/** What rules can not do; the first group, where there is one, names it. */
export const UNSERVED: readonly RegExp[] = [ACTION, ACTION_ZH, WEB];

/** Ways to name what is searched for; the first group is the word. Quotes are read before these. */
export const SEARCH_PATTERNS: readonly RegExp[] = [
  /\bwhere (?:is|are|do we use|does) (?:the |a )?(?:function |class |type |word |variable |constant )?([\w$.-]+)\b/gi,
  /\b(?:occurrences?|uses?|usages?|mentions?|callers?|references?) (?:of|to) (?:the )?(?:word |function |class |term )?([\w$.-]+)\b/gi,
  /\b(?:search|grep|look)(?: the \w+)? for (?:the )?(?:word |string |term )?([\w$.-]+)\b/gi,
  /\b(?:which|what) files (?:use|mention|contain|import|call|reference)s? (?:the )?(?:word )?([\w$.-]+)\b/gi,
  /\bhow (?:often|many times) (?:is|does|do|are) (?:the )?(?:word )?([\w$.-]+)\b/gi,
  /(?:查找|搜索|检索|统计)\s*([A-Za-z_$][\w$.-]*)/g,
  /([A-Za-z_$][\w$]*)\s*(?:在哪|出现|被(?:使用|调用|引用)|用在)/g,
];
/** The goal asks for places of a word: only then quoted words are searched for. */
export const SEARCH_VERBS =
  /\b(where|find|search|grep|look for|occurrences?|uses?|used|usages?|mentions?|mentioned|contains?|count|how (often|many)|references?|callers?|which files)\b|查找|搜索|检索|统计|出现|在哪|使用|引用|调用/i;

/** Words that are never searched for, and no folders. */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  `a about all an and any are as at can code codebase count dependencies directory do does each every file files fixme fixmes folder for from
  headings here how in is it line lines many me most my no of on one or our project readme repo repository same some
  source test tests that the their them there these they this those to todo todos use used uses using we what which word words workspace xxx you
  your`.split(/\s+/),
);
