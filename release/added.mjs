// What the build adds before and behind modules of dependencies, whose own text stays as it is.

// Yoga asks `fetch` for its own bytes, which boots Node's whole HTTP client; without one it takes them as they are.
const NO_FETCH = 'const fetch = undefined;';

// The first segmenter of a process takes some 15 ms: it is made when a text needs it, not when a module is loaded.
const LAZY_SEGMENTER = `const Intl = {
  Segmenter: class {
    #made;
    #how;
    constructor(...how) { this.#how = how; }
    segment(text) { return (this.#made ??= new globalThis.Intl.Segmenter(...this.#how)).segment(text); }
  },
};`;

/**
 * For each frame Ink makes an object for each cell of the screen, though nearly all of them stay blank, and the last blanks
 * of a row are cut off. So rows begin empty, and gaps are filled behind the last write.
 */
export function startRowsEmpty(Output) {
  const { get, applyWriteOperation } = Output.prototype;
  const blank = { type: 'char', value: ' ', fullWidth: false, styles: [] };
  Output.prototype.get = function () {
    const { width } = this;
    this.width = 0;
    this.lastWrite = this.operations.findLast(({ type }) => type === 'write');
    try {
      return get.call(this);
    } finally {
      this.width = width;
    }
  };
  Output.prototype.applyWriteOperation = function (rows, operation, clip) {
    applyWriteOperation.call(this, rows, operation, clip);
    if (operation !== this.lastWrite) return;
    for (const row of rows) for (let x = 0; x < row.length; x += 1) row[x] ??= blank;
  };
}

/** Which modules, and what comes before and behind their text. */
export const ADDED = [
  [/yoga-wasm-base64-esm\.js$/, NO_FETCH, ''],
  [/node_modules\/(?:string-width\/index|wrap-ansi\/index|ink\/build\/line-update)\.js$/, LAZY_SEGMENTER, ''],
  [/node_modules\/ink\/build\/output\.js$/, '', `(${startRowsEmpty.toString()})(Output);`],
];
