/** Screens one after the other as one SVG that moves by itself, without a script: what an image in a page may do. */
import type { Run } from '../../test/support/cells.ts';
import { screenToSvg } from './svg.ts';

export type Frame = {
  /** How long it is shown. */
  readonly seconds: number;
  readonly rows: readonly (readonly Run[])[];
};

/** In a loop; who wants no motion is shown the screen that stands longest. */
export function movingSvg(frames: readonly Frame[], columns: number, title: string): string {
  const whole = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  const pictures = frames.map(({ rows }) => screenToSvg(rows, columns, title));
  const [first = ''] = pictures;
  const head = first.slice(0, first.indexOf('<style>'));
  const paper = /<rect width="100%"[^\n]*/.exec(first)?.[0] ?? '';
  const font = /<style>(.*)<\/style>/.exec(first)?.[1] ?? '';
  const longest = frames.reduce((best, { seconds }, at) => (seconds > (frames[best]?.seconds ?? 0) ? at : best), 0);
  let begins = 0;
  const rules: string[] = [];
  const groups = pictures.map((picture, at) => {
    const from = percent(begins, whole);
    begins += frames[at]?.seconds ?? 0;
    const to = percent(begins, whole);
    const before = at === 0 ? '' : '0%{visibility:hidden}';
    const behind = at === pictures.length - 1 ? '' : `${to}%{visibility:hidden}`;
    rules.push(`@keyframes f${at}{${before}${from}%{visibility:visible}${behind}}`);
    rules.push(`#f${at}{visibility:hidden;animation:f${at} ${whole}s step-end infinite}`);
    const body = picture.slice(picture.indexOf(paper) + paper.length, picture.lastIndexOf('</svg>')).trim();
    return `<g id="f${at}">\n${body}\n</g>`;
  });
  const still = `@media (prefers-reduced-motion:reduce){g{animation:none!important}#f${longest}{visibility:visible}}`;
  return `${head}<style>${font}
${rules.join('\n')}
${still}</style>
${paper}
${groups.join('\n')}
</svg>
`;
}

function percent(seconds: number, whole: number): number {
  return Number(((100 * seconds) / whole).toFixed(2));
}
