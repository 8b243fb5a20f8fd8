import type { Machine } from '../../shell/machine.ts';
import { hasUnknown } from '../../shell/taint.ts';
import { harmless, type StaticVerdict, unknown, worse } from '../../verdict.ts';
import { adds, lookAt } from '../paths.ts';
import { type CallFacts, given, type Reading, type Records } from '../record.ts';

/** Pictures, sound and film: tools whose words name protocols, filters and formats, some of which write, send or run. */
export const MEDIA_RECORDS: Records = {
  ffmpeg: {
    operands: 'judged',
    singleDash: true,
    tune: '-# -i= -c= -c:v= -c:a= -codec= -codec:v= -codec:a= -vcodec= -acodec= -an -vn -sn -ss= -sseof= -to= -t= -r= -s= -f= -b:v= -b:a= -crf= -preset= -vf= -af= -filter:v= -filter:a= -filter_complex= -lavfi= -map= -loglevel= -hide_banner -n -frames:v= -vframes= -pix_fmt= -q:v= -q:a= -ar= -ac= -aspect= -movflags= -threads= -nostats -nostdin -stats -v= -shortest -g= -profile:v= -level= -tune= -metadata= -c:s= -qscale:v= -vsync= -re -stream_loop= -framerate= -loop= -safe=',
    delete: '-y',
    write: '-vstats_file= -passlogfile= -progress=',
    load: '-report -fpre= -vstats -init_hw_device= -dump_attachment=',
    idle: '-version -formats -codecs -encoders -decoders -filters -h -protocols',
    judge: judgeFfmpeg,
  },
  ffprobe: {
    singleDash: true,
    tune: '-# -v= -i= -f= -hide_banner -show_format -show_streams -show_entries= -select_streams= -of= -print_format= -show_frames -count_frames -show_packets -pretty -unit -sexagesimal -loglevel= -show_chapters -show_error -show_programs -count_packets -read_intervals=',
    write: '-o=',
    operands: 'read',
    judge: (_, reading) => {
      const graph = reading.given.some(({ name, value }) => name === '-f' && value === 'lavfi');
      return worst([
        ...judgeStreams(reading),
        ...reading.operands.map(({ text }) => (graph ? judgeGraph(text) : judgeInput(text))),
      ]);
    },
  },
  identify: {
    singleDash: true,
    tune: '-# -verbose -format= -ping -quiet -unique -units= -precision=',
    operands: 'read',
    judge: (_, reading) =>
      worst([
        ...reading.operands.map(({ text }) => judgePicture(text)),
        ...reading.given.map(({ value = '' }) =>
          value.startsWith('@') ? unknown('reads a format from a file') : undefined,
        ),
      ]),
  },
  'yt-dlp': {
    helpers: 'ffmpeg ffprobe python3',
    tune: '-# -F -x -q -v -s -S= -i -k -e -g -j -J -c -w -4 -6 -f= -N= -r= -R= --format= --format-sort= --list-formats --list-subs --get-duration --get-url --get-title --get-id --get-filename --get-thumbnail --get-description --get-format --dump-json --dump-single-json --simulate --no-simulate --skip-download --print= --extract-audio --audio-format= --audio-quality= --merge-output-format= --recode-video= --remux-video= --download-sections= --force-keyframes-at-cuts --no-playlist --yes-playlist --playlist-items= --playlist-start= --playlist-end= --write-subs --write-sub --write-auto-subs --write-auto-sub --sub-langs= --sub-lang= --sub-format= --convert-subs= --write-thumbnail --write-description --write-info-json --embed-thumbnail --embed-subs --embed-metadata --add-metadata --no-warnings --no-progress --newline --progress --verbose --quiet --retries= --limit-rate= --concurrent-fragments= --max-filesize= --max-downloads= --match-filter= --restrict-filenames --no-overwrites --sleep-interval= --ignore-errors --continue --no-part --no-mtime --socket-timeout= --user-agent= --flat-playlist --date= --dateafter= --no-config --ignore-config --extractor-args= --keep-video --no-keep-video',
    add: '-o= --output=',
    into: '-P= --paths=',
    load: '--exec= --exec-before-download= --config-location= --config-locations= --plugin-dirs= --downloader= --external-downloader= --downloader-args= --external-downloader-args= --postprocessor-args= --ppa= --ffmpeg-location= --netrc --netrc-cmd= --use-postprocessor= --load-info-json= -a= --batch-file= --enable-file-urls --no-check-certificates --js-runtimes= --print-to-file',
    send: '--proxy= --cookies= --cookies-from-browser= -u= -p= --username= --password= --video-password= --add-header= --referer=',
    delete: '--force-overwrites --yes-overwrites --rm-cache-dir -U --update --update-to=',
    operands: 'ask',
    control: /(^|\/)(yt-dlp|youtube-dl)\.conf$/,
  },
  'convert magick': {
    operands: 'judged',
    open: 'writes a picture over what is there',
    singleDash: true,
    tune: '-# -resize= -quality= -rotate= -crop= -strip -density= -background= -flatten -thumbnail= -colorspace= -alpha= -format=',
  },
  exiftool: {
    singleDash: true,
    tune: '-# -r -s -S -G -a -j -json -n -csv -d= -e -f -ee -p= -b -T -t -x= -ext= -fast -u -V -v= -Output= --Output= -quiet',
    write: '-o= -w=',
    operands: 'read',
    judge: ({ program, args }) =>
      program === 'exiftool' &&
      args.some(({ text }) =>
        /^-[\w:]+[-+^]?[<=]|^-(all|tagsfromfile|delete_original|restore_original|overwrite|config|execute|@|if\d*|filename|directory)/i.test(
          text,
        ),
      )
        ? unknown('edits files')
        : program === 'exiftool' &&
            args.some(({ text }, at) => args[at - 1]?.text === '-p' && !/^(?=.*\$)[\w $:,.%-]*$/.test(text))
          ? unknown('a format of exiftool may be code, or a file of it')
          : undefined,
  },
};

function worst(verdicts: readonly (StaticVerdict | undefined)[]): StaticVerdict | undefined {
  return verdicts.reduce((a, b) => (a && b ? worse(a, b) : (a ?? b)), undefined);
}

/** Formats of one file, or of none. Others write many files (`hls`, `image2`), several outputs (`tee`), or send (`rtsp`). */
const FORMATS =
  /^(mp4|mov|m4a|ipod|matroska|webm|mp3|wav|flac|ogg|opus|adts|aac|ac3|gif|apng|avi|mpegts|mpeg|flv|3gp|null|md5|hash|framemd5|framecrc|crc|rawvideo|yuv4mpegpipe|image2pipe|mjpeg|h264|hevc|[su](8|16|24|32)[lb]?e?|f(32|64)[lb]e|srt|ass|webvtt|ffmetadata|lavfi|concat)$/;
const FILE_ENDING =
  /\.(mp4|m4a|m4v|mov|mkv|mka|webm|mp3|wav|flac|ogg|oga|ogv|opus|aac|ac3|gif|apng|avi|ts|mpe?g|flv|wmv|wma|3gp|aiff?|y4m|png|jpe?g|webp|bmp|tiff?|srt|vtt|ass|null)$/i;

/** Filters that only compute on what flows through them. Others write a file, load a library, or read one as a script. */
const FILTERS = new Set(
  `scale crop pad fps setpts asetpts atempo volume transpose hflip vflip rotate trim atrim setsar setdar format aformat overlay
   concat split asplit amix amerge aresample palettegen paletteuse fade afade drawbox drawtext thumbnail select aselect tile
   hstack vstack xstack yadif bwdif silencedetect silenceremove blackdetect showinfo ashowinfo null anull nullsrc testsrc
   testsrc2 color sine anullsrc smptebars eq hue unsharp gblur boxblur highpass lowpass equalizer dynaudnorm channelsplit
   channelmap pan asetrate showwavespic showspectrumpic cropdetect freezedetect idet setrange colorspace zoompan minterpolate
   reverse areverse loop aloop xfade acrossfade volumedetect astats ebur128 signalstats loudnorm afftdn hqdn3d nlmeans
   settb asettb setfield tonemap colorchannelmixer curves vignette negate edgedetect drawgrid adelay acompressor alimiter`
    .split(/\s+/)
    .filter((name) => name !== ''),
);
/** Keys whose value names a file, a library or an address. */
const NAMES_FILE = /\b\w*(file|filename|result|path|plugin|url|stats|psfile|library|model|report)\w*\s*=/i;

function judgeGraph(text: string): StaticVerdict | undefined {
  const bare = text.replace(/'[^']*'/g, (quoted) => quoted.replace(/[^\w=:]/g, ' ')).replace(/\\./g, ' ');
  const names = bare.replace(/\[[^\]]*\]/g, ' ').split(/[,;]/);
  const known = names.every((part) => /^\s*[\d.+\-*/() ]/.test(part) || FILTERS.has(/^\s*(\w+)/.exec(part)?.[1] ?? ''));
  return known && !NAMES_FILE.test(text) && !hasUnknown(text)
    ? undefined
    : unknown('a filter that is not known to only compute');
}

/** A file of this machine: a name with a protocol before it is fetched, sent, or read in another way. */
function judgeInput(text: string): StaticVerdict | undefined {
  return /^[a-z][a-z0-9+.,-]*:|^@|^\|/i.test(text) && !/^pipe:0?$/.test(text)
    ? unknown('an input that is not a plain file')
    : undefined;
}

/** What `-i`, `-f` and the filters of a call say. */
function judgeStreams(reading: Reading): readonly (StaticVerdict | undefined)[] {
  let format = '';
  return reading.given.map(({ name, value = '' }) => {
    if (name === '-f') {
      format = value;
      return FORMATS.test(value) ? undefined : unknown(`format ${value.slice(0, 20)} is not known to be one file`);
    }
    if (name === '-i') {
      const lavfi = format === 'lavfi';
      format = '';
      return lavfi ? judgeGraph(value) : judgeInput(value);
    }
    return /^-(vf|af|filter:[va]|filter_complex|lavfi)$/.test(name) ? judgeGraph(value) : undefined;
  });
}

/** It asks before it writes over a file, which the line itself may answer; without an output it only shows. */
function judgeFfmpeg(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  const outputs = reading.operands.map(({ text }) => text);
  const formats = reading.given.filter(({ name }) => name === '-f').map(({ value }) => value);
  const nothing = formats.at(-1) === 'null';
  return worst([
    ...judgeStreams(reading),
    ...outputs.map((target) => {
      if (/^(-|pipe:1?|\/dev\/null)$/.test(target) || (nothing && target === 'null')) return undefined;
      if (/^[a-z][a-z0-9+.-]*:|[%|]|^\[/i.test(target) || !FILE_ENDING.test(target) || hasUnknown(target))
        return unknown('an output that is not one plain file');
      const asks = !call.machine.files && call.io.stdin === undefined;
      return given(reading, '-n') ? adds(call.machine, target) : judgeNew(call.machine, target, asks);
    }),
  ]);
}

/** A file that is made new: it must not be there; where nobody may look, that the tool `asks` is enough. */
function judgeNew(machine: Machine, target: string, asks: boolean): StaticVerdict {
  const fresh = asks || /^(absent|empty)$/.test(lookAt(machine, target));
  return worse(adds(machine, target), fresh ? harmless() : unknown('writes over a file'));
}

/** A coder before a colon may delete (`ephemeral:`), run (`msl:`), fetch or write; so may files that hold such scripts. */
function judgePicture(text: string): StaticVerdict | undefined {
  return /^[\w-]+:|^[@|]|\.(msl|mvg|svgz?|ps|eps|pdf|vid)(\[.*\])?$/i.test(text) || hasUnknown(text)
    ? unknown('a picture that is not a plain file')
    : undefined;
}
