import type { Comments } from './skeleton.ts';

/** What a language's source says that would delete, overwrite, or run something. */
export type Language = {
  readonly comments: Comments;
  /** Do backticks run a shell command? */
  readonly backtickRuns?: boolean;
  /** Calls that delete, kill or overwrite, on the code without strings. */
  readonly losses: readonly (readonly [RegExp, string])[];
  /** Calls whose first string is a shell command; the pattern ends before the argument. */
  readonly shell?: RegExp;
  /** Commands that stand in the source without quotes; captures their text. */
  readonly rawShell?: RegExp;
  /** Calls whose strings are the words of a command. */
  readonly spawn?: RegExp;
  /** Calls that open a file for writing: captures the path's string index where it is a string. */
  readonly writes?: readonly RegExp[];
  /** Running text as code of the same language; captures the string index where it is a string. */
  readonly evaluates?: RegExp;
  /** Calls whose string is SQL. */
  readonly sql?: RegExp;
  /** Names that are calls in disguise when they stand in a string of their own. */
  readonly dangerousNames?: RegExp;
  /** What makes such a name a call: `getattr`, `call_user_func`, `send`. */
  readonly reflection?: RegExp;
};

const SQL_CALL =
  /\b(?:execute|executescript|executemany|query|exec_driver_sql|raw|unsafe|\$executeRawUnsafe|do|prepare|mysqli_query|pg_query|run)\s*\(\s*(?:\w+\s*,\s*|\$\w+\s*,\s*)?(?:text\s*\(\s*|[fr])?"(\d+)"/g;

const PYTHON: Language = {
  comments: 'hash',
  losses: [
    [
      /\bos\s*\.\s*(remove|unlink|rmdir|removedirs|truncate|ftruncate|replace|kill|killpg)\s*\(/,
      'deletes, replaces or kills',
    ],
    [/\bshutil\s*\.\s*rmtree\b/, 'deletes a directory tree'],
    [/(?<![.\w])(rmtree|unlink|rmdir|removedirs|send2trash)\s*\(/, 'deletes files'],
    [
      /\bfrom\s+(os|shutil)\s+import\b[^\n]*\b(remove|unlink|rmtree|rmdir|removedirs|replace|kill|truncate)\b/,
      'deletes files',
    ],
    [/\.\s*(unlink|rmdir|rmtree)\s*\(/, 'deletes files'],
    [/\bmap\s*\(\s*os\.(remove|unlink|rmdir)/, 'deletes files'],
    [/\.\s*truncate\s*\(\s*\d*\s*\)/, 'cuts a file short'],
    [/\b(requests|httpx|session|client)\s*\.\s*delete\s*\(/, 'asks a server to delete'],
    [/\.\s*(delete|terminate|purge|destroy|deregister|revoke)_\w+\s*\(/, 'deletes through an interface'],
    [
      /\.\s*drop_(table|database|collection|all|schema|index|constraint|column)\s*\(|\.\s*(dropDatabase|flushall|flushdb|delete_many|delete_one|drop_collection)\s*\(/,
      'deletes data',
    ],
    [/\.objects\b[^\n;]*\.\s*delete\s*\(/, 'deletes records'],
    [/\.\s*(kill|terminate)\s*\(\s*\)/, 'ends a process'],
    [/\.\s*os\s*\.\s*(remove|unlink|rmdir|system)\b/, 'deletes files'],
    [/fileinput\.(input|FileInput)\s*\([^)]*inplace\s*=\s*(True|1)/, 'edits files in place'],
    [/\bos\.chmod\s*\([^)]*0?o?777|\bos\.(chown|lchown)\s*\(/, 'changes permissions'],
  ],
  shell:
    /\b(?:os\s*\.\s*(?:system|popen)|commands\.getoutput|subprocess\s*\.\s*(?:run|call|Popen|check_call|check_output|getoutput|getstatusoutput)|(?<![.\w])(?:system|popen|Popen|check_output|check_call)|create_subprocess_shell|pty\.spawn)\s*\(\s*(?:args\s*=\s*)?[frb]?/g,
  spawn:
    /\b(?:subprocess\s*\.\s*(?:run|call|Popen|check_call|check_output)|(?<![.\w])(?:Popen|check_output|check_call|run)|pty\.spawn|os\.(?:exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?)|create_subprocess_exec)\s*\(\s*([^)]*)\)/g,
  writes: [
    /\bopen\s*\(\s*(?:[fr]?"(\d+)"|[\w.[\]()]+)\s*,\s*(?:mode\s*=\s*)?"(\d+)"/g,
    /\b(?:os\s*\.\s*rename|shutil\s*\.\s*(?:move|copy|copy2|copyfile))\s*\([^,()]*,\s*[fr]?"(\d+)"/g,
    /(?:\bPath\s*\(\s*[fr]?"(\d+)"\s*\)|[\w)\]])\s*\.\s*write_(?:text|bytes)\s*\(/g,
  ],
  evaluates: /(?<![.\w])(?:exec|eval|compile|runpy\.run_path|execfile)\s*\(\s*(?:"(\d+)"|([^)\s]))/g,
  sql: SQL_CALL,
  dangerousNames:
    /^(remove|unlink|rmtree|rmdir|removedirs|system|popen|kill|truncate|os|shutil|subprocess|check_output|call|Popen)$/,
  reflection: /\bgetattr\s*\(|__import__|import_module|__builtins__|__dict__|globals\s*\(\s*\)|methodcaller|attrgetter/,
};

const NODE: Language = {
  comments: 'slash',
  losses: [
    [
      /(?:\.|\b)(rmSync|unlinkSync|rmdirSync|truncateSync|ftruncateSync|emptyDirSync|removeSync|rimrafSync)\s*\(/,
      'deletes or empties files',
    ],
    [
      /\b(?:fs|fsp|fse|promises|fsPromises|Deno)\s*(?:\.\s*promises\s*)?\??\.\s*(rm|unlink|rmdir|truncate|remove|emptyDir|removeSync)\s*\(/,
      'deletes or empties files',
    ],
    [
      /\brequire\s*\(\s*"\d+"\s*\)\s*(?:\.\s*promises\s*)?\.\s*(rm|unlink|rmdir|truncate|remove|emptyDir)\s*\(/,
      'deletes or empties files',
    ],
    [/(?<![.\w])(rimraf|unlink|rmdir|del|trash)\s*\(/, 'deletes files'],
    [/\bimport\s*\(\s*"\d+"\s*\)[^;]{0,200}?\.\s*(rm|unlink|rmdir|truncate)\s*\(/, 'deletes or empties files'],
    [
      /\{[^{}]*\b(rm|unlink|rmdir|truncate|rmSync|unlinkSync)\b[^{}]*\}\s*(?:from|=)\s*(?:await\s+)?(?:import|require)?\s*\(?\s*"\d+"/,
      'deletes or empties files',
    ],
    [/\bprocess\s*\.\s*binding\s*\(\s*"\d+"\s*\)\s*\.\s*(unlink|rmdir|rename|ftruncate)\b/, 'deletes files'],
    [/\bprocess\s*\.\s*kill\s*\(/, 'kills a process'],
    [
      /\.\s*(dropDatabase|deleteMany|deleteOne|dropCollection|flushall|flushdb|dropTable|truncateTable)\s*\(|\.\s*drop\s*\(\s*\)/,
      'deletes data',
    ],
    [
      /\.\s*(findOneAndDelete|findOneAndReplace|replaceOne|updateMany|updateOne|bulkWrite|findAndModify|dropUser|dropRole|dropIndex|dropIndexes|shutdownServer|renameCollection|dropAllUsers)\s*\(/,
      'overwrites or deletes data',
    ],
    [/\bdb\s*\.\s*\w+(?:\s*\.\s*\w+\([^)]*\))?\s*\.\s*(remove|update|save)\s*\(/, 'overwrites or deletes data'],
    [/\baxios\s*\.\s*delete\s*\(/, 'asks a server to delete'],
    [/\b(?:Delete|Terminate|Purge)\w+Command\s*\(/, 'deletes through an interface'],
  ],
  shell:
    /(?:\b(?:exec|execSync)|\bchild_process\s*\.\s*(?:exec|execSync)|\)\s*\.\s*(?:exec|execSync)|\bexeca(?:\.command|Command)(?:Sync)?)\s*\(\s*/g,
  spawn: /(?:\b|\.\s*)(?:spawn|spawnSync|execFile|execFileSync|execa|Command)\s*\(\s*([^)]*)\)/g,
  writes: [
    /(?:\b|\.\s*)(?:writeFileSync|writeFile|createWriteStream|outputFile|outputFileSync|writeTextFile|writeTextFileSync|copyFileSync\s*\([^,]*,|copyFile\s*\([^,]*,|renameSync\s*\([^,]*,)\s*\(?\s*(?:"(\d+)"|[\w.$])/g,
  ],
  evaluates: /(?<![.\w])(?:eval|Function|runInThisContext|runInNewContext)\s*\(\s*(?:"(\d+)"|([^)\s]))/g,
  sql: SQL_CALL,
  dangerousNames: /^(rmSync|unlinkSync|rmdirSync|unlink|rm|rmdir|truncateSync|execSync|child_process|writeFileSync)$/,
  reflection: /\[\s*"\d+"\s*\]\s*\(|\[[^\]]*\]\s*\(/,
};

const PERL: Language = {
  comments: 'hash',
  backtickRuns: true,
  losses: [
    [
      /(?<![$@%{>\w-]|(?<!\b(?:map|grep|do|eval|sub)\s*)\{)(unlink|rmdir|rmtree|remove_tree|truncate)\b(?!\s*=>)/,
      'deletes or empties files',
    ],
    [/(?<![$@%{>\w-]|(?<!\b(?:map|grep|do|eval|sub)\s*)\{)kill\b(?!\s*=>)/, 'kills processes'],
    [/(?<![$@%{>\w-])(chmod\s+0?777|chown)\b/, 'changes permissions'],
    [/(?<![$@%{>\w-])rename\b\s*[\s(]/, 'renames over files'],
  ],
  shell: /(?<![$@%{>\w-])(?:system|exec|readpipe)\s*\(?\s*/g,
  spawn: /(?<![$@%{>\w-])(?:system|exec)\s*\(?([^;)]*)/g,
  writes: [/\bopen\s*\(?\s*(?:my\s+)?[$\w]+\s*,\s*"(\d+)"(?:\s*,\s*(?:"(\d+)"|[$\w]))?/g],
  evaluates: /(?<![$@%{>\w-])eval\s*\(?\s*(?:"(\d+)"|([^\s{"]))/g,
  sql: SQL_CALL,
};

const RUBY: Language = {
  comments: 'hash',
  backtickRuns: true,
  losses: [
    [/\b(?:File|Dir|Pathname|IO)\s*\.\s*(delete|unlink|rmdir|truncate|rename)\b/, 'deletes or replaces files'],
    [
      /\b(?:FileUtils|Fileutils)\s*\.\s*(rm|rm_r|rm_rf|rm_f|remove\w*|rmtree|rmdir|safe_unlink|mv|cp_r|copy_entry)\b/,
      'deletes or replaces files',
    ],
    [/(?<![.\w])(rm_rf|rm_r|rm_f|remove_entry\w*|remove_dir|rmtree)\b/, 'deletes files'],
    [/\.\s*(rmtree|unlink|rmdir)\b/, 'deletes files'],
    [/\bProcess\s*\.\s*kill\b/, 'kills a process'],
    [/\.\s*(delete_all|destroy_all|drop_table|drop_database|destroy!|truncate)\b/, 'deletes data'],
    [/\.each\s*\(?\s*&\s*File\.method\s*\(\s*:(delete|unlink)/, 'deletes files'],
  ],
  shell: /(?<![.\w])(?:Kernel\s*\.\s*)?(?:system|exec|spawn|IO\.popen|Open3\.\w+|popen)\s*\(?\s*/g,
  spawn: /(?<![.\w])(?:Kernel\s*\.\s*)?(?:system|exec|spawn|IO\.popen|Open3\.\w+)\s*\(?([^;)]*)/g,
  writes: [
    /\b(?:File|IO)\s*\.\s*(?:write|binwrite)\s*\(?\s*(?:"(\d+)"|\w)/g,
    /\b(?:File\s*\.\s*(?:open|new)|(?<![.\w])open)\s*\(?\s*(?:"(\d+)"|[\w.]+)\s*,\s*"(\d+)"/g,
  ],
  evaluates: /(?<![.\w])(?:eval|instance_eval|class_eval)\s*\(?\s*(?:"(\d+)"|([^\s{"]))/g,
  sql: SQL_CALL,
  dangerousNames: /^(system|exec|delete|unlink|rm_rf|rm)$/,
  reflection: /\.(?:send|public_send|__send__|method)\b|const_get/,
};

const PHP: Language = {
  comments: 'both',
  backtickRuns: true,
  losses: [
    [/(?<![$>:\w])(unlink|rmdir|ftruncate|rename|posix_kill|chown|chgrp)\s*\(/, 'deletes, replaces or kills'],
    [/(?<![$>:\w])chmod\s*\([^)]*0?777/, 'changes permissions'],
    [
      /->\s*(?:delete|forceDelete)\s*\(\s*\)|Storage::delete|File::delete|->deleteDirectory\s*\(|::truncate\s*\(\s*\)|->truncate\s*\(\s*\)|Schema::drop/,
      'deletes data',
    ],
  ],
  shell: /(?<![$>:\w])(?:system|exec|shell_exec|passthru|popen|proc_open|pcntl_exec)\s*\(\s*/g,
  writes: [/\bfile_put_contents\s*\(\s*(?:"(\d+)"|[$\w])/g, /\bfopen\s*\(\s*(?:"(\d+)"|[$\w]+)\s*,\s*"(\d+)"/g],
  evaluates: /(?<![$>:\w])(?:eval|assert|create_function)\s*\(\s*(?:"(\d+)"|([^)\s]))/g,
  sql: SQL_CALL,
  dangerousNames: /^(unlink|rmdir|system|exec|shell_exec|passthru)$/,
  reflection: /\barray_map\b|\bcall_user_func|\barray_walk\b|\$\w+\s*\(|"\d+"\s*\(/,
};

const LUA: Language = {
  comments: 'dash',
  losses: [
    [/\bos\s*\.\s*(remove|rename)\b/, 'deletes or replaces files'],
    [/\blfs\s*\.\s*rmdir\b/, 'deletes a directory'],
  ],
  shell: /\b(?:os\.execute|io\.popen)\s*\(?\s*/g,
  writes: [/\bio\.open\s*\(\s*(?:"(\d+)"|\w+)\s*,\s*"(\d+)"/g],
  evaluates: /\b(?:load|loadstring|dofile)\s*\(\s*(?:"(\d+)"|([^)\s]))/g,
};

const OTHER: Language = {
  comments: 'hash',
  losses: [
    [
      /\b(removeFile|removeDirectory\w*|removePathForcibly|removeItem|delete-file|delete-directory[\w/-]*)\b|\bfile\s*:\s*del\w*/,
      'deletes files',
    ],
    [
      /(?<![.$\w])(unlink|file\.remove|rm|file\.rename|file\s+delete|remove\.packages|deleteFile|removeFile|removeDirectory\w*|delete_file)\s*\(?\s*["\w(c]/,
      'deletes files',
    ],
    [/\bFile\s*\.\s*(rm|rm_rf|rmdir|rename)\b/, 'deletes files'],
    [/\.\s*(delete|deleteDir|deleteOnExit|deleteRecursively|deleteIfExists)\s*\(\s*\)/, 'deletes files'],
    [
      /\b(Remove-Item|Clear-Content|Clear-RecycleBin|Format-Volume|Stop-Process|Stop-Computer|Remove-\w+|Set-Content|Out-File)\b/i,
      'deletes or overwrites',
    ],
  ],
  shell: /(?<![.\w])(?:system|exec|run|shell|do\s+shell\s+script)\s*\(?\s*/g,
};

const TCL: Language = {
  comments: 'hash',
  losses: [[/\bfile\s+(delete|rename\s+-force)\b/, 'deletes files']],
  rawShell: /(?:^|[\n;[{])\s*(?:exec|spawn|system)\s+(?:--?\w*\s+)*([^\n;\]]+)/g,
};

const APPLE: Language = {
  comments: 'dash',
  losses: [
    [/\b(delete|empty\s+(the\s+)?trash|shut\s*down|restart|erase|quit|move)\b/i, 'deletes, stops or moves something'],
  ],
  shell: /\bdo\s+shell\s+script\s+/g,
};

const LISP: Language = {
  comments: 'semicolon',
  losses: [
    [
      /[('](delete-file|delete-directory|kill-process|signal-process|dired-delete-file|rename-file|kill-emacs-hook)\b/,
      'deletes files',
    ],
    [/\((write-region|write-file|save-buffer|save-some-buffers|append-to-file)\b/, 'overwrites files'],
  ],
  spawn: /\((?:call-process|start-process|process-file|process-lines)\s+([^)]*)/g,
  shell:
    /\((?:shell-command|shell-command-to-string|call-process-shell-command|async-shell-command|uiop:run-program)\s+/g,
};

/** Languages by the program that runs them. */
export const LANGUAGES: Readonly<Record<string, Language>> = {
  python: PYTHON,
  node: NODE,
  deno: NODE,
  bun: NODE,
  mongosh: NODE,
  perl: PERL,
  ruby: RUBY,
  php: PHP,
  lua: LUA,
  Rscript: OTHER,
  R: OTHER,
  julia: OTHER,
  tclsh: TCL,
  expect: TCL,
  wish: TCL,
  groovy: OTHER,
  osascript: APPLE,
  scala: OTHER,
  elixir: OTHER,
  swift: OTHER,
  ghc: OTHER,
  pwsh: OTHER,
  emacs: LISP,
  jshell: OTHER,
  erl: OTHER,
  racket: OTHER,
  sbcl: LISP,
  guile: LISP,
};
