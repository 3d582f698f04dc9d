/** Draws stacked bars by day. The table next to it says the same to those who do not see it. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { language } from '../words/words.js';
import { type Spent, stacked } from './spent.js';

const HEIGHT = 180;
const HALF_DAY_S = 43_200;
const AXIS_FONT = '11px system-ui, sans-serif';

interface PlotProps {
  spent: Spent;
  say: (value: number) => string;
}

export function BarPlot({ spent, say }: PlotProps) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = ref.current;
    if (box === null) return undefined;
    const plot = new uPlot(
      optionsOf(spent, say, box.clientWidth),
      [spent.days, ...stacked(spent.series)],
      box,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: HEIGHT }));
    observer.observe(box);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => plot.redraw();
    scheme.addEventListener('change', redraw);
    return () => {
      scheme.removeEventListener('change', redraw);
      observer.disconnect();
      plot.destroy();
    };
  }, [spent, language.value]);
  return <div class="plot" ref={ref} aria-hidden="true" />;
}

function optionsOf({ series }: Spent, say: PlotProps['say'], width: number): uPlot.Options {
  const bars = uPlot.paths.bars?.({ size: [0.7, 40] });
  const axis = { stroke: () => colour('--muted'), grid: { stroke: () => colour('--line') }, font: AXIS_FONT };
  const days = new Intl.DateTimeFormat(language.value, { month: 'short', day: 'numeric' });
  return {
    ...{ width, height: HEIGHT, cursor: { show: false }, legend: { show: false } },
    scales: {
      // The bars of the first and the last day are whole.
      x: { range: (_, first, last) => [first - HALF_DAY_S, last + HALF_DAY_S] },
      y: { range: (_, __, most) => [0, most > 0 ? most * 1.05 : 1] },
    },
    axes: [
      { ...axis, grid: { show: false }, values: (_, splits) => splits.map(at => days.format(at * 1_000)) },
      { ...axis, size: 64, values: (_, splits) => splits.map(say) },
    ],
    series: [
      {},
      // The whole is drawn first, so the last series comes first.
      ...series.map((_, at) => ({
        fill: () => colour(`--series-${series.length - 1 - at}`),
        width: 0,
        points: { show: false },
        ...(bars && { paths: bars }),
      })),
    ],
  };
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name);
}
