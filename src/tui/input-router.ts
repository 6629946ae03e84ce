// Carries out what the routers decide for one input event of the host: to the daemon, to a dialog, or to an action.
// Called by the app.
import type { Clock } from '../base/clock.js';
import type { PaneId } from '../model/ids.js';
import type { InputEvent, Key, MouseEvent } from '../model/key.js';
import type { Pane } from '../model/layout.js';
import type { Dialog, Intent } from './dialog.js';
import { dialogKey, dialogPaste } from './dialog-keys.js';
import { listRows } from './chrome/dialog-view.js';
import type { ScreenModel } from './chrome/screen-model.js';
import type { ActionContext } from './action-context.js';
import { focusPane, performAction } from './actions.js';
import { performIntent } from './intents.js';
import { arrowKey } from './arrow-key.js';
import { routeMouse, type MouseRoute } from './mouse-router.js';
import { kindOf, takesScrollKeys } from './panes/kinds.js';
import type { PaneKind, PanePorts } from './panes/pane-kind.js';
import type { PaneFeed } from './pane-feed.js';
import { routeKey } from './router.js';
import { focusedPane, sessionById, sessionsByNumber } from './state.js';

/** A repeating key (a border moved) needs no prefix for so long. */
const REPEAT_MS = 600;

export interface InputPorts {
  context: ActionContext;
  feed: PaneFeed;
  clock: Clock;
  model(): ScreenModel | undefined;
  sendKeys(paneId: PaneId, keys: Key[]): void;
  sendPaste(paneId: PaneId, text: string): void;
  sendMouse(paneId: PaneId, mouse: MouseEvent): void;
}

export class InputRouter {
  #ports: InputPorts;
  #heldBy: PaneId | null = null;

  constructor(ports: InputPorts) {
    this.#ports = ports;
  }

  handle(event: InputEvent): void {
    if (event.type === 'key') this.#key(event.key);
    else if (event.type === 'paste') this.#paste(event.text);
    else if (event.type === 'mouse') this.#mouse(event.mouse);
  }

  #key(key: Key): void {
    const { context, clock } = this.#ports;
    const { store, keymap } = context;
    const { state } = store;
    const pane = focusedPane(state);
    const route = routeKey(key, {
      keymap,
      prefixOpen: state.prefixOpen,
      repeatOpen: state.repeatUntil > clock.now(),
      dialogOpen: state.dialog !== null,
      scrolling: takesScrollKeys(state),
      hasPane: pane !== null,
    });
    if (key.action !== 'release') store.dispatch({ type: 'prefix', open: route.to === 'prefix' });
    switch (route.to) {
      case 'pane':
        return this.#toPane(pane!, (kind, ports) => kind.handleKey(route.key, ports));
      case 'action':
        if (route.repeats) store.dispatch({ type: 'repeat', until: clock.now() + REPEAT_MS });
        return this.#act(() => performAction(route.id, context));
      case 'dialog':
        return this.#dialog(state.dialog!, route.key, route.action);
      case 'unbound':
        return context.say(
          'info',
          `${keymap.prefix} ${route.label} does nothing; ${keymap.prefix} ? shows all keys`,
        );
      case 'prefix':
      case 'nowhere':
        return;
    }
  }

  /** An action from the keyboard closes the dialog that was open: two at once would hide each other. */
  #act(perform: () => void): void {
    const { store } = this.#ports.context;
    if (store.state.dialog) store.dispatch({ type: 'dialog', dialog: null });
    perform();
  }

  #dialog(dialog: Dialog, key: Key, action: Parameters<typeof dialogKey>[2]): void {
    const { context } = this.#ports;
    const { store, keymap } = context;
    const sessions = sessionsByNumber(store.state);
    const pageRows = listRows(store.state.host.rows);
    const step = dialogKey(dialog, key, action, { keymap, sessions, pageRows });
    if (step.dialog !== dialog) store.dispatch({ type: 'dialog', dialog: step.dialog });
    if (step.intent) this.#intend(step.intent);
  }

  #intend(intent: Intent): void {
    const { context } = this.#ports;
    void performIntent(intent, context);
  }

  /** A paste is one piece: it goes whole to the dialog's field or to the focused pane. */
  #paste(text: string): void {
    const { store } = this.#ports.context;
    const { dialog } = store.state;
    store.dispatch({ type: 'prefix', open: false });
    if (dialog) return store.dispatch({ type: 'dialog', dialog: dialogPaste(dialog, text) });
    const pane = focusedPane(store.state);
    if (!pane || takesScrollKeys(store.state)) return;
    this.#toPane(pane, (kind, ports) => kind.handlePaste(text, ports));
  }

  #toPane(pane: Pane, give: (kind: PaneKind, ports: PanePorts) => void): void {
    const view = sessionById(this.#ports.context.store.state, pane.sessionId);
    give(kindOf(view, pane), {
      context: this.#ports.context,
      pane,
      view,
      sendKeys: (keys) => this.#ports.sendKeys(pane.id, keys),
      sendPaste: (text) => this.#ports.sendPaste(pane.id, text),
    });
  }

  #mouse(mouse: MouseEvent): void {
    const { context, feed } = this.#ports;
    const model = this.#ports.model();
    if (!model) return;
    const modesOf = (paneId: PaneId) => feed.facts(paneId)?.modes;
    const route = routeMouse(mouse, { state: context.store.state, model, modesOf, heldBy: this.#heldBy });
    if (mouse.kind === 'press') this.#heldBy = route.do === 'child' ? route.paneId : null;
    if (mouse.kind === 'release') this.#heldBy = null;
    this.#carryOut(route);
  }

  #carryOut(route: MouseRoute): void {
    const { context } = this.#ports;
    const { store } = context;
    switch (route.do) {
      case 'nothing':
        return;
      case 'drag-start':
        return store.dispatch({ type: 'drag', drag: { tabId: route.tabId, ...route.hit } });
      case 'drag':
        return void context.ask('layout/apply', {
          op: 'ratio',
          tabId: route.tabId,
          path: route.path,
          ratio: route.ratio,
        });
      case 'drag-end':
        return store.dispatch({ type: 'drag', drag: null });
      case 'focus':
        return focusPane(context, route.paneId);
      case 'tab':
        return store.dispatch({ type: 'tab', tabId: route.tabId });
      case 'scroll':
        return context.scroll(route.paneId, route.lines);
      case 'arrows':
        return this.#ports.sendKeys(route.paneId, new Array<Key>(route.count).fill(arrowKey(route.name)));
      case 'child':
        if (route.focus) focusPane(context, route.paneId);
        return this.#ports.sendMouse(route.paneId, route.mouse);
    }
  }
}
