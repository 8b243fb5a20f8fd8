/** Folders of packages that a bundle's inputs come from. */
export function packagesOf(inputs: readonly string[]): readonly string[];
/** The text of THIRD-PARTY-NOTICES; rejects where a licence is not allowed. */
export function notices(root: string, folders: readonly string[]): Promise<string>;
