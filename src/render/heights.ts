/** Heights of entries with sums over any beginning of them: a Fenwick tree. Append, change and sum in O(log n). */

export type Heights = {
  readonly length: number;
  get(index: number): number;
  push(height: number): void;
  set(index: number, height: number): void;
  /** The sum of the first `count` heights. */
  sum(count: number): number;
  removeAt(index: number): void;
  clear(): void;
};

export function createHeights(): Heights {
  let values: number[] = [];
  // tree[i] is the sum of the (i & -i) values that end with value i - 1; tree[0] is not used.
  let tree: number[] = [0];

  function sum(count: number): number {
    let total = 0;
    for (let at = count; at > 0; at -= at & -at) total += tree[at] ?? 0;
    return total;
  }

  function push(height: number): void {
    values.push(height);
    const at = values.length;
    tree.push(height + sum(at - 1) - sum(at - (at & -at)));
  }

  return {
    get length() {
      return values.length;
    },
    get: (index) => values[index] ?? 0,
    push,
    set(index, height) {
      const change = height - (values[index] ?? 0);
      if (change === 0) return;
      values[index] = height;
      for (let at = index + 1; at < tree.length; at += at & -at) tree[at] = (tree[at] ?? 0) + change;
    },
    sum,
    removeAt(index) {
      const rest = values.slice(index + 1);
      values.length = index;
      tree.length = index + 1;
      for (const height of rest) push(height);
    },
    clear() {
      values = [];
      tree = [0];
    },
  };
}
