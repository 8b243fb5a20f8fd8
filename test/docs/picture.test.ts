import { expect, it } from 'vitest';
import { screenToSvg } from '../../docs/picture/svg.ts';
import { scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';

it('a picture shows the cells of a screen: colours, styles, inverse, and nothing for blanks', async () => {
  using place = scratch();
  await using rig = startRig(place, {
    file: '/usr/bin/printf',
    args: ['\\033[1;38;5;196mred\\033[0m a<b\\n\\033[7m ok \\033[0m\\033[38;2;1;2;3;2mdim'],
    columns: 20,
    rows: 3,
  });
  await rig.exited;
  const svg = screenToSvg(rig.runs(), 20, 'three & four');
  expect(svg).toContain('<title>three &amp; four</title>');
  expect(svg).toContain('<svg xmlns="http://www.w3.org/2000/svg" width="196" height="82"');
  expect(svg).toMatch(/<text x="14" y="27.5" textLength="25.2" [^>]*fill="#ff0000" font-weight="bold">red<\/text>/);
  expect(svg).toContain('>a&lt;b<');
  expect(svg).toMatch(/<rect [^>]*fill="#d8dee9"\/><text [^>]*fill="#14181f">ok<\/text>/);
  expect(svg).toMatch(/fill="#010203" opacity="0.6">dim</);
  expect(svg.match(/<text/g)).toHaveLength(4);
  expect(screenToSvg(rig.runs(), 20, 'three & four')).toBe(svg);
});
