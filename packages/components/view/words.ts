/** The kit's own texts, in the languages that it has. A front end may give others. */

const EN = {
  loading: 'Loading…',
  writes: 'writes…',
  asData: 'As data',
  notDrawn: 'It cannot be drawn: see it as data.',
  noComponent: 'There is no component {name} here.',
  badProps: 'The component {name} got properties that it does not accept.',
  brokenComponent: 'The component {name} failed.',
  brokenElement: 'An element of this HTML failed.',
  blockedElement: 'The page’s policy blocks {what} of an element: see docs/frontends.md.',
  notProposed: 'The component proposed something that a run would not accept.',
  ended: 'This run has ended: a component can send it nothing.',
  stored: 'This is a stored conversation: a component can send it nothing.',
  wantsText: '{name}: expected a text',
  wantsList: '{name}: expected a list of objects or texts',
};

export type KitWord = keyof typeof EN;

const ZH: Readonly<Record<KitWord, string>> = {
  loading: '正在加载…',
  writes: '正在书写…',
  asData: '原始数据',
  notDrawn: '无法显示，请看“原始数据”。',
  noComponent: '这里没有组件 {name}。',
  badProps: '组件 {name} 收到了它不接受的属性。',
  brokenComponent: '组件 {name} 出错了。',
  brokenElement: '这段 HTML 中的一个元素出错了。',
  blockedElement: '页面策略阻止了元素的 {what}：见 docs/frontends.md。',
  notProposed: '组件提出了运行不会接受的内容。',
  ended: '该运行已结束：组件无法再向它发送内容。',
  stored: '这是已保存的对话：组件无法向它发送内容。',
  wantsText: '{name}：应为文本',
  wantsList: '{name}：应为对象或文本的列表',
};

const WORDS = { en: EN, zh: ZH };

/** Returns a text of the kit, with these values in it. */
export type Say = (word: KitWord, values?: Readonly<Record<string, string | number>>) => string;

/** `language`: asked at each text, because a person may change it. */
export function sayIn(language: () => keyof typeof WORDS): Say {
  return (word, values = {}) =>
    WORDS[language()][word].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
