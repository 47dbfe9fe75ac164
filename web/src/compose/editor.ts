// The text editor: CodeMirror with what documents need. Its state is the only truth about a document.
import { autocompletion, closeCompletion, completionKeymap, completionStatus, snippet, startCompletion, type Completion as Offered, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentLess, indentMore, isolateHistory } from '@codemirror/commands';
import { autoCloseTags, xmlLanguage } from '@codemirror/lang-xml';
import { bracketMatching, codeFolding, foldGutter, foldKeymap, HighlightStyle, indentUnit, LanguageSupport, syntaxHighlighting } from '@codemirror/language';
import { forceLinting, lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorSelection, EditorState, StateEffect, StateField, type Extension, type TransactionSpec } from '@codemirror/state';
import { crosshairCursor, Decoration, drawSelection, dropCursor, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers, rectangularSelection, type DecorationSet } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Completion } from './complete';
import { ordered, type Change } from './edit';
import { changesOf, fixLabel, lineStarts, rangeOf, type Range } from './places';
import type { Problem } from './requests';

export { EditorView } from '@codemirror/view';
export { redo, redoDepth, undo, undoDepth } from '@codemirror/commands';

// colours come from the page's variables, so that light and dark follow it
const colours = HighlightStyle.define([
  { tag: tags.tagName, class: 'tok-tag' },
  { tag: tags.angleBracket, class: 'tok-bracket' },
  { tag: tags.attributeName, class: 'tok-attribute' },
  { tag: [tags.attributeValue, tags.string], class: 'tok-value' },
  { tag: tags.comment, class: 'tok-comment' },
  { tag: [tags.documentMeta, tags.processingInstruction], class: 'tok-meta' },
  { tag: [tags.character, tags.special(tags.string)], class: 'tok-reference' },
  { tag: tags.invalid, class: 'tok-invalid' },
]);

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '0.95rem', backgroundColor: 'var(--surface)', color: 'var(--text)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--ground)', color: 'var(--muted)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--accent) 7%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-soft)' },
  '.cm-selected-element': { backgroundColor: 'var(--accent-soft)', boxShadow: 'inset 3px 0 var(--accent)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line-strong)', borderRadius: '4px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.8', marginLeft: '1em' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)' },
  '.cm-diagnostic': { whiteSpace: 'pre-wrap', maxWidth: '44rem' },
  '.cm-diagnosticAction': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
});

const setMarked = StateEffect.define<Range | null>();
const markedLine = Decoration.line({ class: 'cm-selected-element' });

/** The lines of what is selected in the graph. */
const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, transaction) {
    decorations = decorations.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setMarked)) continue;
      if (!effect.value) return Decoration.none;
      const { doc } = transaction.state;
      const first = doc.lineAt(Math.min(effect.value.from, doc.length)).number;
      const last = Math.min(doc.lineAt(Math.min(effect.value.to, doc.length)).number, first + 2000);
      decorations = Decoration.set(Array.from({ length: last - first + 1 }, (_, k) => markedLine.range(doc.line(first + k).from)));
    }
    return decorations;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export interface Owner {
  complete(text: string, at: number): Completion | null;
  changed(view: EditorView): void;
  /** The cursor is somewhere else, by the user's hand. */
  moved(at: number): void;
  save(): void;
  run(): void;
  readOnly: boolean;
}

function source(owner: Owner) {
  return (context: CompletionContext): CompletionResult | null => {
    const before = context.state.sliceDoc(Math.max(0, context.pos - 1), context.pos);
    if (!context.explicit && !/[\w<."'[/ -]/.test(before)) return null;
    const found = owner.complete(context.state.doc.toString(), context.pos);
    if (!found || (!context.explicit && found.from === found.to && !/[<"'/ .]/.test(before))) return null;
    // children are offered between tags only when they are asked for
    if (!context.explicit && found.from === found.to && found.options[0]?.label.startsWith('<')) return null;
    const options = found.options.map((o): Offered => {
      const offered: Offered = { label: o.label, detail: o.detail, info: o.info, type: o.kind, boost: Math.max(-99, Math.min(99, o.boost ?? 0)) };
      if (o.template !== undefined) {
        const apply = snippet(o.template);
        offered.apply = (view, completion, from, to) => {
          apply(view, completion, from, Math.max(to, found.to));
          if (o.template!.includes('"${')) startCompletion(view);
        };
      } else {
        offered.apply = (view, _completion, from, to) =>
          view.dispatch({ changes: { from, to: Math.max(to, found.to), insert: o.label }, selection: { anchor: from + o.label.length }, userEvent: 'input.complete' });
      }
      return offered;
    });
    return { from: found.from, options, validFor: /^[\w.*[\]: -]*$/ };
  };
}

/** A state for a document's text. Line ends of the file are kept: also where they are mixed. */
export function stateOf(text: string, owner: Owner): EditorState {
  const windows = text.includes('\r\n') && !/(^|[^\r])\n|\r(?!\n)/.test(text);
  const extensions: Extension[] = [
    EditorState.lineSeparator.of(windows ? '\r\n' : '\n'),
    EditorState.readOnly.of(owner.readOnly),
    EditorState.allowMultipleSelections.of(true),
    lineNumbers(),
    highlightSpecialChars(),
    history(),
    codeFolding(),
    foldGutter(),
    drawSelection(),
    dropCursor(),
    indentUnit.of('  '),
    new LanguageSupport(xmlLanguage, [autoCloseTags]),
    syntaxHighlighting(colours),
    bracketMatching(),
    rectangularSelection(),
    crosshairCursor(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    search({ top: true }),
    lintGutter(),
    marked,
    theme,
    autocompletion({ override: [source(owner)], icons: false }),
    EditorView.contentAttributes.of({ 'aria-label': 'Text of the document', spellcheck: 'false', tabindex: '0' }),
    keymap.of([
      { key: 'Mod-s', run: () => (owner.save(), true), preventDefault: true },
      { key: 'Mod-Enter', run: () => (owner.run(), true), preventDefault: true },
      { key: 'Escape', run: (view) => completionStatus(view.state) !== null && closeCompletion(view) },
      // Tab leaves the editor, unless lines are selected: everything stays reachable by keyboard
      { key: 'Tab', run: (view) => !view.state.selection.main.empty && indentMore(view), shift: (view) => !view.state.selection.main.empty && indentLess(view) },
      ...completionKeymap,
      ...lintKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...defaultKeymap.filter((k) => k.key !== 'Mod-Enter'),
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) owner.changed(update.view);
      if (update.selectionSet && update.transactions.some((t) => t.isUserEvent('select') || t.isUserEvent('input') || t.isUserEvent('delete'))) owner.moved(update.state.selection.main.head);
    }),
  ];
  return EditorState.create({ doc: text, extensions });
}

/** One step of the history. */
export function graphEdit(changes: Change[], show?: number): TransactionSpec {
  return {
    changes: ordered(changes),
    userEvent: 'graph',
    annotations: isolateHistory.of('full'),
    ...(show === undefined ? {} : { selection: EditorSelection.cursor(show), scrollIntoView: true }),
  };
}

export function mark(view: EditorView, range: Range | null, scroll: boolean): void {
  const within = range && { from: Math.min(range.from, view.state.doc.length), to: Math.min(range.to, view.state.doc.length) };
  const effects: StateEffect<unknown>[] = [setMarked.of(within)];
  if (within && scroll) effects.push(EditorView.scrollIntoView(within.from, { y: 'nearest', yMargin: 60 }));
  view.dispatch({ effects });
}

/** What is shown of a problem: its words as the command line has them. */
export function words(p: Problem): string {
  return [p.message, p.mark, ...(p.body ?? []), ...(p.notes ?? [])].filter(Boolean).join('\n');
}

export function showProblems(view: EditorView, problems: Problem[], mend: (changes: Change[]) => void): void {
  const text = view.state.doc.toString();
  const starts = lineStarts(text);
  const all = problems.map((p): Diagnostic => {
    const range = rangeOf(text, starts, p) ?? { from: 0, to: Math.min(1, text.length) };
    const changes = p.fix && changesOf(text, starts, p.fix);
    return {
      ...range,
      severity: p.severity === 'error' ? 'error' : 'warning',
      source: p.code,
      message: words(p),
      actions: changes ? [{ name: fixLabel(p), apply: () => mend(changes) }] : undefined,
    };
  });
  view.dispatch(setDiagnostics(view.state, all));
  forceLinting(view);
}
