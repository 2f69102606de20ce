/** JupyterLab's and Notebook's part: Parquet files open by a double click, folders by their context menu. */

import { ILayoutRestorer, type JupyterFrontEnd } from "@jupyterlab/application";
import { Clipboard, MainAreaWidget, Notification, ToolbarButton, WidgetTracker } from "@jupyterlab/apputils";
import { PathExt, URLExt } from "@jupyterlab/coreutils";
import { ABCWidgetFactory, type Context, DocumentWidget, TextModelFactory } from "@jupyterlab/docregistry";
import { IFileBrowserFactory } from "@jupyterlab/filebrowser";
import { INotebookTracker, NotebookActions, type NotebookPanel } from "@jupyterlab/notebook";
import { type ContentsModel, type Drive, IDefaultDrive, type ServerConnection } from "@jupyterlab/services";
import { Widget } from "@lumino/widgets";
import type { Opening } from "../app/app";
import type { Live } from "../app/live";
import type { State } from "../host";
import { pythonLine } from "./code";

const FACTORY = "Parquet explorer";
const NOTHING = "pqexplore-nothing";
const EXPLORE = "pqexplore:explore";
const PARQUET = /(\.parquet|\.parq|\.pq|(^|\/)_(common_)?metadata)$/i;
/** What JupyterLab's file browser gives to a place where files are dropped. */
const DRAGGED = "application/x-jupyter-icontents";

type App = { open(options: Opening): Promise<Live> };

/** The explorer's scripts come from the server, so that both are of one version. */
class Scripts {
  #settings: ServerConnection.ISettings;
  #app: Promise<App> | null = null;

  constructor(settings: ServerConnection.ISettings) {
    this.#settings = settings;
  }

  get app(): Promise<App> {
    this.#app ??= this.#load().catch((error) => {
      this.#app = null; // the server may be back the next time
      throw error;
    });
    return this.#app;
  }

  async #load(): Promise<App> {
    const about = await fetch(this.address("pqexplore/api/about"));
    if (!about.ok)
      throw new Error("The server has no pqexplore: install it where JupyterLab runs, and restart that.");
    const { version } = (await about.json()) as { version: string };
    return import(this.address("pqexplore/static/app.js", { v: version }));
  }

  address(path: string, query: Record<string, string> = {}, base = this.#settings.baseUrl): string {
    const { token, appendToken } = this.#settings;
    const all = appendToken && token ? { ...query, token } : query; // else the cookie says who it is
    return URLExt.join(base, path) + URLExt.objectToQueryString(all);
  }

  socket(path: string): string {
    return this.address("pqexplore/api/socket", { path }, this.#settings.wsUrl);
  }
}

/** Where a tab was, for the time that the browser's tab is open. */
const place = (path: string) => `pqexplore:${path}`;
const recalled = (path: string): State => JSON.parse(sessionStorage.getItem(place(path)) ?? "{}") as State;

/** The explorer of one file or folder. It connects when it is seen for the first time: a tab that is restored may be hidden. */
class Tab extends Widget {
  live: Live | null = null;
  #path: string;
  #scripts: Scripts;
  #begun = false;

  constructor(path: string, scripts: Scripts) {
    super();
    this.#path = path;
    this.#scripts = scripts;
    this.addClass("pqx-lab");
    this.node.style.overflow = "hidden";
  }

  get path(): string {
    return this.#path;
  }

  /** The file was renamed: what is open is the same file, and what connects next asks for the new name. */
  set path(path: string) {
    this.#path = path;
  }

  protected override onAfterShow(): void {
    void this.#begin();
  }

  protected override onAfterAttach(): void {
    if (this.isVisible) void this.#begin();
  }

  async #begin(): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    try {
      const { open } = await this.#scripts.app;
      if (this.isDisposed) return;
      this.live = await open({
        socket: () => this.#scripts.socket(this.#path),
        state: recalled(this.#path),
        changed: (state) => sessionStorage.setItem(place(this.#path), JSON.stringify(state)),
      });
      this.node.append(this.live.el);
    } catch (error) {
      this.#begun = false;
      this.node.textContent = (error as Error).message;
    }
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.live?.dispose();
    super.dispose();
  }
}

/** A model without contents: with no format Jupyter asks for none. */
class NothingFactory extends TextModelFactory {
  constructor() {
    super(false);
  }
  override get name(): string {
    return NOTHING;
  }
  override get contentType(): string {
    return "file";
  }
  override get fileFormat(): null {
    return null;
  }
}

/** What Jupyter knows of the file, as one that cannot be written: or else it would copy the file into .ipynb_checkpoints. */
class ReadOnly {
  #drive: Drive;

  constructor(drive: Drive) {
    this.#drive = drive;
  }

  async get(path: string, options?: { contentProviderId?: string }): Promise<ContentsModel> {
    const { contentProviderId: _, ...others } = options ?? {};
    return { ...(await this.#drive.get(path, { ...others, content: false, hash: false })), writable: false };
  }

  async save(): Promise<never> {
    throw new Error("The Parquet explorer does not write.");
  }
}

class Factory extends ABCWidgetFactory {
  #tab: (path: string) => Tab;

  constructor(options: object, tab: (path: string) => Tab) {
    super(options);
    this.#tab = tab;
  }

  protected override createNewWidget(context: Context): DocumentWidget {
    const tab = this.#tab(context.localPath);
    context.pathChanged.connect(() => {
      tab.path = context.localPath;
    });
    return new DocumentWidget({ context, content: tab });
  }
}

/** A cell with these lines, below the active one. */
function insert(panel: NotebookPanel, line: string): void {
  NotebookActions.insertBelow(panel.content);
  panel.content.activeCell?.model.sharedModel.setSource(`import pqexplore\n\n${line}`);
}

function lineFor(panel: NotebookPanel, path: string, state: State): string {
  return pythonLine(PathExt.relative(PathExt.dirname(panel.context.localPath), path), state);
}

/** Files of the browser that are dropped into a notebook become cells that explore them. */
function takeFiles(panel: NotebookPanel): void {
  type Drag = Event & {
    mimeData: { getData(type: string): unknown };
    dropAction: string;
    proposedAction: string;
    supportedActions: string;
  };
  const files = (event: Event): string[] => {
    const dragged = (event as Drag).mimeData?.getData(DRAGGED);
    return Array.isArray(dragged) ? dragged.filter((path) => PARQUET.test(path)) : [];
  };
  const over = (event: Event) => {
    if (!files(event).length) return;
    event.preventDefault();
    event.stopPropagation();
    (event as Drag).dropAction = (event as Drag).proposedAction;
  };
  for (const name of ["lm-dragenter", "lm-dragover"]) panel.content.node.addEventListener(name, over, true);
  panel.content.node.addEventListener(
    "lm-drop",
    (event) => {
      const dropped = files(event);
      over(event);
      for (const path of dropped) insert(panel, lineFor(panel, path.replace(/^[^/:]*:/, ""), {}));
    },
    true,
  );
}

function activate(
  app: JupyterFrontEnd,
  drive: Drive | null,
  restorer: ILayoutRestorer | null,
  notebooks: INotebookTracker | null,
  browsers: IFileBrowserFactory | null,
): void {
  const scripts = new Scripts(app.serviceManager.serverSettings);
  const made = (path: string) => new Tab(path, scripts);

  const againButton = (tab: Tab) =>
    new ToolbarButton({
      label: "Reload",
      tooltip: "Read the file anew, at the same place",
      onClick: () => tab.live?.connect(),
    });
  const codeButton = (tab: Tab) =>
    new ToolbarButton({
      label: "Copy as code",
      tooltip: "Put a cell that shows this into the active notebook; without one, copy the line",
      onClick: () => {
        const panel = notebooks?.currentWidget;
        const state = tab.live?.state ?? {};
        if (panel) {
          insert(panel, lineFor(panel, tab.path, state));
          app.shell.activateById(panel.id);
        } else {
          Clipboard.copyToSystem(pythonLine(tab.path, state));
          Notification.info("No notebook is open: the line is in the clipboard.", { autoClose: 4_000 });
        }
      },
    });

  const opened = new WidgetTracker<MainAreaWidget>({ namespace: "pqexplore-opened" });
  app.commands.addCommand(EXPLORE, {
    label: (args: { path?: string }) => (args.path ? `Explore ${args.path}` : "Explore with pqexplore"),
    execute: (args: { path?: string }) => {
      const paths = args.path
        ? [args.path]
        : [...(browsers?.tracker.currentWidget?.selectedItems() ?? [])].map((one) => one.path);
      for (const path of paths) {
        const there = opened.find((one) => (one.content as Tab).path === path);
        if (there) {
          app.shell.activateById(there.id);
          continue;
        }
        const tab = made(path);
        const area = new MainAreaWidget({ content: tab });
        area.id = `pqexplore-${Date.now()}-${Math.random().toString(36).slice(2)}`;
        area.title.label = PathExt.basename(path);
        area.title.caption = path;
        area.title.closable = true;
        area.toolbar.addItem("pqexplore-again", againButton(tab));
        area.toolbar.addItem("pqexplore-code", codeButton(tab));
        app.shell.add(area, "main");
        app.shell.activateById(area.id);
        void opened.add(area);
      }
    },
  });
  if (browsers) {
    app.commands.addCommand(`${EXPLORE}-lake`, {
      label: "Explore as a lake",
      execute: () => app.commands.execute(EXPLORE),
    });
    app.contextMenu.addItem({
      command: `${EXPLORE}-lake`,
      selector: '.jp-DirListing-item[data-isdir="true"]',
      rank: 3,
    });
    app.contextMenu.addItem({
      command: EXPLORE,
      selector: '.jp-DirListing-item[data-file-type="parquet"]',
      rank: 3,
    });
  }
  void restorer?.restore(opened, {
    command: EXPLORE,
    args: (widget) => ({ path: (widget.content as Tab).path }),
    name: (widget) => (widget.content as Tab).path,
  });

  notebooks?.widgetAdded.connect((_, panel) => takeFiles(panel));
  notebooks?.forEach(takeFiles);

  app.docRegistry.addFileType({
    name: "parquet",
    displayName: "Parquet",
    extensions: [".parquet", ".parq", ".pq"],
    pattern: "^_(common_)?metadata$",
    mimeTypes: ["application/vnd.apache.parquet"],
    contentType: "file",
    fileFormat: "base64",
  });
  if (!drive?.contentProviderRegistry) return; // before JupyterLab 4.4 a document is copied when it is opened: the menu remains
  drive.contentProviderRegistry.register("pqexplore-read-only", new ReadOnly(drive));
  app.docRegistry.addModelFactory(new NothingFactory());
  const factory = new Factory(
    {
      name: FACTORY,
      label: FACTORY,
      modelName: NOTHING,
      fileTypes: ["parquet"],
      defaultFor: ["parquet"],
      readOnly: true,
      contentProviderId: "pqexplore-read-only",
      preferKernel: false,
      canStartKernel: false,
    },
    made,
  );
  app.docRegistry.addWidgetFactory(factory);
  const tracker = new WidgetTracker<DocumentWidget>({ namespace: "pqexplore" });
  factory.widgetCreated.connect((_, widget) => {
    widget.toolbar.addItem("pqexplore-again", againButton(widget.content as Tab));
    widget.toolbar.addItem("pqexplore-code", codeButton(widget.content as Tab));
    widget.context.pathChanged.connect(() => void tracker.save(widget));
    void tracker.add(widget);
  });
  void restorer?.restore(tracker, {
    command: "docmanager:open",
    args: (widget) => ({ path: widget.context.path, factory: FACTORY }),
    name: (widget) => widget.context.path,
  });
}

/** What the plugin uses if it is there: an older JupyterLab has no token of the drive, a page of Notebook no tracker. */
const TOKENS = [IDefaultDrive, ILayoutRestorer, INotebookTracker, IFileBrowserFactory];
const known = TOKENS.filter(Boolean);

export default {
  id: "pqexplore:explorer",
  description: "Opens Parquet files and folders of them in the explorer.",
  autoStart: true,
  optional: known,
  activate(app: JupyterFrontEnd, ...given: unknown[]): void {
    const [drive, restorer, notebooks, browsers] = TOKENS.map((token) =>
      token ? given[known.indexOf(token)] : null,
    );
    activate(
      app,
      drive as Drive | null,
      restorer as ILayoutRestorer | null,
      notebooks as INotebookTracker | null,
      browsers as IFileBrowserFactory | null,
    );
  },
};
