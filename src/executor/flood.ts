/** Output that comes faster than anyone reads, and than a terminal model can follow. */

/** Output is weighed over this long. */
const FLOOD_TICK_MS = 100;
/**
 * A flood weighs more than the first in a tick; it is over at less than the second. More than anyone reads, and a fifth
 * of what the model can follow on a good machine.
 */
const MIN_FLOOD_WEIGHT = 128 * 1024;
const FLOOD_END_WEIGHT = 64 * 1024;
/** A line more costs the model as much as so many bytes. */
const LINE_WEIGHT = 10;
/** Bytes sampled to estimate how long the lines of a chunk are. */
const SAMPLE_BYTES = 1024;
const LF = 0x0a;

/** What it costs the model to draw this, in bytes of a long line. */
function weightOf(data: Buffer): number {
  const seen = Math.min(data.length, SAMPLE_BYTES);
  let lines = 0;
  for (let at = 0; at < seen; at += 1) if (data[at] === LF) lines += 1;
  return data.length + (LINE_WEIGHT * lines * data.length) / seen;
}

/** Sees a flood begin. By rate, not by what waits: a slow model slows its producer down, and nothing would pile up. */
export class FloodMeter {
  #since = 0;
  #weight = 0;

  /** Whether with this chunk it is one. */
  begins(data: Buffer): boolean {
    const now = performance.now();
    if (now - this.#since > FLOOD_TICK_MS) {
      this.#since = now;
      this.#weight = 0;
    }
    this.#weight += weightOf(data);
    return this.#weight > MIN_FLOOD_WEIGHT;
  }
}

/** A flood while it lasts. */
export class Flood {
  /** The model has missed some of it. */
  lost = false;
  readonly #tick: NodeJS.Timeout;
  #weight = 0;

  /** @param onTick called ten times a second until `end` */
  constructor(onTick: () => void) {
    this.#tick = setInterval(onTick, FLOOD_TICK_MS).unref();
  }

  add(data: Buffer): void {
    this.#weight += weightOf(data);
  }

  /** Whether little came since the last look. A burst of which nothing was lost has to calm less. */
  calmed(): boolean {
    const weight = this.#weight;
    this.#weight = 0;
    return weight < (this.lost ? FLOOD_END_WEIGHT : MIN_FLOOD_WEIGHT);
  }

  end(): void {
    clearInterval(this.#tick);
  }
}
