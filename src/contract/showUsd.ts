/** Nano-dollars as dollars with every digit that matters, at least two (`5.00`, `0.000001250`). */
export const showUsd = (nano: number): string => {
  if (known.nano !== nano) known = { nano, text: shown(nano) }
  return known.text
}

/** The amount shown last: a request's is told in its reply, and then in its line. */
let known = { nano: 0, text: "0.00" }

const shown = (nano: number): string => {
  const amount = Math.abs(nano)
  // What a double holds exactly is written without an exponent.
  const digits = (amount <= Number.MAX_SAFE_INTEGER ? String(amount) : BigInt(amount).toString()).padStart(10, "0")
  let end = digits.length
  while (end > digits.length - 7 && digits[end - 1] === "0") end--
  return `${nano < 0 ? "-" : ""}${digits.slice(0, -9)}.${digits.slice(-9, end)}`
}
