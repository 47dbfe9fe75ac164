// Numbers, units and times as people read them.

/** `kg*m^2` as kg·m²; a dimensionless unit is empty. */
export function unitText(unit: string): string {
  if (unit === '1') return '';
  const raised: Record<string, string> = {
    '-': '⁻',
    '0': '⁰',
    '1': '¹',
    '2': '²',
    '3': '³',
    '4': '⁴',
    '5': '⁵',
    '6': '⁶',
    '7': '⁷',
    '8': '⁸',
    '9': '⁹',
  };
  return unit.replace(/\^(-?\d+)/g, (_, power: string) => [...power].map((c) => raised[c]).join('')).replace(/\*/g, '·');
}

/** Six significant digits, plain between 1e-4 and 1e7. */
export function valueText(v: number | null | undefined, digits = 6): string {
  if (v === undefined) return '–';
  if (v === null || Number.isNaN(v)) return 'not a number';
  if (!Number.isFinite(v)) return v > 0 ? '∞' : '−∞';
  const size = Math.abs(v);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) {
    const [mantissa, exponent] = v.toExponential(digits - 1).split('e');
    return `${trimmed(mantissa)}e${exponent.replace('+', '')}`.replace(/-/g, '−');
  }
  return trimmed(v.toPrecision(digits)).replace(/-/g, '−');
}

function trimmed(digits: string): string {
  if (digits.includes('e')) return String(Number(digits));
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
}

/** Time with a resolution that fits the span that is shown. */
export function timeText(t: number | null | undefined, span = 1): string {
  if (t === null || t === undefined || !Number.isFinite(t)) return '–';
  const decimals = Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(span > 0 ? span : 1))));
  return t.toFixed(Math.min(decimals, 6)).replace('-', '−');
}

/** A duration in words: 0.73 s, 5 min, 2 h 10 min. */
export function durationText(s: number | null | undefined): string {
  if (s === null || s === undefined || !Number.isFinite(s)) return '–';
  if (s < 1e-3) return `${valueText(s * 1e6, 2)} µs`;
  if (s < 0.1) return `${valueText(s * 1e3, 2)} ms`;
  if (s < 60) return `${valueText(s, 3)} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`.replace(' 0 s', '');
  return `${Math.floor(s / 3600)} h ${Math.round((s % 3600) / 60)} min`;
}

/** How long ago, from two times in ms. */
export function agoText(then: string, now: number): string {
  const s = (now - Date.parse(then)) / 1000;
  if (!Number.isFinite(s)) return '';
  if (s < 60) return 'just now';
  if (s < 3600) return `${Math.floor(s / 60)} min ago`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ago`;
  if (s < 172800) return 'yesterday';
  return then.slice(0, 10);
}

/** A speed or factor: 1 ×, 0.5 ×, 1 240 ×. */
export function factorText(f: number): string {
  if (!Number.isFinite(f)) return '–';
  const text =
    f >= 1000
      ? Math.round(f)
          .toString()
          .replace(/\B(?=(\d{3})+$)/g, ' ')
      : valueText(f, 3);
  return `${text} ×`;
}

/** The nearest of 1, 2, 3, 5, 10, … and their fractions. */
export function rounded(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const lead = x / power;
  return Number(((lead < 1.5 ? 1 : lead < 2.5 ? 2 : lead < 4 ? 3 : lead < 7.5 ? 5 : 10) * power).toPrecision(1));
}
