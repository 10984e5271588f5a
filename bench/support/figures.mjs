/** Middle value; the mean of the two middle ones for an even count. NaN for none. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

export function spread(values) {
  return { n: values.length, min: Math.min(...values), median: median(values) };
}

export function round(value, digits = 1) {
  return Number(value.toFixed(digits));
}

/** Rows of texts and numbers, numbers to the right. */
export function table(rows) {
  const texts = rows.map((row) => row.map(String));
  const widths = texts[0].map((_, column) =>
    Math.max(...texts.map((row) => row[column]?.length ?? 0)),
  );
  return texts
    .map((row) =>
      row
        .map((text, column) =>
          column === 0 ? text.padEnd(widths[0]) : text.padStart(widths[column]),
        )
        .join('  '),
    )
    .join('\n');
}

/** `--name value` pairs; what is not given keeps its default, numbers stay numbers. */
export function options(argv, defaults) {
  const result = { ...defaults };
  for (let at = 0; at < argv.length; at += 1) {
    const name = argv[at].replace(/^--/, '');
    if (!(name in defaults))
      throw new Error(`unknown option ${argv[at]}: ${Object.keys(defaults)}`);
    if (typeof defaults[name] === 'boolean') {
      result[name] = true;
    } else {
      at += 1;
      result[name] = typeof defaults[name] === 'number' ? Number(argv[at]) : argv[at];
    }
  }
  return result;
}
