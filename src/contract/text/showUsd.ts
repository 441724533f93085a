/** Nano-dollars as dollars without trailing zeros, with at least two decimals (`5.00`, `0.00000125`). */
export const showUsd = (nano: number): string => {
  if (last.nano !== nano) last = { nano, text: shown(nano) }
  return last.text
}

/** The last amount: each request's appears in its reply and again in its log line. */
let last = { nano: 0, text: "0.00" }

const shown = (nano: number): string => {
  const amount = Math.abs(nano)
  // Safe integers print without an exponent.
  const digits = (amount <= Number.MAX_SAFE_INTEGER ? String(amount) : BigInt(amount).toString()).padStart(10, "0")
  let end = digits.length
  while (end > digits.length - 7 && digits[end - 1] === "0") end--
  return `${nano < 0 ? "-" : ""}${digits.slice(0, -9)}.${digits.slice(-9, end)}`
}
