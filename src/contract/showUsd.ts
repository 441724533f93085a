/** Nano-dollars as dollars with every digit that matters, at least two (`5.00`, `0.000001250`). */
export const showUsd = (nano: number): string => {
  const amount = Math.abs(nano)
  // What a double holds exactly is written without an exponent.
  const digits = (amount <= Number.MAX_SAFE_INTEGER ? String(amount) : BigInt(amount).toString()).padStart(10, "0")
  let end = digits.length
  while (end > digits.length - 7 && digits[end - 1] === "0") end--
  return `${nano < 0 ? "-" : ""}${digits.slice(0, -9)}.${digits.slice(-9, end)}`
}
