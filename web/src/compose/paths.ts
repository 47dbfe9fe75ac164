// Paths as the server writes them.

/** Without "." and "name/..". */
export function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '.' || (part === '' && parts.length > 0)) continue;
    if (part === '..' && parts.length > 0 && parts[parts.length - 1] !== '..' && parts[parts.length - 1] !== '') parts.pop();
    else parts.push(part);
  }
  return parts.join('/') || '.';
}

/** A file that a document names. */
export function beside(document: string, file: string): string {
  if (file.startsWith('/')) return normal(file);
  const slash = document.lastIndexOf('/');
  return normal(slash < 0 ? file : `${document.slice(0, slash)}/${file}`);
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
