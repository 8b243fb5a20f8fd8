/** The router's word lists, and how it splits a line into words. The weights come from training. */

/** Splits a line into the pieces the router looks at. Much simpler than a shell's parser, and it never fails. */

export type Shape =
  | 'word'
  | 'capital'
  | 'upper'
  | 'number'
  | 'flag'
  | 'path'
  | 'file'
  | 'glob'
  | 'variable'
  | 'setting'
  | 'quoted'
  | 'operator'
  | 'url'
  | 'mixed';

export type Piece = {
  readonly text: string;
  readonly shape: Shape;
  /** The word in lower case, without punctuation at its ends, with a typographic apostrophe. */
  readonly plain: string;
  /** The sentence mark at its end: `,` `.` `?` `!` `:` or empty. */
  readonly mark: string;
};

/** A line is judged by its beginning; the rest adds cost but no certainty. */
const MAX_CHARS = 600;
const MAX_PIECES = 40;

// A quoted span counts as one piece where the quote opens a word or follows `=`; an apostrophe inside a word does not
// open one.
const PIECE = /(?:[^\s"'=]*=)?(?:"(?:[^"\\]|\\.)*"|'[^']*')\S*|\S+/g;

const SHAPES: readonly (readonly [Shape, RegExp])[] = [
  ['operator', /^(?:\|\|?|&&?|;;?|\d?>>?|<<?<?|\d?>&\d?|&>>?|\|&|[<>]\(.*|\\)$/],
  ['url', /^[a-z][a-z+.-]*:\/\//i],
  ['flag', /^(?:--?[A-Za-z0-9?#]|\+[A-Za-z0-9]|--?$)/],
  ['operator', /^(?:\d?>|<)|[|;&]$|\||&&|>>|\d>&/],
  ['setting', /^[\w.-]+=|^[\w.]+:=/],
  ['quoted', /^["']/],
  ['variable', /\$[\w{(@*#?!$-]|`/],
  ['path', /^(?:~|\.{1,2})?\/|^~$|^\.{1,2}$|^[\w.@-]+\/[\w./@-]*\/|^[\w.@-]+\/[\w@-]+\.\w+$|\/$/],
  ['glob', /[*[\]{}]|\?\S/],
  ['number', /^[+-]?\d[\d.,:%-]*$/],
  ['file', /^[\w@+-]*\.[A-Za-z][\w.-]*$|\w:\d|@\w/],
];

/** Cuts a line into at most 40 pieces of its first 600 characters. */
export function pieces(line: string): Piece[] {
  const found: Piece[] = [];
  for (const [text] of line.slice(0, MAX_CHARS).matchAll(PIECE)) {
    found.push(piece(text));
    if (found.length === MAX_PIECES) break;
  }
  return found;
}

function piece(text: string): Piece {
  const bare = text.replace(/^[(“]+|[)”]+$/g, '');
  const mark = /[a-z0-9)"”’'][,.?!:]+$/i.test(bare) ? (/[,.?!:]$/.exec(bare)?.[0] ?? '') : '';
  const core = mark ? bare.replace(/[,.?!:]+$/, '') : bare;
  const shape = shapeOf(core);
  return { text, shape, mark, plain: core.toLowerCase().replaceAll("'", '’') };
}

function shapeOf(core: string): Shape {
  if (/^[a-z]+(?:['’][a-z]+)?$/.test(core)) return 'word';
  if (/^[A-Z][a-z]+(?:['’][a-z]+)?$/.test(core)) return 'capital';
  if (/^[A-Z]+s?$/.test(core)) return core === 'A' || core === 'I' ? 'word' : 'upper';
  for (const [shape, pattern] of SHAPES) if (pattern.test(core)) return shape;
  return /^\p{L}+$/u.test(core) ? 'word' : 'mixed';
}

/** English function words that are rare as command arguments. */
const ENGLISH =
  'a an the this that these those my me i i’m im you your yours we our us it its he she they them their ' +
  'is are was were be been being am do does did doing done have has had having will would can could should shall may might must ' +
  'not no nor and or but if then than so because while when where which who whom whose what why how ' +
  'of to in on at by for from with without within into onto about over under after before between during through against ' +
  'as like such also only just again still already yet too very really ' +
  'all any every each some many much more most few less least other another both either neither none same ' +
  'here there now please thanks thank let let’s lets ' +
  'using via per instead inside outside across around per unless until since whether ' +
  'there’s what’s it’s don’t doesn’t isn’t can’t won’t i’d i’ve you’re that’s';

/** Verbs (and adverbs before them) that begin requests, many of them names of commands as well. */
const REQUESTS =
  'abort accept activate add adjust align allow analyze annotate append apply archive arrange ask assign ' +
  'attach attempt authenticate back backup benchmark bind block boot bootstrap bring build burn bump ' +
  'calculate call cancel capture change check choose clean clear clone close collect colorize combine ' +
  'comment commit compare compile complete compress compute concatenate configure confirm connect continue ' +
  'convert copy count crack crawl create crop customize cut deactivate debug decide declare decode ' +
  'decompress decrypt define delete deploy describe destroy detach detect determine diagnose diff disable ' +
  'discard disconnect discover display do document download draw drop dump duplicate edit eject embed ' +
  'emulate enable encode encrypt end enroll enter enumerate erase estimate evaluate exclude execute exit ' +
  'expand explain explore export extend extract fetch figure fill filter find finish fix flash flip flush ' +
  'fold follow force forget fork format forward free freeze generate get give go grant grep group guess ' +
  'halt handle help hide highlight hold identify ignore import improve include increase index initialize ' +
  'inject insert inspect install interact invoke join jump keep kill label launch learn leave let lift ' +
  'limit link lint list listen load lock log look lookup lower make manage map mark match measure merge ' +
  'migrate minify mirror modify monitor mount move mute name navigate normalize notify open optimize order ' +
  'output override overwrite pack parse pass paste patch pause perform pick pin ping pipe place play plot ' +
  'point prepare prepend present preserve press prevent preview print probe process produce profile prompt ' +
  'protect provide prune publish pull purge push put query queue quit raise read rebase reboot rebuild ' +
  'recall receive recognize recompile reconfigure record recover recreate redirect redo reduce refactor ' +
  'reference reformat refresh regenerate register reinstall reload remember remind remove rename render ' +
  'reorder repair repeat replace replay report request require rerun reset resize resolve respond restart ' +
  'restore resubmit resume retrieve retry return reverse revert review revoke rewrite roll rollback rotate ' +
  'run sample save say scale scan schedule scrape scroll search see select send separate serve set setup ' +
  'share shift show shrink shuffle shut shutdown sign simulate skip solve sort spawn speak specify spin ' +
  'split squash stage start stop store stream strip submit substitute subscribe summarize suspend swap ' +
  'switch sync synchronize tag tail take talk teach tell terminate test time toggle touch trace track train ' +
  'transcode transfer transform translate trigger trim truncate try tune turn type unblock uncompress undo ' +
  'uninstall unlock unmount unpack unregister unset unzip update upgrade upload use validate verify view ' +
  'visit visualize wait wake walk warn watch wipe work wrap write zip zoom automatically forcefully ' +
  'interactively permanently recursively quickly simply just always never only please maybe';

/**
 * Function words and request verbs of other languages in Latin script. Each counts less than an English one, since
 * several are common arguments.
 */
const FOREIGN =
  // German words
  'der die das den dem des ein eine einen einem einer und oder nicht mit von zu zum zur im ist sind wie was wer wo wann warum welche welcher welches alle bitte mir ich auf für aus ' +
  'wird werden hat haben kann kannst gibt mich dich diese dieser dieses diesen diesem noch einmal ob bei nach über unter viele viel läuft zeig zeige lösche entferne suche finde erkläre mach mache ' +
  'erstelle schreibe installiere aktualisiere starte stoppe kopiere verschiebe öffne prüfe hilf danke ja nein datei dateien ordner verzeichnis fehler größer ' +
  // French words
  'le la les du de un une des est sont dans pour avec sur et ou où que qui quoi quand comment pourquoi moi je tous toutes ce cette ces ' +
  'quel quelle quels quelles combien peux veux mon ma mes pas ne plus sans par au aux affiche montre supprime efface cherche trouve crée écris installe explique liste renomme déplace ' +
  'copie vérifie ouvre arrête redémarre compte trie merci oui non fichier fichiers dossier dossiers erreur ' +
  // Spanish words
  'el los las una del en por con para y como qué cómo dónde cuál todos todas mi yo esta este ' +
  'cuánto cuántos cuánta cuántas cuándo quién está están hay puedo puedes quiero al lo se más muestra muéstrame borra elimina busca encuentra instala explica haz crea copia mueve abre reinicia ' +
  'cuenta ordena gracias sí archivo archivos carpeta carpetas directorio error ' +
  // Portuguese words
  'o os as um uma do da dos das no na nos nas em com para é são não porque quanto quantos quantas onde quem quando posso você mostre mostra apague remova procure encontre instale explique ' +
  'liste crie copie abra reinicie conte ordene obrigado sim arquivo arquivos pasta pastas erro mais este essa esse ' +
  // Italian words
  'il lo gli uno di che chi cosa perché dove quanto quanti quante quale quali come sono nel nella nei dei della delle con per tutti tutte questa questo più ' +
  'mostrami mostra cancella elimina rimuovi cerca trova installa spiega scrivi crea apri riavvia conta ordina grazie cartella cartelle errore';

const wholeWords = (words: string) => new RegExp(`^(?:${words.replaceAll(' ', '|')})$`, 'iu');

/** Parts of words and sentences that show that text in another script asks or tells, rather than names something. */
const SPEECH: Readonly<Record<string, RegExp>> = {
  Cyrillic: wholeWords(
    'как что где кто когда почему зачем сколько какой какая какие покажи удали найди объясни сделай запусти останови ' +
      'установи обнови отмени создай напиши проверь открой не на в во с из для и у по это эту этот все всех',
  ),
  Han: /怎么|怎樣|怎样|如何|为什么|為什麼|什么|什麼|哪|谁|多少|几个|请|請|帮我|吗|呢|的|了|把|被|是|要|想|能|没有|解释|撤销|删除|显示|查找/u,
  Japanese: /\p{Script=Hiragana}{2}|[をはがにでのと](?=\p{Script=Han}|\p{Script=Katakana}|$)/u,
  Hangul: /(?:요|까|줘|주세요|는|은|을|를|이|가|에|의|해|하는|방법|왜|어떻게)$/u,
};

/**
 * Words that the user's shell knows itself: builtins of bash and zsh that people type (POSIX, bash and zsh manuals).
 */
const BUILTINS =
  '. : [ alias autoload bg bind bindkey break builtin caller cd chdir command compgen complete compopt continue declare dirs disown ' +
  'echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd ' +
  'printf pushd pwd read readarray readonly rehash return set setopt shift shopt source suspend test times trap true ' +
  'type typeset ulimit umask unalias unset unsetopt wait whence where which zmodload zstyle';

/** Reserved words of bash and zsh. */
const KEYWORDS = '! [[ ]] { } case coproc do done elif else esac fi for function if in select then time until while';

/** Short answers to a question of the model; right after such a question they are not commands. */
const ANSWERS =
  'y yes yeah yep yup sure ok okay k fine right correct exactly agreed absolutely definitely continue proceed approved ' +
  'n no nope nah never cancel don’t not stop skip thanks thx ' +
  'go/on go/ahead go/for/it do/it do/that do/so do/both do/this do/them/all do/all yes/please please/do please/continue ' +
  'keep/going carry/on sounds/good looks/good that’s/fine that/works of/course why/not make/it/so not/now not/yet no/thanks ' +
  'no/thank/you thank/you try/again try/it try/that run/it i/agree all/of/them both neither either the/first/one ' +
  'the/second/one the/first the/second the/last/one first/one second/one go next both/please ok/do/it yes/do/it yes/go/ahead ' +
  'yes/continue ok/continue ok/go/ahead ok/thanks never/mind nevermind do/not';

/** Commands that take arbitrary text as arguments. */
const TEXT_COMMANDS = 'echo printf cowsay figlet toilet espeak wall logger notify-send';

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

export const englishWords = words(ENGLISH);
export const requestWords = words(REQUESTS);
export const foreignWords = words(FOREIGN);
export const speech: readonly RegExp[] = Object.values(SPEECH);
export const shellWords: ReadonlySet<string> = words(`${BUILTINS} ${KEYWORDS}`);
export const textCommands = words(TEXT_COMMANDS);
export const shellKeywords = words(KEYWORDS);
export const answers: ReadonlySet<string> = new Set(ANSWERS.split(' ').map((answer) => answer.replaceAll('/', ' ')));
