/** Word lists the router looks at. Data only; the weights of each come from training. */

/** Words that hold English sentences together and are rare as arguments of a command. */
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

/** The same for German, French and Spanish; a smaller sign, since several of these are common arguments. */
const FOREIGN =
  'der die das den dem des ein eine einen einem einer und oder nicht mit von zu zum zur im ist sind wie was wer warum welche alle bitte mir ich auf für aus ' +
  'le la les du de un une des est sont dans pour avec sur et ou que qui quoi comment pourquoi moi je tous toutes ce cette ' +
  'el los las una del en por con para y como qué cómo dónde cuál todos todas mi yo esta este';

/** What the user's shell knows by itself: builtins of bash and zsh that people type (POSIX, bash and zsh manuals). */
const BUILTINS =
  '. : [ alias autoload bg bind bindkey break builtin caller cd chdir command compgen complete compopt continue declare dirs disown ' +
  'echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd ' +
  'printf pushd pwd read readarray readonly rehash return set setopt shift shopt source suspend test times trap true ' +
  'type typeset ulimit umask unalias unset unsetopt wait whence where which zmodload zstyle';

/** Reserved words of bash and zsh. */
const KEYWORDS = '! [[ ]] { } case coproc do done elif else esac fi for function if in select then time until while';

/** Short answers to a question of the model, after which a command is not what is meant. */
const ANSWERS =
  'y yes yeah yep yup sure ok okay k fine right correct exactly agreed absolutely definitely continue proceed approved ' +
  'n no nope nah never cancel don’t not stop skip thanks thx ' +
  'go/on go/ahead go/for/it do/it do/that do/so do/both do/this do/them/all do/all yes/please please/do please/continue ' +
  'keep/going carry/on sounds/good looks/good that’s/fine that/works of/course why/not make/it/so not/now not/yet no/thanks ' +
  'no/thank/you thank/you try/again try/it try/that run/it i/agree all/of/them both neither either the/first/one ' +
  'the/second/one the/first the/second the/last/one first/one second/one go next both/please ok/do/it yes/do/it yes/go/ahead ' +
  'yes/continue ok/continue ok/go/ahead ok/thanks never/mind nevermind do/not';

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

export const englishWords = words(ENGLISH);
export const foreignWords = words(FOREIGN);
export const shellWords: ReadonlySet<string> = words(`${BUILTINS} ${KEYWORDS}`);
export const shellKeywords = words(KEYWORDS);
export const answers: ReadonlySet<string> = new Set(ANSWERS.split(' ').map((answer) => answer.replaceAll('/', ' ')));
