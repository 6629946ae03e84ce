// A terminal pane: the child's own screen, in rows the daemon sends; every key that is not ours goes to the child.
import type { PaneKind } from './pane-kind.js';

export const terminalKind: PaneKind = {
  shows: () => true,
  handleKey: (key, ports) => ports.sendKeys([key]),
  handlePaste: (text, ports) => ports.sendPaste(text),
};
