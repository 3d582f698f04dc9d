/** Pages of apps for tests: built with the ready `App` of the protocol's own package, or by hand. */
import { build } from 'esbuild';

const ROOT = new URL('../..', import.meta.url).pathname;
/** Writes a line that a test reads. */
const TELL = `
  const tell = (name, value) => {
    const line = document.createElement('p');
    line.textContent = name + ' ' + JSON.stringify(value);
    document.body.append(line);
  };
  const told = (name, promise) => promise.then(value => tell(name, value), error => tell(name + ' failed', String(error.message ?? error)));
`;

/** A page that tells what it hears, and does what `script` says once it is connected, with `app`, `tell` and `told`. */
export function appPage(from: 'ext-apps-1' | 'ext-apps-2', script = ''): Promise<string> {
  return pageOf(
    `const app = new App({ name: 'board', version: '1' }, {});
    app.ontoolinput = ({ arguments: args }) => tell('input', args);
    app.ontoolresult = ({ structuredContent, _meta }) => tell('result', { structuredContent, _meta });
    await app.connect();
    tell('context', app.getHostContext());
    ${script}`,
    `import { App } from '${from}/app-with-deps';`,
  );
}

/** A page of a script by hand. */
export async function pageOf(script: string, imports = ''): Promise<string> {
  const contents = `${imports}${TELL}(async () => {${script}})();`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    write: false,
    format: 'iife',
    logLevel: 'error',
  });
  const text = outputFiles[0]?.text.replaceAll('</', '<\\/') ?? '';
  return `<!doctype html><meta charset="utf-8"><body><script>${text}</script>`;
}
