// Entry of the TUI: connects (starting the daemon when none answers), takes the terminal, paints the panes, then loads Ink
// for the chrome. Called by `agentile attach` and `agentile start`; resolves with the exit code once the terminal is back.
import { existsSync } from 'node:fs';
import { systemClock } from '../base/clock.js';
import { messageOf } from '../base/errors.js';
import type { Paths } from '../base/paths.js';
import { loadSettings, type LoadedSettings } from '../config.js';
import type { InputEvent } from '../model/key.js';
import type { HostCaps } from '../wire/messages.js';
import { App } from './app.js';
import { DaemonLink } from './daemon-link.js';
import { takesOtherKeys } from './host/caps.js';
import { PaintScheduler } from './host/paint-scheduler.js';
import { probeHost } from './host/probe.js';
import { HostTerminal, type EndCause } from './host/terminal.js';
import { makeVoice } from './host-voice.js';
import { buildKeymap } from './keymap.js';
import { focusedPane } from './state.js';

export interface TuiOptions {
  paths: Paths;
  env: Readonly<Record<string, string | undefined>>;
  /** Where programs start when no pane says otherwise. */
  folder: string;
  /** tour: says which CLIs were found and the key that starts one. */
  start?: 'attach' | 'tour';
}

/** A near host answers its questions within this; the first paint does not wait longer for a far one. */
const PROBE_WAIT_MS = 50;
/** Kitty keyboard protocol, flag 1: keys that would be ambiguous are told apart. */
const KITTY_DISAMBIGUATE = 1;
const OTHER_KEYS_LEVEL = 2;
const SHELLS = ['/bin/bash', '/bin/zsh', '/usr/bin/fish', '/bin/sh'];

/** Rejects with an AgentileError when no daemon can be had; the terminal is then still untouched. */
export async function runTui(options: TuiOptions): Promise<number> {
  const loaded = loadSettings(options.paths.configFile);
  const link = new DaemonLink(options.paths);
  await link.start();
  return new Promise((resolve) => {
    const client = new Client(options, loaded, link, (words, exitCode) => {
      const out = exitCode === 0 ? process.stdout : process.stderr;
      out.write(`agentile: ${words}\n`, () => resolve(exitCode));
    });
    void client.run();
  });
}

/** The host terminal, the painting and the app of one attach. */
class Client {
  readonly #options: TuiOptions;
  readonly #loaded: LoadedSettings;
  readonly #link: DaemonLink;
  readonly #host: HostTerminal;
  readonly #scheduler: PaintScheduler;
  readonly #onEnd: (words: string, exitCode: number) => void;
  #app: App | undefined;
  #caps: HostCaps | undefined;
  /** Typed before the app was there. */
  #early: InputEvent[] = [];

  constructor(
    options: TuiOptions,
    loaded: LoadedSettings,
    link: DaemonLink,
    onEnd: (words: string, exitCode: number) => void,
  ) {
    this.#options = options;
    this.#loaded = loaded;
    this.#link = link;
    this.#onEnd = onEnd;
    this.#host = new HostTerminal({
      env: options.env,
      mouse: loaded.settings['screen.mouse'],
      onInput: (event) => (this.#app ? this.#app.handleInput(event) : void this.#early.push(event)),
      onResize: (size) => this.#app?.resize(size),
      onSuspend: () => this.#scheduler.pause(),
      onResumed: () => this.#resumed(),
      onEnd: (cause) => this.#ended(cause),
    });
    this.#scheduler = new PaintScheduler({
      clock: systemClock,
      write: (text, done) => this.#host.writer.write(text, done),
      paint: (scope) => this.#paint(scope),
      pace: true,
      onAsk: () => this.#host.expect('dsr'),
      onPainted: () => this.#app?.handlePainted(),
    });
    this.#host.onReply((reply) => {
      if (reply.kind === 'dsr') this.#scheduler.handleDsr();
    });
  }

  async run(): Promise<void> {
    try {
      this.#host.enter();
      const probe = probeHost(this.#host, this.#options.env, systemClock);
      await Promise.race([probe.done, new Promise((resolve) => setTimeout(resolve, PROBE_WAIT_MS))]);
      const app = this.#makeApp(this.#chosenCaps(probe.caps));
      void probe.done.then((caps) => this.#learned(app, caps));
      await app.painter.loadInk();
    } catch (error) {
      this.#leave(messageOf(error), 1);
    }
  }

  #makeApp(caps: HostCaps): App {
    const { settings, problem } = this.#loaded;
    const keymap = buildKeymap(settings['keys.bindings'], settings['keys.prefix']);
    this.#caps = caps;
    const shell = settings['shell.command'];
    const app = new App({
      link: this.#link,
      clock: systemClock,
      caps,
      size: { ...this.#host.size, colors: caps.colors, unicode: caps.unicode },
      voice: makeVoice(settings, {
        write: (text) => this.#host.writer.write(text),
        repaint: () => this.#repaint(),
        setMotion: (on) => this.#host.setMotion(on),
        caps: () => this.#caps ?? caps,
      }),
      keymap,
      folder: this.#options.folder,
      shell: shell.length > 0 ? shell : [this.#options.env['SHELL'] || '/bin/sh'],
      otherShells: SHELLS.filter((path) => existsSync(path)),
      tour: this.#options.start === 'tour',
      requestPaint: (urgency) => this.#scheduler.request(urgency),
      onLeave: (words) => this.#leave(words, 0),
    });
    this.#app = app;
    for (const words of [...(problem ? [problem.message] : []), ...keymap.problems])
      app.say('warning', words);
    for (const event of this.#early.splice(0)) app.handleInput(event);
    return app;
  }

  /** All answers of the host are in. */
  #learned(app: App, learned: HostCaps): void {
    const caps = this.#chosenCaps(learned);
    this.#caps = caps;
    if (caps.kittyKeyboard) this.#host.setKeyboard(KITTY_DISAMBIGUATE, 0);
    else if (takesOtherKeys(caps)) this.#host.setKeyboard(0, OTHER_KEYS_LEVEL);
    app.setCaps(caps);
  }

  /** What the settings say stands above what the host says. */
  #chosenCaps(caps: HostCaps): HostCaps {
    const colors = this.#loaded.settings['screen.colors'];
    const unicode = this.#loaded.settings['screen.unicode'];
    return {
      ...caps,
      colors: colors === 'auto' ? caps.colors : colors,
      unicode: unicode === 'auto' ? caps.unicode : unicode === 'on',
    };
  }

  #paint(scope: 'all' | 'key'): string | null {
    const app = this.#app;
    if (!app) return null;
    const pane = scope === 'key' ? focusedPane(app.store.state) : null;
    return app.painter.compositor.paint(pane ? { paneId: pane.id } : undefined);
  }

  #repaint(): void {
    this.#app?.painter.compositor.invalidate();
    this.#scheduler.request('key');
  }

  #resumed(): void {
    this.#app?.painter.compositor.invalidate();
    this.#scheduler.resume();
    this.#scheduler.request('key');
  }

  #leave(words: string, exitCode: number): void {
    this.#stop();
    void this.#host.leave().then(() => this.#onEnd(words, exitCode));
  }

  /** The host was given back already: by a signal, a fault of ours, or because it is gone. */
  #ended(cause: EndCause): void {
    this.#stop();
    const detached = 'programs go on; "agentile" brings the screen back';
    if (cause.kind === 'error') return this.#onEnd(`${messageOf(cause.error)}; ${detached}`, 1);
    if (cause.kind === 'lost') return this.#onEnd(`the terminal is gone; ${detached}`, 1);
    this.#onEnd(`${cause.signal}; ${detached}`, SIGNAL_EXIT[cause.signal]);
  }

  #stop(): void {
    this.#scheduler.dispose();
    this.#app?.dispose();
    this.#link.dispose();
  }
}

/** 128 and the signal's number, as shells tell it. */
const SIGNAL_EXIT = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 } as const;
