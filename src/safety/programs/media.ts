import { UNKNOWN } from '../shell/taint.ts';
import { destructive, harmless, unknown } from '../verdict.ts';
import { forAll, type Handlers } from './handler.ts';
import { writesOutput } from './outputs.ts';

/** Media converters. */
export const MEDIA: Handlers = {
  ...forAll('ffmpeg sox magick convert mogrify', (call) => {
    const target = call.args.at(-1)?.text ?? '-';
    const inputs = call.args.slice(0, -1).map((field) => field.text);
    if (
      call.args.length > 1 &&
      /^[\w./~]/.test(target) &&
      inputs.includes(target) &&
      (call.program !== 'ffmpeg' || call.has('-y'))
    )
      call.machine.note(destructive('same file in and out', 'empties the file it reads'));
    if (/^(magick|convert)$/.test(call.program) && call.args.length > 1 && /\.\w+$/.test(target))
      call.machine.note(writesOutput(call, target.replace(/^\w+:/, '')));
    if (call.program === 'mogrify') call.machine.note(destructive('sed -i', 'edits files in place'));
    else if (call.has('-y') && call.program === 'ffmpeg') {
      call.machine.note(
        target === '-' || target.startsWith('/dev/') || target === 'null'
          ? harmless()
          : unknown('writes over a file if there is one'),
      );
    } else call.machine.note(harmless());
    return UNKNOWN;
  }),
  exiftool(call) {
    const writes = call.args.some((field) =>
      /^-[\w:]+[-+]?=|^-(all|tagsfromfile|delete_original|restore_original)/i.test(field.text),
    );
    call.machine.note(
      writes && call.args.some((field) => /overwrite_original|delete_original/.test(field.text))
        ? destructive('sed -i', 'edits files in place')
        : writes
          ? unknown('edits files and keeps copies')
          : harmless(),
    );
    return UNKNOWN;
  },
};
