/** Days are ISO text (`2024-02-29`), months are `2024-02`: both sort as they read. */

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/;

export function isLeapYear(year) {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

export function daysInMonth(year, month) {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

export function isDay(text) {
  const match = DAY.exec(text);
  if (match === null) return false;
  const [year, month, day] = match.slice(1).map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/** The days of a month as a half-open range: `from` belongs to it, `until` does not. */
export function monthRange(month) {
  const [year, number] = monthParts(month);
  const next = number === 12 ? [year + 1, 1] : [year, number + 1];
  return { from: isoDay(year, number, 1), until: isoDay(next[0], next[1], 1) };
}

export function isWithin(day, range) {
  return day >= range.from && day < range.until;
}

function monthParts(month) {
  const match = MONTH.exec(month);
  if (match === null) throw new RangeError(`not a month: ${month}`);
  return [Number(match[1]), Number(match[2])];
}

function isoDay(year, month, day) {
  const two = (number) => String(number).padStart(2, '0');
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
}
