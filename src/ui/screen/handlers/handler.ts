import type { KeyCommand } from '../../keymap/table.ts';
import type { KeyToken } from '../../terminal/token.ts';
import type { Screen } from '../screen.ts';

/** Named commands of one place. What is not here is looked for among those that hold everywhere. */
export type Handlers = Partial<Readonly<Record<KeyCommand, (screen: Screen, key: KeyToken) => void>>>;
