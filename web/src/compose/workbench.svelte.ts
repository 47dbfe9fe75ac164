import type { EditorState } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { notices } from '../app/notices.svelte';
import { router } from '../app/router.svelte';
import { server } from '../app/server.svelte';
import { startAndShow } from '../home/start';
import { Refused } from '../protocol/connection';
import * as automaton from './automaton';
import { composeAddress } from '../layout/layout';
import { complete, type Completion } from './complete';
import * as composition from './composition';
import { draftOf, forgetDraft, keepDraft, type Draft } from './drafts';
import type { Change } from './edit';
import { graphEdit, mark, redo, showProblems, stateOf, undo, type Owner } from './editor';
import { Moved, type Point } from './graph-layout';
import { instanceOf, type Item } from './items';
import { baseName, beside, normal } from './paths';
import { lineStarts, rangeOf } from './places';
import type { Catalogue, Described, Grammar, Problem, SourceFile } from './requests';
import { treeOf, wellFormed } from './tree';
import { parser } from '@lezer/xml';

/** One document that is open: its text is the state of an editor. */
export class OpenDocument {
  state: EditorState;
  text = $state.raw('');
  saved = $state.raw('');
  digest = $state('');
  draft = $state.raw<Draft | null>(null);
  conflict = $state.raw<Problem | null>(null);
  readonly moved: Moved;

  readonly parsed = $derived.by(() => parser.parse(this.text));
  readonly root = $derived.by(() => treeOf(this.text, this.parsed));
  readonly whole = $derived.by(() => wellFormed(this.parsed));
  readonly composition = $derived.by(() => (this.root?.name === composition.root ? composition.read(this.root) : null));
  readonly automaton = $derived.by(() => (this.root?.name === automaton.root ? automaton.read(this.root) : null));
  readonly modified = $derived(this.text !== this.saved);

  constructor(
    readonly file: string,
    source: SourceFile,
    private readonly owner: Owner,
  ) {
    this.state = stateOf(source.text, owner);
    this.text = this.saved = this.state.doc.toString();
    this.digest = source.digest ?? '';
    this.moved = new Moved(file);
    const draft = draftOf(file);
    this.draft = draft && draft.text !== source.text ? draft : null;
  }

  /** As it is written to the file, with its line ends. */
  get content(): string {
    return this.state.sliceDoc();
  }

  /** Begins again with another text, without a history. */
  load(source: SourceFile): void {
    this.state = stateOf(source.text, this.owner);
    this.text = this.saved = this.state.doc.toString();
    this.digest = source.digest ?? '';
    this.conflict = null;
  }
}

export type Selected =
  | { kind: 'instance'; name: string }
  | { kind: 'connection'; index: number }
  | { kind: 'location'; name: string }
  | { kind: 'transition'; index: number };

const pause = 300; // ms after the last key

/** The documents that are edited together: one, and those that it refers to. */
export class Workbench implements Owner {
  documents = $state.raw<OpenDocument[]>([]);
  current = $state.raw<OpenDocument>();
  problems = $state.raw<Problem[]>([]); // of all of them
  refused = $state.raw<Problem[]>([]); // why nothing is open
  checked = $state(false); // the problems are those of the text as it is
  described = $state.raw(new Map<string, Described>());
  grammar = $state.raw<Grammar>();
  catalogue = $state.raw<Catalogue>();
  selected = $state.raw<Selected | null>(null);
  saving = $state(false);

  #view: EditorView | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #draftTimer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;
  #describedFor = '';

  constructor(readonly main: string) {}

  get readOnly(): boolean {
    return !server.controls;
  }

  /** Changes can be made in the graph: the text can be read as a tree. */
  get editable(): boolean {
    return !this.readOnly && this.current !== undefined && this.current.whole;
  }

  async open(): Promise<void> {
    try {
      const { files } = await server.connection.request<{ files: SourceFile[] }>('source', { document: this.main });
      this.documents = files.map((f) => new OpenDocument(normal(f.file), f, this));
      this.current = this.documents[0];
      this.refused = [];
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.refused = error.problems;
      return;
    }
    this.schedule(0);
    void this.#know();
  }

  async #know(): Promise<void> {
    try {
      this.grammar = await server.connection.request<Grammar>('grammar');
      this.catalogue = await server.connection.request<Catalogue>('catalogue', { document: this.main });
    } catch (error) {
      if (error instanceof Refused) notices.complain(error);
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#draftTimer);
    this.#keepDrafts();
  }

  get unsaved(): OpenDocument[] {
    return this.documents.filter((d) => d.modified);
  }

  // the editor

  attach(view: EditorView): void {
    this.#view = view;
    this.#showProblems();
  }

  detach(): void {
    this.#view = undefined;
  }

  show(document: OpenDocument): void {
    if (document === this.current) return;
    this.current = document;
    this.selected = null;
    this.#view?.setState(document.state);
    this.#describedFor = '';
    this.#showProblems();
    void this.#describe();
  }

  complete(text: string, at: number): Completion | null {
    return complete(text, at, treeOf(text), { grammar: this.grammar, catalogue: this.catalogue, described: this.described });
  }

  changed(view: EditorView): void {
    const document = this.current;
    if (!document) return;
    document.state = view.state;
    document.text = view.state.doc.toString();
    this.checked = false;
    this.schedule(pause);
    clearTimeout(this.#draftTimer);
    this.#draftTimer = setTimeout(() => this.#keepDrafts(), 1000);
  }

  #keepDrafts(): void {
    for (const d of this.documents) {
      if (d.modified) keepDraft(d.file, d.content, d.digest);
      else if (!d.draft) forgetDraft(d.file);
    }
  }

  restore(document: OpenDocument): void {
    if (!document.draft || !this.#view) return;
    this.show(document);
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: document.draft.text.replace(/\r\n/g, '\n') }, userEvent: 'input.draft' });
    document.draft = null;
  }

  discardDraft(document: OpenDocument): void {
    document.draft = null;
    forgetDraft(document.file);
  }

  /** Makes changes as one step of the history. */
  apply(changes: Change[]): void {
    if (!this.#view || changes.length === 0 || this.readOnly) return;
    this.#view.dispatch(graphEdit(changes));
  }

  /** Removes what is selected, with what cannot be without it. */
  removeSelected(): void {
    const s = this.selected;
    const d = this.current;
    if (!s || !d || !this.editable) return;
    const { text, composition: c, automaton: a } = d;
    this.select(null);
    if (s.kind === 'instance' && c) this.apply(composition.removeInstance(text, c, s.name));
    else if (s.kind === 'connection' && c) this.apply(composition.disconnect(text, c.connections[s.index]));
    else if (s.kind === 'location' && a && s.name !== '') this.apply(automaton.removeLocation(text, a, s.name));
    else if (s.kind === 'transition' && a) this.apply(automaton.removeTransition(text, a.transitions[s.index]));
  }

  /** Adds an instance, an island or a location, and selects it. */
  add(item: Item, at?: Point): void {
    const d = this.current;
    if (!d || !this.editable) return;
    const { text, composition: c, automaton: a } = d;
    if (item.kind === 'location' && a) {
      const name = composition.freeName('Location', a.locations.map((l) => l.name));
      if (at) d.moved.set(name, at);
      this.apply(automaton.addLocation(text, a, name));
      this.select({ kind: 'location', name });
    } else if (item.kind === 'island' && c) {
      this.apply(composition.addIsland(text, c, composition.freeName('island', c.islands.map((i) => i.name))));
    } else if (c) {
      const one = instanceOf(item, c);
      if (at) d.moved.set(one.name, at);
      this.apply(composition.addInstance(text, c, one));
      this.select({ kind: 'instance', name: one.name });
    }
  }

  undo(): void {
    if (this.#view) undo(this.#view);
  }

  redo(): void {
    if (this.#view) redo(this.#view);
  }

  focusText(): void {
    this.#view?.focus();
  }

  // what is selected, in the graph and in the text

  #elementOf(selected: Selected | null) {
    const c = this.current?.composition;
    const a = this.current?.automaton;
    if (selected?.kind === 'instance') return c?.instances.find((i) => i.name === selected.name)?.element;
    if (selected?.kind === 'connection') return c?.connections[selected.index]?.element;
    if (selected?.kind === 'location') return (selected.name === '' ? a?.shared : a?.locations.find((l) => l.name === selected.name))?.element;
    if (selected?.kind === 'transition') return a?.transitions[selected.index]?.element;
    return undefined;
  }

  /** Selects in the graph: its lines are marked and shown. */
  select(selected: Selected | null, scroll = true): void {
    this.selected = selected;
    const e = this.#elementOf(selected);
    if (this.#view) mark(this.#view, e ? { from: e.from, to: e.to } : null, scroll);
  }

  moved(at: number): void {
    const d = this.current;
    let found: Selected | null = null;
    const inside = (e: { from: number; to: number }) => at >= e.from && at <= e.to;
    if (d?.composition) {
      const i = d.composition.instances.find((k) => inside(k.element));
      const k = d.composition.connections.findIndex((x) => inside(x.element));
      found = i ? { kind: 'instance', name: i.name } : k >= 0 ? { kind: 'connection', index: k } : null;
    } else if (d?.automaton) {
      const t = d.automaton.transitions.findIndex((x) => inside(x.element));
      const l = d.automaton.locations.find((x) => inside(x.element));
      found = t >= 0 ? { kind: 'transition', index: t } : l ? { kind: 'location', name: l.name } : null;
    }
    if (JSON.stringify(found) !== JSON.stringify(this.selected)) {
      // not while the editor is in the middle of its own update
      queueMicrotask(() => this.select(found, false));
    }
  }

  /** Shows a place of a document, and goes there. */
  goTo(p: { file?: string; line?: number; column?: number; length?: number }): void {
    const document = p.file ? this.documents.find((d) => d.file === normal(p.file!)) : this.current;
    if (!document) {
      notices.say(`${p.file} is not open here.`);
      return;
    }
    this.show(document);
    const range = rangeOf(document.text, lineStarts(document.text), p);
    if (range) this.showRange(range.from, range.to);
    else this.#view?.focus();
  }

  showRange(from: number, to: number): void {
    this.#view?.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true, userEvent: 'select' });
    this.#view?.focus();
  }

  // what the server says

  schedule(after: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      void this.#check();
      void this.#describe();
    }, after);
  }

  #others() {
    return this.unsaved.filter((d) => d !== this.documents[0]).map((d) => ({ file: d.file, text: d.content }));
  }

  async #check(): Promise<void> {
    const main = this.documents[0];
    if (!main) return;
    const turn = ++this.#turn;
    try {
      const { problems } = await server.connection.request<{ problems: Problem[] }>('check', { document: this.main, text: main.content, others: this.#others() });
      if (turn !== this.#turn) return; // the newest wins
      this.problems = problems;
      this.checked = true;
      this.#showProblems();
    } catch (error) {
      if (error instanceof Refused && turn === this.#turn) this.problems = error.problems;
    }
  }

  /** The problems of a document; those without a place are the main one's. */
  problemsOf(document: OpenDocument): Problem[] {
    return this.problems.filter((p) => (p.file ? normal(p.file) === document.file : document === this.documents[0]));
  }

  #showProblems(): void {
    if (this.#view && this.current) showProblems(this.#view, this.problemsOf(this.current), (changes) => this.apply(changes));
  }

  async #describe(): Promise<void> {
    const document = this.current;
    const c = document?.composition;
    if (!document || !c) return;
    const instances = c.instances.map((i) => ({
      kind: i.kind,
      name: i.name,
      ...(i.type ? { type: i.type } : {}),
      ...(i.file ? { file: i.file } : {}),
      parameters: Object.fromEntries(i.parameters.map((p) => [p.name, p.unit ? `${p.value} ${p.unit}` : p.value])),
    }));
    const request = { document: document.file, instances, others: this.unsaved.filter((d) => d !== document).map((d) => ({ file: d.file, text: d.content })) };
    const key = JSON.stringify(request);
    if (key === this.#describedFor) return;
    this.#describedFor = key;
    try {
      const answer = await server.connection.request<{ instances: Described[] }>('describe', request);
      if (key === this.#describedFor) this.described = new Map(answer.instances.map((i) => [i.name, i]));
    } catch (error) {
      this.#describedFor = '';
      if (error instanceof Refused) notices.complain(error);
    }
  }

  // files

  async save(): Promise<boolean> {
    if (this.readOnly || this.saving) return false;
    this.saving = true;
    let good = true;
    for (const d of this.unsaved) good = (await this.#write(d, d.digest)) && good;
    this.saving = false;
    return good;
  }

  async #write(d: OpenDocument, digest: string): Promise<boolean> {
    const { text, content } = d;
    try {
      d.digest = (await server.connection.request<{ digest: string }>('save', { document: d.file, text: content, digest })).digest;
      d.saved = text;
      d.conflict = null;
      d.draft = null;
      if (!d.modified) forgetDraft(d.file);
      return true;
    } catch (error) {
      if (error instanceof Refused && error.problems[0]?.code === 'V8122') d.conflict = error.problems[0];
      else notices.complain(error);
      return false;
    }
  }

  async #onDisk(d: OpenDocument): Promise<SourceFile | undefined> {
    const { files } = await server.connection.request<{ files: SourceFile[] }>('source', { document: d.file });
    return files[0];
  }

  /** Of a file that somebody else changed: writes over it. */
  async overwrite(d: OpenDocument): Promise<void> {
    try {
      const now = await this.#onDisk(d);
      await this.#write(d, now?.digest ?? '');
    } catch (error) {
      notices.complain(error);
    }
  }

  /** Of a file that somebody else changed: takes its content; undo brings the own one back. */
  async takeTheirs(d: OpenDocument): Promise<void> {
    try {
      const now = await this.#onDisk(d);
      if (!now) return;
      this.show(d);
      this.#view?.dispatch({ changes: { from: 0, to: d.state.doc.length, insert: now.text.replace(/\r\n/g, '\n') }, userEvent: 'input.load' });
      d.saved = d.text;
      d.digest = now.digest ?? '';
      d.conflict = null;
    } catch (error) {
      notices.complain(error);
    }
  }

  async run(): Promise<void> {
    if (this.readOnly) return;
    if (this.unsaved.length > 0 && !(await this.save())) return;
    await startAndShow({ document: this.main });
  }

  /** A document that an instance refers to: here if it is open, else on a page of its own. */
  openReferred(file: string): void {
    const path = beside(this.current?.file ?? this.main, file);
    const known = this.documents.find((d) => d.file === path);
    if (known) this.show(known);
    else router.go(composeAddress(path));
  }

  get title(): string {
    return baseName(this.main);
  }
}
