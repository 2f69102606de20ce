/** The parts of JupyterLab's and Lumino's modules that the extension uses; JupyterLab itself provides them. */

declare module "@lumino/widgets" {
  export class Widget {
    readonly node: HTMLElement;
    readonly isVisible: boolean;
    readonly isDisposed: boolean;
    id: string;
    readonly title: { label: string; caption: string; closable: boolean };
    addClass(name: string): void;
    dispose(): void;
    protected onAfterShow(message: unknown): void;
    protected onAfterAttach(message: unknown): void;
  }
}

declare module "@jupyterlab/application" {
  import type { WidgetTracker } from "@jupyterlab/apputils";
  import type { DocumentRegistry } from "@jupyterlab/docregistry";
  import type { ServerConnection } from "@jupyterlab/services";
  import type { Widget } from "@lumino/widgets";

  export interface JupyterFrontEnd {
    readonly commands: {
      addCommand(id: string, options: object): unknown;
      execute(id: string, args?: object): Promise<unknown>;
    };
    readonly contextMenu: { addItem(options: object): unknown };
    readonly docRegistry: DocumentRegistry;
    readonly serviceManager: { readonly serverSettings: ServerConnection.ISettings };
    readonly shell: { add(widget: Widget, area: string): void; activateById(id: string): void };
  }
  export interface ILayoutRestorer {
    restore<T extends Widget>(
      tracker: WidgetTracker<T>,
      options: { command: string; args(widget: T): object; name(widget: T): string },
    ): Promise<unknown>;
  }
  export const ILayoutRestorer: object;
}

declare module "@jupyterlab/apputils" {
  import type { Widget } from "@lumino/widgets";

  export class WidgetTracker<T extends Widget = Widget> {
    constructor(options: { namespace: string });
    add(widget: T): Promise<void>;
    save(widget: T): Promise<void>;
    find(matches: (widget: T) => boolean): T | undefined;
  }
  export class MainAreaWidget<T extends Widget = Widget> extends Widget {
    constructor(options: { content: T });
    readonly content: T;
    readonly toolbar: Toolbar;
  }
  export interface Toolbar {
    addItem(name: string, widget: Widget): boolean;
  }
  export class ToolbarButton extends Widget {
    constructor(options: { label: string; tooltip: string; onClick(): void });
  }
  export const Clipboard: { copyToSystem(text: string): void };
  export const Notification: { info(message: string, options?: object): string };
}

declare module "@jupyterlab/coreutils" {
  export const URLExt: { join(...parts: string[]): string; objectToQueryString(query: object): string };
  export const PathExt: {
    dirname(path: string): string;
    basename(path: string): string;
    relative(from: string, to: string): string;
  };
}

declare module "@jupyterlab/docregistry" {
  import type { Toolbar } from "@jupyterlab/apputils";
  import type { ServerConnection } from "@jupyterlab/services";
  import type { Widget } from "@lumino/widgets";

  export interface Signal<T> {
    connect(slot: (sender: unknown, value: T) => void): void;
  }
  export interface Context {
    readonly path: string;
    readonly localPath: string;
    readonly pathChanged: Signal<string>;
  }
  export interface DocumentRegistry {
    addFileType(type: object): unknown;
    addModelFactory(factory: TextModelFactory): unknown;
    addWidgetFactory(factory: ABCWidgetFactory): unknown;
  }
  export class TextModelFactory {
    constructor(collaborative?: boolean);
    get name(): string;
    get contentType(): string;
    get fileFormat(): string | null;
  }
  export class DocumentWidget<T extends Widget = Widget> extends Widget {
    constructor(options: { context: Context; content: T });
    readonly context: Context;
    readonly content: T;
    readonly toolbar: Toolbar;
  }
  export abstract class ABCWidgetFactory {
    constructor(options: object);
    readonly widgetCreated: Signal<DocumentWidget>;
    protected abstract createNewWidget(context: Context): DocumentWidget;
  }
  export type { ServerConnection };
}

declare module "@jupyterlab/filebrowser" {
  export interface IFileBrowserFactory {
    readonly tracker: {
      readonly currentWidget: { selectedItems(): IterableIterator<{ path: string; type: string }> } | null;
    };
  }
  export const IFileBrowserFactory: object;
}

declare module "@jupyterlab/notebook" {
  import type { Widget } from "@lumino/widgets";

  export interface Notebook extends Widget {
    readonly activeCell: {
      readonly model: { readonly sharedModel: { setSource(text: string): void } };
    } | null;
  }
  export interface NotebookPanel extends Widget {
    readonly content: Notebook;
    readonly context: { readonly localPath: string };
  }
  export interface INotebookTracker {
    readonly currentWidget: NotebookPanel | null;
    readonly widgetAdded: { connect(slot: (sender: unknown, panel: NotebookPanel) => void): void };
    forEach(each: (panel: NotebookPanel) => void): void;
  }
  export const INotebookTracker: object;
  export const NotebookActions: { insertBelow(notebook: Notebook): void };
}

declare module "@jupyterlab/services" {
  export interface ContentsModel {
    writable: boolean;
  }
  export interface Drive {
    get(path: string, options?: object): Promise<ContentsModel>;
    readonly contentProviderRegistry?: { register(name: string, provider: object): unknown };
  }
  export const IDefaultDrive: object;
  export namespace ServerConnection {
    interface ISettings {
      readonly baseUrl: string;
      readonly wsUrl: string;
      readonly token: string;
      readonly appendToken: boolean;
    }
  }
}
