export function startRowsEmpty(output: { readonly prototype: object }): void;
