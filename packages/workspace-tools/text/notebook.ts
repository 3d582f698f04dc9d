/** Shows a notebook as its cells: its JSON has them as quoted lines, and pictures as text. */
import { isRecord, parseJson, stringOr } from 'steersman/base';

const MOST_OUTPUT_CHARS = 1_000;

/** Returns the cells as text; null if the JSON is not a notebook. */
export function notebookText(json: string): string | null {
  const notebook = parseJson(json);
  if (!isRecord(notebook) || !Array.isArray(notebook.cells)) return null;
  const cells = notebook.cells.filter(isRecord).map((cell, index) => {
    const outputs = [cell.outputs ?? []].flat().filter(isRecord).map(outputText);
    const body = outputs.filter(text => text !== '').map(text => `[output]\n${text}`);
    return [`[cell ${index + 1}, ${stringOr(cell.cell_type, '?')}]`, joined(cell.source), ...body].join('\n');
  });
  return [...cells, '[A notebook as its cells. edit and grep see its JSON.]'].join('\n');
}

function outputText({ text, data, ename, evalue }: Record<string, unknown>): string {
  if (ename !== undefined) return `${stringOr(ename, '')}: ${stringOr(evalue, '')}`;
  const parts = isRecord(data) ? data : {};
  const output = joined(text ?? parts['text/plain']);
  const pictures = Object.keys(parts).filter(type => type.startsWith('image/'));
  const cut = output.length > MOST_OUTPUT_CHARS ? `${output.slice(0, MOST_OUTPUT_CHARS)}…` : output;
  return [cut, ...pictures.map(type => `[${type}]`)].filter(part => part !== '').join('\n');
}

function joined(lines: unknown): string {
  return [lines ?? []].flat().map(String).join('').trimEnd();
}
