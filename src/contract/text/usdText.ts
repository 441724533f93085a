const longest = 9
const formats = Array.from(
  { length: longest + 1 },
  (_, decimals) =>
    new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: Math.max(2, decimals) })
)

/**
 * An amount to read: four significant digits, and never less than cents (`$1,234.50`, `$0.50`, `$0.00001234`).
 *
 * @param dollars multiples of a nano-dollar
 */
export const usdText = (dollars: number): string => {
  const amount = Math.abs(dollars)
  const decimals = amount === 0 ? 0 : Math.min(longest, 3 - Math.floor(Math.log10(amount)))
  return `${dollars < 0 ? "-" : ""}$${(formats[Math.max(0, decimals)] ?? formats[longest])?.format(amount)}`
}

/** A cost: `usdText`, or `free`. */
export const costText = (dollars: number): string => (dollars === 0 ? "free" : usdText(dollars))
