// Unsaved text, kept by the browser in case the page is closed.

export interface Draft {
  text: string;
  digest: string; // of the content that it began with
  when: number; // ms since 1970
}

const prefix = 'vernier.draft.';
const longest = 500_000; // characters; browsers keep about 5 million

export function draftOf(file: string): Draft | null {
  try {
    const d = JSON.parse(localStorage.getItem(prefix + file) ?? 'null') as Draft | null;
    return d && typeof d.text === 'string' && typeof d.digest === 'string' && typeof d.when === 'number' ? d : null;
  } catch {
    return null;
  }
}

export function keepDraft(file: string, text: string, digest: string): void {
  try {
    if (text.length <= longest) localStorage.setItem(prefix + file, JSON.stringify({ text, digest, when: Date.now() } satisfies Draft));
  } catch {
    // storage can be full or switched off; the page warns before it is closed
  }
}

export function forgetDraft(file: string): void {
  try {
    localStorage.removeItem(prefix + file);
  } catch {
    // as above
  }
}
